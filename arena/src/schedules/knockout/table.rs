//! The bracket of a knockout, round by round.

use super::super::kind::TableOf;
use super::super::table::{Cell, Head, TournamentTable, points};
use super::{KnockoutMatch, KnockoutStanding};
use serde::Serialize;
use serde_json::json;
use stats::Estimate;

const HEADS: [Head; 6] = [
    Head::text("round"),
    Head::text("match"),
    Head::number("points"),
    Head::number("pairs"),
    Head::number("tie-breaks"),
    Head::text("winner"),
];

/// A round of a knockout, for machines.
#[derive(Serialize)]
struct Round {
    /// The round's name, such as `semi-final`.
    name: String,
    /// The round's matches, in bracket order.
    matches: Vec<Row>,
}

/// A match of a knockout, for machines.
#[derive(Serialize)]
struct Row {
    /// The higher seed.
    entrant: String,
    /// Its opponent; none if the higher seed has a bye.
    opponent: Option<String>,
    /// The points that each of the two scored in games.
    points: [f64; 2],
    /// Pairs played.
    pairs: u64,
    /// The number of these pairs that were tie-breaks.
    tie_breaks: u64,
    /// The entrant that advances.
    winner: Option<String>,
}

impl TableOf for KnockoutStanding {
    fn table(&self, name: &dyn Fn(u32) -> String, _elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable {
        let winner = self.winner.map(name);
        let names: Vec<String> =
            (0..).zip(&self.rounds).map(|(number, _)| round_name(self.of.saturating_sub(number))).collect();
        let title = match (&winner, names.last()) {
            (Some(winner), _) => format!("Knockout, won by {winner}"),
            (None, last) => format!("Knockout, {}", last.map_or("before its first round", String::as_str)),
        };
        let of_round = |(round, matches): (&String, &Vec<KnockoutMatch>)| Round {
            name: round.clone(),
            matches: matches.iter().map(|game| row(game, name)).collect(),
        };
        let rounds: Vec<Round> = names.iter().zip(&self.rounds).map(of_round).collect();
        TournamentTable {
            title,
            leader: None,
            heads: &HEADS,
            rows: rounds.iter().flat_map(cells).collect(),
            numbers: json!({ "knockout": { "winner": winner, "rounds": rounds } }),
        }
    }
}

fn row(game: &KnockoutMatch, name: &dyn Fn(u32) -> String) -> Row {
    Row {
        entrant: name(game.entrant),
        opponent: game.opponent.map(name),
        points: game.half_points.map(|half_points| half_points as f64 / 2.0),
        pairs: game.pairs,
        tie_breaks: game.tie_breaks,
        winner: game.winner.map(name),
    }
}

fn cells(round: &Round) -> Vec<Vec<Cell>> {
    let row = |(number, game): (usize, &Row)| {
        let name = Cell::Text(if number == 0 { round.name.clone() } else { String::new() });
        let goes_on = Cell::Text(game.winner.clone().unwrap_or_default());
        let Some(opponent) = &game.opponent else {
            let bye = Cell::Text(format!("{} (bye)", game.entrant));
            return vec![name, bye, Cell::empty(), Cell::empty(), Cell::empty(), goes_on];
        };
        let [own, other] = game.points.map(|points| points * 2.0).map(|half_points| points(half_points as u64));
        let tie_breaks = if game.tie_breaks > 0 { Cell::Count(game.tie_breaks) } else { Cell::empty() };
        let versus = Cell::Text(format!("{} vs {opponent}", game.entrant));
        vec![name, versus, Cell::Text(format!("{own} : {other}")), Cell::Count(game.pairs), tie_breaks, goes_on]
    };
    round.matches.iter().enumerate().map(row).collect()
}

/// Returns a round's name; `left` is the number of rounds from this one to the final.
fn round_name(left: u32) -> String {
    match left {
        0 | 1 => "final".to_owned(),
        2 => "semi-final".to_owned(),
        3 => "quarter-final".to_owned(),
        _ => format!("round of {}", 1_u64 << left.min(63)),
    }
}
