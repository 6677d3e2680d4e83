//! Counts of the depths reported at a ply, for their median: a mate is often reported with the maximum depth, which
//! would spoil a mean.

use stats::Estimate;
use stats::normal::Z95;

/// The maximum depth; greater ones count as this.
const MOST_DEPTH: usize = 255;

/// The number of moves by depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depths {
    moves: Vec<u32>,
}

impl Depths {
    pub(super) fn add(&mut self, depth: u32) {
        let depth = (depth as usize).min(MOST_DEPTH);
        self.moves.resize(self.moves.len().max(depth + 1), 0);
        self.moves[depth] = self.moves[depth].saturating_add(1);
    }

    /// Counts all moves that another has counted.
    pub(super) fn merge(&mut self, other: &Self) {
        self.moves.resize(self.moves.len().max(other.moves.len()), 0);
        for (moves, more) in self.moves.iter_mut().zip(&other.moves) {
            *moves = moves.saturating_add(*more);
        }
    }

    /// The number of moves counted.
    pub fn count(&self) -> u64 {
        self.moves.iter().map(|n| u64::from(*n)).sum()
    }

    /// The median with its 95% interval, in plies: the ends are those of the ranks n/2 ± 1.96 sqrt(n)/2, which hold a
    /// median with this probability under any law. A depth covers half a ply to either side. `None` without moves.
    pub fn median(&self) -> Option<Estimate> {
        let n = self.count() as f64;
        let half = Z95 * n.sqrt() / 2.0;
        let at = |rank: f64| self.at(rank.clamp(0.0, n));
        (n > 0.0).then(|| Estimate { value: at(n / 2.0), low: at(n / 2.0 - half), high: at(n / 2.0 + half) })
    }

    /// The depth below which this many moves lie.
    fn at(&self, rank: f64) -> f64 {
        let mut below = 0.0;
        for (depth, count) in self.moves.iter().enumerate().filter(|(_, count)| **count > 0) {
            let count = f64::from(*count);
            if rank <= below + count {
                return depth as f64 - 0.5 + (rank - below) / count;
            }
            below += count;
        }
        self.moves.len() as f64 - 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_do_not_move_the_median() {
        let mut depths = Depths::default();
        (0..50).for_each(|_| [9, 10, 11].into_iter().for_each(|depth| depths.add(depth)));
        let plain = depths.median().unwrap();
        assert!((plain.value - 10.0).abs() < 1e-12, "{plain:?}");
        assert!(plain.low < 10.0 && plain.high > 10.0 && plain.high - plain.low < 1.0, "{plain:?}");
        (0..10).for_each(|_| depths.add(245));
        let mated = depths.median().unwrap().value;
        assert!((10.0..10.2).contains(&mated), "{mated}: the mean would be 24.7");
        assert_eq!((depths.count(), Depths::default().median()), (160, None));
    }
}
