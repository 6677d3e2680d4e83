//! Perft: counts of move sequences to a fixed depth, to verify move generation and measure its speed.
//!
//! A sequence ends where the game ends; only sequences of exactly the requested depth are counted.

use std::ops::AddAssign;

use super::in_hand;
use crate::{Move, MoveList, Position, Setup, PLY_LIMIT};

/// The number of sequences, in total and by the kind of their last move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerftCounts {
    /// Sequences of the requested depth.
    pub nodes: u64,
    /// Sequences that end with a capture, including that of a wazir.
    pub captures: u64,
    /// Sequences that end with a drop.
    pub drops: u64,
    /// Sequences that end with the capture of a wazir.
    pub wins: u64,
    /// Sequences whose last move makes [`PLY_LIMIT`] plies without capturing a wazir.
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
    match depth {
        0 => PerftCounts { nodes: 1, ..PerftCounts::default() },
        1 if position.plies() < 2 => PerftCounts { nodes: u64::from(Setup::COUNT), ..PerftCounts::default() },
        1 => leaves(position),
        _ if position.plies() < 2 => deeper(position, (0..Setup::COUNT).filter_map(Move::setup_of_rank), depth),
        _ => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            deeper(position, moves.iter().copied(), depth)
        }
    }
}

fn deeper(position: &Position, moves: impl Iterator<Item = Move>, depth: u32) -> PerftCounts {
    let mut counts = PerftCounts::default();
    for mv in moves {
        let mut next = *position;
        next.play(mv);
        counts += perft(&next, depth - 1);
    }
    counts
}

/// The moves of the last ply. Called only from ply 3 on.
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
    // All moves that reach the ply limit without winning are draws.
    counts.draws = if position.plies() + 1 == PLY_LIMIT { counts.nodes - counts.wins } else { 0 };
    counts
}
