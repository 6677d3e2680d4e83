//! Sections of the page beside its numbers and plots: the conditions, the faults, and what the pieces of 0.1 are.

use crate::board::Look;
use crate::conditions::{Condition, Conditions, SessionRow};
use crate::faults::{FaultRow, Faults};
use crate::page::{self, escaped, table};
use crate::replay::Replay;
use crate::text::grouped;
use std::fmt::Write;

/// Entrants whose conditions are open to be read; of more they are unfolded one by one.
const MOST_OPEN: usize = 2;
/// Games lost by a fault that are listed at once; the others are to be unfolded.
const MOST_FAULTS: usize = 6;

/// The conditions of the run.
pub(crate) fn conditions(conditions: &Conditions) -> String {
    let mut out = String::from("<section id=\"conditions\">\n<h2>Conditions</h2>\n");
    out.push_str(&list(&conditions.run));
    let open = if conditions.entrants.len() <= MOST_OPEN { " open" } else { "" };
    for entrant in &conditions.entrants {
        let (name, list) = (escaped(&entrant.name), list(&entrant.conditions));
        let _never_fails = write!(out, "<details{open}>\n<summary>{name}</summary>\n{list}</details>\n");
    }
    if !conditions.sessions.is_empty() {
        let row = |s: &SessionRow| vec![s.started.clone(), s.host.clone(), s.workers.to_string(), s.version.clone()];
        let heads = ["session begun", "host", "games at a time", "spar"];
        out.push_str(&table(&heads, conditions.sessions.iter().map(row).collect()));
    }
    out.push_str("</section>\n");
    out
}

fn list(conditions: &[Condition]) -> String {
    page::list(conditions.iter().map(|Condition { name, value }| vec![name.clone(), value.clone()]).collect())
}

/// The games lost by a fault; nothing if there are none.
pub(crate) fn faults(faults: &Faults) -> String {
    if faults.games.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section id=\"faults\">\n<h2>Games lost by a fault</h2>\n");
    let (first, others) = faults.games.split_at(faults.games.len().min(MOST_FAULTS));
    out.extend(first.iter().map(fault));
    if !others.is_empty() {
        let others: String = others.iter().map(fault).collect();
        let count = faults.games.len() - MOST_FAULTS;
        let _never_fails = write!(out, "<details>\n<summary>{count} more</summary>\n{others}</details>\n");
    }
    if faults.more_pairs > 0 {
        let more = grouped(faults.more_pairs);
        let _never_fails =
            writeln!(out, "<p>{more} more pairs have such games: <code>spar show RUN --faults</code> lists all.</p>");
    }
    out.push_str("</section>\n");
    out
}

fn fault(game: &FaultRow) -> String {
    let side = if game.moved_first { "moving first" } else { "moving second" };
    let excuse = if game.excused { " (the host kept it waiting)" } else { "" };
    let what = escaped(&format!("{}: {}, {side}, {}{excuse}", game.game, game.entrant, game.fault));
    if game.evidence.is_empty() {
        return format!("<p class=\"fault\">{what}</p>\n");
    }
    let lines: Vec<String> = game.evidence.lines().map(escaped).collect();
    let lines = lines.join("\n");
    format!(
        "<details>\n<summary>{what}</summary>\n<p class=\"faint\">The last lines to it (&gt;), from it (&lt;) and of its standard error (!):</p>\n<pre>{lines}</pre>\n</details>\n"
    )
}

/// What the letters on the boards of 0.1 stand for; nothing where pieces look like those of chess.
pub(crate) fn legend(games: &[Replay]) -> String {
    if !games.iter().any(|game| game.look == Look::Discs) {
        return String::new();
    }
    let pieces = [
        ("W", "wazir", "one square along a row or a column; who loses it loses the game"),
        ("F", "ferz", "one square diagonally"),
        ("D", "dabbaba", "leaps two squares along a row or a column"),
        ("A", "alfil", "leaps two squares diagonally"),
        ("N", "knight", "as in chess"),
    ];
    let mut out = String::from("<dl id=\"legend\">\n");
    for (letter, name, moves) in pieces {
        let _never_fails = writeln!(out, "<dt>{letter}</dt><dd><b>{name}</b>: {moves}</dd>");
    }
    out.push_str("</dl>\n");
    out
}
