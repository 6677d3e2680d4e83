//! What is checked, and what is found.

use crate::entrant::ProcessSpec;
use crate::games::GameKind;
use crate::players::process::Starter;
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// How an engine did in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// As it should be.
    Pass,
    /// Allowed, but it will cause trouble or leave something unknown.
    Warning,
    /// It was late, but the host kept it waiting for a processor: this cannot be judged.
    Unjudged,
    /// Against the protocol or the rules: it will lose games by it.
    Failure,
}

/// One step of a check, and how the engine did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was tried, in words.
    pub step: String,
    /// How it did.
    pub grade: Grade,
    /// What was seen, if there is anything to say.
    pub note: String,
}

impl Finding {
    pub(crate) fn new(step: &str, grade: Grade, note: impl Into<String>) -> Self {
        Self { step: step.to_owned(), grade, note: note.into() }
    }
}

/// What is checked, and with what.
pub struct Check<'a> {
    /// The engine.
    pub process: &'a ProcessSpec,
    /// The game it is to play.
    pub game: GameKind,
    /// Starts it.
    pub starter: &'a Starter,
    /// Raised to give the check up.
    pub stop: &'a AtomicBool,
}
