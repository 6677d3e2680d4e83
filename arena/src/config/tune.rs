//! A tuning session: which parameters of the one entrant are tuned, by what method and for how many pairs.

use play::Limit;
use serde::{Deserialize, Serialize};
use stats::SprtConfig;
use std::fmt;
use std::num::NonZeroU64;
use tuner::{Below, Group, Kind, MethodId, TunedParameter};

/// A tuning session's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// How it is tuned.
    pub method: MethodId,
    /// The budget.
    pub pairs: NonZeroU64,
    /// How many pairs its method was planned for, if the session was given another number of pairs since: what was
    /// proposed stays as it was.
    pub planned: Option<NonZeroU64>,
    /// How many pairs proposals run ahead of absorbed results.
    pub lookahead: u64,
    /// Stop early once the answer is expected to lose at most this much Elo.
    pub stop_regret: Option<f64>,
    /// Limits below the entrant's own, rising, at which pairs are played beside those at its own, the target. None as a
    /// rule.
    pub limits: Vec<Limit>,
    /// What is tuned.
    pub tuned: Tuned,
    /// Factors by which several parameters are scaled together.
    pub groups: Vec<Group>,
    /// Which parameters stay below which.
    pub constraints: Vec<Below>,
    /// What is known before the first pair, from an earlier session.
    pub earlier: Option<EarlierTune>,
    /// The test of the tuned values against the start that follows, if one does.
    pub verify: Option<VerifyConfig>,
}

impl TuneConfig {
    /// How many pairs its method is planned for: steps and perturbations shrink by that number, whatever the budget is
    /// now.
    pub fn planned(&self) -> NonZeroU64 {
        self.planned.unwrap_or(self.pairs)
    }

    /// The same session with another budget. Its method stays planned for as many pairs as it was.
    #[must_use]
    pub fn with_pairs(&self, pairs: NonZeroU64) -> Self {
        let planned = Some(self.planned()).filter(|planned| *planned != pairs);
        Self { pairs, planned, ..self.clone() }
    }

    /// The texts that the engine gets for a category instead of numbers: its values, by its name.
    pub fn categories(&self) -> impl Iterator<Item = (&str, &[String])> {
        let parameters = match &self.tuned {
            Tuned::Parameters(parameters) => parameters.as_slice(),
            Tuned::Lines(_) => &[],
        };
        let categories = parameters.iter().filter(|parameter| parameter.kind == Kind::Category);
        categories.map(|parameter| (parameter.name.as_str(), parameter.values.as_slice()))
    }
}

/// What an earlier session knew of the parameters of this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierTune {
    /// What that session is called.
    pub session: String,
    /// Its pairs.
    pub pairs: u64,
    /// How many parameters it tuned.
    pub parameters: u64,
    /// The share of what it knew that is believed: more than 0, at most 1.
    pub trust: f64,
    /// What it knew of parameters that both sessions have, and of groups of the same members.
    pub learnt: Vec<LearntParameter>,
    /// What it knew of values that a category has in both sessions.
    pub categories: Vec<LearntCategory>,
}

impl EarlierTune {
    /// In words, e.g. `from tune-x-1: 3 of 4 parameters, 12000 pairs, half believed`; `number` writes numbers.
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

/// What pairs say of the Elo of a parameter or of a group's factor, g x + h x^2 / 2 at x steps from the start: a matrix
/// of precisions, and that times the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntParameter {
    /// Its name.
    pub name: String,
    /// Of a group, the parameters that it scales.
    pub members: Vec<String>,
    /// Precision of g.
    pub gg: f64,
    /// Precision of g and h together.
    pub gh: f64,
    /// Precision of h.
    pub hh: f64,
    /// The first row times the mean.
    pub g: f64,
    /// The second row times the mean.
    pub h: f64,
}

/// What pairs say of the Elo of the values of a category, in the order of this session's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntCategory {
    /// Its name.
    pub name: String,
    /// The precisions among all values, whose rows add up to nothing: the lower triangle row by row.
    pub precisions: Vec<f64>,
    /// These times what the values are worth.
    pub shifts: Vec<f64>,
}

/// What a session tunes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tuned {
    /// Parameters, one by one.
    Parameters(Vec<TunedParameter>),
    /// Lines in fishtest's format, which have the parameters and their gains.
    Lines(String),
}

/// What a configuration says of parameters, and is not taken word for word.
#[derive(Clone, Debug, PartialEq)]
pub enum TuneNote {
    /// Starts that were rounded to whole numbers: names, what was written, and what is played.
    Rounded(Vec<(String, f64, f64)>),
    /// Parameters that stay at their start, as their step or their gain is 0.
    Frozen(Vec<String>),
    /// Switches without a start, which start off.
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

/// The test that follows a session.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyConfig {
    /// Bounds, error rates and model.
    pub test: SprtConfig,
    /// Give up undecided after this many pairs.
    pub max_pairs: Option<NonZeroU64>,
}
