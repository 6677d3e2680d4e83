//! The evidence of results about one number of a pool (a difference of ratings, the first mover's advantage, the draw
//! rate, the openings' bias), for any number of results, even if they are all alike.
//!
//! The scatter of equal results is 0, and that of few results is small by luck. So a value of the number is tested by
//! the empirical likelihood (`crate::estimate`, as for a match): each kind of cluster (a pair, or a single game)
//! deviates from its expectation by this much if the number has that value; the value is refuted if no law of the
//! kinds, seen or not, under which the mean deviation is 0 is likely enough. Everything else is held at its fitted
//! value. The ends of the interval and the probability that the number is positive are one test. For the points of two
//! entrants this is exactly the interval of their match.
//!
//! For an **ordinary** sample (by the same rule as for a match) the normal test gives the same, and costs less.

use crate::estimate::Estimate;
use crate::estimate::empirical::{Empirical, UNSEEN, bartlett};
use crate::estimate::interval::ORDINARY;
use crate::estimate::search::reach;
use crate::law::EMPTY_BIN;
use crate::normal::{self, Z95};

/// The possible kinds of clusters, and how often each was seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample<K> {
    kinds: Vec<K>,
    counts: Vec<f64>,
    /// The share of each kind's group in all clusters that were seen.
    shares: Vec<f64>,
    size: f64,
}

impl<K> Sample<K> {
    /// All possible kinds between entrants that met, one group for each two and their seats. Kinds that never occurred
    /// have a count of 0.
    pub(super) fn new(groups: impl IntoIterator<Item = Vec<(K, f64)>>) -> Self {
        let mut sample = Self { kinds: Vec::new(), counts: Vec::new(), shares: Vec::new(), size: 0.0 };
        for group in groups {
            let size: f64 = group.iter().map(|(_, count)| count).sum();
            sample.shares.extend(group.iter().map(|_| size));
            sample.size += size;
            for (kind, count) in group {
                sample.kinds.push(kind);
                sample.counts.push(count);
            }
        }
        sample.shares.iter_mut().for_each(|share| *share /= sample.size);
        sample
    }

    /// The moments of a value per kind; a kind that was never seen counts as `unseen`, in its group's share.
    fn moments(&self, unseen: f64, numbers: &[f64]) -> Moments {
        let weight = |(&n, share): (&f64, &f64)| if n > 0.0 { n } else { unseen * share };
        let weights: Vec<f64> = self.counts.iter().zip(&self.shares).map(weight).collect();
        Moments::new(&weights, numbers)
    }

    /// Whether no cluster was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.size <= 0.0
    }

    /// Asks about a number whose fitted value is `value`. `off` is the deviation of a kind from its expectation at a
    /// value of the number; it must fall as the number rises. The search for values goes from `least` to `most`.
    pub(super) fn ask<F: Fn(&K, f64) -> f64>(&self, value: f64, [least, most]: [f64; 2], off: F) -> Question<'_, K, F> {
        let here: Vec<f64> = self.kinds.iter().map(|kind| off(kind, value)).collect();
        let of_mean = self.moments(UNSEEN, &here);
        let stretch = bartlett(of_mean.kurtosis, of_mean.skewness, self.size);
        let lone = self.moments(EMPTY_BIN, &here).kurtosis;
        let ordinary = self.size >= ORDINARY * lone;
        Question { sample: self, value, least, most, off, stretch, ordinary, tells: of_mean.variance > 0.0 }
    }
}

/// A number, and the evidence of kinds of clusters about it.
pub(super) struct Question<'a, K, F> {
    sample: &'a Sample<K>,
    value: f64,
    least: f64,
    most: f64,
    off: F,
    /// Bartlett's factor.
    stretch: f64,
    /// Whether the normal test suffices.
    pub(super) ordinary: bool,
    /// Whether any kind depends on the number.
    pub(super) tells: bool,
}

impl<K, F: Fn(&K, f64) -> f64> Question<'_, K, F> {
    /// The value, and the 95% interval that is not refuted; an end is the least or the most if no value is refuted.
    pub(super) fn interval(&self) -> Estimate {
        let level = Z95 * Z95 * self.stretch;
        let end = |sign: f64, room: f64| {
            if room <= 0.0 {
                return 0.0;
            }
            reach(|d| self.ratio(self.value + sign * d, sign), level, room.min(1.0), room)
        };
        Estimate {
            value: self.value,
            low: self.value - end(-1.0, self.value - self.least),
            high: self.value + end(1.0, self.most - self.value),
        }
    }

    /// The probability that the number exceeds `limit`.
    pub(super) fn probability_above(&self, limit: f64) -> f64 {
        let [above, below] = [1.0, -1.0].map(|sign| self.ratio(limit, sign) / self.stretch);
        normal::cdf(below.sqrt().min(f64::MAX) - above.sqrt().min(f64::MAX))
    }

    /// LR of the laws under which the number is at least `x` (`sign` 1), or at most (-1).
    fn ratio(&self, x: f64, sign: f64) -> f64 {
        let off: Vec<f64> = self.sample.kinds.iter().map(|kind| sign * (self.off)(kind, x)).collect();
        let greatest = off.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Empirical::new(&self.sample.counts, self.sample.size).ratio(&off, greatest)
    }
}

/// The variance and standardised moments of a value per kind; all 0 for a value that never varies.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    variance: f64,
    skewness: f64,
    kurtosis: f64,
}

impl Moments {
    fn new(weights: &[f64], numbers: &[f64]) -> Self {
        let size: f64 = weights.iter().sum();
        let average = |f: &dyn Fn(f64) -> f64| {
            let terms = weights.iter().zip(numbers).map(|(n, &x)| n * f(x));
            terms.sum::<f64>() / size
        };
        let mean = average(&|x| x);
        let variance = average(&|x| (x - mean) * (x - mean));
        if variance.is_nan() || variance <= 0.0 {
            return Self::default();
        }
        let sigma = variance.sqrt();
        let third = average(&|x| {
            let z = (x - mean) / sigma;
            z * z * z
        });
        let fourth = average(&|x| {
            let z = (x - mean) / sigma;
            z * z * z * z
        });
        Self { variance, skewness: third, kurtosis: fourth }
    }
}
