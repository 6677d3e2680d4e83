//! Entrants: engines with their configurations, from which players are made. Plain data, part of a run's identity.

pub use crate::protocol::Protocol;

use crate::{Limit, TimeSource, Weights};
use engine::{EngineConfig, EvaluationKind, Params, SearchKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// One entrant of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name in configuration, journal and reports; unique in a run.
    pub name: String,
    /// The player that plays for the entrant.
    pub player: PlayerSpec,
}

/// The kind of an entrant's player, and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerSpec {
    /// The 0.1 engine, in process.
    Native(Box<NativeSpec>),
    /// Plays uniformly random legal moves, at once.
    Random,
    /// An engine in a process of its own.
    Process(Box<ProcessSpec>),
    /// A player that only the program that plays the run knows.
    Custom(Box<CustomSpec>),
}

/// A player that only the program that plays the run knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CustomSpec {
    /// How much the player may think; the wall clock measures its time.
    pub limit: Limit,
    /// The author's settings, by name.
    pub settings: BTreeMap<String, String>,
}

/// An engine process: how to start it, what to send it, and what it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessSpec {
    /// The program: a path, or a name to look up in `PATH`. For an engine over TCP, `tcp://HOST:PORT`.
    pub command: String,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The working folder; the harness's own if none is given.
    pub directory: Option<PathBuf>,
    /// Variables added to the harness's environment.
    pub environment: BTreeMap<String, String>,
    /// The engine's protocol.
    pub protocol: Protocol,
    /// Values for the engine's options, by name as the engine declares them.
    pub options: Options,
    /// Lines sent unchanged once the engine is ready, before anything else.
    pub init: Vec<String>,
    /// How much the engine may think.
    pub limit: Limit,
    /// By how much the engine may overrun its time unpunished.
    pub margin: Duration,
    /// When the engine is restarted.
    pub restart: Restart,
    /// How long to wait for the engine where no clock runs.
    pub timeouts: EngineTimeouts,
    /// The process's niceness; the harness's own if none is given.
    pub nice: Option<i32>,
    /// How to treat the engine where there is a choice.
    pub handling: Handling,
}

/// How to treat an engine process where there is a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Handling {
    /// What happens to options that the engine does not have, and to values that it does not accept.
    pub unknown_options: UnknownOptions,
    /// Which moves of the game UCI's `position` sends to the engine.
    pub moves: MovesSent,
    /// Whether the engine thinks on its opponent's time.
    pub ponder: bool,
}

/// What happens to options that an engine does not have, and to values that it does not accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownOptions {
    /// The engine cannot play.
    #[default]
    Error,
    /// They are ignored with a warning.
    Warn,
}

/// Which moves of a game an engine gets at each of its turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MovesSent {
    /// All moves, from the game's first position on.
    #[default]
    All,
    /// The moves since the last irreversible one, starting from the position after it: no earlier position can recur.
    SinceIrreversible,
}

/// Values of an engine's options by name, in the order of the configuration; engines get them in that order.
///
/// Two lists are equal if they set the same values, in any order: the header of a journal keeps no order.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<(String, String)>);

impl Options {
    /// The value of an option.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Sets an option, at its old place if it has one.
    pub fn set(&mut self, name: String, value: String) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl FromIterator<(String, String)> for Options {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(given: T) -> Self {
        let mut options = Self::default();
        given.into_iter().for_each(|(name, value)| options.set(name, value));
        options
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OptionsVisitor)
    }
}

/// Reads a map and keeps its order.
struct OptionsVisitor;

impl<'de> de::Visitor<'de> for OptionsVisitor {
    type Value = Options;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of option names to texts")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Options, A::Error> {
        let mut options = Options::default();
        while let Some((name, value)) = map.next_entry()? {
            options.set(name, value);
        }
        Ok(options)
    }
}

/// When an engine process is restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// Only after a fault, or where the protocol asks for it.
    #[default]
    WhenNeeded,
    /// For each game.
    EachGame,
}

