//! The interface of a source of openings: how it is selected, the keys that it accepts, how it reads them, and its
//! wording.

use super::{OpeningSource, Openings};
use crate::book::{BookError, Lines};
use crate::conventions::Conventions;
use crate::games::GameKind;
use crate::opening::PairOpening;
use std::fmt;
use std::num::NonZeroU64;

/// An entry of the list of sources.
pub(super) struct SourceInfo {
    /// The key or word that selects the source.
    pub(super) chosen_by: ChosenBy,
    /// The name of its openings in a sentence.
    pub(super) noun: &'static str,
    /// The keys of `[openings]` that it accepts.
    pub(super) keys: &'static [&'static str],
    /// Returns the source that the request asks for, and its openings.
    pub(super) resolve: fn(&OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError>,
}

/// The key or word that selects a source.
#[derive(Clone, Copy)]
pub(super) enum ChosenBy {
    /// This word at the key `source`.
    Word(&'static str),
    /// This key.
    Key(&'static str),
}

impl fmt::Display for ChosenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`source = \"{word}\"`"),
            Self::Key(key) => write!(f, "`{key}`"),
        }
    }
}

/// A source of openings.
pub(super) trait Source {
    /// Loads what the source needs.
    fn load(&self, game: GameKind) -> Result<Openings, BookError>;

    /// The source's conditions for a report: facts with their names. `grouped` formats a number.
    fn conditions(&self, grouped: fn(u64) -> String) -> Vec<(&'static str, String)>;

    /// The file that the source reads, if any.
    fn file(&self) -> Option<&str> {
        None
    }

    /// The source's name in warnings, if its openings can run out.
    fn finite_name(&self) -> Option<String> {
        None
    }
}

/// The openings of a source.
pub(super) trait Supply: fmt::Debug + Send + Sync {
    /// Opening `number` of the run with this seed.
    fn opening(&self, run_seed: u64, number: u64) -> PairOpening;

    /// The number of openings before one repeats, if it is known.
    fn count(&self) -> Option<NonZeroU64> {
        None
    }

    /// The lines of a book, if the openings come from one.
    fn lines(&self) -> Option<&Lines> {
        None
    }
}

/// The keys of `[openings]` in a configuration.
#[derive(Clone, Debug)]
pub struct OpeningsRequest {
    /// The game.
    pub game: GameKind,
    /// The match runner whose conventions hold.
    pub conventions: Conventions,
    /// The keys and their values.
    pub given: Vec<(&'static str, KeyValue)>,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue {
    /// Text.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// On or off.
    Switch(bool),
}

impl OpeningsRequest {
    pub(super) fn value(&self, key: &str) -> Option<&KeyValue> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| value)
    }

    /// The text at a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.value(key)? {
            KeyValue::Text(text) => Some(text),
            KeyValue::Whole(_) | KeyValue::Real(_) | KeyValue::Switch(_) => None,
        }
    }

    /// The number of the opening to begin with.
    pub(super) fn start(&self) -> Result<NonZeroU64, KeyError> {
        let Some(KeyValue::Whole(start)) = self.value("start") else { return Ok(NonZeroU64::MIN) };
        NonZeroU64::new(*start).ok_or_else(|| KeyError::new("start", "there is no opening 0", "expected 1 or more"))
    }
}

/// Why openings cannot be played as a configuration asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    /// The faulty key.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What was expected.
    pub expected: String,
}

impl KeyError {
    pub(super) fn new(key: &'static str, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { key, message: message.into(), expected: expected.into() }
    }

    /// The error for openings that cannot be loaded; `key` selected the source.
    pub(super) fn of_book(error: &BookError, key: &'static str, request: &OpeningsRequest) -> Self {
        let is_start = matches!(error, BookError::Start { .. }) && request.value("start").is_some();
        Self::new(if is_start { "start" } else { key }, error.to_string(), "these openings cannot be played")
    }
}
