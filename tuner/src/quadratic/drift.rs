//! The prior of how optima move with the limit.
//!
//! At a limit whose logarithm is lambda below the target's, a step of a parameter gains `g + e lambda` Elo instead of
//! g, so its optimum lies `lambda e / (2 q)` steps away from that at the target. Most optima move little, some do not
//! move and a few move a lot: e is Gaussian about 0 with a standard deviation of 2 q times one of [`SIZES`], whose
//! shares are learnt from all parameters together. Like the sensitivities (`prior`), this enters the regression as a
//! site per parameter (`sizes`).

use super::sizes::Sizes;
use super::{Quadratic, bent};
use crate::method::Estimate;

/// How far optima move per factor of e in the limit, in steps.
const SIZES: [f64; 5] = [0.02, 0.07, 0.2, 0.6, 1.8];
/// The pseudo-count of parameters for each size, before any pair.
const SEEN: [f64; 5] = [0.5, 0.5, 0.7, 0.4, 0.1];

/// The prior; `scales` are Elo per step and step of a parameter's optimum, for a switch its typical effect.
pub(super) fn sizes(scales: &[f64]) -> Sizes {
    Sizes::new(SIZES, SEEN, scales)
}

impl Quadratic {
    /// How far the best value of each parameter moves when the limit is doubled; `None` for a switch or a category.
    /// Empty at a single limit.
    pub(super) fn drifts(&self) -> Vec<Option<Estimate>> {
        if self.at.is_none() {
            return Vec::new();
        }
        self.columns.firsts().map(|i| i.filter(|&i| self.is_graded(i)).map(|i| self.drift(i))).collect()
    }

    /// How far the optimum moves: -e lambda / h, with h the curvature there.
    fn drift(&self, i: usize) -> Estimate {
        let mut weights = vec![0.0; self.posterior.mean.len()];
        if let Some(place) = self.posterior.terms.e(i) {
            weights[place] = 1.0;
        }
        let (e, sd) = self.posterior.combination(weights);
        let bend = -bent(self.coefficients(&self.posterior.mean, i).bend(self.best[i]));
        let parameter = self.columns.parameter(&self.space, i);
        let moved = |e: f64| parameter.spread(self.best[i], std::f64::consts::LN_2 * e / bend);
        Estimate { mean: moved(e), sd: moved(sd) }
    }
}
