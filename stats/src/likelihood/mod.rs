//! Generalised log-likelihood ratios: how much better the counts fit the likeliest law under H1 than under H0.
//!
//! H_j fixes one number of the law (its mean, or its t-value); among the laws that have it, q_j is the one under which
//! the counts are likeliest; LLR = N sum p_k ln(q1_k / q0_k). Each q has the form p_k / v_k (Lagrange), so the LLR is N
//! sum p_k ln(v0_k / v1_k), which is all that this module computes: `secular` finds v for a fixed mean, `t_value` for a
//! fixed t-value. Theory: Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
//! distribution" and "Normalized Elo".

mod global;
mod secular;
mod t_value;
mod two_moments;

use crate::counts::Wdl;
use crate::elo;
use crate::law::{Law, SCORES, Unit};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The scale of a test's bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Logistic Elo: the bounds are expected scores.
    Logistic,
    /// Normalized Elo: the bounds are expected scores in units of the noise of one game.
    #[default]
    Normalized,
    /// The Elo of `BayesElo`: the bounds are expected scores, given the observed draw rate.
    Bayesian,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
            Self::Bayesian => "bayesian",
        })
    }
}

/// The error for a word that names no [`Model`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown model `{0}`: expected `logistic`, `normalized` or `bayesian`")]
pub struct ParseModelError(pub String);

impl FromStr for Model {
    type Err = ParseModelError;

    fn from_str(word: &str) -> Result<Self, ParseModelError> {
        [Self::Logistic, Self::Normalized, Self::Bayesian]
            .into_iter()
            .find(|model| model.to_string() == word)
            .ok_or_else(|| ParseModelError(word.to_owned()))
    }
}

/// The number that a hypothesis fixes in the law of one observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hypothesis {
    /// The expected score, within (0, 1).
    Mean(f64),
    /// (mean - 1/2) / standard deviation.
    TValue(f64),
}

impl Hypothesis {
    /// The hypothesis `elo` on the scale of `model`, for observations of this unit. The Bayesian model takes the draw
    /// width from `games`; without games it has no draw width and becomes the logistic model.
    pub fn new(model: Model, elo: f64, unit: Unit, games: Option<&Wdl>) -> Self {
        let mean = match (model, games) {
            (Model::Normalized, _) => return Self::TValue(elo::t_of_nelo(elo, unit)),
            (Model::Bayesian, Some(games)) => elo::bayes_score(elo, sample_drawelo(games)),
            (Model::Logistic, _) | (Model::Bayesian, None) => elo::expected_score(elo),
        };
        // Scores are kept slightly off 0 and 1, which no law of full support has.
        Self::Mean(mean.clamp(1e-13, 1.0 - 1e-13))
    }
}

/// The draw width of `BayesElo`'s model in a sample, with empty bins regularised.
pub fn sample_drawelo(games: &Wdl) -> f64 {
    let p = Law::regularised(&games.ascending(), Unit::Game).p;
    elo::drawelo(p[0], p[4])
}

/// The last solution for one hypothesis: after one more observation the next solution is near.
#[derive(Debug, Clone, Copy, Default)]
pub struct WarmStart {
    mean: Option<f64>,
    t_value: Option<t_value::Root>,
}

/// A log-likelihood ratio, and its sensitivity to one observation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ratio {
    /// LLR of H1 against H0, in nats.
    pub llr: f64,
    /// The largest weight of one observation, in nats: max |ln(q1_k / q0_k)|. The next observation changes the ratio by
    /// at most this, up to the change of the two laws themselves, which is of the order of one observation in all.
    pub steepest: f64,
}

/// LLR of `h1` against `h0` for this law, in nats. Exact to rounding; finite for any regularised law.
pub fn llr(law: &Law, h0: Hypothesis, h1: Hypothesis) -> f64 {
    ratio_from(law, [h0, h1], &mut [WarmStart::default(); 2]).llr
}

/// [`llr`] of `[h0, h1]` and its steepness, starting from the solutions for a nearby law and storing those for this
/// one.
pub fn ratio_from(law: &Law, hypotheses: [Hypothesis; 2], warm: &mut [WarmStart; 2]) -> Ratio {
    let [warm0, warm1] = warm;
    let v0 = odds(law, hypotheses[0], warm0);
    let v1 = odds(law, hypotheses[1], warm1);
    let (mut sum, mut steepest) = (0.0, 0.0_f64);
    for ((&p, v0), v1) in law.p.iter().zip(v0).zip(v1) {
        if p > 0.0 {
            let weight = ln_ratio(v0, v1);
            sum += p * weight;
            steepest = steepest.max(weight.abs());
        }
    }
    Ratio { llr: law.size * sum, steepest }
}

/// The likeliest law under a hypothesis, as v_k = p_k / q_k.
pub(crate) fn likeliest(law: &Law, hypothesis: Hypothesis) -> [f64; 5] {
    odds(law, hypothesis, &mut WarmStart::default())
}

/// v_k = p_k / q_k, for the law q that obeys the hypothesis and makes the counts likeliest.
fn odds(law: &Law, hypothesis: Hypothesis, warm: &mut WarmStart) -> [f64; 5] {
    match hypothesis {
        Hypothesis::Mean(mean) => secular::odds(&law.p, &SCORES, mean, &mut warm.mean),
        // A t-value of 0 is a mean of 1/2.
        Hypothesis::TValue(0.0) => secular::odds(&law.p, &SCORES, 0.5, &mut warm.mean),
        Hypothesis::TValue(t) => t_value::odds(&law.p, t, &mut warm.t_value),
    }
}

/// ln(a/b), without loss of precision if the two are close: there through 2 artanh((a-b)/(a+b)), whose series is exact
/// to the last bit after five terms.
fn ln_ratio(a: f64, b: f64) -> f64 {
    let z = (a - b) / (a + b);
    if z.abs() < 0.02 {
        let y = z * z;
        2.0 * z * (1.0 + y * (1.0 / 3.0 + y * (1.0 / 5.0 + y * (1.0 / 7.0 + y / 9.0))))
    } else {
        libm::log(a) - libm::log(b)
    }
}
