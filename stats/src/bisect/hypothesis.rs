//! The hypotheses about the intervals of the large steps: their probabilities, and the sizes of the steps.

use super::evidence::Evidence;
use super::{MOST_STEPS, Prior};
use crate::normal;
use std::array;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Hypotheses that are less probable than the most probable one by this factor are dropped.
const NEGLIGIBLE: f64 = 1e-7;

/// The number of points over which the probability of being the largest loss is averaged.
const POINTS: usize = 128;

/// A matrix over the large steps of a hypothesis.
type Square = [[f64; MOST_STEPS]; MOST_STEPS];

/// Large steps in these intervals, in rising order; an interval may have several.
pub(super) struct Hypothesis {
    pub(super) at: Vec<usize>,
    /// The probability.
    pub(super) weight: f64,
    /// The sizes of the steps, in Elo, and their covariance.
    pub(super) mean: [f64; MOST_STEPS],
    pub(super) covariance: Square,
}

/// All hypotheses that are not negligible, with at most this number of large steps; the probabilities add up to 1.
pub(super) fn hypotheses(evidence: &Evidence, prior: &Prior, most: usize) -> Vec<Hypothesis> {
    let mut all = Vec::new();
    extend(evidence, prior, most, &mut Vec::new(), 0.0, &mut all);
    let top = all.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
    all.retain(|(log, _)| log - top > libm::log(NEGLIGIBLE));
    let total: f64 = all.iter().map(|(log, _)| libm::exp(log - top)).sum();
    all.into_iter().map(|(log, hypothesis)| Hypothesis { weight: libm::exp(log - top) / total, ..hypothesis }).collect()
}

/// Adds a hypothesis and those with further steps after its last one, each with the logarithm of its weight.
fn extend(
    evidence: &Evidence,
    prior: &Prior,
    most: usize,
    at: &mut Vec<usize>,
    log_prior: f64,
    all: &mut Vec<(f64, Hypothesis)>,
) {
    let (log_evidence, hypothesis) = weigh(evidence, prior, at);
    all.push((log_prior + log_evidence, hypothesis));
    if at.len() == most {
        return;
    }
    let commits: f64 = evidence.widths.iter().sum();
    let rate = (prior.expected / commits).min(0.5);
    let odds = rate / (1.0 - rate);
    for interval in at.last().copied().unwrap_or(0)..evidence.intervals() {
        let taken = at.iter().filter(|&&other| other == interval).count() as f64;
        let left = evidence.widths[interval] - taken;
        if left >= 1.0 {
            at.push(interval);
            // The number of ways to choose commits of one interval.
            let ways = left / (taken + 1.0);
            extend(evidence, prior, most, at, log_prior + libm::log(odds * ways), all);
            let _last = at.pop();
        }
    }
}

/// The logarithm of the evidence for large steps in these intervals relative to none, and their posterior.
fn weigh(evidence: &Evidence, prior: &Prior, at: &[usize]) -> (f64, Hypothesis) {
    let variance = prior.large * prior.large;
    let mut precision = Square::default();
    for (row, &g) in at.iter().enumerate() {
        for (column, &k) in at.iter().enumerate() {
            precision[row][column] = evidence.precision[g][k];
        }
        precision[row][row] += 1.0 / variance;
    }
    let lower = lower_factor(&precision, at.len());
    let log_determinant: f64 = (0..at.len()).map(|row| 2.0 * libm::log(lower[row][row]) + libm::log(variance)).sum();
    let inverse = inverse_of_lower(&lower, at.len());
    let covariance: Square = array::from_fn(|row| {
        array::from_fn(|column| (0..at.len()).map(|j| inverse[j][row] * inverse[j][column]).sum())
    });
    let mean: [f64; MOST_STEPS] = array::from_fn(|row| {
        at.iter().enumerate().map(|(column, &k)| covariance[row][column] * evidence.pull[k]).sum()
    });
    let fit: f64 = at.iter().enumerate().map(|(row, &g)| mean[row] * evidence.pull[g]).sum();
    (0.5 * (fit - log_determinant), Hypothesis { at: at.to_vec(), weight: 0.0, mean, covariance })
}

