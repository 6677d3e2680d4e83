//! Both intervals and the likelihood of superiority of one sample, all from one test: a difference lies inside the 95%
//! interval if the test does not refute it at 5%, and LOS is the same test of the difference 0.
//!
//! * **Ordinary** samples: normal tests. For the expected score: (mean - score)/standard error, as in fishtest. For the
//!   t-value: (t - t0) over its standard error *at t0*; for t0 = 0 that is exactly the test of a score of 1/2.
//! * All others: the likelihood ratio (`profile`).

use super::Estimate;
use super::profile::Profile;
use crate::law::{Law, Moments, SCORES};
use crate::normal::{self, Z95};

/// The number of observations per unit of its kurtosis from which a sample is ordinary. The estimated noise s then has
/// a relative standard error, sqrt((kurtosis - 1)/N)/2, below 9.1%, and because kurtosis > skewness^2 the normal test
/// is hardly skewed either.
pub(crate) const ORDINARY: f64 = 30.0;

/// The method for the intervals and the likelihood of superiority of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The normal approximation: fishtest's LOS and Elo interval.
    Normal,
    /// The likelihood ratio of all laws of the score: for samples that are small, drawish, lopsided or constant.
    Likelihood,
}

/// The estimates of a sample's mean and t-value, from one test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) basis: Basis,
    /// Expected score less 1/2.
    pub(super) advantage: Estimate,
    /// t-value of one observation.
    pub(super) t_value: Estimate,
    /// Probability that the expected score exceeds 1/2.
    pub(super) los: f64,
}

impl Reading {
    /// Estimates from the counts and their regularised law; `None` without observations.
    pub(super) fn new<const K: usize>(counts: &[u64; K], law: &Law) -> Option<Self> {
        let bins = bins(counts);
        let size: f64 = bins.iter().sum();
        if size <= 0.0 {
            return None;
        }
        let moments = law.moments();
        Some(if law.size >= ORDINARY * (moments.excess + 3.0) {
            Self::normal(law, &moments)
        } else {
            Self::likelihood(&Profile::new(bins, law.unit), values(&bins, &moments))
        })
    }

    fn normal(law: &Law, moments: &Moments) -> Self {
        Self {
            basis: Basis::Normal,
            advantage: advantage(law),
            t_value: normal_t_value(moments, law.size),
            los: normal::cdf(moments.advantage / (moments.variance / law.size).sqrt()),
        }
    }

    fn likelihood(profile: &Profile, (advantage, t): (f64, f64)) -> Self {
        Self {
            basis: Basis::Likelihood,
            advantage: around(advantage, profile.advantage()),
            t_value: around(t, profile.t_value()),
            los: profile.los(),
        }
    }
}

/// The counts by rising score: games only fill the bins of 0, 1/2 and 1.
fn bins<const K: usize>(counts: &[u64; K]) -> [f64; 5] {
    let mut bins = [0.0; 5];
    for (k, &n) in counts.iter().enumerate() {
        bins[k * 4 / (K - 1)] = n as f64;
    }
    bins
}

/// Expected score less 1/2, and t-value: those of the regularised law, or of the plain sample if it has no noise.
fn values(bins: &[f64; 5], moments: &Moments) -> (f64, f64) {
    let mut seen = bins.iter().zip(SCORES).filter(|(n, _)| **n > 0.0);
    match (seen.next(), seen.next()) {
        (Some((_, 0.5)), None) => (0.0, 0.0),
        (Some((_, x)), None) => (x - 0.5, (x - 0.5) * f64::INFINITY),
        _ => (moments.advantage, moments.advantage / moments.variance.sqrt()),
    }
}

/// A value with the ends of its interval, clamped so that rounding and regularisation keep the value inside.
fn around(value: f64, (low, high): (f64, f64)) -> Estimate {
    Estimate { value, low: low.min(value), high: high.max(value) }
}

/// Expected score less 1/2, ± [`Z95`] standard errors; the ends may lie beyond ±1/2.
pub fn advantage(law: &Law) -> Estimate {
    let moments = law.moments();
    Estimate::normal(moments.advantage, (moments.variance / law.size).sqrt())
}

/// The t-values t0 = t + d with d^2 <= z^2 Var(t at t0), where for N observations Var(t at t0) = (1 - t0 skewness +
/// t0^2 (excess + 2)/4)/N: the variance by the delta method, since sigma is estimated too, but at the t0 in question (a
/// score interval). A quadratic in d.
fn normal_t_value(m: &Moments, size: f64) -> Estimate {
    let t = m.advantage / m.variance.sqrt();
    let k = Z95 * Z95 / size;
    let bend = (m.excess + 2.0) / 4.0;
    let slope = k * (2.0 * bend * t - m.skewness);
    let variance = 1.0 - t * m.skewness + t * t * bend;
    let leading = 1.0 - k * bend;
    let root = (slope * slope + 4.0 * leading * k * variance.max(0.0)).sqrt();
    around(t, (t + (slope - root) / (2.0 * leading), t + (slope + root) / (2.0 * leading)))
}
