//! Positions grouped by their evaluation, in bins of equal width.

use stats::Estimate;

/// The number of bins on either side of the one around 0; the outermost bins hold everything beyond.
pub(super) const HALF: usize = 16;
/// The total number of bins.
pub(super) const BINS: usize = 2 * HALF + 1;

/// Positions whose evaluations were about the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EvalBin {
    /// The number of positions.
    pub positions: u64,
    /// The sum of their evaluations.
    pub evaluations: f64,
    /// The sum of the game scores that followed.
    pub scores: f64,
    /// The sum over games of the squared number of positions from that game.
    pub squares: f64,
}

impl EvalBin {
    /// The mean evaluation.
    pub fn evaluation(&self) -> f64 {
        self.evaluations / self.positions as f64
    }

    /// The number of independent games that the bin is worth.
    pub fn games(&self) -> f64 {
        let positions = self.positions as f64;
        positions * positions / self.squares
    }

    /// The mean score with its 95% interval; `None` for an empty bin.
    pub fn score(&self) -> Option<Estimate> {
        Estimate::wilson(self.scores / self.positions as f64, self.games())
    }
}
