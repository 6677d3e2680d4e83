//! The distance of optima from the start on this engine, learnt from all parameters together.
//!
//! The prior of every slope depends on a typical distance of optima. The data of one parameter are too few to show
//! whether this engine's optima are nearer or farther; the data of many are enough. So the factor over the typical
//! distance is log-normal (sigma `SPREAD`), every factor is weighted by its likelihood for all parameters' data, and
//! the result is the geometric mean. For many parameters that start close to their best values, this shrinks all
//! distances, and so separates noise in one parameter from signal.

use super::Quadratic;
use super::prior::Marginal;

/// The standard deviation of the logarithm of the factor before any pair.
const SPREAD: f64 = 0.5;
/// The spacing of the factors' logarithms.
const APART: f64 = 0.25;
/// The range of the factors' logarithms, in multiples of the spacing.
const RANGE: std::ops::RangeInclusive<i32> = -5..=4;

impl Quadratic {
    /// The distance of optima as a multiple of the typical distance, `usual` steps, from the posterior's marginals of
    /// (g, h).
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
