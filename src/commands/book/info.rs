//! `spar book info`: how many openings a file holds, and whether some of them are equal.

use super::complain;
use crate::args::books::Info;
use crate::commands::{print, print_json};
use crate::failure::{Exit, Failure};
use play::book::polyglot::Polyglot;
use play::book::{Content, Lines};
use play::games::{Chess, GameKind, Start960};
use reports::text::grouped;
use serde_json::{Value, json};
use session::openings::duplicates;

/// The most numbers of starts that are shown.
const MOST_NUMBERS: usize = 10;

pub(crate) fn info(info: &Info) -> Result<Exit, Failure> {
    let file = info.openings.file()?;
    let book = info.openings.read(&file)?;
    if let Some(skipped) = book.skipped() {
        complain(skipped, &file.path);
    }
    if info.json {
        let mut json = match book.content() {
            Content::Lines(lines) => lines_json(lines, info.openings.game),
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
            Content::Lines(lines) => print_lines(lines, info.openings.game),
            Content::Polyglot(polyglot) => print_polyglot(polyglot),
        }?;
        print(format_args!("  sha256     {}", book.hash()))?;
    }
    Ok(Exit::Done)
}

fn lines_json(lines: &Lines, game: GameKind) -> Value {
    let found = lines.duplicates();
    let first: Vec<Value> = found.first.iter().map(|(line, of)| json!({ "line": line, "of": of })).collect();
    let [fewest, most] = lines.plies();
    let skipped = lines.skipped();
    let named: Vec<Value> = skipped.first.iter().map(|one| json!({ "line": one.line, "why": one.why })).collect();
    let mut json = json!({
        "openings": lines.count(),
        "skipped": { "count": skipped.count, "first": named },
        "plies": { "fewest": fewest, "most": most },
        "duplicates": { "count": found.count, "first": first },
    });
    if has_numbered_starts(game) {
        let numbers = numbers(lines).map(|Start960 { white, black }| json!({ "white": white, "black": black }));
        json["starts"] = numbers.collect();
    }
    json
}

/// Whether games begin from one of the 960 starts.
fn has_numbered_starts(game: GameKind) -> bool {
    Chess::of(game).is_some_and(Chess::is_chess960)
}

/// The numbers of the starts, for the openings that begin from a numbered start.
fn numbers(lines: &Lines) -> impl Iterator<Item = Start960> {
    (0..lines.count()).filter_map(|index| Start960::of(&lines.get(index)?.start?))
}

/// How many openings begin from a numbered start, and which starts come first.
fn starts(lines: &Lines) -> String {
    let word = |Start960 { white, black }: Start960| {
        if white == black { white.to_string() } else { format!("{white}/{black}") }
    };
    let first: Vec<String> = numbers(lines).take(MOST_NUMBERS + 1).map(word).collect();
    match first.len() {
        0 => "none is one of the 960".to_owned(),
        few if few <= MOST_NUMBERS => format!("{few} by number: {}", first.join(", ")),
        _ => format!("{} by number: {}, ...", grouped(numbers(lines).count() as u64), first[..MOST_NUMBERS].join(", ")),
    }
}

fn print_lines(lines: &Lines, game: GameKind) -> Result<(), Failure> {
    let [fewest, most] = lines.plies();
    let plies = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
    print(format_args!("  openings   {}", grouped(lines.count())))?;
    if lines.skipped().count > 0 {
        print(format_args!("  skipped    {}", grouped(lines.skipped().count)))?;
    }
    print(format_args!("  plies      {plies}"))?;
    if has_numbered_starts(game) {
        print(format_args!("  starts     {}", starts(lines)))?;
    }
    print(format_args!("  duplicates {}", duplicates(lines).unwrap_or_else(|| "none".to_owned())))
}

fn print_polyglot(book: &Polyglot) -> Result<(), Failure> {
    print(format_args!("  positions  {}", grouped(book.positions() as u64)))?;
    print(format_args!("  moves      {}", grouped(book.entries() as u64)))
}
