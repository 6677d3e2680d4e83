//! Configuration: TOML text in, a valid [`RunConfig`] out, or one error that shows the line.
//!
//! Nothing is repaired silently: what cannot be used as written is refused.

mod entrants;
mod error;
mod quantity;
mod raw;
mod set;

pub use error::{ConfigError, nearest};
pub use quantity::describe_limit;

use crate::entrant::Entrant;
use crate::play::{Game, OpeningSource, games::ZeroPointOne};
use crate::run::GameKind;
use error::Source;
use raw::{RawConfig, RawMatch, RawOpenings, RawSprt};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;
use stats::SprtConfig;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

/// Which job a configuration is to be run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// `[sprt]`.
    Sprt,
    /// `[match]`.
    Match,
}

/// A valid configuration of a run: with the build ids, the run's whole identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The run's name, from which its folder's is made.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// The seed of all randomness.
    pub seed: u64,
    /// What is done with the entrants.
    pub experiment: ExperimentConfig,
    /// Where openings come from.
    pub openings: OpeningSource,
    /// Whether what players say at each ply is recorded.
    pub track: bool,
    /// Who plays; at least two, with different names.
    pub entrants: Vec<Entrant>,
}

/// The experiment and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExperimentConfig {
    /// Is the first entrant better than the second?
    Sprt {
        /// Bounds, error rates and model.
        test: SprtConfig,
        /// Give up undecided after so many pairs.
        max_pairs: Option<NonZeroU64>,
    },
    /// So many pairs between the first entrant and the second.
    Match {
        /// How many.
        pairs: NonZeroU64,
    },
}

impl ExperimentConfig {
    /// The command that starts such a run, and the first part of its folder's name.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sprt { .. } => "sprt",
            Self::Match { .. } => "match",
        }
    }

    /// The job that such a run is.
    pub fn job(&self) -> Job {
        match self {
            Self::Sprt { .. } => Job::Sprt,
            Self::Match { .. } => Job::Match,
        }
    }

    /// The same experiment with another one's pair limit, if it is of the same kind.
    #[must_use]
    pub fn with_pair_limit_of(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Sprt { test, .. }, Self::Sprt { max_pairs, .. }) => {
                Self::Sprt { test: *test, max_pairs: *max_pairs }
            }
            (Self::Match { .. }, Self::Match { pairs }) => Self::Match { pairs: *pairs },
            _ => self.clone(),
        }
    }
}

/// A configuration file, read: the run, and what is no part of its identity.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The run's identity.
    pub run: RunConfig,
    /// How many pairs are played at a time, if the file says.
    pub concurrency: Option<NonZeroUsize>,
    /// The effective text: the file with all settings from the command line applied.
    pub text: String,
}

/// Reads a configuration.
///
/// `name` is what errors call the text, `stem` the run's name if the text gives none, and `settings` are `key=value`
/// texts from the command line that replace or add to what the text says, e.g. `sprt.elo1=5` or
/// `entrant.dev.limit=2000 nodes` (entrants by name or by position from 0).
///
/// # Errors
/// [`ConfigError`] for the first thing found wrong.
pub fn load(text: &str, name: &str, stem: &str, settings: &[String], job: Job) -> Result<Loaded, ConfigError> {
    let source = Source { name: name.to_owned(), text: text.to_owned() };
    let source = set::apply(source, settings)?;
    let raw: RawConfig = toml::from_str(&source.text).map_err(|error| source.toml_error(&error))?;
    let run = resolve(&source, &raw, stem, job)?;
    let concurrency = raw.concurrency.as_ref().map(|n| concurrency(&source, n)).transpose()?;
    Ok(Loaded { run, concurrency, text: source.text })
}

fn resolve(source: &Source, raw: &RawConfig, stem: &str, job: Job) -> Result<RunConfig, ConfigError> {
    let entrants = entrants::resolve(source, raw)?;
    Ok(RunConfig {
        name: run_name(source, raw.name.as_ref(), stem)?,
        game: raw.game,
        seed: raw.seed.unwrap_or(1),
        experiment: experiment(source, raw, job)?,
        openings: openings(source, &raw.openings)?,
        track: raw.track.unwrap_or(false),
        entrants,
    })
}

fn run_name(source: &Source, name: Option<&Spanned<String>>, stem: &str) -> Result<String, ConfigError> {
    let Some(name) = name else { return Ok(stem.to_owned()) };
    let text = name.get_ref();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if text.is_empty() || text.len() > 64 || text.starts_with('.') || !text.chars().all(fits) {
        let label = "expected 1 to 64 letters, digits, `-`, `_` or `.`: it names a folder";
        return Err(source.error_at(name.span(), format!("`{text}` cannot name a run"), label));
    }
    Ok(text.clone())
}

fn concurrency(source: &Source, n: &Spanned<usize>) -> Result<NonZeroUsize, ConfigError> {
    let none = || source.error_at(n.span(), "a run needs at least one worker", "expected 1 or more");
    NonZeroUsize::new(*n.get_ref()).ok_or_else(none)
}

