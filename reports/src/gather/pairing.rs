//! Pairs of one entrant against another.

use arena::run::{Sides, StoredResult};
use play::Side;
use stats::rating::PairTable;
use stats::{Counts, Wdl};

/// Pairs of one entrant against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// The outcomes, from the first entrant's view.
    pub counts: Counts,
    /// The outcomes of pairs with the seats swapped, by seat: where the first entrant moved first, then where it moved
    /// second.
    pub table: PairTable,
    /// The outcomes of all other games, from the first entrant's view, by its seat: where it moved first, then where it
    /// moved second.
    pub unpaired: [Wdl; 2],
}

impl Pairing {
    pub(super) fn add(&mut self, StoredResult { result, .. }: &StoredResult) {
        self.counts.add(result.outcome());
        let half_points: Vec<usize> = result.scores().iter().map(|score| usize::from(score.half_points())).collect();
        match (result.sides, &half_points[..]) {
            (Sides::Swapped, &[first, second]) | (Sides::Reversed, &[second, first]) => self.table[first][second] += 1,
            _ => {
                for (game, side) in result.seated_games() {
                    self.unpaired[usize::from(side == Side::Second)].add(game.ending.score(side));
                }
            }
        }
    }
}
