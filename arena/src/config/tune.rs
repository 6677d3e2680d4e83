//! A tuning session: which parameters of the one entrant to tune, by which method and for how many pairs.

use play::Limit;
use serde::{Deserialize, Serialize};
use stats::SprtConfig;
use std::fmt;
use std::num::NonZeroU64;
use tuner::{Below, Group, Kind, MethodId, TunedParameter};

/// The settings of a tuning session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// The tuning method.
    pub method: MethodId,
    /// The budget, in pairs.
    pub pairs: NonZeroU64,
    /// The number of pairs that the method was planned for, if the session's budget has changed since. Proposals
    /// already made stay as they are.
    pub planned: Option<NonZeroU64>,
    /// How many pairs the proposals run ahead of absorbed results.
    pub lookahead: u64,
    /// Stop early once the result is expected to lose at most this much Elo.
    pub stop_regret: Option<f64>,
    /// Limits below the entrant's own limit (the target), in rising order, at which pairs are played besides those at
    /// the target. Usually empty.
    pub limits: Vec<Limit>,
    /// What to tune.
    pub tuned: Tuned,
    /// Factors by which several parameters are scaled together.
    pub groups: Vec<Group>,
    /// The constraints that keep one parameter below another.
    pub constraints: Vec<Below>,
    /// Prior knowledge from an earlier session.
    pub earlier: Option<EarlierTune>,
    /// The test of the tuned values against the start values that follows the session, if any.
    pub verify: Option<VerifyConfig>,
}

impl TuneConfig {
    /// Returns the number of pairs that the method is planned for. Steps and perturbations shrink by that number,
    /// whatever the current budget.
    pub fn planned(&self) -> NonZeroU64 {
        self.planned.unwrap_or(self.pairs)
    }

    /// Returns the session with another budget. Its method stays planned for the same number of pairs.
    #[must_use]
    pub fn with_pairs(&self, pairs: NonZeroU64) -> Self {
        let planned = Some(self.planned()).filter(|planned| *planned != pairs);
        Self { pairs, planned, ..self.clone() }
    }

    /// Returns the names of categories and their values: the texts that the engine gets instead of numbers.
    pub fn categories(&self) -> impl Iterator<Item = (&str, &[String])> {
        let parameters = match &self.tuned {
            Tuned::Parameters(parameters) => parameters.as_slice(),
            Tuned::Lines(_) => &[],
        };
        let categories = parameters.iter().filter(|parameter| parameter.kind == Kind::Category);
        categories.map(|parameter| (parameter.name.as_str(), parameter.values.as_slice()))
    }
}

/// What an earlier session learnt about this session's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierTune {
    /// The name of that session.
    pub session: String,
    /// The number of pairs that it played.
    pub pairs: u64,
    /// The number of parameters that it tuned.
    pub parameters: u64,
    /// The share of its knowledge that this session trusts: more than 0, at most 1.
    pub trust: f64,
    /// What it learnt about parameters that both sessions have, and about groups with the same members.
    pub learnt: Vec<LearntParameter>,
    /// What it learnt about category values that both sessions have.
    pub categories: Vec<LearntCategory>,
}

impl EarlierTune {
    /// Describes it, e.g. `from tune-x-1: 3 of 4 parameters, 12000 pairs, half believed`; `number` formats numbers.
    pub fn in_words(&self, number: impl Fn(u64) -> String) -> String {
        let scaled: usize = self.learnt.iter().map(|learnt| learnt.members.len().max(1)).sum();
        let (taken, pairs) = (scaled + self.categories.len(), number(self.pairs));
        let trust = match self.trust {
            1.0.. => String::new(),
            0.5 => ", half believed".to_owned(),
            trust => format!(", believed to {} %", (1000.0 * trust).round() / 10.0),
        };
        format!("from {}: {taken} of {} parameters, {pairs} pairs{trust}", self.session, self.parameters)
    }
}

/// What pairs say about the Elo of a parameter or of a group's factor, modelled as g x + h x^2 / 2 at x steps from the
/// start: the precision matrix, and its product with the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntParameter {
    /// The name of the parameter or group.
    pub name: String,
    /// The parameters that a group scales; empty for a parameter.
    pub members: Vec<String>,
    /// Precision of g.
    pub gg: f64,
    /// The off-diagonal precision of g and h.
    pub gh: f64,
    /// Precision of h.
    pub hh: f64,
    /// The first row of the matrix times the mean.
    pub g: f64,
    /// The second row of the matrix times the mean.
    pub h: f64,
}

/// What pairs say about the Elo of a category's values, in the order of this session's values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntCategory {
    /// The category's name.
    pub name: String,
    /// The precision matrix of all values, as its lower triangle row by row. Its rows sum to zero.
    pub precisions: Vec<f64>,
    /// The precision matrix times the Elo of the values.
    pub shifts: Vec<f64>,
}

/// What a session tunes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tuned {
    /// Individual parameters.
    Parameters(Vec<TunedParameter>),
    /// Lines in fishtest's format, with the parameters and their gains.
    Lines(String),
}

/// A setting of parameters that the session does not take literally.
#[derive(Clone, Debug, PartialEq)]
pub enum TuneNote {
    /// Starts that were rounded to whole numbers: the name, the configured start, and the start that is played.
    Rounded(Vec<(String, f64, f64)>),
    /// Parameters that stay at their start because their step or gain is 0.
    Frozen(Vec<String>),
    /// Switches without a configured start, which start off.
    Off(Vec<String>),
}

impl fmt::Display for TuneNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Rounded(starts) => {
                let start = |(name, from, to): &(String, f64, f64)| format!("`{name}` from {from} to {to}");
                let starts: Vec<String> = starts.iter().map(start).collect();
                write!(f, "starts of whole numbers are rounded: {}", starts.join(", "))
            }
            Self::Frozen(names) => {
                let (stay, their) = if names.len() == 1 { ("stays", "its") } else { ("stay", "their") };
                write!(f, "{} {stay} at {their} start: with a step or a gain of 0 nothing is tuned", listed(names))
            }
            Self::Off(names) => {
                let starts = if names.len() == 1 { "starts" } else { "start" };
                write!(f, "{} {starts} off, as no start is given", listed(names))
            }
        }
    }
}

/// The test that follows a tuning session.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyConfig {
    /// Bounds, error rates and model.
    pub test: SprtConfig,
    /// Give up undecided after this many pairs.
    pub max_pairs: Option<NonZeroU64>,
}
