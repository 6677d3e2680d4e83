//! Single keys: required values, and texts of a certain form.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin};

/// Returns a required value of the section of this name.
pub(super) fn needed<'a, T>(
    source: &Source,
    within: &Origin,
    section: &str,
    key: Option<&'a Given<T>>,
    name: &str,
) -> Result<&'a Given<T>, PlanError> {
    let missing = || source.error_at(within, format!("{section} has no `{name}`"), format!("add `{name} = ...`"));
    key.ok_or_else(missing)
}

/// Parses a text; the error says what was expected in its place.
pub(super) fn parse<T>(
    source: &Source,
    text: &Given<String>,
    read: impl Fn(&str) -> Option<T>,
    what: &str,
    forms: &str,
) -> Result<T, PlanError> {
    let bad = || {
        source.error_at(&text.origin, format!("`{}` is not a valid {what}", text.value), format!("expected {forms}"))
    };
    read(&text.value).ok_or_else(bad)
}
