//! `spar params`: the engine's table of tunable parameters, and parameters of other engines and tuners.

mod import;
mod tuned;

pub(super) use import::{asked, program};
pub(super) use tuned::write_into;

use super::{print, print_json};
use crate::args::{ListParams, OtherParams};
use crate::failure::{Exit, Failure};
use console::Term;
use engine::{PARAMS, ParamInfo};
use serde_json::{Value, json};
use std::path::Path;

/// The widest line; also the width without a terminal.
const MOST_COLUMNS: usize = 100;
/// The indent of a description's lines.
const INDENT: &str = "    ";

pub(crate) fn params(list: &ListParams, runs: &Path) -> Result<Exit, Failure> {
    match &list.other {
        Some(OtherParams::Import(what)) => return import::import(what),
        Some(OtherParams::Export(what)) => return tuned::export(what, runs),
        Some(OtherParams::Patch(what)) => return tuned::patch(what, runs),
        None => {}
    }
    if list.json {
        print_json(&PARAMS.iter().map(row_json).collect::<Vec<_>>())?;
    } else {
        let columns = Term::stdout().size_checked().map_or(MOST_COLUMNS, |(_, columns)| usize::from(columns));
        print(text(columns.min(MOST_COLUMNS)))?;
    }
    Ok(Exit::Done)
}

fn row_json(info: &ParamInfo) -> Value {
    json!({
        "name": info.name, "kind": info.kind.to_string(), "default": info.default,
        "min": info.min, "max": info.max, "step": info.step, "doc": info.doc,
    })
}

/// A line of numbers for each parameter, followed by its description, wrapped to this many columns.
fn text(columns: usize) -> String {
    let wrapping = textwrap::Options::new(columns).initial_indent(INDENT).subsequent_indent(INDENT);
    let row = |[name, kind, default, min, max, step]: [&str; 6]| {
        format!("{name:<24}{kind:<9}{default:>10}{min:>8}{max:>8}{step:>8}")
    };
    let mut lines = vec![row(["name", "kind", "default", "min", "max", "step"])];
    for info in PARAMS {
        let [default, min, max, step] = [info.default, info.min, info.max, info.step].map(|number| number.to_string());
        lines.push(row([info.name, &info.kind.to_string(), &default, &min, &max, &step]));
        lines.push(textwrap::fill(info.doc, &wrapping));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_wrapped_and_whole() {
        for columns in [70, 80, 100] {
            let text = text(columns);
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for info in PARAMS {
                assert!(words.contains(info.doc), "{}", info.name);
            }
        }
    }
}
