//! A run described by options of the command line, on its way to a plan: of a new run, or of a file's run with the
//! options as overrides. [`plan::words`] parses engines in words.

mod described;

pub(crate) use described::Task;

use plan::{Given, Key};

/// The source that errors name for a plan described in words.
pub(crate) const SOURCE: &str = "command line";

/// Sets a key to the value of an option, if the option is given.
fn set<T>(key: &mut Key<T>, option: &str, value: Option<impl Into<T> + std::fmt::Display>) {
    if let Some(value) = value {
        let words = format!("{option} {value}");
        *key = Some(Given::words(value, words));
    }
}
