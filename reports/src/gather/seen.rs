//! The games of a pair, prepared for gathering.

use crate::board::side_to_move;
use arena::run::{GameRecord, StoredResult};
use play::{BySide, Side};
use stats::Score;

/// The games of a pair, each with the side of the proposal's first seat.
pub(crate) fn games_of(stored: &StoredResult) -> impl Iterator<Item = (GameSeen<'_>, Side)> {
    let StoredResult { proposal, result, .. } = stored;
    let seats = [0, 1].map(|seat| proposal.seats[seat].entrant as usize);
    let begins = result.start.as_deref().map_or(Side::First, side_to_move);
    result.seated_games().enumerate().map(move |(game, (record, side))| {
        let entrants = match side {
            Side::First => BySide { first: seats[0], second: seats[1] },
            Side::Second => BySide { first: seats[1], second: seats[0] },
        };
        let (opening_plies, score_of_first) = (result.opening.len(), record.ending.score(Side::First));
        (GameSeen { pair: result.pair, game, entrants, opening_plies, begins, record, score_of_first }, side)
    })
}

/// One game as the parts of [`Gathered`](super::Gathered) see it.
pub(crate) struct GameSeen<'a> {
    pub(crate) pair: u64,
    /// The number of the game in its pair, 0 or 1.
    pub(crate) game: usize,
    /// The first and the second mover, by number of the entrant.
    pub(crate) entrants: BySide<usize>,
    pub(crate) opening_plies: usize,
    /// The side that makes the first ply of the game.
    pub(crate) begins: Side,
    pub(crate) record: &'a GameRecord,
    pub(crate) score_of_first: Score,
}

impl GameSeen<'_> {
    /// The total number of plies, including the opening's.
    pub(crate) fn plies(&self) -> usize {
        self.opening_plies + self.record.moves.len()
    }

    /// The side that makes ply `index` after the opening.
    pub(crate) fn mover(&self, index: usize) -> Side {
        if (self.opening_plies + index).is_multiple_of(2) { self.begins } else { !self.begins }
    }

    pub(crate) fn score(&self, side: Side) -> Score {
        if side == Side::First { self.score_of_first } else { self.score_of_first.mirror() }
    }
}