/// The inverse of the first rows and columns of a lower triangular matrix, by columns: each solves for a unit vector.
fn inverse_of_lower(lower: &Square, size: usize) -> Square {
    let mut inverse = Square::default();
    for column in 0..size {
        let mut solution = [0.0; MOST_STEPS];
        for row in column..size {
            let unit = if row == column { 1.0 } else { 0.0 };
            let known: f64 = solution.iter().zip(&lower[row]).take(row).map(|(x, factor)| x * factor).sum();
            solution[row] = (unit - known) / lower[row][row];
        }
        for (row, x) in inverse.iter_mut().zip(solution) {
            row[column] = x;
        }
    }
    inverse
}

impl Hypothesis {
    /// Splits this hypothesis by its largest loss: one part for each interval that may hold it, and one for no loss.
    /// Ignores losses in intervals that were found already.
    pub(super) fn by_largest_loss(&self, least_loss: f64, found: &[bool]) -> Vec<(Option<usize>, Self)> {
        let size = self.at.len();
        let lower = lower_factor(&self.covariance, size);
        let mut parts: BTreeMap<Option<usize>, Moments> = BTreeMap::new();
        for point in NORMAL_POINTS.iter() {
            let step = |row: usize| self.mean[row] + (0..=row).map(|j| lower[row][j] * point[j]).sum::<f64>();
            let steps: [f64; MOST_STEPS] = array::from_fn(|row| if row < size { step(row) } else { 0.0 });
            let least = (0..size)
                .filter(|&row| !found[self.at[row]])
                .min_by(|&a, &b| steps[a].total_cmp(&steps[b]))
                .filter(|&row| steps[row] < -least_loss);
            parts.entry(least.map(|row| self.at[row])).or_default().add(&steps);
        }
        parts.into_iter().map(|(interval, moments)| (interval, moments.of(self))).collect()
    }
}

/// Sums over points of the sizes of steps, and of their products.
#[derive(Default)]
struct Moments {
    points: f64,
    steps: [f64; MOST_STEPS],
    products: [[f64; MOST_STEPS]; MOST_STEPS],
}

impl Moments {
    fn add(&mut self, steps: &[f64; MOST_STEPS]) {
        self.points += 1.0;
        for row in 0..MOST_STEPS {
            self.steps[row] += steps[row];
            for column in 0..MOST_STEPS {
                self.products[row][column] += steps[row] * steps[column];
            }
        }
    }

    /// The part of a hypothesis that these points represent.
    fn of(&self, whole: &Hypothesis) -> Hypothesis {
        let mean: [f64; MOST_STEPS] = array::from_fn(|row| self.steps[row] / self.points);
        let covariance = array::from_fn(|row| {
            array::from_fn(|column| self.products[row][column] / self.points - mean[row] * mean[column])
        });
        Hypothesis { at: whole.at.clone(), weight: whole.weight * self.points / POINTS as f64, mean, covariance }
    }
}

/// The lower triangular factor of the first rows and columns of a covariance.
fn lower_factor(covariance: &Square, size: usize) -> Square {
    let mut lower = Square::default();
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column).map(|j| lower[row][j] * lower[column][j]).sum();
            let rest = covariance[row][column] - known;
            lower[row][column] = if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
        }
    }
    lower
}

/// Points that represent the standard normal distribution in a mean (Halton's, to the bases 2, 3 and 5).
static NORMAL_POINTS: LazyLock<Vec<[f64; MOST_STEPS]>> = LazyLock::new(|| {
    let radical_inverse = |mut number: usize, base: usize| {
        let (mut digit, mut sum) = (1.0, 0.0);
        while number > 0 {
            digit /= base as f64;
            sum += digit * (number % base) as f64;
            number /= base;
        }
        sum
    };
    (1..=POINTS).map(|number| [2, 3, 5].map(|base| normal::quantile(radical_inverse(number, base)))).collect()
});
