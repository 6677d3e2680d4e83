//! Releases of engines against each other: the configurations of their runs, made from a person's file, and what many runs
//! of one ladder say together.

mod entrants;
mod history;
mod levels;
mod table;
mod test;

pub(crate) use entrants::with_builds;
pub(crate) use history::History;
pub(crate) use levels::{Levels, levels};
pub(crate) use table::RatingTable;
pub(crate) use test::{Bounds, Contest, test_text};

use crate::failure::Failure;
use toml_edit::DocumentMut;

/// The longest name that a run can have.
const LONGEST_NAME: usize = 64;

/// A configuration's text as a document.
fn document(text: &str, name: &str) -> Result<DocumentMut, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// `stem`, or the document's own `name`, with something added: what a run is called.
fn run_name(document: &DocumentMut, stem: &str, added: &str) -> String {
    let name = document.get("name").and_then(toml_edit::Item::as_str).unwrap_or(stem);
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let room = LONGEST_NAME.saturating_sub(added.len());
    let name: String = name.chars().map(fits).take(room).collect();
    format!("{name}{added}")
}
