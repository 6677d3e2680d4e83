//! Configuration: TOML text in, a valid [`RunConfig`] out, or one error that shows the line.
//!
//! Nothing is repaired silently: what cannot be used as written is refused.

mod entrants;
mod error;
mod jobs;
mod ladder;
mod openings;
mod process;
mod quantity;
mod raw;
mod set;
mod tune;
mod verify;

pub use error::ConfigError;
pub use ladder::{Compare, LadderConfig};
pub use quantity::{
    count as read_count, duration as read_duration, duration_in_seconds as read_seconds, limit as read_limit,
    time_control as read_time_control,
};
pub use tune::{TuneConfig, TuneMethod, Tuned, TunedKind, TunedParameter, VerifyConfig};
pub use verify::{NamedValue, VERIFY, verification};

use crate::run::Starvation;
use error::Source;
use play::book::{OpeningSource, Openings};
use play::child::Affinity;
use play::entrant::Entrant;
use play::games::GameKind;
use play::{Adjudication, DrawRuling, ResignRuling, TableRules};
use raw::{RawAdjudication, RawAffinity, RawConfig, RawStarvation};
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
    /// `[tune]`.
    Tune,
    /// `[ladder]`.
    Ladder,
}

impl Job {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sprt, Self::Match, Self::Tune, Self::Ladder];

    /// The section of a configuration that says what is done.
    pub fn section(self) -> &'static str {
        match self {
            Self::Sprt => "sprt",
            Self::Match => "match",
            Self::Tune => "tune",
            Self::Ladder => "ladder",
        }
    }
}

/// A valid configuration of a run: with the build ids, the run's whole identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The run's name, from which its folder's is made.
    pub name: String,
    /// What it is about, in the words of whoever made it: for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The game.
    pub game: GameKind,
    /// The seed of all randomness.
    pub seed: u64,
    /// What is done with the entrants.
    pub experiment: ExperimentConfig,
    /// Where openings come from.
    pub openings: OpeningSource,
    /// How games are played beside the rules of the game.
    pub rules: TableRules,
    /// What is done about games in which the host took the processor away.
    #[serde(default)]
    pub starvation: Starvation,
    /// Who plays, with different names: two or more, and one in a tuning session.
    pub entrants: Vec<Entrant>,
}

/// Who plays whom in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The first entrant against each of the others.
    #[default]
    Gauntlet,
    /// Everybody against everybody.
    RoundRobin,
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
    /// So many pairs in each pairing of the schedule.
    Match {
        /// How many in each pairing.
        pairs: NonZeroU64,
        /// Who plays whom.
        schedule: Schedule,
        /// How many entrants there are, two or more.
        entrants: u32,
    },
    /// What are the best values of the one entrant's parameters?
    Tune(TuneConfig),
    /// How strong are the entrants, relative to each other?
    Ladder(LadderConfig),
}

impl ExperimentConfig {
    /// The command that starts such a run, and the first part of its folder's name.
    pub fn kind(&self) -> &'static str {
        self.job().section()
    }

    /// The job that such a run is.
    pub fn job(&self) -> Job {
        match self {
            Self::Sprt { .. } => Job::Sprt,
            Self::Match { .. } => Job::Match,
            Self::Tune(_) => Job::Tune,
            Self::Ladder(_) => Job::Ladder,
        }
    }

    /// The same experiment with another one's pair limit, if it is of the same kind.
    #[must_use]
    pub fn with_pair_limit_of(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Sprt { test, .. }, Self::Sprt { max_pairs, .. }) => {
                Self::Sprt { test: *test, max_pairs: *max_pairs }
            }
            (Self::Match { schedule, entrants, .. }, Self::Match { pairs, .. }) => {
                Self::Match { pairs: *pairs, schedule: *schedule, entrants: *entrants }
            }
            (Self::Ladder(ladder), Self::Ladder(LadderConfig { pairs, .. })) => {
                Self::Ladder(LadderConfig { pairs: *pairs, ..ladder.clone() })
            }
            _ => self.clone(),
        }
    }
}

/// A configuration file, read: the run, and what is no part of its identity.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The run's identity.
    pub run: RunConfig,
    /// Its openings, read from their file if they come from one.
    pub openings: Openings,
    /// How many pairs are played at a time, if the file says.
    pub concurrency: Option<NonZeroUsize>,
    /// Which processors engine processes run on.
    pub affinity: Affinity,
    /// Whether the text says what becomes of starved pairs, or leaves it to spar.
    pub names_starvation_action: bool,
    /// The effective text: the file with all settings from the command line applied.
    pub text: String,
}

impl Loaded {
    /// A stored run keeps what spar did by itself when the run was made.
    pub fn keep_what_was_usual(&mut self, then: &RunConfig) {
        if !self.names_starvation_action {
            self.run.starvation.action = then.starvation.action;
        }
    }
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
    let source = set::apply(source, settings, job)?;
    let raw: RawConfig = toml::from_str(&source.text).map_err(|error| source.toml_error(&error))?;
    let (run, openings) = resolve(&source, &raw, stem, job)?;
    let concurrency = raw.concurrency.as_ref().map(|n| concurrency(&source, n)).transpose()?;
    let affinity = raw.affinity.as_ref().map_or(Ok(Affinity::Off), |raw| affinity(&source, raw))?;
    let names_starvation_action = raw.starvation.as_ref().is_some_and(|raw| raw.action.is_some());
    Ok(Loaded { run, openings, concurrency, affinity, names_starvation_action, text: source.text })
}

