//! A value of a plan and where it comes from. What errors and stored configurations say of a value's origin is decided
//! here.

use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;
use std::ops::Range;

/// Where a value comes from.
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

    /// What a stored configuration says of the value beside it; nothing of what stands in the file.
    pub fn comment(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Words(words) | Self::Derived(words) => Some(words),
            Self::Usual => Some("usual"),
        }
    }
}

/// A value, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Given<T> {
    /// A value of this origin.
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

    /// A value that follows from something else.
    pub fn derived(value: impl Into<T>, from: impl Into<String>) -> Self {
        Self::new(value, Origin::derived(from))
    }

    /// Another value from the same place.
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

/// A section, if it is there.
pub(super) fn section<T>(key: Option<&Given<T>>) -> Option<&T> {
    key.map(|given| &given.value)
}

/// A plain value, if it is there.
pub(super) fn value<T: Copy>(key: Option<&Given<T>>) -> Option<T> {
    key.map(|given| given.value)
}
