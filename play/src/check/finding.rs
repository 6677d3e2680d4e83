//! The subject of a check, and its findings.

use crate::entrant::ProcessSpec;
use crate::games::GameKind;
use crate::players::process::Starter;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};

/// How an engine did in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// As expected.
    Pass,
    /// Allowed, but it will cause trouble or leave something unknown.
    Warning,
    /// The engine was late, but the host kept it waiting for a processor: this cannot be judged.
    Unjudged,
    /// Against the protocol or the rules: the engine will lose games by it.
    Failure,
}

/// One step of a check, and how the engine did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was tried, in words.
    pub step: String,
    /// How the engine did.
    pub grade: Grade,
    /// The observation, if there is anything to say.
    pub note: String,
}

impl Finding {
    pub(crate) fn new(step: &str, grade: Grade, note: impl Into<String>) -> Self {
        Self { step: step.to_owned(), grade, note: note.into() }
    }
}

/// The subject of a check, and the means for it.
pub struct Check<'a> {
    /// The engine.
    pub process: &'a ProcessSpec,
    /// The game that the engine has to play.
    pub game: GameKind,
    /// Starts the engine.
    pub starter: &'a Starter,
    /// Set to abandon the check: then no further finding is reported.
    pub stop: &'a AtomicBool,
}

impl Check<'_> {
    /// Whether the check is abandoned.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
