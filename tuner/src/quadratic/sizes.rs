//! The prior of coefficients that are mostly small, some zero and a few large.
//!
//! A coefficient is Gaussian about 0 with a standard deviation of its scale times one of a few sizes, whose shares are
//! learnt from all parameters together. Like the sensitivities (`prior`), this enters the regression as a site per
//! parameter: the precision for which a Gaussian has the mean of that mixture. The movements of optima with the limit
//! (`drift`) and the changes of curvatures (`skew`) are such coefficients.

use super::prior::Marginal;

/// The number of sizes in the mixture.
const COUNT: usize = 5;
/// The share of a new site taken at each refinement.
const DAMPING: f64 = 0.7;

/// The sites of all parameters, and the frequency of each size.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    of: [f64; COUNT],
    seen: [f64; COUNT],
    shares: [f64; COUNT],
    precisions: Vec<f64>,
}

impl Sizes {
    /// The prior: these sizes, each with a pseudo-count of parameters, in units of `scales`.
    pub(super) fn new(sizes: [f64; COUNT], seen: [f64; COUNT], scales: &[f64]) -> Self {
        let total: f64 = seen.iter().sum();
        let shares = seen.map(|seen| seen / total);
        let variance: f64 = shares.iter().zip(sizes).map(|(share, size)| share * size * size).sum();
        let precisions = scales.iter().map(|scale| 1.0 / (variance * scale * scale)).collect();
        Self { of: sizes, seen, shares, precisions }
    }

    /// The precisions of all coefficients.
    pub(super) fn precisions(&self) -> &[f64] {
        &self.precisions
    }

    /// The typical size: the geometric mean.
    pub(super) fn typical(&self) -> f64 {
        libm::exp(self.shares.iter().zip(self.of).map(|(share, size)| share * libm::log(size)).sum())
    }

    /// Refines the sites by their posterior.
    pub(super) fn refine(&mut self, posterior: &[Marginal], scales: &[f64]) {
        let mut seen = self.seen;
        for ((precision, marginal), scale) in self.precisions.iter_mut().zip(posterior).zip(scales) {
            let cavity = marginal.without(*precision, 0.0);
            let (wanted, sizes) = site((&self.of, &self.shares), cavity, *scale);
            *precision += DAMPING * (wanted - *precision);
            for (seen, share) in seen.iter_mut().zip(sizes) {
                *seen += share;
            }
        }
        let total: f64 = seen.iter().sum();
        self.shares = seen.map(|seen| seen / total);
    }
}

/// The precision of a site whose data alone are `cavity`, and the probability of each size.
fn site((sizes, shares): (&[f64; COUNT], &[f64; COUNT]), cavity: Marginal, scale: f64) -> (f64, [f64; COUNT]) {
    let variances = sizes.map(|size| size * size * scale * scale);
    let evidence = |k: usize| {
        let total = cavity.variance + variances[k];
        libm::log(shares[k]) - 0.5 * (cavity.mean * cavity.mean / total + libm::log(total))
    };
    let logarithms: [f64; COUNT] = std::array::from_fn(evidence);
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

    /// The sites for data that alone give these drifts to parameters of scale 2, each with a standard deviation of 0.2.
    fn settled(drifts: &[f64]) -> Sizes {
        let scales = vec![2.0; drifts.len()];
        let mut drift = Sizes::new([0.02, 0.07, 0.2, 0.6, 1.8], [0.5, 0.5, 0.7, 0.4, 0.1], &scales);
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
