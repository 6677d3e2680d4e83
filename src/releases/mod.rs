//! Releases of engines against each other: the configurations of their runs, made from a person's file, and what many runs
//! of one ladder say together.

mod entrants;
mod history;
mod levels;
pub(crate) mod table;
mod test;

pub(crate) use entrants::with_builds;
pub(crate) use history::History;
pub(crate) use levels::levels;
pub(crate) use test::{Bounds, Contest, test_text};

use crate::failure::Failure;
use toml_edit::{DocumentMut, Item, Table};

/// The longest name that a run can have.
const LONGEST_NAME: usize = 64;

/// A configuration's text as a document.
fn document(text: &str, name: &str) -> Result<DocumentMut, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// `stem`, or the document's own `name`, with something added: what a run is called.
fn run_name(document: &DocumentMut, stem: &str, added: &str) -> String {
    let name = document.get("name").and_then(Item::as_str).unwrap_or(stem);
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let room = LONGEST_NAME.saturating_sub(added.len());
    let name: String = name.chars().map(fits).take(room).collect();
    format!("{name}{added}")
}

/// Tables remember where they stood in the file and would be printed there.
fn forget_place(table: &mut Table) {
    table.set_position(None);
    for (_, item) in table.iter_mut() {
        if let Item::Table(inner) = item {
            forget_place(inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::Recipe;
    use arena::config::Job;
    use session::plan::load;

    #[test]
    fn the_files_that_are_shipped_can_be_used() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");
        let mut used = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            if text.contains("\n[scaling]") {
                let levels = levels(&text, &name, "shipped").unwrap_or_else(|failure| panic!("{failure}"));
                load(&levels.text, &name, "shipped", &[], Job::Ladder)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                used += 1;
            } else if text.contains("\n[build]") {
                assert_eq!(Recipe::read(&text, &name).unwrap(), Recipe::default(), "the file shows the default");
                used += 1;
            }
        }
        assert_eq!(used, 3);
    }
}