/// How long to wait for an engine process where no clock runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineTimeouts {
    /// From the engine's start until it is ready for a game.
    pub start: Duration,
    /// For a move that is limited by nodes or depth.
    pub answer: Duration,
    /// For a late move, after `stop` was sent: a move that arrives in this time loses on time, a missing one counts as
    /// a hang.
    pub overrun: Duration,
}

impl Default for EngineTimeouts {
    fn default() -> Self {
        Self { start: Duration::from_secs(10), answer: Duration::from_mins(1), overrun: record::LATE_ANSWER }
    }
}

/// The 0.1 engine in one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeSpec {
    /// How it searches.
    #[serde(with = "by_name")]
    pub search: SearchKind,
    /// How positions are evaluated.
    #[serde(with = "by_name")]
    pub evaluation: EvaluationKind,
    /// The file of the weights, of the kind that `evaluation` names; none for the weights shipped with the engine.
    pub network: Option<String>,
    /// The file with the policy for the tree search, if there is one.
    pub policy: Option<String>,
    /// Size of the transposition table, in bytes.
    pub table_bytes: u64,
    /// How much the engine may think.
    pub limit: Limit,
    /// What measures the engine's time.
    pub source: TimeSource,
    /// Every tunable parameter.
    #[serde(with = "params")]
    pub params: Params,
}

impl NativeSpec {
    /// The engine's own form of these settings, with the weights that they name.
    pub fn engine_config(&self, weights: Weights) -> EngineConfig {
        EngineConfig {
            search: self.search,
            evaluation: weights.evaluation,
            policy: weights.policy,
            params: self.params,
            table_bytes: usize::try_from(self.table_bytes).unwrap_or(usize::MAX),
            ..EngineConfig::default()
        }
    }
}

impl PlayerSpec {
    /// Changes a parameter by name.
    ///
    /// # Errors
    /// Why the parameter cannot have the value, in words.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), String> {
        match self {
            Self::Native(native) => native.params.set(name, value).map_err(|error| error.to_string()),
            Self::Random => Err("a random player has no parameters".to_owned()),
            Self::Process(process) => process.set_number(name, value),
            Self::Custom(custom) => {
                custom.settings.insert(name.to_owned(), value.to_string());
                Ok(())
            }
        }
    }

    /// Changes a parameter by name to the value in a text: the engine in process has numbers only.
    ///
    /// # Errors
    /// Why the parameter cannot have the value, in words.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), String> {
        match self {
            Self::Native(_) | Self::Random => {
                let value = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
                self.set(name, value)
            }
            Self::Process(process) => {
                process.options.set(name.to_owned(), text.to_owned());
                Ok(())
            }
            Self::Custom(custom) => {
                custom.settings.insert(name.to_owned(), text.to_owned());
                Ok(())
            }
        }
    }

    /// How much the player may think, and what measures it. A random player answers at once: it has one node a move.
    pub fn limit(&self) -> (Limit, TimeSource) {
        match self {
            Self::Native(native) => (native.limit, native.source),
            Self::Random => (Limit::Nodes(std::num::NonZeroU64::MIN), TimeSource::Wall),
            Self::Process(process) => (process.limit, TimeSource::Wall),
            Self::Custom(custom) => (custom.limit, TimeSource::Wall),
        }
    }

    /// Multiplies the player's time, if the wall clock measures it.
    pub fn scale_time(&mut self, factor: f64) {
        if !self.is_timed_by_the_wall() {
            return;
        }
        if let Some(limit) = self.limit_mut() {
            *limit = limit.scaled(factor);
        }
    }

    /// Replaces the player's limit; a random player does not think.
    pub fn set_limit(&mut self, limit: Limit) {
        if let Some(own) = self.limit_mut() {
            *own = limit;
        }
    }

    fn limit_mut(&mut self) -> Option<&mut Limit> {
        match self {
            Self::Native(native) => Some(&mut native.limit),
            Self::Process(process) => Some(&mut process.limit),
            Self::Custom(custom) => Some(&mut custom.limit),
            Self::Random => None,
        }
    }

    /// By how much the player may overrun its time unpunished.
    pub fn margin(&self) -> Duration {
        match self {
            Self::Process(process) => process.margin,
            Self::Native(_) | Self::Random | Self::Custom(_) => Duration::ZERO,
        }
    }

    /// How long the player may take to answer after its time is over.
    pub fn overrun(&self) -> Duration {
        match self {
            Self::Process(process) => process.timeouts.overrun,
            Self::Native(_) | Self::Random | Self::Custom(_) => record::LATE_ANSWER,
        }
    }

    /// Whether the same pair always gives the same result: the player depends on no wall clock and on no external
    /// program.
    pub fn is_reproducible(&self) -> bool {
        !matches!(self, Self::Process(_) | Self::Custom(_)) && !self.is_timed_by_the_wall()
    }

    /// Whether the wall clock limits the player's thinking, so that a busy host takes time from it.
    pub fn is_timed_by_the_wall(&self) -> bool {
        let (limit, source) = self.limit();
        limit.reads_time() && source == TimeSource::Wall
    }

    /// The files of weights that the player names: of its evaluation and of its policy.
    pub fn weights(&self) -> impl Iterator<Item = &str> {
        let native = match self {
            Self::Native(native) => Some(native),
            Self::Process(_) | Self::Random | Self::Custom(_) => None,
        };
        native.into_iter().flat_map(|native| [&native.network, &native.policy]).flatten().map(String::as_str)
    }

    /// The process the player runs in, if it is another one.
    pub fn process(&self) -> Option<&ProcessSpec> {
        match self {
            Self::Process(process) => Some(process),
            Self::Native(_) | Self::Random | Self::Custom(_) => None,
        }
    }
}

