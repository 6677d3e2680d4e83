//! A value of a plan and its origin. This module decides how errors and stored configurations show an origin.

use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;
use std::ops::Range;

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A place in the text that the plan was read from, in bytes.
    Text(Range<usize>),
    /// Words of the command line, e.g. `--elo1 5`.
    Words(String),
    /// The default, without a setting.
    Usual,
    /// Something else, in words, e.g. `tuned by tune-x-1`.
    Derived(String),
}

impl Origin {
    /// Words of the command line.
    pub fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into())
    }

    /// Something else, in words.
    pub fn derived(from: impl Into<String>) -> Self {
        Self::Derived(from.into())
    }

    /// Whether this is the command line.
    pub fn is_words(&self) -> bool {
        matches!(self, Self::Words(_))
    }

    /// The comment on this value in a stored configuration; `None` for a value that is in the file itself.
    pub fn comment(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Words(words) | Self::Derived(words) => Some(words),
            Self::Usual => Some("usual"),
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Given<T> {
    /// A value with this origin.
    pub fn new(value: impl Into<T>, origin: Origin) -> Self {
        Self { value: value.into(), origin }
    }

    /// A value from words of the command line.
    pub fn words(value: impl Into<T>, words: impl Into<String>) -> Self {
        Self::new(value, Origin::words(words))
    }

    /// A default value.
    pub fn usual(value: impl Into<T>) -> Self {
        Self::new(value, Origin::Usual)
    }

    /// A value derived from something else.
    pub fn derived(value: impl Into<T>, from: impl Into<String>) -> Self {
        Self::new(value, Origin::derived(from))
    }

    /// Another value with the same origin.
    pub fn with<U>(&self, value: U) -> Given<U> {
        Given { value, origin: self.origin.clone() }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        let origin = Origin::Text(spanned.span());
        Ok(Self { value: spanned.into_inner(), origin })
    }
}

/// Returns a section, if the plan has it.
pub(super) fn section<T>(key: Option<&Given<T>>) -> Option<&T> {
    key.map(|given| &given.value)
}

/// Returns a plain value, if the plan has it.
pub(super) fn value<T: Copy>(key: Option<&Given<T>>) -> Option<T> {
    key.map(|given| given.value)
}
