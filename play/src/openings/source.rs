//! What each source of openings has: how it is found, the keys that it takes, what it makes of them, and its wording.

use super::{OpeningSource, Openings};
use crate::book::{BookError, Lines};
use crate::conventions::Conventions;
use crate::games::GameKind;
use crate::opening::PairOpening;
use std::fmt;
use std::num::NonZeroU64;

/// An entry of the list of sources.
pub(super) struct SourceInfo {
    /// What asks for it.
    pub(super) chosen_by: ChosenBy,
    /// What its openings are called in a sentence.
    pub(super) noun: &'static str,
    /// The keys of `[openings]` that it takes.
    pub(super) keys: &'static [&'static str],
    /// The source that is asked for, and its openings.
    pub(super) resolve: fn(&OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError>,
}

/// What asks for a source.
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
    /// Reads what it needs.
    fn load(&self, game: GameKind) -> Result<Openings, BookError>;

    /// What a report says of it: facts with their names. `grouped` writes a number.
    fn conditions(&self, grouped: fn(u64) -> String) -> Vec<(&'static str, String)>;

    /// The file that it reads, if it reads one.
    fn file(&self) -> Option<&str> {
        None
    }

    /// What warnings call it, if its openings can run out.
    fn finite_name(&self) -> Option<String> {
        None
    }
}

/// The openings of a source.
pub(super) trait Supply: fmt::Debug + Send + Sync {
    /// Opening `number` of the run with this seed.
    fn opening(&self, run_seed: u64, number: u64) -> PairOpening;

    /// How many there are before one comes again, if that is known.
    fn count(&self) -> Option<NonZeroU64> {
        None
    }

    /// The lines of a book, if they come from one.
    fn lines(&self) -> Option<&Lines> {
        None
    }
}

/// The keys of `[openings]` that a configuration gives.
#[derive(Clone, Debug)]
pub struct OpeningsRequest {
    /// The game.
    pub game: GameKind,
    /// Whose conventions hold.
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
    /// Whether it is switched on.
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

/// Openings that cannot be played as a configuration asks for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    /// The key that is at fault.
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

    /// Openings that cannot be loaded; `key` chose the source.
    pub(super) fn of_book(error: &BookError, key: &'static str, request: &OpeningsRequest) -> Self {
        let is_start = matches!(error, BookError::Start { .. }) && request.value("start").is_some();
        Self::new(if is_start { "start" } else { key }, error.to_string(), "these openings cannot be played")
    }
}
