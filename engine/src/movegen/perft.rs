//! Perft: counts of move sequences to a fixed depth, to verify move generation and measure its speed.
//!
//! A sequence ends where the game ends; only sequences of exactly the requested depth are counted.

use std::hint::black_box;
use std::ops::AddAssign;

use super::in_hand;
use crate::{Move, MoveDelta, MoveKind, MoveList, Piece, Position, Setup, Stage, PLY_LIMIT};

/// Numbers of sequences, in total and by the kind of their last move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerftCounts {
    /// Sequences of the requested depth.
    pub nodes: u64,
    /// Those that end with a capture, including that of a wazir.
    pub captures: u64,
    /// Those that end with a drop.
    pub drops: u64,
    /// Those that end with the capture of a wazir.
    pub wins: u64,
    /// Those whose last move makes [`PLY_LIMIT`] plies without capturing a wazir.
    pub draws: u64,
}

impl AddAssign for PerftCounts {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.drops += other.drops;
        self.wins += other.wins;
        self.draws += other.draws;
    }
}

/// Counts the sequences of `depth` legal moves. The last moves are counted in bulk, not made.
///
/// Depth 0 is one empty sequence. The first two plies have [`Setup::COUNT`] moves each: from a position without setups,
/// depths of 2 and more take long.
pub fn perft(position: &Position, depth: u32) -> PerftCounts {
    count::<Bulk>(position, depth)
}

/// Like [`perft`], but also makes every last move, so that its speed is that of generating and making moves.
pub fn perft_played(position: &Position, depth: u32) -> PerftCounts {
    count::<EachPlayed>(position, depth)
}

/// Counts the sequences of `depth` safe moves (see [`Position::is_safe`]), generated in stages as in a search.
pub fn perft_safe(position: &Position, depth: u32) -> PerftCounts {
    count::<Safe>(position, depth)
}

/// Which moves are made, and how those of the last ply are counted. Called only from ply 3 on.
trait Walk {
    fn moves(position: &Position, moves: &mut MoveList) {
        position.legal_moves(moves);
    }

    fn leaves(position: &Position) -> PerftCounts;
}

fn count<W: Walk>(position: &Position, depth: u32) -> PerftCounts {
    match depth {
        0 => PerftCounts { nodes: 1, ..PerftCounts::default() },
        _ if position.plies() < 2 => count_setups::<W>(position, depth),
        1 => W::leaves(position),
        _ => {
            let mut moves = MoveList::new();
            W::moves(position, &mut moves);
            moves.iter().map(|&mv| count::<W>(&after(position, mv), depth - 1)).fold(PerftCounts::default(), sum)
        }
    }
}

fn count_setups<W: Walk>(position: &Position, depth: u32) -> PerftCounts {
    if depth == 1 {
        return PerftCounts { nodes: u64::from(Setup::COUNT), ..PerftCounts::default() };
    }
    let setups = (0..Setup::COUNT).filter_map(Move::setup_of_rank);
    setups.map(|mv| count::<W>(&after(position, mv), depth - 1)).fold(PerftCounts::default(), sum)
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}

fn sum(mut left: PerftCounts, right: PerftCounts) -> PerftCounts {
    left += right;
    left
}

struct Bulk;

impl Walk for Bulk {
    fn leaves(position: &Position) -> PerftCounts {
        let mut counts = PerftCounts::default();
        if !position.is_in_play() {
            return counts;
        }
        let side = position.side_to_move();
        let own = position.side_pieces(side);
        let enemy = position.side_pieces(!side);
        position.for_each_leap(|_, reached| {
            counts.nodes += u64::from((reached - own).count());
            counts.captures += u64::from((reached & enemy).count());
        });
        counts.wins = position.wazir(!side).map_or(0, |wazir| position.attackers(wazir, side).count().into());
        counts.drops = in_hand(position, side).count() as u64 * u64::from((!position.occupied()).count());
        counts.nodes += counts.drops;
        counts.draws = draws(position, counts);
        counts
    }
}

struct EachPlayed;

impl Walk for EachPlayed {
    fn leaves(position: &Position) -> PerftCounts {
        let mut counts = PerftCounts::default();
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for &mv in &moves {
            let mut next = *position;
            let delta = next.play(mv);
            // Keeps the compiler from leaving out the parts of the position that are not counted.
            black_box(&next);
            counts.nodes += 1;
            match delta {
                MoveDelta::Jump { captured, .. } => {
                    counts.captures += u64::from(captured.is_some());
                    counts.wins += u64::from(captured == Some(Piece::Wazir));
                }
                MoveDelta::Drop { .. } => counts.drops += 1,
                MoveDelta::Setup { .. } => {}
            }
        }
        counts.draws = draws(position, counts);
        counts
    }
}

struct Safe;

impl Walk for Safe {
    fn moves(position: &Position, moves: &mut MoveList) {
        position.safe_moves(moves);
    }

    fn leaves(position: &Position) -> PerftCounts {
        let mut counts = PerftCounts::default();
        let mut moves = MoveList::new();
        let enemy = position.side_pieces(!position.side_to_move());
        for &stage in Stage::sequence(position.in_check()) {
            moves.clear();
            position.generate(stage, &mut moves);
            counts.nodes += moves.len() as u64;
            if stage == Stage::Wins {
                counts.wins += moves.len() as u64;
            }
            for mv in &moves {
                match mv.kind() {
                    MoveKind::Jump { to, .. } => counts.captures += u64::from(enemy.contains(to)),
                    MoveKind::Drop { .. } => counts.drops += 1,
                    MoveKind::Setup(_) => {}
                }
            }
        }
        counts.draws = draws(position, counts);
        counts
    }
}

/// All moves that reach the ply limit without winning are draws.
fn draws(position: &Position, counts: PerftCounts) -> u64 {
    if position.plies() + 1 == PLY_LIMIT {
        counts.nodes - counts.wins
    } else {
        0
    }
}
