//! Adjudication: ends a game before the rules do, by the players' own scores or by its length.
//!
//! Adjudication is off unless configured. The record marks an adjudicated game as such, never as ended by the rules.

use super::conventions::Conventions;
use super::game::Game;
use record::{AdjudicatedBy, Ending, Evaluation, Side};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// When games are ended early; by default never.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Ends a game in which both players have long reported equal scores.
    pub draw: Option<DrawRuling>,
    /// Ends a game in which a player has long reported a lost score.
    pub resign: Option<ResignRuling>,
    /// The game is a draw after this many plies; [`Conventions`] decide whether those of the opening count.
    pub max_plies: Option<NonZeroU32>,
    /// Ends a game whose result endgame tables know.
    pub tables: Option<TableRuling>,
}

/// When games are ended by endgame tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRuling {
    /// The folders of the tables, separated as in `PATH`.
    pub path: String,
    /// The maximum number of men on the board, kings included.
    pub pieces: u8,
    /// Whether a position counts as won if only the fifty-move rule prevents the win.
    pub ignore_50: bool,
    /// Which games the tables end.
    pub results: TableResults,
}

/// Which games endgame tables end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableResults {
    /// Won and drawn games.
    #[default]
    All,
    /// Won games; drawn games are played on.
    Wins,
    /// Drawn games; won games are played on.
    Draws,
}

impl TableResults {
    /// Whether to end a game with this verdict.
    #[must_use]
    pub fn include(self, verdict: TableVerdict) -> bool {
        match self {
            Self::All => true,
            Self::Wins => verdict.winner.is_some(),
            Self::Draws => verdict.winner.is_none(),
        }
    }
}

/// The verdict of endgame tables on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableVerdict {
    /// The winner; `None` in a draw.
    pub winner: Option<Side>,
}

/// The tables of a [`TableRuling`], open.
pub trait Endgames<G: Game>: Send + Sync {
    /// The result of a game that is not over, if the tables know it.
    fn verdict(&self, position: &G::Position) -> Option<TableVerdict>;

    /// The error of a table that turned out to be unreadable; a game in which this happened has no result.
    fn failure(&self) -> Option<String>;
}

/// When a game is called a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawRuling {
    /// The move number before which no game is drawn; [`Conventions`] decide how it is counted.
    pub from_move: u32,
    /// For how many consecutive moves each side must report such a score, counted from the last capture or pawn move.
    pub moves: NonZeroU32,
    /// The maximum score of either side, in centipawns.
    pub score: u32,
}

/// When a game is resigned for its loser.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResignRuling {
    /// For how many consecutive own moves the loser must report such a score.
    pub moves: NonZeroU32,
    /// The loser's score, in centipawns, must be at most minus this.
    pub score: u32,
    /// The winner must report the matching score for as many moves; [`Conventions`] define how.
    pub two_sided: bool,
}

/// A score so far beyond all others that it stands for a mate.
const MATE: i64 = 1_000_000;

/// Centipawns in a logit of 1, for rulings in games whose engines count in logit.
const CENTIPAWNS_PER_LOGIT: i64 = 100;

/// The score in centipawns, for comparing.
fn centipawns(score: Evaluation) -> i64 {
    match score {
        Evaluation::Logit(units) => i64::from(units) * CENTIPAWNS_PER_LOGIT / 10_000,
        Evaluation::Centipawns(cp) => cp.into(),
        Evaluation::Mate(moves) if moves > 0 => MATE,
        Evaluation::Mate(_) => -MATE,
    }
}

/// Follows the scores that both players report in one game.
pub(super) struct Arbiter<'a, G: Game> {
    rules: &'a Adjudication,
    endgames: Option<&'a dyn Endgames<G>>,
    conventions: Conventions,
    /// The number of plies in the opening.
    opening: usize,
    /// Consecutive plies of both sides whose scores were equal.
    equal: u32,
    /// Consecutive own moves in which each side (the index) reported a lost score, and a won one.
    lost: [u32; 2],
    won: [u32; 2],
    /// Consecutive plies of both sides whose scores were decisive, for either side.
    decided: u32,
    /// The side that moved last, if it sees itself behind.
    behind: Option<Side>,
}

impl<'a, G: Game> Arbiter<'a, G> {
    /// The state before the first ply after an opening of this many plies; `endgames` are the tables that `rules` name.
    pub(super) fn new(
        rules: &'a Adjudication,
        conventions: Conventions,
        opening: usize,
        endgames: Option<&'a dyn Endgames<G>>,
    ) -> Self {
        let (lost, won) = ([0; 2], [0; 2]);
        Self { rules, endgames, conventions, opening, equal: 0, lost, won, decided: 0, behind: None }
    }

