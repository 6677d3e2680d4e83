//! The settings of a sequential test: hypotheses and error rates; rejects invalid tests.

use super::Bounds;
use crate::counts::Wdl;
use crate::law::Unit;
use crate::likelihood::{Hypothesis, Model};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest meaningful bound: a score of 1 - 1e-12.
const MAX_ELO: f64 = 5000.0;

/// The least error rate: no test can guarantee rarer errors than one in a thousand million, or reach their bounds.
pub const LEAST_ERROR_RATE: f64 = 1e-9;

/// Whether a test can have this error rate: from [`LEAST_ERROR_RATE`] to below 1/2.
pub fn is_error_rate(rate: f64) -> bool {
    (LEAST_ERROR_RATE..0.5).contains(&rate)
}

/// A sequential test of H0 (the difference is `elo0`) against H1 (it is `elo1`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SprtConfig {
    /// Elo of H0, on the scale of `model`; less than `elo1`.
    pub elo0: f64,
    /// Elo of H1, on the scale of `model`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds; see [`is_error_rate`].
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds; see [`is_error_rate`].
    pub beta: f64,
    /// The scale of the bounds.
    pub model: Model,
    /// Whether the bounds move inwards by the expected overshoot, so that the error rates are alpha and beta instead of
    /// smaller.
    pub overshoot: bool,
}

impl Default for SprtConfig {
    /// The default test: 0 against 5 nElo, five percent each way, with overshoot correction. At the worst difference it
    /// takes some 20,000 pairs.
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized, overshoot: true }
    }
}

/// The reason why a configuration is not a valid test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SprtError {
    /// A bound that is not a number or out of range.
    Elo {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// The bound.
        value: f64,
    },
    /// Hypotheses in the wrong order.
    Order {
        /// Elo of H0.
        elo0: f64,
        /// Elo of H1.
        elo1: f64,
    },
    /// An error rate out of range.
    ErrorRate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The error rate.
        value: f64,
    },
    /// The Bayesian model on counts that do not determine draws.
    DrawsUnknown,
}

impl SprtError {
    /// The setting to change, `elo0`, `elo1`, `alpha` or `beta`, so that callers that know its origin can show the
    /// place; `None` if the counts are at fault.
    pub fn setting(&self) -> Option<&'static str> {
        match self {
            Self::Elo { name, .. } | Self::ErrorRate { name, .. } => Some(name),
            Self::Order { .. } => Some("elo1"),
            Self::DrawsUnknown => None,
        }
    }

    /// The error: the first half of the message.
    pub fn found(&self) -> String {
        match self {
            Self::Elo { name, value } => format!("{name} is {value}"),
            Self::Order { elo0, elo1 } => format!("elo0 is {elo0} and elo1 is {elo1}"),
            Self::ErrorRate { name, value } => format!("{name} is {value:?}"),
            Self::DrawsUnknown => "the bayesian model needs the draws".to_owned(),
        }
    }

    /// The expected value: the second half of the message.
    pub fn expected(&self) -> String {
        match self {
            Self::Elo { .. } => format!("expected a number from -{MAX_ELO} to {MAX_ELO}"),
            Self::Order { .. } => "expected elo0 less than elo1".to_owned(),
            Self::ErrorRate { .. } => format!("expected {LEAST_ERROR_RATE:?} or more, and less than 0.5"),
            Self::DrawsUnknown => "expected six pair counts LL LD WL DD WD WW, or three game counts".to_owned(),
        }
    }
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.found(), self.expected())
    }
}

impl std::error::Error for SprtError {}

impl SprtConfig {
    /// Checks that this is a valid test.
    ///
    /// # Errors
    /// The first [`SprtError`] found.
    pub fn check(&self) -> Result<(), SprtError> {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            // NaN is in no range.
            if !(-MAX_ELO..=MAX_ELO).contains(&value) {
                return Err(SprtError::Elo { name, value });
            }
        }
        if self.elo0 >= self.elo1 {
            let Self { elo0, elo1, .. } = *self;
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !is_error_rate(value) {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        Ok(())
    }

    /// Wald's bounds: ln(beta/(1-alpha)) and ln((1-beta)/alpha).
    pub fn wald_bounds(&self) -> Bounds {
        Bounds { lower: libm::log(self.beta / (1.0 - self.alpha)), upper: libm::log((1.0 - self.beta) / self.alpha) }
    }

    /// The two hypotheses about observations of this unit; the Bayesian model also needs the games.
    pub fn hypotheses(&self, unit: Unit, games: Option<&Wdl>) -> [Hypothesis; 2] {
        [self.elo0, self.elo1].map(|elo| Hypothesis::new(self.model, elo, unit, games))
    }
}
