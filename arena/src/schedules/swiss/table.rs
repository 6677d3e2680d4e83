//! The standings of a Swiss as a table.

use super::super::kind::TableOf;
use super::super::table::{Cell, Head, TournamentTable, points};
use super::{SwissPlace, SwissStanding};
use serde::Serialize;
use serde_json::json;
use stats::Estimate;

const HEADS: [Head; 8] = [
    Head::number(""),
    Head::text(""),
    Head::number("points"),
    Head::number("Buchholz"),
    Head::text("+ = -"),
    Head::number("byes"),
    Head::number("games"),
    Head::text("Elo (95%)"),
];

/// An entrant's place in a Swiss, for machines.
#[derive(Serialize)]
struct Row {
    name: String,
    /// 1 for a won meeting, one half for a drawn one, 1 for a bye.
    points: f64,
    /// The sum of its opponents' points; a bye adds the entrant's own.
    buchholz: f64,
    /// Points scored in games.
    game_points: f64,
    won: u32,
    drawn: u32,
    lost: u32,
    /// Rounds without an opponent.
    byes: u32,
    /// The entrant's rating; none before its first game.
    elo: Option<Estimate>,
}

impl TableOf for SwissStanding {
    fn table(&self, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> TournamentTable {
        let Self { round, rounds, places } = self;
        let leader = places
            .first()
            .map(|first| format!("{} leads with {}", name(first.entrant), points(first.half_points.into())));
        let numbers: Vec<Row> = places.iter().map(|place| row(place, name, elo)).collect();
        TournamentTable {
            title: format!("Swiss, round {round} of {rounds}"),
            leader,
            heads: &HEADS,
            rows: (1..).zip(places).map(|(number, place)| cells(number, place, name, elo)).collect(),
            numbers: json!({ "swiss": { "round": round, "rounds": rounds, "places": numbers } }),
        }
    }
}

fn row(place: &SwissPlace, name: &dyn Fn(u32) -> String, elo: &dyn Fn(u32) -> Option<Estimate>) -> Row {
    let [won, drawn, lost] = place.meetings;
    Row {
        name: name(place.entrant),
        points: f64::from(place.half_points) / 2.0,
        buchholz: f64::from(place.buchholz) / 2.0,
        game_points: place.game_half_points as f64 / 2.0,
        won,
        drawn,
        lost,
        byes: place.byes,
        elo: elo(place.entrant),
    }
}

fn cells(
    number: u64,
    place: &SwissPlace,
    name: &dyn Fn(u32) -> String,
    elo: &dyn Fn(u32) -> Option<Estimate>,
) -> Vec<Cell> {
    let [won, drawn, lost] = place.meetings;
    vec![
        Cell::Count(number),
        Cell::Text(name(place.entrant)),
        Cell::Text(points(place.half_points.into())),
        Cell::Text(points(place.buchholz.into())),
        Cell::Text(format!("{won} {drawn} {lost}")),
        Cell::Count(place.byes.into()),
        Cell::Text(points(place.game_half_points)),
        elo(place.entrant).map_or_else(Cell::empty, Cell::Elo),
    ]
}
