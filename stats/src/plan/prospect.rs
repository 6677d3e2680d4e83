//! Pass probability and expected length of a sequential test, by Wald's approximations for a Brownian path, and bounds
//! that fit a budget.
//!
//! With s0, s1 the scores of the hypotheses, w2 = (s1-s0)^2 / variance and h = (2s-s0-s1)/(s1-s0), A and B the bounds:
//! pass = (1 - e^(-hA)) / (e^(-hB) - e^(-hA)), E[games] = (2/h)(B pass + A (1-pass)) / w2. Wald, "Sequential Analysis"
//! (1947); fishtest's calculator uses the same formulas. They ignore the overshoot, which the correction compensates.

use super::{Conditions, PlanError};
use crate::elo;
use crate::likelihood::Model;
use crate::sprt::{Bounds, SprtConfig};
use std::time::Duration;

/// The behaviour of a sequential test at one true difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prospect {
    /// Probability that H1 is accepted, 0 to 1.
    pub pass: f64,
    /// Expected number of games.
    pub games: f64,
}

impl Prospect {
    /// Computes the prospect at a true difference of `elo`, which is logistic for any scale of the bounds.
    ///
    /// # Errors
    /// [`PlanError::Test`] if the configuration is not a valid test.
    pub fn new(config: &SprtConfig, conditions: &Conditions, elo: f64) -> Result<Self, PlanError> {
        Self::at_score(config, conditions, elo::expected_score(elo))
    }

    /// Computes the prospect at a true expected score.
    ///
    /// # Errors
    /// [`PlanError::Test`] if the configuration is not a valid test.
    pub fn at_score(config: &SprtConfig, conditions: &Conditions, score: f64) -> Result<Self, PlanError> {
        config.check()?;
        let variance = conditions.variance_per_game();
        let [s0, s1] = scores(config, conditions);
        let h = (2.0 * score - s0 - s1) / (s1 - s0);
        Ok(Self::of_walk(config.wald_bounds(), h, (s1 - s0) * (s1 - s0) / variance))
    }

    /// Computes the prospect where the test takes longest: half way between the bounds.
    ///
    /// # Errors
    /// [`PlanError::Test`] if the configuration is not a valid test.
    pub fn worst(config: &SprtConfig, conditions: &Conditions) -> Result<Self, PlanError> {
        let [s0, s1] = scores(config, conditions);
        Self::at_score(config, conditions, f64::midpoint(s0, s1))
    }

    /// Computes the prospect of a walk with drift h w2/2 and variance w2 per game.
    fn of_walk(bounds: Bounds, h: f64, w2: f64) -> Self {
        let (a, b) = (bounds.lower, bounds.upper);
        // Beyond this the less likely exit has no probability left, and e^(-hA) does not fit an f64.
        if h.abs() * (b - a) > 600.0 {
            let (pass, end) = if h > 0.0 { (1.0, b) } else { (0.0, a) };
            return Self { pass, games: 2.0 * end / (h * w2) };
        }
        if h.abs() * (b - a) < 1e-6 {
            return Self { pass: -a / (b - a), games: -a * b / w2 };
        }
        // Half way between the bounds the quotient loses precision (1e-6 of the length, at worst), as in fishtest's
        // calculator, whose results these are to the last bit.
        let (low, high) = (libm::exp(-h * a), libm::exp(-h * b));
        let pass = (1.0 - low) / (high - low);
        Self { pass, games: (2.0 / h) * (b * pass + a * (1.0 - pass)) / w2 }
    }
}

/// Expected scores of the two hypotheses.
fn scores(config: &SprtConfig, conditions: &Conditions) -> [f64; 2] {
    [config.elo0, config.elo1].map(|elo| score_at(config.model, elo, conditions))
}

/// Expected score at a difference on the scale of `model`; on the normalized scale at the noise between equal sides, as
/// in the formulas for a test's length.
pub(super) fn score_at(model: Model, elo: f64, conditions: &Conditions) -> f64 {
    match model {
        Model::Normalized => 0.5 + elo / elo::NELO_PER_SIGMA * conditions.variance_per_game().sqrt(),
        model => conditions.score(model, elo),
    }
}

/// The purpose of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Be stronger: H0 is 0, H1 positive.
    Gain,
    /// Not be weaker (a simplification): H0 is negative, H1 is 0.
    NoLoss,
}

/// The narrowest normalized bounds whose test takes at most `games` games on average, for a patch of any strength. On
/// the normalized scale the width depends on nothing else: it is C sqrt(-A B / games).
///
/// # Errors
/// [`PlanError`] if the budget or an error rate is out of range.
pub fn bounds_for(goal: Goal, games: f64, alpha: f64, beta: f64) -> Result<SprtConfig, PlanError> {
    if !(games > 0.0 && games.is_finite()) {
        return Err(PlanError::Budget(games));
    }
    let mut config = SprtConfig { alpha, beta, model: Model::Normalized, ..SprtConfig::default() };
    config.check()?;
    let Bounds { lower, upper } = config.wald_bounds();
    let width = elo::NELO_PER_SIGMA * (-lower * upper / games).sqrt();
    (config.elo0, config.elo1) = match goal {
        Goal::Gain => (0.0, width),
        Goal::NoLoss => (-width, 0.0),
    };
    config.check()?;
    Ok(config)
}

/// The time of `games` games at a measured rate of pairs per second; `None` if that is not a duration.
pub fn duration(games: f64, pairs_per_second: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(games / 2.0 / pairs_per_second).ok()
}
