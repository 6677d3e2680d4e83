//! The estimate of the difference after a sequential test has stopped (or while it runs).
//!
//! The plain estimate is biased after a test that stopped because the numbers looked good. Here the ratio's path is
//! modelled as a Brownian motion between the bounds, and the estimate is the difference under which an outcome worse
//! than the observed one has probability 1/2 (median-unbiased); the ends of the interval are those with 97.5% and 2.5%.
//! Siegmund, "Estimation following sequential tests" (1978); fishtest uses the same approximation of the path. It needs
//! a known noise; if a test ends after few informative pairs, `few` is used instead.

use super::exit::Corridor;
use super::few::FewDecisive;
use super::{Bounds, SprtConfig};
use crate::counts::Tally;
use crate::elo;
use crate::estimate::Estimate;
use crate::law::Law;
use crate::likelihood::Hypothesis;

/// The number of bisections for each solution.
const HALVINGS: usize = 60;

/// Estimates that correct for the stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AfterTest {
    /// Logistic Elo; an end beyond every possible score is infinite.
    pub elo: Estimate,
    /// Normalized Elo, at the observed noise.
    pub nelo: Estimate,
    /// Probability of an outcome worse than the observed one if both sides were equal: likelihood of superiority, 0 to
    /// 1.
    pub los: f64,
    /// Probability under H0 of an outcome at least as good as the observed one: the p-value of H0, 0 to 1.
    pub p_value: f64,
}

/// A path of the log-likelihood ratio as Brownian motion.
struct Path {
    bounds: Bounds,
    /// The end of the path, moved back to the bound that it overshot, and its number of observations.
    level: f64,
    length: f64,
    /// Scores of the hypotheses, and variance of one observation.
    scores: [f64; 2],
    variance: f64,
}

impl AfterTest {
    /// Estimates from the configuration and the counts when the test stopped; `None` without counts.
    pub fn new(config: &SprtConfig, counts: &impl Tally) -> Option<Self> {
        let law = counts.law();
        // An empty tally has only its regularisation.
        (law.size > 0.5).then(|| Self::of_law(config, &law, counts))
    }

    fn of_law(config: &SprtConfig, law: &Law, counts: &impl Tally) -> Self {
        let hypotheses = config.hypotheses(law.unit, counts.games().as_ref());
        let path = Path::new(config, law, hypotheses);
        if let Some(few) = FewDecisive::new(law, hypotheses, path.bounds, path.level) {
            return few.estimates();
        }
        let score = Estimate {
            value: path.score_where(0.5, law),
            low: path.score_where(0.975, law),
            high: path.score_where(0.025, law),
        };
        let sigma = path.variance.sqrt();
        Self {
            elo: score.map(elo::elo_of_score),
            nelo: score.map(|s| elo::nelo_of_t((s - 0.5) / sigma, law.unit)),
            los: path.worse(0.5),
            p_value: 1.0 - path.worse(path.scores[0]),
        }
    }
}

/// The expected score of a hypothesis, at this standard deviation of one observation.
pub(super) fn score_of(hypothesis: Hypothesis, sigma: f64) -> f64 {
    match hypothesis {
        Hypothesis::Mean(score) => score,
        Hypothesis::TValue(t) => 0.5 + t * sigma,
    }
}

impl Path {
    fn new(config: &SprtConfig, law: &Law, hypotheses: [Hypothesis; 2]) -> Self {
        let moments = law.moments();
        let scores = hypotheses.map(|h| score_of(h, moments.variance.sqrt()));
        let slope = drift(0.5 + moments.advantage, scores, moments.variance);
        let bounds = config.wald_bounds();
        let end = slope * law.size;
        let level = end.clamp(bounds.lower, bounds.upper);
        let length = if end == 0.0 { law.size } else { law.size * (level / end) };
        Self { bounds, level, length, scores, variance: moments.variance }
    }

    /// Probability of an outcome worse than the observed one, at this expected score.
    fn worse(&self, score: f64) -> f64 {
        let [s0, s1] = self.scores;
        let corridor = Corridor {
            low: self.bounds.lower,
            high: self.bounds.upper,
            drift: drift(score, self.scores, self.variance) * self.length,
            variance: (s1 - s0) * (s1 - s0) / self.variance * self.length,
        };
        corridor.outcome_cdf(self.level)
    }

    /// The score at which an outcome worse than the observed one has probability `p`; may be outside 0 to 1.
    fn score_where(&self, p: f64, law: &Law) -> f64 {
        let centre = 0.5 + law.moments().advantage;
        let error = (self.variance / self.length).sqrt();
        let mut reach = error;
        while reach < 1e6 * error && !(self.worse(centre - reach) > p && self.worse(centre + reach) < p) {
            reach *= 2.0;
        }
        let (mut low, mut high) = (centre - reach, centre + reach);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.worse(middle) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }
}

/// Expected change of the ratio per observation.
pub(super) fn drift(score: f64, [s0, s1]: [f64; 2], variance: f64) -> f64 {
    (score - f64::midpoint(s0, s1)) * (s1 - s0) / variance
}