fn experiment(source: &Source, raw: &RawConfig, job: Job) -> Result<ExperimentConfig, ConfigError> {
    match (job, &raw.sprt, &raw.fixed) {
        (Job::Sprt, Some(sprt), _) => sprt_config(source, sprt),
        (Job::Match, _, Some(fixed)) => match_config(source, fixed),
        (Job::Sprt, None, _) => Err(source.error(
            "there is no `[sprt]` section",
            "add one, for instance\n  [sprt]\n  elo0 = 0\n  elo1 = 5\nor play a fixed number of pairs with `spar match`",
        )),
        (Job::Match, _, None) => Err(source.error(
            "there is no `[match]` section",
            "add one, for instance\n  [match]\n  pairs = 500\nor run a sequential test with `spar sprt`",
        )),
    }
}

fn match_config(source: &Source, raw: &RawMatch) -> Result<ExperimentConfig, ConfigError> {
    let none = || source.error_at(raw.pairs.span(), "a match needs at least one pair", "expected 1 or more");
    let pairs = NonZeroU64::new(*raw.pairs.get_ref()).ok_or_else(none)?;
    Ok(ExperimentConfig::Match { pairs })
}

fn sprt_config(source: &Source, spanned: &Spanned<RawSprt>) -> Result<ExperimentConfig, ConfigError> {
    let raw = spanned.get_ref();
    for rate in [&raw.alpha, &raw.beta].into_iter().flatten() {
        let value = *rate.get_ref();
        if !(value > 0.0 && value < 0.5) {
            let message = format!("an error rate of {value} makes no test");
            return Err(source.error_at(rate.span(), message, "expected more than 0 and less than 0.5"));
        }
    }
    let (elo0, elo1) = (*raw.elo0.get_ref(), *raw.elo1.get_ref());
    for (name, bound) in [("elo0", &raw.elo0), ("elo1", &raw.elo1)] {
        if !bound.get_ref().is_finite() {
            return Err(source.error_at(bound.span(), format!("`{name}` is not finite"), "expected a number of Elo"));
        }
    }
    if elo0 >= elo1 {
        let message = format!("`elo0` ({elo0}) must be less than `elo1` ({elo1})");
        return Err(source
            .error_at(raw.elo1.span(), message, format!("expected more than {elo0}"))
            .with_help("H0 says that the gain is at most elo0, H1 that it is at least elo1"));
    }
    let model = raw.model.as_ref().map(|model| sprt_model(source, model)).transpose()?;
    let test = SprtConfig {
        elo0,
        elo1,
        alpha: raw.alpha.as_ref().map_or(0.05, |rate| *rate.get_ref()),
        beta: raw.beta.as_ref().map_or(0.05, |rate| *rate.get_ref()),
        model: model.unwrap_or(stats::Model::Normalized),
        overshoot: raw.overshoot.unwrap_or(true),
    };
    test.check().map_err(|error| source.error_at(spanned.span(), error.to_string(), "in this section"))?;
    let limit = |n: &Spanned<u64>| {
        let none = || source.error_at(n.span(), "a test of no pairs decides nothing", "expected 1 or more");
        NonZeroU64::new(*n.get_ref()).ok_or_else(none)
    };
    Ok(ExperimentConfig::Sprt { test, max_pairs: raw.max_pairs.as_ref().map(limit).transpose()? })
}

fn sprt_model(source: &Source, model: &Spanned<String>) -> Result<stats::Model, ConfigError> {
    let unknown = |_| {
        let label = "expected `normalized`, `logistic` or `bayesian`";
        source.error_at(model.span(), format!("unknown SPRT model `{}`", model.get_ref()), label)
    };
    model.get_ref().parse().map_err(unknown)
}

fn openings(source: &Source, raw: &RawOpenings) -> Result<OpeningSource, ConfigError> {
    let most = ZeroPointOne::most_random_plies();
    let plies = match &raw.plies {
        Some(plies) if *plies.get_ref() > most => {
            let message = format!("{} random plies leave no game", plies.get_ref());
            return Err(source.error_at(plies.span(), message, format!("expected 0 to {most}")));
        }
        Some(plies) => *plies.get_ref(),
        None => 0,
    };
    let balance = raw.balance.as_ref().map(|balance| balance_units(source, balance)).transpose()?;
    Ok(OpeningSource { plies, balance })
}

/// A bound in logit, to the engine's unit.
fn balance_units(source: &Source, balance: &Spanned<f64>) -> Result<NonZeroU32, ConfigError> {
    let logit = *balance.get_ref();
    let units = if (0.0..=10.0).contains(&logit) { (logit * 10_000.0).round() as u32 } else { 0 };
    let bad =
        || source.error_at(balance.span(), format!("`balance` cannot be {logit}"), "expected logit, from 0.0001 to 10");
    NonZeroU32::new(units).ok_or_else(bad)
}
