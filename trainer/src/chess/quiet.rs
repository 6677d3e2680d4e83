//! Quiet positions of chess: resolves a position by taking all that hangs, by material alone.
//!
//! An evaluation without a search is asked about quiet positions only, so it is fitted to such positions. A search of
//! captures and promotions to a queen decides whether a position is quiet. It evaluates the material on the board (a
//! pawn 1, a knight and a bishop 3, a rook 5, a queen 9). The side to move may stand pat, unless it is in check, where
//! all its moves are tried. A capture is played only if it wins something: even exchanges are left alone.
//!
//! [`resolve`] returns the position at the end of the best such line. [`variation_end`] searches all moves for some
//! plies before it. Both are pure functions of the position; neither knows scores or results, which are labels that
//! others give.

use shakmaty::{Chess, Move, MoveList, Position, Role};

/// The value of being mated: below any material balance.
const MATED: i32 = -1_000;
/// A bound that no line exceeds.
const INFINITE: i32 = 10_000;
/// The maximum number of nodes for one position. Only boards with several queens reach it.
const MOST_NODES: u32 = 100_000;

/// Returns the position at the end of the best sequence of captures and promotions, or the same position if none gains
/// material.
///
/// If the side to move is in check, the line may begin with a quiet evasion. The returned position is in check only if
/// it is mate.
pub fn resolve(position: &Chess) -> Chess {
    variation_end(position, 0, &[])
}

/// Whether the side to move is not in check and no sequence of captures and promotions gains material.
pub fn is_quiet(position: &Chess) -> bool {
    if position.is_check() {
        return false;
    }
    // The size of the gain does not matter, so the first sequence that gains ends the search.
    let (mut search, stand) = (Search { nodes: 0, depth: 0, played: &[] }, material(position));
    let best = search.best(position, stand, stand + 1, 0);
    best.value <= stand || search.nodes > MOST_NODES
}

/// Returns the position at the end of the best variation by material: `depth` plies of any moves, then captures and
/// promotions as in [`resolve`].
///
/// Among moves of equal value, the search prefers the move of `played` for the ply: the choice of strong players says
/// more than the order of move generation. If the search exceeds the node limit, it gives up: the line then has no
/// other moves before the captures, or the position itself is returned.
pub fn variation_end(position: &Chess, depth: usize, played: &[Move]) -> Chess {
    let mut search = Search { nodes: 0, depth, played };
    let best = search.best(position, -INFINITE, INFINITE, 0);
    match (best.end, search.nodes <= MOST_NODES) {
        (Some(end), true) => end,
        (_, false) if depth > 0 => resolve(position),
        (None, _) | (_, false) => position.clone(),
    }
}

/// The result of a search.
struct Best {
    /// The material at the end of the line, for the side to move.
    value: i32,
    /// Where the line ends; `None` if it has no moves.
    end: Option<Chess>,
}

struct Search<'a> {
    nodes: u32,
    /// The number of plies in which all moves are tried.
    depth: usize,
    played: &'a [Move],
}

