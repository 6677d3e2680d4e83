//! What is believed of how optima move with the limit.
//!
//! At a limit whose logarithm is lambda below the target's, a step of a parameter gains `g + e lambda` Elo instead of g, so its optimum
//! lies `lambda e / (2 q)` steps away from that at the target. Most optima move little, some not at all and a few a lot: e is
//! Gaussian about 0 with a standard deviation of 2 q times one of [`SIZES`], whose shares are learnt from all parameters together. As
//! the sensitivities do (`prior`), this enters the regression as a site per parameter: the precision under which a Gaussian
//! has the mean of that mixture.

use super::prior::Marginal;
use super::{LEAST_CURVATURE, Quadratic};
use crate::method::Estimate;

/// How far optima move over a factor e of the limit, in steps.
const SIZES: [f64; 5] = [0.02, 0.07, 0.2, 0.6, 1.8];
/// Parameters that one thinks to have seen of each size before any pair.
const SEEN: [f64; 5] = [0.5, 0.5, 0.7, 0.4, 0.1];
/// Share of a new site taken at each refinement.
const DAMPING: f64 = 0.7;

/// The sites of all parameters, and how common each size is.
#[derive(Clone, Debug)]
pub(super) struct Drift {
    shares: [f64; SIZES.len()],
    precisions: Vec<f64>,
}

impl Drift {
    /// Before any pair; `scales` are Elo per step and step of a parameter's optimum, of a switch its usual effect.
    pub(super) fn new(scales: &[f64]) -> Self {
        let total: f64 = SEEN.iter().sum();
        let shares = SEEN.map(|seen| seen / total);
        let variance: f64 = shares.iter().zip(SIZES).map(|(share, size)| share * size * size).sum();
        Self { shares, precisions: scales.iter().map(|scale| 1.0 / (variance * scale * scale)).collect() }
    }

    /// The precisions of all e.
    pub(super) fn precisions(&self) -> &[f64] {
        &self.precisions
    }

    /// Refines the sites by the posterior that they gave.
    pub(super) fn refine(&mut self, posterior: &[Marginal], scales: &[f64]) {
        let mut seen = SEEN;
        for ((precision, marginal), scale) in self.precisions.iter_mut().zip(posterior).zip(scales) {
            let cavity = marginal.without(*precision, 0.0);
            let (wanted, sizes) = site(&self.shares, cavity, *scale);
            *precision += DAMPING * (wanted - *precision);
            for (seen, size) in seen.iter_mut().zip(sizes) {
                *seen += size;
            }
        }
        let total: f64 = seen.iter().sum();
        self.shares = seen.map(|seen| seen / total);
    }
}

impl Quadratic {
    /// How far the best value of each parameter moves when the limit is doubled; none for a switch or a category. Empty at a single limit.
    pub(super) fn drifts(&self) -> Vec<Option<Estimate>> {
        if self.at.is_none() {
            return Vec::new();
        }
        self.columns.firsts().map(|i| i.filter(|&i| self.is_graded(i)).map(|i| self.drift(i))).collect()
    }

    /// The optimum is at -(g + e lambda) / h.
    fn drift(&self, i: usize) -> Estimate {
        let columns = self.best.len();
        let mut weights = vec![0.0; self.posterior.mean.len()];
        weights[2 * columns + i] = 1.0;
        let (e, sd) = self.posterior.combination(weights);
        let h = self.posterior.mean[columns + i];
        let bend = if h < -LEAST_CURVATURE { -h } else { LEAST_CURVATURE };
        let parameter = self.columns.parameter(&self.space, i);
        let moved = |e: f64| parameter.spread(self.best[i], std::f64::consts::LN_2 * e / bend);
        Estimate { mean: moved(e), sd: moved(sd) }
    }
}

/// The precision of a site for data that alone say `cavity`, and the probability of each size.
fn site(shares: &[f64; SIZES.len()], cavity: Marginal, scale: f64) -> (f64, [f64; SIZES.len()]) {
    let variances = SIZES.map(|size| size * size * scale * scale);
    let evidence = |k: usize| {
        let total = cavity.variance + variances[k];
        libm::log(shares[k]) - 0.5 * (cavity.mean * cavity.mean / total + libm::log(total))
    };
    let logarithms: [f64; SIZES.len()] = std::array::from_fn(evidence);
    let top = logarithms.iter().fold(f64::NEG_INFINITY, |top, &x| if x > top { x } else { top });
    let weights = logarithms.map(|x| libm::exp(x - top));
    let total: f64 = weights.iter().sum();
    let sizes = weights.map(|weight| weight / total);
    let kept: f64 = sizes.iter().zip(variances).map(|(size, v)| size * v / (v + cavity.variance)).sum();
    ((1.0 / kept - 1.0) / cavity.variance, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sites for data that alone say these drifts of parameters of scale 2, each with a standard deviation of 0.2.
    fn settled(drifts: &[f64]) -> Drift {
        let scales = vec![2.0; drifts.len()];
        let mut drift = Drift::new(&scales);
        for _ in 0..30 {
            let posterior = |(&mean, site): (&f64, &f64)| {
                let precision = 25.0 + site;
                Marginal { mean: 25.0 * mean / precision, variance: 1.0 / precision }
            };
            let posteriors: Vec<Marginal> = drifts.iter().zip(&drift.precisions).map(posterior).collect();
            drift.refine(&posteriors, &scales);
        }
        drift
    }

    #[test]
    fn drifts_that_may_be_noise_are_shrunk_more_than_large_ones() {
        let drift = settled(&[0.1, -0.1, 3.0]);
        let kept = |i: usize| 25.0 / (25.0 + drift.precisions[i]);
        assert!(kept(0) < 0.5 && kept(1) < 0.5 && kept(2) > 0.9, "{drift:?}");
    }

    #[test]
    fn where_many_move_a_small_drift_is_believed_more() {
        let (few, many) = (settled(&[0.3, 0.0, 0.0, 0.0, 0.0]), settled(&[0.3, 2.0, -2.0, 1.5, -1.0]));
        assert!(many.precisions[0] < 0.5 * few.precisions[0], "{few:?} {many:?}");
    }
}
