//! How far from the start optima are on this engine, learnt from all parameters together.
//!
//! The prior of every slope stands on a usual distance of optima. Of one parameter too little is seen to say whether
//! this engine's are nearer or farther; of many together enough. So the factor over the usual distance is log-normal
//! (sigma `SPREAD`), every factor is weighed by what all parameters' data say of it, and the geometric mean is taken.
//! With many parameters that start close to their best this shrinks all of them, and so separates noise in one
//! parameter from signal.

use super::Quadratic;
use super::prior::Marginal;

/// Standard deviation of the logarithm of the factor before any pair.
const SPREAD: f64 = 0.5;
/// Ratio of the logarithms of neighbouring factors that are thought of.
const APART: f64 = 0.25;
/// The nearest and the farthest of them, in such parts.
const RANGE: std::ops::RangeInclusive<i32> = -5..=4;

impl Quadratic {
    /// How many times the usual distance, `usual` steps, optima are away, from the posterior's marginals of (g, h).
    pub(super) fn distance(&self, marginals: &[(Marginal, Marginal)], usual: f64) -> f64 {
        let graded: Vec<usize> = (0..marginals.len()).filter(|&i| self.is_graded(i)).collect();
        let weigh = |part: i32| {
            let ln = f64::from(part) * APART;
            let (off, reach) = (ln / SPREAD, usual * libm::exp(ln));
            let evidence = |&i: &usize| self.mixture.evidence(self.sites[i], marginals[i], reach);
            (ln, graded.iter().map(evidence).sum::<f64>() - 0.5 * off * off)
        };
        let all: Vec<(f64, f64)> = RANGE.map(weigh).collect();
        let top = all.iter().fold(f64::NEG_INFINITY, |top, (_, weight)| if *weight > top { *weight } else { top });
        let share = |weight: f64| libm::exp(weight - top);
        let total: f64 = all.iter().map(|(_, weight)| share(*weight)).sum();
        let mean = all.iter().map(|(ln, weight)| ln * share(*weight)).sum::<f64>() / total;
        if mean.is_finite() { libm::exp(mean) } else { 1.0 }
    }
}