impl Search<'_> {
    /// Alpha-beta in which only a strictly better move replaces the best one.
    fn best(&mut self, position: &Chess, mut alpha: i32, beta: i32, ply: usize) -> Best {
        self.nodes += 1;
        let all = ply < self.depth || position.is_check();
        let stand = material(position);
        if self.nodes > MOST_NODES || (!all && stand >= beta) {
            return Best { value: stand, end: None };
        }
        let moves = self.moves(position, all, ply);
        if moves.is_empty() {
            // Without any moves it is mate or stalemate; without captures it is a quiet position.
            let value = if position.is_check() { MATED + ply as i32 } else { stand * i32::from(!all) };
            return Best { value, end: None };
        }
        let mut best = Best { value: if all { -INFINITE } else { stand }, end: None };
        alpha = alpha.max(best.value);
        for mv in moves {
            let mut after = position.clone();
            after.play_unchecked(mv);
            let reply = self.best(&after, -beta, -alpha, ply + 1);
            if -reply.value > best.value {
                best = Best { value: -reply.value, end: Some(reply.end.unwrap_or(after)) };
                alpha = alpha.max(best.value);
            }
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The moves to try, the most promising first.
    fn moves(&self, position: &Chess, all: bool, ply: usize) -> MoveList {
        let mut moves = position.legal_moves();
        if !all {
            moves.retain(|mv| mv.is_capture() && mv.promotion().is_none() || mv.promotion() == Some(Role::Queen));
        }
        moves.sort_by_key(|&mv| -gain(mv));
        let played = self.played.get(ply).and_then(|&played| moves.iter().position(|&mv| mv == played));
        if let Some(at) = played {
            moves[..=at].rotate_right(1);
        }
        moves
    }
}

/// Estimates what a move wins: the captured piece, preferably taken by a pawn and not by a queen.
fn gain(mv: Move) -> i32 {
    let taken = mv.capture().map_or(0, |role| 16 * worth(role) - worth(mv.role()));
    taken + mv.promotion().map_or(0, |role| 16 * worth(role))
}

/// The material of the side to move minus its opponent's, in pawns.
fn material(position: &Chess) -> i32 {
    let counts = position.board().material();
    let of =
        |color| Role::ALL.into_iter().map(|role| i32::from(*counts.get(color).get(role)) * worth(role)).sum::<i32>();
    of(position.turn()) - of(!position.turn())
}

fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::parse_fen;
    use super::*;
    use proptest::prelude::*;
    use shakmaty::EnPassantMode;
    use shakmaty::fen::Epd;
    use shakmaty::uci::UciMove;

    fn epd(position: &Chess) -> String {
        Epd::from_position(position, EnPassantMode::Legal).to_string()
    }

    fn moves(position: &Chess, words: &[&str]) -> Vec<Move> {
        let mut position = position.clone();
        let play = |word: &&str| {
            let mv = word.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(mv);
            mv
        };
        words.iter().map(play).collect()
    }

    #[test]
    fn what_hangs_is_taken() {
        for (fen, end) in [
            // Nothing to take, nothing that wins: the pawn is guarded, rooks can be exchanged evenly.
            ("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1", "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - -"),
            ("3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "3rk3/8/8/8/8/8/8/3RK3 w - -"),
            // A pawn without a guard; a knight that two attack and one guards.
            ("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1", "4k3/8/8/3Q4/8/8/8/4K3 b - -"),
            ("4k3/8/2p5/3n4/4P3/8/3R4/4K3 w - - 0 1", "4k3/8/2p5/3P4/8/8/3R4/4K3 b - -"),
            // A pawn becomes a queen, also by taking; en passant wins a pawn.
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "Q7/7k/8/8/8/8/8/K7 b - -"),
            ("1r6/P6k/8/8/8/8/8/K7 w - - 0 1", "1Q6/7k/8/8/8/8/8/K7 b - -"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/3P4/8/8/8/8/4K3 b - -"),
            // A check is answered by capturing the checking piece, not by a move that loses the queen.
            ("4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/4K3/R7 b - -"),
            // After mate there is no line to search.
            ("R3k3/8/4K3/8/8/8/8/8 b - - 0 1", "R3k3/8/4K3/8/8/8/8/8 b - -"),
        ] {
            let position = parse_fen(fen).unwrap();
            let resolved = resolve(&position);
            assert_eq!(epd(&resolved), end, "{fen}");
            assert_eq!(is_quiet(&position), epd(&position) == end && !position.is_check(), "{fen}");
        }
    }

    #[test]
    fn a_knight_that_is_attacked_twice_falls() {
        let position = parse_fen("4k3/8/2p5/3n4/4P3/8/3R4/4K3 w - - 0 1").unwrap();
        assert!(!is_quiet(&position));
        // One attack on a piece guarded once: a rook for a knight is not a gain.
        assert!(is_quiet(&parse_fen("4k3/8/2p5/3n4/8/8/3R4/4K3 w - - 0 1").unwrap()));
    }

    #[test]
    fn of_equal_variations_the_played_one_is_taken() {
        let start = Chess::default();
        let played = moves(&start, &["e2e4", "e7e5"]);
        let end = variation_end(&start, 2, &played);
        assert_eq!(epd(&end), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -");
        // Moves that leave a pawn or lose a queen are not part of the best variation, whichever side played them.
        let loose = parse_fen("4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1").unwrap();
        assert_eq!(material(&variation_end(&loose, 2, &moves(&loose, &["d1c1", "e8e7"]))), 9);
        let hung = parse_fen("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1").unwrap();
        assert_eq!(material(&variation_end(&hung, 2, &moves(&hung, &["d2d5", "c6d5"]))), 7);
    }

    #[test]
    fn boards_full_of_queens_are_given_up_on() {
        let full = parse_fen("qqqqk3/qqqqq3/8/8/8/8/QQQQQ3/QQQQK3 w - - 0 1").unwrap();
        let mut search = Search { nodes: 0, depth: 0, played: &[] };
        search.best(&full, -INFINITE, INFINITE, 0);
        assert!(search.nodes < 2 * MOST_NODES, "{}", search.nodes);
    }

    proptest! {
        /// The end of a line is quiet, and searching for the line again finds the same end by material alone.
        #[test]
        fn ends_of_lines_are_quiet(choices in prop::collection::vec(0_usize..1_000, 0..120), depth in 0_usize..3) {
            let position = super::super::tests::position(&choices);
            let end = variation_end(&position, depth, &[]);
            prop_assert!(end.is_checkmate() || is_quiet(&end) || end == position, "{} to \
                {}", epd(&position), epd(&end));
            prop_assert!(end.board().occupied().count() <= position.board().occupied().count());
        }
    }
}