    /// Counts the score that `side` reported with its move; a move without a score resets all counts. A move that makes
    /// progress restarts the count of equal plies with itself as the first, because the position is new.
    pub(super) fn note(&mut self, side: Side, score: Option<Evaluation>, progress: bool) {
        let score = score.map(centipawns);
        let counted = |so_far: u32, holds: bool| if holds { so_far + 1 } else { 0 };
        if let Some(draw) = &self.rules.draw {
            let so_far = if progress { 0 } else { self.equal };
            self.equal = counted(so_far, score.is_some_and(|cp| cp.unsigned_abs() <= draw.score.into()));
        }
        if let Some(resign) = &self.rules.resign {
            self.behind = score.is_some_and(|cp| cp < 0).then_some(side);
            let (side, bound) = (side as usize, i64::from(resign.score));
            self.decided = counted(self.decided, score.is_some_and(|cp| cp.abs() >= bound));
            self.lost[side] = counted(self.lost[side], score.is_some_and(|cp| cp <= -bound));
            self.won[side] = counted(self.won[side], score.is_some_and(|cp| cp >= bound));
        }
    }

    /// How the game ends now, if it does. `plies` includes those of the opening.
    pub(super) fn ending(&self, position: &G::Position, plies: usize) -> Option<Ending> {
        let adjudicated = |winner, by| Some(Ending::Adjudicated { winner, by });
        if let Some(TableVerdict { winner }) = self.endgames.and_then(|endgames| endgames.verdict(position)) {
            return adjudicated(winner, AdjudicatedBy::Tables);
        }
        if let Some(winner) = self.resigned_to() {
            return adjudicated(Some(winner), AdjudicatedBy::Resign);
        }
        let moves_made = match self.conventions {
            Conventions::Cutechess | Conventions::Fide => plies / 2,
            Conventions::Fastchess => G::move_number(position).saturating_sub(1) as usize,
        };
        if self.is_called_draw(moves_made) {
            return adjudicated(None, AdjudicatedBy::Draw);
        }
        let counted = match self.conventions {
            Conventions::Cutechess | Conventions::Fide => plies,
            Conventions::Fastchess => plies.saturating_sub(self.opening),
        };
        if self.rules.max_plies.is_some_and(|most| counted >= most.get() as usize) {
            return adjudicated(None, AdjudicatedBy::MaxPlies);
        }
        None
    }

    fn resigned_to(&self) -> Option<Side> {
        let resign = self.rules.resign?;
        let needed = resign.moves.get();
        if resign.two_sided && self.conventions == Conventions::Fastchess {
            let is_agreed = self.decided >= needed.saturating_mul(2);
            return self.behind.filter(|_| is_agreed).map(|loser| !loser);
        }
        [Side::First, Side::Second].into_iter().find(|&winner| {
            let loser = !winner;
            self.lost[loser as usize] >= needed && (!resign.two_sided || self.won[winner as usize] >= needed)
        })
    }

