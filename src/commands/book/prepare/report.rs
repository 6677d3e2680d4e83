//! What a preparation prints.

use super::Found;
use crate::args::books::Prepare;
use engine::{SetupBook, Side};
use reports::text::grouped;
use serde_json::{Value, json};
use trainer::setups::{Searched, Stage, Tried};

/// The number of setups of a table that the text shows.
const SHOWN: usize = 12;

/// A row of a table: the setups, the value for red in logits, and the games.
struct Row<'a> {
    red: String,
    reply: String,
    value: f64,
    tried: &'a Tried<Searched>,
}

fn rows(tried: &[Tried<Searched>]) -> impl Iterator<Item = Row<'_>> {
    tried.iter().filter_map(|tried| {
        let answered = tried.choice.answered()?;
        Some(Row {
            red: answered.red.text(Side::Red),
            reply: answered.reply.text(Side::Blue),
            value: f64::from(tried.choice.value) / 10_000.0,
            tried,
        })
    })
}

pub(super) fn json(arguments: &Prepare, book: &SetupBook, found: &Found) -> Value {
    let stage = |stage: &Stage| json!({ "depth": stage.depth, "setups": stage.searched.len(), "nodes": stage.nodes() });
    let row = |row: Row<'_>| {
        let Tried { games, points, .. } = row.tried;
        json!({ "red": row.red, "reply": row.reply, "value": row.value, "games": games, "points": points })
    };
    let replies = found.blue.iter().map(|tried| rows(tried).map(row).collect::<Vec<_>>());
    json!({
        "file": arguments.out,
        "entries": book.entries().len(),
        "stages": found.stages.iter().map(stage).collect::<Vec<_>>(),
        "best": rows(&found.red).map(row).collect::<Vec<_>>(),
        "replies": replies.collect::<Vec<_>>(),
    })
}

pub(super) fn text(arguments: &Prepare, found: &Found) -> String {
    let mut lines = vec!["depth   setups        nodes".to_owned()];
    for stage in &found.stages {
        let (setups, nodes) = (grouped(stage.searched.len() as u64), grouped(stage.nodes()));
        lines.push(format!("{:>5} {setups:>8} {nodes:>12}", stage.depth));
    }
    lines.extend(table("red", "its reply", &found.red));
    for tried in &found.blue {
        lines.extend(table("opponent as red", "our reply", tried));
    }
    lines.push(format!("book    {}", arguments.out.display()));
    lines.join("\n")
}

fn table(red: &str, reply: &str, tried: &[Tried<Searched>]) -> Vec<String> {
    let is_played = tried.iter().any(|one| one.games > 0);
    let mut heading = format!("{red:<18}{reply:<18}logits for red");
    if is_played {
        heading += "  our points";
    }
    let row = |Row { red, reply, value, tried }: Row<'_>| {
        let mut row = format!("{red:<18}{reply:<18}{value:<+14.3}");
        if is_played {
            let games = format!("  {} of {} ({:.0}%)", tried.points, tried.games, 100.0 * tried.rate());
            row.push_str(&games);
        }
        row.trim_end().to_owned()
    };
    let more = tried.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("and {more} more: see `--json`"));
    std::iter::once(heading).chain(rows(tried).take(SHOWN).map(row)).chain(more).collect()
}
