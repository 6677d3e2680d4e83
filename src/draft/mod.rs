//! A run described by options of the command line, on its way to a plan: for a new run, or for a file's with the
//! options as overrides. [`plan::words`] parses engines in words.

mod described;

pub(crate) use described::Task;

use plan::{Given, Key};

/// What errors call a plan that is described in words.
pub(crate) const SOURCE: &str = "command line";

/// Gives a key its value, if an option has one.
fn set<T>(key: &mut Key<T>, option: &str, value: Option<impl Into<T> + std::fmt::Display>) {
    if let Some(value) = value {
        let words = format!("{option} {value}");
        *key = Some(Given::words(value, words));
    }
}
