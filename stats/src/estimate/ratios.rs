//! Proportions, ratios and the opening bias: numbers of the plain counts, each with its own 95% interval.

use super::Estimate;
use crate::counts::{PairCounts, PairOutcome};
use crate::elo;
use crate::law::SCORES;

/// A proportion with Wilson's interval; `None` for an empty sample. `n` may be an effective size.
pub(super) fn proportion(hits: f64, n: f64) -> Option<Estimate> {
    Estimate::wilson(hits / n, n)
}

/// hits / misses, through the proportion of hits; infinite without misses, `None` without either.
pub(super) fn ratio(hits: u64, misses: u64) -> Option<Estimate> {
    let (hits, misses) = (hits as f64, misses as f64);
    let odds = |p: f64| if p < 1.0 { p / (1.0 - p) } else { f64::INFINITY };
    let share = proportion(hits, hits + misses)?;
    Some(Estimate {
        value: if misses > 0.0 { hits / misses } else { f64::INFINITY },
        low: odds(share.low),
        high: if misses > 0.0 { odds(share.high) } else { f64::INFINITY },
    })
}

/// Draws per game. The two games of a pair are not independent, so the sample has the size whose binomial variance
/// equals the variance between pairs.
pub(super) fn draw_ratio_of_pairs(counts: &PairCounts) -> Option<Estimate> {
    let draws = |outcome: PairOutcome| match outcome {
        PairOutcome::DD => 1.0,
        PairOutcome::LD | PairOutcome::WD => 0.5,
        PairOutcome::LL | PairOutcome::WL | PairOutcome::WW => 0.0,
    };
    let pairs = counts.total() as f64;
    let (mean, variance) = pair_moments(counts, draws)?;
    let size = if variance > 0.0 { pairs * mean * (1.0 - mean) / variance } else { pairs };
    // The size is at least one per pair, and at most two.
    let size = size.clamp(pairs, 2.0 * pairs);
    proportion(mean * size, size)
}

/// Mean and variance of a value per pair; `None` without pairs.
fn pair_moments(counts: &PairCounts, f: impl Fn(PairOutcome) -> f64) -> Option<(f64, f64)> {
    let pairs = counts.total() as f64;
    let average = |f: &dyn Fn(PairOutcome) -> f64| {
        let terms = PairOutcome::ALL.iter().map(|&o| counts.count(o) as f64 * f(o));
        terms.sum::<f64>() / pairs
    };
    let mean = average(&f);
    let variance = average(&|o| (f(o) - mean) * (f(o) - mean));
    (pairs > 0.0).then_some((mean, variance))
}

/// The upper bound on the rate of other outcomes if one outcome occurred `n` times out of `n`: the exact binomial upper
/// bound (97.5%), 1 - 0.025^(1/n). Clopper and Pearson, Biometrika 26 (1934).
fn rest_bound(n: u64) -> f64 {
    -libm::expm1(libm::log(0.025) / n as f64)
}

/// RMS opening bias, in logistic Elo.
///
/// The mean square bias is (variance of a game) - 2 (variance of a pair), which is minus the covariance of the two
/// games of a pair: a plain mean over pairs, with its own standard error.
pub(super) fn rms_bias(counts: &PairCounts) -> Option<Estimate> {
    let pairs = counts.total();
    let score = |o: PairOutcome| SCORES[o.index()];
    let (mean, _) = pair_moments(counts, score)?;
    let product = |o: PairOutcome| {
        let (one, two) = o.scores();
        let off = |s: crate::Score| f64::from(s.half_points()) / 2.0 - mean;
        -off(one) * off(two)
    };
    let (square, variance) = pair_moments(counts, product)?;
    let alike = counts.0.iter().filter(|n| **n > 0).count() == 1;
    let estimate = if alike {
        // One product is at most 1/4 in either direction.
        let rest = rest_bound(pairs);
        Estimate { value: square, low: square - rest * (square + 0.25), high: square + rest * (0.25 - square) }
    } else {
        Estimate::normal(square, (variance / pairs as f64).sqrt())
    };
    Some(estimate.map(|square| elo::elo_of_advantage(square.max(0.0).sqrt())))
}
