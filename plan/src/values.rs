//! Values of the configurations of commands that only compute: numbers within their ranges, and words.

use super::error::{PlanError, Source};
use super::given::{Given, Origin};

/// A range of numbers, and its text.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) says: &'static str,
}

/// Returns a number in its range, or the default.
pub(super) fn number(
    source: &Source,
    key: Option<&Given<f64>>,
    name: &str,
    usual: f64,
    range: &Range,
) -> Result<f64, PlanError> {
    match key {
        Some(given) if !(range.low..=range.high).contains(&given.value) => {
            let message = format!("`{name}` cannot be {}", given.value);
            Err(source.error_at(&given.origin, message, format!("expected {}", range.says)))
        }
        Some(given) => Ok(given.value),
        None => Ok(usual),
    }
}

/// Returns a count from 1, or the default.
pub(super) fn count<T>(source: &Source, key: Option<&Given<T>>, name: &str, usual: T, most: T) -> Result<T, PlanError>
where
    T: Copy + PartialOrd + std::fmt::Display + From<u8>,
{
    let refuse = |origin: &Origin, value: T| {
        source.error_at(origin, format!("`{name}` cannot be {value}"), format!("expected 1 to {most}"))
    };
    match key {
        Some(given) if given.value < T::from(1) || given.value > most => Err(refuse(&given.origin, given.value)),
        Some(given) => Ok(given.value),
        None => Ok(usual),
    }
}

/// Returns the meaning of one of some words; `None` without the key.
pub(super) fn word<T: Copy>(
    source: &Source,
    key: Option<&Given<String>>,
    name: &str,
    words: &[(&str, T)],
) -> Result<Option<T>, PlanError> {
    let Some(given) = key else { return Ok(None) };
    one_of(source, &given.value, &given.origin, name, words).map(Some)
}

/// Returns the meaning of a word.
pub(super) fn one_of<T: Copy>(
    source: &Source,
    value: &str,
    origin: &Origin,
    name: &str,
    words: &[(&str, T)],
) -> Result<T, PlanError> {
    let found = words.iter().find(|(word, _)| *word == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        source.error_at(origin, format!("`{name}` cannot be `{value}`"), format!("expected {}", known.join(", ")))
    })
}