/// A configuration's text with `key=value` settings applied, as [`load`] applies them: for those who make configurations out of it.
///
/// # Errors
/// [`ConfigError`] for the first setting that cannot be applied.
pub fn with_settings(text: &str, name: &str, settings: &[String], job: Job) -> Result<String, ConfigError> {
    let source = Source { name: name.to_owned(), text: text.to_owned() };
    Ok(set::apply(source, settings, job)?.text)
}

fn resolve(source: &Source, raw: &RawConfig, stem: &str, job: Job) -> Result<(RunConfig, Openings), ConfigError> {
    let entrants = entrants::resolve(source, raw)?;
    // Others' engines say what they think, and people expect it in the games' records.
    let has_processes = entrants.iter().any(|entrant| entrant.player.process().is_some());
    let rules = TableRules { track: raw.track.unwrap_or(has_processes), adjudication: adjudication(source, raw)? };
    let name = run_name(source, raw.name.as_ref(), stem)?;
    let experiment = jobs::experiment(source, raw, job, &entrants)?;
    // The last to be looked at, since it may take a while.
    let (openings, loaded) = openings::resolve(source, &raw.openings, raw.game)?;
    let starvation = starvation(source, raw.starvation.as_ref(), &entrants)?;
    let (title, game, seed) = (title(source, raw)?, raw.game, raw.seed.unwrap_or(1));
    let run = RunConfig { name, title, game, seed, experiment, openings, rules, starvation, entrants };
    Ok((run, loaded))
}

/// The title, if it can be shown in a line.
fn title(source: &Source, raw: &RawConfig) -> Result<Option<String>, ConfigError> {
    let Some(title) = &raw.title else { return Ok(None) };
    let text = title.get_ref();
    if text.trim().is_empty() || text.chars().count() > 200 || text.chars().any(char::is_control) {
        let label = "expected 1 to 200 printable characters";
        return Err(source.error_at(title.span(), "this cannot be a title", label));
    }
    Ok(Some(text.clone()))
}

fn run_name(source: &Source, name: Option<&Spanned<String>>, stem: &str) -> Result<String, ConfigError> {
    let Some(name) = name else {
        let unfit = || {
            let message = format!("`{stem}`, the file's name, cannot name a run");
            source.error(message, format!("rename the file, or give the run a `name`: {NAME_FORM}"))
        };
        return if names_a_folder(stem) { Ok(stem.to_owned()) } else { Err(unfit()) };
    };
    let text = name.get_ref();
    if !names_a_folder(text) {
        let label = format!("expected {NAME_FORM}: it names a folder");
        return Err(source.error_at(name.span(), format!("`{text}` cannot name a run"), label));
    }
    Ok(text.clone())
}

/// What a run's name looks like, for messages.
const NAME_FORM: &str = "1 to 64 letters, digits, `-`, `_` or `.`";

fn names_a_folder(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(fits)
}

/// More workers than any machine has cores for; beyond, threads and tables would only exhaust it.
pub const MOST_WORKERS: usize = 1024;

fn concurrency(source: &Source, n: &Spanned<usize>) -> Result<NonZeroUsize, ConfigError> {
    let label = format!("expected 1 to {MOST_WORKERS}");
    let none = || source.error_at(n.span(), format!("a run cannot have {} workers", n.get_ref()), label);
    NonZeroUsize::new(*n.get_ref()).filter(|n| n.get() <= MOST_WORKERS).ok_or_else(none)
}

fn affinity(source: &Source, raw: &Spanned<RawAffinity>) -> Result<Affinity, ConfigError> {
    match raw.get_ref() {
        RawAffinity::Word(word) if word == "off" => Ok(Affinity::Off),
        RawAffinity::Word(word) if word == "auto" => Ok(Affinity::Auto),
        RawAffinity::List(list) => Ok(Affinity::List(list.clone())),
        RawAffinity::Word(word) => {
            let label = "expected `\"off\"`, `\"auto\"` or a list of processors such as `[0, 1]`";
            Err(source.error_at(raw.span(), format!("`affinity` cannot be \"{word}\""), label))
        }
    }
}

fn starvation(source: &Source, raw: Option<&RawStarvation>, entrants: &[Entrant]) -> Result<Starvation, ConfigError> {
    let default = Starvation::usual(entrants);
    let Some(RawStarvation { threshold, action }) = raw else { return Ok(default) };
    let time = |text: &Spanned<String>| {
        let forms = "a time such as `5ms`, more than 0";
        entrants::parse(source, text, quantity::duration, "threshold", forms)
    };
    let threshold = threshold.as_ref().map_or(Ok(default.threshold), time)?;
    Ok(Starvation { threshold, action: action.unwrap_or(default.action) })
}

fn adjudication(source: &Source, raw: &RawConfig) -> Result<Adjudication, ConfigError> {
    let RawAdjudication { draw, resign, max_moves } = &raw.adjudication;
    let above_zero = |n: &Spanned<u32>| {
        let none = || source.error_at(n.span(), "nothing can be adjudicated after 0 moves", "expected 1 or more");
        NonZeroU32::new(*n.get_ref()).ok_or_else(none)
    };
    let draw = draw
        .as_ref()
        .map(|draw| Ok(DrawRuling { from_move: draw.from_move, moves: above_zero(&draw.moves)?, score: draw.score }));
    let resign = resign.as_ref().map(|resign| {
        Ok(ResignRuling { moves: above_zero(&resign.moves)?, score: resign.score, two_sided: resign.two_sided })
    });
    let max_plies = max_moves.as_ref().map(|most| Ok(above_zero(most)?.saturating_mul(TWO)));
    Ok(Adjudication { draw: draw.transpose()?, resign: resign.transpose()?, max_plies: max_plies.transpose()? })
}

/// Plies in a move of both sides.
const TWO: NonZeroU32 = NonZeroU32::new(2).expect("not 0");
