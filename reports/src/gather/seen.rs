//! One game as it is gathered.

use arena::run::GameRecord;
use play::{BySide, Side};
use stats::Score;

/// One game as the parts of [`Gathered`](super::Gathered) see it.
pub(super) struct GameSeen<'a> {
    pub(super) pair: u64,
    /// 0 or 1.
    pub(super) game: usize,
    /// Who moved first and who second, by number of the entrant.
    pub(super) entrants: BySide<usize>,
    pub(super) opening_plies: usize,
    /// Who makes the first ply of all.
    pub(super) begins: Side,
    pub(super) record: &'a GameRecord,
    pub(super) score_of_first: Score,
}

impl GameSeen<'_> {
    /// Plies in all, the opening's included.
    pub(super) fn plies(&self) -> usize {
        self.opening_plies + self.record.moves.len()
    }

    /// Who makes the ply number `index` after the opening.
    pub(super) fn mover(&self, index: usize) -> Side {
        if (self.opening_plies + index).is_multiple_of(2) { self.begins } else { !self.begins }
    }

    pub(super) fn score(&self, side: Side) -> Score {
        if side == Side::First { self.score_of_first } else { self.score_of_first.mirror() }
    }
}