    fn is_called_draw(&self, moves_made: usize) -> bool {
        self.rules.draw.is_some_and(|draw| {
            moves_made >= draw.from_move as usize && self.equal >= draw.moves.get().saturating_mul(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Chess, GameKind, ZeroPointOne};

    const CP: fn(i32) -> Option<Evaluation> = |cp| Some(Evaluation::Centipawns(cp));

    fn rules() -> Adjudication {
        let moves = NonZeroU32::new(2).unwrap();
        Adjudication {
            draw: Some(DrawRuling { from_move: 3, moves, score: 10 }),
            resign: Some(ResignRuling { moves, score: 500, two_sided: false }),
            max_plies: NonZeroU32::new(20),
            tables: None,
        }
    }

    /// The first ending when both sides report these scores in turn, and the number of plies before it.
    fn first_ending(rules: &Adjudication, scores: &[Option<Evaluation>]) -> Option<(usize, Ending)> {
        ending_with_progress(rules, scores, &[])
    }

    /// Like [`first_ending`], with these plies, from 0, being captures or pawn moves.
    fn ending_with_progress(
        rules: &Adjudication,
        scores: &[Option<Evaluation>],
        progress: &[usize],
    ) -> Option<(usize, Ending)> {
        let mut arbiter = Arbiter::<ZeroPointOne>::new(rules, Conventions::Cutechess, 0, None);
        let position = ZeroPointOne.start();
        scores.iter().enumerate().find_map(|(ply, &score)| {
            arbiter.note(if ply % 2 == 0 { Side::First } else { Side::Second }, score, progress.contains(&ply));
            arbiter.ending(&position, ply + 1).map(|ending| (ply + 1, ending))
        })
    }

    /// Like [`first_ending`], in fastchess's conventions, from a position of chess after an opening of four plies.
    /// Knights move to and fro.
    fn ending_as_fastchess(rules: &Adjudication, fen: &str, scores: &[Option<Evaluation>]) -> Option<(usize, Ending)> {
        const TO_AND_FRO: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let mut arbiter = Arbiter::<Chess>::new(rules, Conventions::Fastchess, 4, None);
        let mut position = Chess::of(GameKind::Chess).unwrap().setup(fen).unwrap();
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let mv = Chess::parse_move(&position, TO_AND_FRO[ply % 4]).unwrap();
            arbiter.note(Chess::side_to_move(&position), score, Chess::is_progress(&position, mv));
            Chess::play(&mut position, mv);
            arbiter.ending(&position, 4 + ply + 1).map(|ending| (ply + 1, ending))
        })
    }

    fn adjudicated(winner: Option<Side>, by: AdjudicatedBy) -> Ending {
        Ending::Adjudicated { winner, by }
    }

    #[test]
    fn a_draw_needs_consecutive_scores_of_both_sides_and_is_not_too_early() {
        let draw = adjudicated(None, AdjudicatedBy::Draw);
        assert_eq!(first_ending(&rules(), &[CP(10); 9]), Some((6, draw.clone())), "not before move 3");
        let interrupted = [CP(0), CP(0), CP(0), CP(11), CP(0), CP(-10), CP(0), CP(0)];
        assert_eq!(first_ending(&rules(), &interrupted), Some((8, draw)));
        assert_eq!(
            first_ending(&rules(), &[CP(0), CP(0), None, CP(0), CP(0), CP(0)]),
            None,
            "a missing score does not count"
        );
    }

    #[test]
    fn a_capture_or_pawn_move_restarts_the_count_of_a_draw_and_is_counted() {
        let draw = Some((8, adjudicated(None, AdjudicatedBy::Draw)));
        assert_eq!(ending_with_progress(&rules(), &[CP(0); 9], &[1, 4]), draw, "plies 4 to 7 are four in a row");
        assert_eq!(ending_with_progress(&rules(), &[CP(0); 9], &[2, 5, 8]), None);
        let lost = [CP(-500), CP(20), CP(-500)];
        let won = Some((3, adjudicated(Some(Side::Second), AdjudicatedBy::Resign)));
        assert_eq!(ending_with_progress(&rules(), &lost, &[0, 1, 2]), won, "a resignation counts on");
    }

    #[test]
    fn the_loser_alone_resigns_unless_two_sided() {
        let won = adjudicated(Some(Side::Second), AdjudicatedBy::Resign);
        let scores = [CP(-500), CP(20), Some(Evaluation::Mate(-3)), CP(20)];
        assert_eq!(first_ending(&rules(), &scores), Some((3, won.clone())));
        let mut both = rules();
        both.resign = both.resign.map(|resign| ResignRuling { two_sided: true, ..resign });
        assert_eq!(first_ending(&both, &scores), None);
        let agreed = [CP(-900), CP(700), CP(-900), Some(Evaluation::Mate(7))];
        assert_eq!(first_ending(&both, &agreed), Some((4, won)));
    }

    #[test]
    fn a_logit_of_1_is_100_centipawns() {
        let won = adjudicated(Some(Side::Second), AdjudicatedBy::Resign);
        let lost = |logit: i32| [Some(Evaluation::Logit(logit)), None, Some(Evaluation::Logit(logit))];
        assert_eq!(first_ending(&rules(), &lost(-50_000)), Some((3, won)));
        assert_eq!(first_ending(&rules(), &lost(-49_800)), None);
    }

    #[test]
    fn long_games_are_drawn_and_nothing_ends_by_default() {
        let played = [CP(300); 25];
        assert_eq!(first_ending(&rules(), &played), Some((20, adjudicated(None, AdjudicatedBy::MaxPlies))));
        assert_eq!(first_ending(&Adjudication::default(), &[Some(Evaluation::Mate(-1)); 25]), None);
    }

    #[test]
    fn fastchess_counts_moves_as_the_position_does_and_leaves_the_opening_out() {
        let fen = |number: u32| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}");
        let draw = adjudicated(None, AdjudicatedBy::Draw);
        // Not before move 3 is over: the plies of the opening do not count for this, a FEN's number does.
        assert_eq!(ending_as_fastchess(&rules(), &fen(1), &[CP(0); 9]), Some((6, draw.clone())));
        assert_eq!(ending_as_fastchess(&rules(), &fen(9), &[CP(0); 9]), Some((4, draw)), "two own moves of each");
        let longest = Adjudication { max_plies: NonZeroU32::new(6), ..Adjudication::default() };
        let too_long = Some((6, adjudicated(None, AdjudicatedBy::MaxPlies)));
        assert_eq!(ending_as_fastchess(&longest, &fen(1), &[CP(0); 9]), too_long);
    }

    #[test]
    fn fastchess_counts_plies_of_both_sides_for_a_two_sided_resignation() {
        let mut both = rules();
        both.resign = both.resign.map(|resign| ResignRuling { two_sided: true, ..resign });
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let first_wins = adjudicated(Some(Side::First), AdjudicatedBy::Resign);
        let scores = [CP(500), CP(-500), CP(500), CP(-500)];
        assert_eq!(ending_as_fastchess(&both, fen, &scores), Some((4, first_wins.clone())));
        // Four decisive plies in a row, but the last mover does not see itself behind: play continues until the loser
        // has moved.
        let scores = [CP(0), CP(-500), CP(500), Some(Evaluation::Mate(-4)), CP(500), CP(-700)];
        assert_eq!(ending_as_fastchess(&both, fen, &scores), Some((6, first_wins)));
        let interrupted = [CP(500), CP(-500), CP(500), CP(-499), CP(500), CP(-500)];
        assert_eq!(ending_as_fastchess(&both, fen, &interrupted), None);
    }
}
