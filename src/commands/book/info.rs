//! `spar book info`: how many openings a file holds, and whether some are the same.

use crate::args::books::Info;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use play::book::polyglot::Polyglot;
use play::book::{Content, Lines};
use reports::text::grouped;
use serde_json::{Value, json};
use session::openings::duplicates;

pub(crate) fn info(info: &Info) -> Result<Exit, Failure> {
    let file = info.openings.file()?;
    let book = file.read(info.openings.game)?;
    if info.json {
        let mut json = match book.content() {
            Content::Lines(lines) => lines_json(lines),
            Content::Polyglot(polyglot) => {
                json!({ "entries": polyglot.entries(), "positions": polyglot.positions() })
            }
        };
        json["file"] = file.path.into();
        json["format"] = file.format.to_string().into();
        json["sha256"] = book.hash().into();
        print_json(&json)?;
    } else {
        print(format_args!("{} ({})", file.path, file.format))?;
        match book.content() {
            Content::Lines(lines) => print_lines(lines),
            Content::Polyglot(polyglot) => print_polyglot(polyglot),
        }?;
        print(format_args!("  sha256     {}", book.hash()))?;
    }
    Ok(Exit::Done)
}

fn lines_json(lines: &Lines) -> Value {
    let found = lines.duplicates();
    let first: Vec<Value> = found.first.iter().map(|(line, of)| json!({ "line": line, "of": of })).collect();
    let [fewest, most] = lines.plies();
    json!({
        "openings": lines.count(),
        "plies": { "fewest": fewest, "most": most },
        "duplicates": { "count": found.count, "first": first },
    })
}

fn print_lines(lines: &Lines) -> Result<(), Failure> {
    let [fewest, most] = lines.plies();
    let plies = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
    print(format_args!("  openings   {}", grouped(lines.count())))?;
    print(format_args!("  plies      {plies}"))?;
    print(format_args!("  duplicates {}", duplicates(lines).unwrap_or_else(|| "none".to_owned())))
}

fn print_polyglot(book: &Polyglot) -> Result<(), Failure> {
    print(format_args!("  positions  {}", grouped(book.positions() as u64)))?;
    print(format_args!("  moves      {}", grouped(book.entries() as u64)))
}
