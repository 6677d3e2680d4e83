//! A tuning session: which parameters of the one entrant are tuned, by what method and for how many pairs.

use serde::{Deserialize, Serialize};
use stats::SprtConfig;
use std::num::NonZeroU64;

/// A tuning session's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// The method's name.
    pub method: String,
    /// The budget.
    pub pairs: NonZeroU64,
    /// How many pairs proposals run ahead of absorbed results.
    pub lookahead: u64,
    /// Stop early once the answer is expected to lose at most so much Elo.
    pub stop_regret: Option<f64>,
    /// What is tuned.
    pub parameters: Vec<TunedParameter>,
    /// The same as lines in fishtest's format, in place of `parameters`.
    pub lines: Option<String>,
    /// The test of the tuned values against the start that follows, if one does.
    pub verify: Option<VerifyConfig>,
}

/// A parameter to be tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedParameter {
    /// Its name in the engine's table.
    pub name: String,
    /// Its scale and legal values.
    pub kind: TunedKind,
    /// Where it starts.
    pub start: f64,
    /// Smallest value tried.
    pub min: f64,
    /// Largest value tried.
    pub max: f64,
    /// A change worth trying.
    pub step: f64,
}

/// The scale and the legal values of a tuned parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TunedKind {
    /// Any number of the range.
    Real,
    /// Whole numbers.
    Integer,
    /// Positive numbers compared by ratio.
    Log,
    /// Off or on.
    Boolean,
}

/// The test that follows a session.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyConfig {
    /// Bounds, error rates and model.
    pub test: SprtConfig,
    /// Give up undecided after so many pairs.
    pub max_pairs: Option<NonZeroU64>,
}
