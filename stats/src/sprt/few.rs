//! The estimate after a test that ended with few decisive pairs: nearly all pairs are drawn, as between drawish
//! engines.
//!
//! Then the variance of the sample does not measure the noise (101 drawn pairs have none), and a Brownian path with it
//! is meaningless. So the noise is that of the likeliest law with the mean in question. r(s) = ± sqrt(2 N loss(s)), the
//! signed root of the likelihood ratio of the mean s against the sample's, is about standard normal under s
//! (Barndorff-Nielsen and Cox, "Inference and Asymptotics" (1994), 3.2). Stopping shifts and spreads it: the estimate
//! is the mean under which a path whose steps have the moments of that law is as likely to do worse as better, r is
//! measured from there, and its spread is [`SPREAD`].

use super::exit::Corridor;
use super::{AfterTest, Bounds};
use crate::elo;
use crate::estimate::Estimate;
use crate::law::{Law, SCORES};
use crate::likelihood::{Hypothesis, likeliest};
use crate::normal::{self, Z95};

/// The number of pairs outside the most frequent outcome from which a sample determines its noise.
const ENOUGH: f64 = 60.0;
/// Standard deviation of the root after a test, relative to 1 in a sample of fixed size: found by simulation (see
/// "After a test" in `docs/measurements/statistics.md`).
const SPREAD: f64 = 1.07;
/// A path that has not come this near to a bound, as a share of it, is not affected by stopping.
const STOPPED: f64 = 0.5;
/// The search excludes scores nearer to 0 or 1.
const EDGE: f64 = 1e-13;
const HALVINGS: usize = 60;
/// The least variance of a path, in square nats: next to bounds of some nats its end is certain.
const LEAST_VARIANCE: f64 = 1e-6;

/// A sample with few decisive pairs.
pub(super) struct FewDecisive<'a> {
    law: &'a Law,
    mean: f64,
    /// Mean of the likeliest law under H0.
    h0: f64,
    /// The estimate, as a score, and the signed root there.
    value: f64,
    centre: f64,
}

impl<'a> FewDecisive<'a> {
    /// `None` if there are enough decisive pairs, or if neither the path (`level`) nor the ratio has come near a bound.
    pub(super) fn new(law: &'a Law, hypotheses: [Hypothesis; 2], bounds: Bounds, level: f64) -> Option<Self> {
        let most = law.p.iter().copied().fold(0.0, f64::max);
        if law.size * (1.0 - most) >= ENOUGH {
            return None;
        }
        let [laws0, laws1] = hypotheses.map(|hypothesis| likeliest(law, hypothesis));
        let path = Steps { law, bounds, weights: [0, 1, 2, 3, 4].map(|k| libm::log(laws0[k] / laws1[k])) };
        let near = |x: f64| x <= STOPPED * bounds.lower || x >= STOPPED * bounds.upper;
        if !near(level) && !near(path.ratio()) {
            return None;
        }
        let advantage = law.moments().advantage;
        let mean = 0.5 + advantage;
        let h0 = match hypotheses[0] {
            Hypothesis::Mean(score) => score,
            Hypothesis::TValue(0.0) => 0.5,
            Hypothesis::TValue(_) => expectation(&divided(&law.p, &laws0), &SCORES),
        };
        // A sample that favours neither side has an estimate of zero.
        let value = if advantage == 0.0 { mean } else { path.median() };
        let few = Self { law, mean, h0, value, centre: 0.0 };
        Some(Self { centre: few.root(value), ..few })
    }

    pub(super) fn estimates(&self) -> AfterTest {
        let score = Estimate {
            value: self.value,
            low: self.score_at(self.centre + SPREAD * Z95),
            high: self.score_at(self.centre - SPREAD * Z95),
        };
        AfterTest {
            elo: ordered(score.map(elo::elo_of_score)),
            nelo: ordered(score.map(|score| self.nelo(score))),
            los: self.worse(0.5),
            p_value: 1.0 - self.worse(self.h0),
        }
    }

    /// Probability of an outcome worse than the observed one, at this expected score.
    fn worse(&self, score: f64) -> f64 {
        normal::cdf((self.root(score) - self.centre) / SPREAD)
    }

    /// r of an expected score: falls as the score rises, 0 at the sample's.
    fn root(&self, score: f64) -> f64 {
        let v = likeliest(self.law, Hypothesis::Mean(score));
        let loss = expectation(&self.law.p, &v.map(libm::log));
        (2.0 * self.law.size * loss.max(0.0)).sqrt().copysign(self.mean - score)
    }

    /// The score with this root; infinite if no score has it.
    fn score_at(&self, root: f64) -> f64 {
        if self.root(EDGE) <= root {
            f64::NEG_INFINITY
        } else if self.root(1.0 - EDGE) >= root {
            f64::INFINITY
        } else {
            crossing(|score| self.root(score) - root)
        }
    }

    /// Normalized Elo of an expected score, at the noise of the likeliest law that has it.
    fn nelo(&self, score: f64) -> f64 {
        if !score.is_finite() {
            return score;
        }
        let q = divided(&self.law.p, &likeliest(self.law, Hypothesis::Mean(score)));
        let variance = expectation(&q, &SCORES.map(|x| (x - score) * (x - score)));
        elo::nelo_of_t((score - 0.5) / variance.sqrt(), self.law.unit)
    }
}

/// The path of the ratio, with its steps weighted by the outcomes' likelihood ratios under the two hypotheses.
struct Steps<'a> {
    law: &'a Law,
    bounds: Bounds,
    weights: [f64; 5],
}

impl Steps<'_> {
    fn ratio(&self) -> f64 {
        self.law.size * expectation(&self.law.p, &self.weights)
    }

    /// The score at which an outcome worse than the observed one has probability 1/2.
    fn median(&self) -> f64 {
        let ratio = self.ratio();
        let level = ratio.clamp(self.bounds.lower, self.bounds.upper);
        let length = if ratio == 0.0 { self.law.size } else { self.law.size * (level / ratio) };
        let worse = |score: f64| {
            let q = divided(&self.law.p, &likeliest(self.law, Hypothesis::Mean(score)));
            let drift = expectation(&q, &self.weights);
            let square = expectation(&q, &self.weights.map(|w| w * w));
            let Bounds { lower: low, upper: high } = self.bounds;
            let variance = ((square - drift * drift) * length).max(LEAST_VARIANCE);
            Corridor { low, high, drift: drift * length, variance }.outcome_cdf(level)
        };
        crossing(|score| worse(score) - 0.5)
    }
}

/// Clamps the ends to their sides of the value, which rounding (a few observations among 10^12) may cross.
fn ordered(Estimate { value, low, high }: Estimate) -> Estimate {
    Estimate { value, low: low.min(value), high: high.max(value) }
}

/// The zero of a falling function of a score.
fn crossing(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (EDGE, 1.0 - EDGE);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        (low, high) = if f(middle) > 0.0 { (middle, high) } else { (low, middle) };
    }
    f64::midpoint(low, high)
}

/// q_k = p_k / v_k.
fn divided(p: &[f64; 5], v: &[f64; 5]) -> [f64; 5] {
    [0, 1, 2, 3, 4].map(|k| if p[k] > 0.0 { p[k] / v[k] } else { 0.0 })
}

/// sum p_k x_k over the possible scores.
fn expectation(p: &[f64; 5], x: &[f64; 5]) -> f64 {
    p.iter().zip(x).filter(|(p, _)| **p > 0.0).map(|(p, x)| p * x).sum()
}
