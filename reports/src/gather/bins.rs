//! Positions by how they were evaluated, in bins of equal width.

use stats::Estimate;

/// Bins on either side of the one around 0; the outermost hold all beyond.
pub(super) const HALF: usize = 16;
/// Bins in all.
pub(super) const BINS: usize = 2 * HALF + 1;

/// Positions whose evaluations were about the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EvalBin {
    /// Positions.
    pub positions: u64,
    /// Sum of their evaluations.
    pub evaluations: f64,
    /// Sum of the game scores that followed.
    pub scores: f64,
    /// Sum over games of the square of the positions from that game.
    pub squares: f64,
}

impl EvalBin {
    /// The mean evaluation.
    pub fn evaluation(&self) -> f64 {
        self.evaluations / self.positions as f64
    }

    /// How many independent games it is worth.
    pub fn games(&self) -> f64 {
        let positions = self.positions as f64;
        positions * positions / self.squares
    }

    /// The mean score with its 95% interval; `None` of an empty bin.
    pub fn score(&self) -> Option<Estimate> {
        Estimate::wilson(self.scores / self.positions as f64, self.games())
    }
}