impl ProcessSpec {
    /// How many threads the engine is set to use: its option `Threads`, or XBoard's `cores`; 1 if neither is set.
    pub fn threads(&self) -> NonZeroUsize {
        let value =
            self.options.iter().find(|(name, _)| matches!(name.to_ascii_lowercase().as_str(), "threads" | "cores"));
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Sets an option to a number. Only the started engine tells whether it accepts the number.
    fn set_number(&mut self, name: &str, value: f64) -> Result<(), String> {
        if !value.is_finite() {
            return Err("it is not a finite number".to_owned());
        }
        self.options.set(name.to_owned(), format!("{value}"));
        Ok(())
    }
}

/// Searches and evaluations, stored by their names.
mod by_name {
    use super::{Deserialize, Deserializer, Serializer, de};
    use std::fmt::Display;
    use std::str::FromStr;

    pub(super) fn serialize<T: Display, S: Serializer>(kind: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(kind)
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

mod params {
    use super::{BTreeMap, Deserialize, Deserializer, Params, Serialize, Serializer, de};

    pub(super) fn serialize<S: Serializer>(params: &Params, serializer: S) -> Result<S::Ok, S::Error> {
        let map: BTreeMap<&str, f64> = params.iter().map(|(info, value)| (info.name, value)).collect();
        map.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Params, D::Error> {
        let mut params = Params::default();
        for (name, value) in BTreeMap::<String, f64>::deserialize(deserializer)? {
            // Runs made before have 1, which was the same search as 2.
            let value = if name == "mcts_expansion" { value.max(2.0) } else { value };
            params.set(&name, value).map_err(|error| de::Error::custom(error.to_string()))?;
        }
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(given: &[(&str, &str)]) -> Options {
        given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn options_keep_their_order_and_are_equal_without_it() {
        let given = options(&[("Hash", "1"), ("Clear Hash", ""), ("A", "x"), ("Hash", "2")]);
        assert_eq!(given.iter().collect::<Vec<_>>(), [("Hash", "2"), ("Clear Hash", ""), ("A", "x")]);
        let text = serde_json::to_string(&given).unwrap();
        assert_eq!(text, r#"{"Hash":"2","Clear Hash":"","A":"x"}"#, "as a map always was written");
        let read: Options = serde_json::from_str(&text).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), given.iter().collect::<Vec<_>>());
        assert_eq!(options(&[("A", "x"), ("Hash", "2"), ("Clear Hash", "")]), given);
        assert_ne!(options(&[("A", "x"), ("Hash", "2")]), given);
        assert_ne!(options(&[("A", "x"), ("Hash", "3"), ("Clear Hash", "")]), given);
    }
}
