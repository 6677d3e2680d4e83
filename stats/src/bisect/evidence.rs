//! The evidence of matches about the steps of intervals if all commits are ordinary, and the effect of a large step on
//! it.

use super::hypothesis::Hypothesis;
use super::{Measured, Prior};
use crate::Estimate;
use crate::matrix::Matrix;
use std::collections::BTreeMap;

/// The two-sided quantile of 95%.
const TWO_SIDED: f64 = 1.959_963_984_540_054;

/// The linear normal model: the steps of all intervals, given the matches, without large steps.
pub(super) struct Evidence {
    /// The number of commits in each interval.
    pub(super) widths: Vec<f64>,
    /// The means of the intervals' steps, and the covariance.
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Matrix,
    /// `response[g][k]`: how far the mean of interval g moves with a large step of 1 in interval k.
    pub(super) response: Vec<Vec<f64>>,
    /// The precision that the matches give to large steps, and their precision times mean.
    pub(super) precision: Vec<Vec<f64>>,
    pub(super) pull: Vec<f64>,
}

impl Evidence {
    /// Builds the evidence about the intervals between these versions, which include all that played.
    pub(super) fn new(points: &[u32], prior: &Prior, measured: &BTreeMap<(u32, u32), Measured>) -> Self {
        let widths: Vec<f64> = points.windows(2).map(|pair| f64::from(pair[1] - pair[0])).collect();
        let size = widths.len();
        let (mut matches, mut pulled) = (Matrix::zero(size), vec![0.0; size]);
        for (&(earlier, later), measured) in measured {
            let within = |version: u32| points.partition_point(|&point| point < version);
            let covered: Vec<(usize, f64)> = (within(earlier)..within(later)).map(|interval| (interval, 1.0)).collect();
            matches.add_square(1.0 / measured.variance, &covered);
            for &(interval, _) in &covered {
                pulled[interval] += measured.elo / measured.variance;
            }
        }
        let mut all = matches.clone();
        for (interval, width) in widths.iter().enumerate() {
            all.add(interval, interval, 1.0 / (width * prior.ordinary * prior.ordinary));
        }
        let covariance = all.inverse().unwrap_or_else(|| Matrix::zero(size));
        let mean = covariance.times(&pulled);
        let column = |matrix: &Matrix, column: usize| (0..size).map(|row| matrix.at(row, column)).collect::<Vec<_>>();
        // The part of a large step that the ordinary steps absorb: covariance * matches, by columns.
        let taken: Vec<Vec<f64>> = (0..size).map(|k| covariance.times(&column(&matches, k))).collect();
        let explained = matches.times(&mean);
        let seen: Vec<Vec<f64>> = taken.iter().map(|taken| matches.times(taken)).collect();
        Self {
            response: (0..size)
                .map(|g| (0..size).map(|k| f64::from(u8::from(g == k)) - taken[k][g]).collect())
                .collect(),
            precision: (0..size).map(|g| (0..size).map(|k| matches.at(g, k) - seen[k][g]).collect()).collect(),
            pull: pulled.iter().zip(&explained).map(|(pulled, explained)| pulled - explained).collect(),
            widths,
            mean,
            covariance,
        }
    }

    pub(super) fn intervals(&self) -> usize {
        self.widths.len()
    }

    /// The step of each interval, and the Elo at each of its ends relative to the first, with 95% intervals.
    pub(super) fn moments(&self, all: &[Hypothesis]) -> (Vec<Estimate>, Vec<Estimate>) {
        let (size, sums) = (self.intervals(), Sums::new(self));
        let estimate = |from: usize, to: usize| {
            let under = all.iter().map(|hypothesis| (hypothesis.weight, sums.under(hypothesis, from, to)));
            let (mut mean, mut square) = (0.0, 0.0);
            for (weight, (at, variance)) in under {
                mean += weight * at;
                square += weight * (variance + at * at);
            }
            let half = TWO_SIDED * (square - mean * mean).max(0.0).sqrt();
            Estimate { value: mean, low: mean - half, high: mean + half }
        };
        let steps = (0..size).map(|interval| estimate(interval, interval + 1)).collect();
        let path = (0..=size).map(|end| estimate(0, end)).collect();
        (steps, path)
    }
}

/// Sums over the first intervals, so that a sum over any range takes two look-ups.
pub(super) struct Sums {
    means: Vec<f64>,
    /// `covariances[a][b]`: the sum over the first a rows and b columns.
    covariances: Vec<Vec<f64>>,
    /// `responses[k][a]`: the response of the first a intervals to a large step in interval k.
    responses: Vec<Vec<f64>>,
}

impl Sums {
    pub(super) fn new(evidence: &Evidence) -> Self {
        let size = evidence.intervals();
        let running = |terms: &mut dyn Iterator<Item = f64>| {
            let mut sums = vec![0.0];
            let mut sum = 0.0;
            for term in terms {
                sum += term;
                sums.push(sum);
            }
            sums
        };
        let mut covariances = vec![vec![0.0; size + 1]; size + 1];
        for row in 0..size {
            let mut sum = 0.0;
            for column in 0..size {
                sum += evidence.covariance.at(row, column);
                covariances[row + 1][column + 1] = covariances[row][column + 1] + sum;
            }
        }
        let responses = (0..size).map(|k| running(&mut (0..size).map(|g| evidence.response[g][k]))).collect();
        Self { means: running(&mut evidence.mean.iter().copied()), covariances, responses }
    }

    /// The mean and the variance of the sum of the steps `from..to`, under a hypothesis.
    pub(super) fn under(&self, hypothesis: &Hypothesis, from: usize, to: usize) -> (f64, f64) {
        let moved: Vec<f64> = hypothesis.at.iter().map(|&k| self.responses[k][to] - self.responses[k][from]).collect();
        let (mut mean, mut variance) = (self.means[to] - self.means[from], self.variance(from, to));
        for (a, moved_a) in moved.iter().enumerate() {
            mean += moved_a * hypothesis.mean[a];
            for (b, moved_b) in moved.iter().enumerate() {
                variance += moved_a * hypothesis.covariance[a][b] * moved_b;
            }
        }
        (mean, variance.max(0.0))
    }

    fn variance(&self, from: usize, to: usize) -> f64 {
        let of = &self.covariances;
        of[to][to] - of[from][to] - of[to][from] + of[from][from]
    }
}
