//! Sections of the page beside its numbers and plots: the conditions, the faults, and the legend of 0.1's pieces.

use crate::board::Look;
use crate::conditions::{Condition, Conditions, SessionRow};
use crate::explain::{Explanation, Table};
use crate::faults::{FaultRow, Faults};
use crate::html::{list, plain, table};
use crate::replay::Replay;
use crate::text::grouped;
use maud::{Markup, html};

/// The maximum number of entrants whose conditions are initially unfolded; of more, each is folded.
const MOST_OPEN: usize = 2;
/// The maximum number of games lost by a fault that are shown at once; the others are folded.
const MOST_FAULTS: usize = 6;

/// The number of simultaneous games in words; 0: other machines played, which come and go.
fn games_at_a_time(workers: usize) -> String {
    if workers == 0 { "a fleet's".to_owned() } else { workers.to_string() }
}

/// The conditions of the run.
pub(crate) fn conditions(conditions: &Conditions) -> Markup {
    let is_open = conditions.entrants.len() <= MOST_OPEN;
    let is_scaled =
        conditions.sessions.iter().any(|session| session.scale.is_some() || !session.workers_scaled.is_empty());
    let row = |s: &SessionRow| {
        let scale = is_scaled.then(|| s.scale.map_or_else(|| s.workers_scaled.to_string(), |scale| scale.to_string()));
        let row = [s.started.clone(), s.ended.clone(), s.host.clone(), games_at_a_time(s.workers), s.version.clone()];
        row.into_iter().chain(scale).collect()
    };
    let sessions: Vec<Vec<String>> = conditions.sessions.iter().map(row).collect();
    let heads = ["session began", "ended", "host", "games at a time", "spar", "time controls multiplied by"];
    let heads = &heads[..heads.len() - usize::from(!is_scaled)];
    html! {
        section #conditions {
            h2 { "Conditions" }
            (named(&conditions.run))
            @for entrant in &conditions.entrants {
                details open[is_open] {
                    summary { (plain(&entrant.name)) }
                    (named(&entrant.conditions))
                }
            }
            @if !sessions.is_empty() {
                (table(heads, &sessions))
            }
        }
    }
}

fn named(conditions: &[Condition]) -> Markup {
    let row = |Condition { name, value }: &Condition| vec![name.clone(), value.clone()];
    list(&conditions.iter().map(row).collect::<Vec<_>>())
}

/// The games lost by a fault; nothing if there are none.
pub(crate) fn faults(faults: &Faults) -> Markup {
    let (first, others) = faults.games.split_at(faults.games.len().min(MOST_FAULTS));
    html! {
        @if !first.is_empty() {
            section #faults {
                h2 { "Games lost by a fault" }
                @for game in first { (fault(game)) }
                @if !others.is_empty() {
                    details {
                        summary { (others.len()) " more" }
                        @for game in others { (fault(game)) }
                    }
                }
                @if faults.more_pairs > 0 {
                    p {
                        (grouped(faults.more_pairs)) " more pairs have such games: " code { "spar show RUN --faults" }
                        " lists all."
                    }
                }
            }
        }
    }
}

fn fault(game: &FaultRow) -> Markup {
    let side = if game.moved_first { "moving first" } else { "moving second" };
    let excuse = if game.host_caused { " (the host kept it waiting)" } else { "" };
    let what = format!("{}: {}, {side}, {}{excuse}", game.game, game.entrant, game.fault);
    html! {
        @if game.evidence.is_empty() {
            p.fault { (plain(&what)) }
        } @else {
            details {
                summary { (plain(&what)) }
                p.faint { "The last lines to it (>), from it (<) and of its standard error (!):" }
                pre { (preformatted(game.evidence.lines())) }
            }
        }
        "\n"
    }
}

/// Lines, unchanged.
pub(crate) fn preformatted<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(plain).collect::<Vec<_>>().join("\n")
}

/// Where one of two entrants won and lost its points.
pub(crate) fn explanation(explanation: &Explanation) -> Markup {
    let name = explanation.entrants[0].as_str();
    html! {
        @let says = explanation.says();
        @if !says.is_empty() { ul { @for says in says { li { (plain(&says)) } } } }
        @for Table { title, rows } in explanation.tables() {
            @let heads: Vec<&str> = rows[0].iter().map(String::as_str).collect();
            p.faint { (plain(&title)) }
            (table(&heads, &rows[1..]))
        }
        p.faint { "Points are those of " (plain(name)) ". They add up what both engines expected, from ply to ply." }
    }
}

/// The pieces that the letters on the boards of 0.1 stand for; nothing if pieces look like those of chess.
pub(crate) fn legend(games: &[Replay]) -> Markup {
    let pieces = [
        ("W", "wazir", "one square along a row or a column; who loses it loses the game"),
        ("F", "ferz", "one square diagonally"),
        ("D", "dabbaba", "leaps two squares along a row or a column"),
        ("A", "alfil", "leaps two squares diagonally"),
        ("N", "knight", "as in chess"),
    ];
    html! {
        @if games.iter().any(|game| game.look == Look::Discs) {
            dl #legend {
                @for (letter, name, moves) in pieces { dt { (letter) } dd { b { (name) } ": " (moves) } }
            }
        }
    }
}
