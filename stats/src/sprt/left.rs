//! The remaining length of a running test: quantiles of the number of further observations.
//!
//! The ratio continues as a Brownian motion between its bounds. Its drift is unknown: it is the average so far, with an
//! error of variance / observations. The share of tests that have ended after this many more observations is the mean
//! over that law of the drift, a sum of [`NODES`] equally likely values.

use super::after::{drift, score_of};
use super::exit::Corridor;
use super::{Bounds, SprtConfig};
use crate::counts::Tally;
use crate::normal;

/// The number of values that represent the law of the drift.
const NODES: u32 = 16;
/// The most further observations that are considered.
const FARTHEST: f64 = 1e12;
/// The number of bisections, in logarithms: to a part in a million.
const HALVINGS: usize = 25;
/// The fewest observations that determine the drift well enough.
const LEAST: f64 = 16.0;

/// A running test, modelled as a motion.
struct Motion {
    low: f64,
    high: f64,
    /// The variance of one observation.
    variance: f64,
    /// The possible drifts per observation, equally likely.
    drifts: Vec<f64>,
}

/// The numbers of further observations after which these shares, between 0 and 1, of tests in the same state have
/// ended. `llr` is the test's ratio between its `bounds`. `None` if there are too few observations, or the test is
/// over.
pub fn left<const N: usize>(
    config: &SprtConfig,
    counts: &impl Tally,
    llr: f64,
    bounds: Bounds,
    shares: [f64; N],
) -> Option<[f64; N]> {
    let law = counts.law();
    let moments = law.moments();
    let is_running = bounds.lower < llr && llr < bounds.upper;
    let scores = config.hypotheses(law.unit, counts.games().as_ref()).map(|h| score_of(h, moments.variance.sqrt()));
    let variance = (scores[1] - scores[0]) * (scores[1] - scores[0]) / moments.variance;
    if law.size < LEAST || !is_running || !(variance.is_finite() && variance > 0.0) {
        return None;
    }
    let (mean, error) = (drift(0.5 + moments.advantage, scores, moments.variance), (variance / law.size).sqrt());
    let value = |node| mean + error * normal::quantile((f64::from(node) + 0.5) / f64::from(NODES));
    let motion =
        Motion { low: bounds.lower - llr, high: bounds.upper - llr, variance, drifts: (0..NODES).map(value).collect() };
    Some(shares.map(|share| motion.when(share)))
}

impl Motion {
    /// The share of tests that has ended after this many more observations.
    fn gone(&self, after: f64) -> f64 {
        let of = |drift: &f64| {
            let Self { low, high, variance, .. } = *self;
            Corridor { low, high, drift: drift * after, variance: variance * after }.left()
        };
        self.drifts.iter().map(of).sum::<f64>() / f64::from(NODES)
    }

    /// The number of observations after which this share has ended.
    fn when(&self, share: f64) -> f64 {
        let (mut low, mut high) = (0.0, libm::log(FARTHEST));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.gone(libm::exp(middle)) < share {
                low = middle;
            } else {
                high = middle;
            }
        }
        libm::exp(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::PairCounts;
    use crate::random::Stream;

    #[test]
    fn the_predicted_share_of_tests_has_ended() {
        // A test that is near H1: the truth is drawn from the law that its counts leave, and simulated to its end.
        let config = SprtConfig { elo0: 0.0, elo1: 10.0, ..SprtConfig::default() };
        let counts = PairCounts([30, 60, 110, 110, 75, 40]);
        let bounds = Bounds { lower: -2.94, upper: 2.94 };
        let shares = [0.1, 0.5, 0.9];
        let quantiles = left(&config, &counts, 0.8, bounds, shares).expect("the test continues");
        let law = counts.law();
        let moments = law.moments();
        let scores = config.hypotheses(law.unit, None).map(|h| score_of(h, moments.variance.sqrt()));
        let variance = (scores[1] - scores[0]) * (scores[1] - scores[0]) / moments.variance;
        let mean = drift(0.5 + moments.advantage, scores, moments.variance);
        let mut random = Stream::from_seed(7);
        let mut normal = || random.normal();
        let trials = 2_000;
        let mut ended = [0_u32; 3];
        for _ in 0..trials {
            let drift = mean + (variance / law.size).sqrt() * normal();
            let (mut at, mut steps) = (0.8, 0.0);
            while at > bounds.lower && at < bounds.upper && steps <= quantiles[2] {
                at += drift + variance.sqrt() * normal();
                steps += 1.0;
            }
            for (count, quantile) in ended.iter_mut().zip(quantiles) {
                *count += u32::from(steps <= quantile);
            }
        }
        for (count, share) in ended.iter().zip(shares) {
            let found = f64::from(*count) / f64::from(trials);
            // Simulated walks overshoot the bounds, and so end slightly later than a motion.
            assert!((found - share).abs() < 0.04, "{found} for {share} of {quantiles:?}");
        }
    }

    #[test]
    fn tests_that_are_over_or_hardly_begun_have_no_forecast() {
        let config = SprtConfig { elo0: 0.0, elo1: 5.0, ..SprtConfig::default() };
        let bounds = Bounds { lower: -2.94, upper: 2.94 };
        let some = PairCounts([30, 60, 110, 110, 75, 40]);
        assert_eq!(left(&config, &some, 3.0, bounds, [0.5]), None);
        assert_eq!(left(&config, &PairCounts([1, 1, 1, 1, 1, 1]), 0.0, bounds, [0.5]), None);
        let [early, late] = left(&config, &some, 0.0, bounds, [0.1, 0.9]).expect("the test continues");
        assert!(1.0 < early && early < late && late < FARTHEST, "{early} to {late}");
    }
}
