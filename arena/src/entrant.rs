//! Entrants: an engine in a configuration, which seats players. Plain data, part of a run's identity.

use crate::play::{Limit, TimeSource};
use engine::{EngineConfig, EvaluationKind, Params};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::time::Duration;

/// One entrant of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entrant {
    /// Its name in configuration, journal and reports; unique in a run.
    pub name: String,
    /// What plays for it.
    pub player: PlayerSpec,
}

/// The kind of player an entrant seats, and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerSpec {
    /// The 0.1 engine, in process.
    Native(Box<NativeSpec>),
    /// Uniformly random legal moves, at once.
    Random,
}

/// The 0.1 engine in one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeSpec {
    /// How positions are evaluated.
    #[serde(with = "evaluation")]
    pub evaluation: EvaluationKind,
    /// Size of the transposition table, in bytes.
    pub table_bytes: u64,
    /// How much it may think.
    pub limit: Limit,
    /// What measures its time.
    pub source: TimeSource,
    /// Every tunable parameter.
    #[serde(with = "params")]
    pub params: Params,
}

impl NativeSpec {
    /// The engine's own view of these settings.
    pub fn engine_config(&self) -> EngineConfig {
        EngineConfig {
            evaluation: self.evaluation,
            params: self.params,
            table_bytes: usize::try_from(self.table_bytes).unwrap_or(usize::MAX),
        }
    }
}

impl PlayerSpec {
    /// Changes a parameter by name.
    ///
    /// # Errors
    /// Why it cannot take the value, in words.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), String> {
        match self {
            Self::Native(native) => native.params.set(name, value).map_err(|error| error.to_string()),
            Self::Random => Err("a random player has no parameters".to_owned()),
        }
    }

    /// How much the player may think, and what measures it. A random player answers at once: it has one node a move.
    pub fn limit(&self) -> (Limit, TimeSource) {
        match self {
            Self::Native(native) => (native.limit, native.source),
            Self::Random => (Limit::Nodes(std::num::NonZeroU64::MIN), TimeSource::Wall),
        }
    }

    /// By how much it may overrun its time unpunished.
    pub fn margin(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether the same pair always gives the same result: no wall clock decides anything.
    pub fn is_reproducible(&self) -> bool {
        let (limit, source) = self.limit();
        !limit.reads_time() || source != TimeSource::Wall
    }
}

mod evaluation {
    use super::{Deserialize, Deserializer, EvaluationKind, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde prescribes the signature")]
    pub(super) fn serialize<S: Serializer>(kind: &EvaluationKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(kind)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EvaluationKind, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| de::Error::custom(format!("unknown evaluation {text:?}")))
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
            params.set(&name, value).map_err(|error| de::Error::custom(error.to_string()))?;
        }
        Ok(params)
    }
}
