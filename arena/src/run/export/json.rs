//! Pairs as JSON objects.

use super::format::{Download, Format, FormatInfo};
use super::replayed::{Notation, Replayed};
use super::{Row, Timings, pair_number};
use crate::config::RunConfig;
use crate::run::name::GameName;
use record::{Ending, GameRecord, PairResult};
use serde_json::{Value, json};
use std::io;

pub(super) const LINES: FormatInfo = FormatInfo::new(
    "jsonl",
    "One JSON object per pair, one per line",
    |_| Ok(Box::new(JsonLines)),
    &[Download { file: "pairs.jsonl", media_type: "application/x-ndjson", make: || Box::new(JsonLines) }],
);

pub(super) const FORMAT: FormatInfo = FormatInfo::new(
    "json",
    "One JSON object: the configuration, and all pairs",
    |_| Ok(Box::new(Json)),
    &[Download { file: "pairs.json", media_type: "application/json", make: || Box::new(Json) }],
);

/// One JSON object per pair, one a line.
#[derive(Clone, Copy, Debug)]
pub struct JsonLines;

/// One JSON object: the run's configuration, and its pairs as in [`JsonLines`].
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Format for JsonLines {
    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String> {
        pair(row, timings).map(|line| format!("{line}\n"))
    }
}

impl Format for Json {
    fn beginning(&self, config: &RunConfig, _timings: Timings) -> io::Result<String> {
        Ok(format!("{{\"config\":{},\"pairs\":[\n", serde_json::to_string(config)?))
    }

    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String> {
        pair(row, timings).map(|line| line.to_string())
    }

    fn separator(&self) -> &'static str {
        ",\n"
    }

    fn end(&self) -> &'static str {
        "\n]}\n"
    }
}

/// Returns one pair; `None` if its moves are not moves of the game.
fn pair(row: &Row<'_>, timings: Timings) -> Option<Value> {
    let result = row.result;
    let replayed = Replayed::new(row.config.game, result, Notation::Players)?;
    let seats = row.proposal.seats.iter();
    let entrants: Vec<Value> = seats
        .map(|seat| json!({ "entrant": row.entrant(seat).map(|entrant| &entrant.name), "values": seat.values }))
        .collect();
    let games = result.games.iter().zip(&replayed.games).enumerate();
    let games: Vec<Value> =
        games.map(|(index, (game, played))| game_json(&row.game_name(index), game, &played.moves)).collect();
    let scores: Vec<f64> = result.scores().into_iter().map(|score| f64::from(score.half_points()) / 2.0).collect();
    let mut line = json!({
        "pair": pair_number(result.pair), "proposal": entrants, "start": result.start,
        "opening": replayed.opening.join(" "), "scores": scores, "games": games,
    });
    let limits = row.config.experiment.limits();
    if let Some(limit) = row.proposal.limit.and_then(|limit| limits.get(limit as usize)) {
        line["limit"] = limit.to_string().into();
    }
    if timings == Timings::Include {
        line["times"] = times_json(result);
    }
    Some(line)
}

/// Returns the times by game; those of a missing second game are empty.
fn times_json(result: &PairResult) -> Value {
    let [one, two] = [0, 1].map(|game| result.games.get(game).map(|game| game.circumstances.times).unwrap_or_default());
    json!({
        "began_unix_ms": [one.began_unix_ms, two.began_unix_ms], "lasted": [one.lasted, two.lasted],
        "total": result.took, "thinking": [one.thinking, two.thinking], "delayed": [one.delayed, two.delayed],
        "decisive": [one.decisive, two.decisive],
    })
}

fn game_json(name: &GameName, game: &GameRecord, moves: &[String]) -> Value {
    let ending = match &game.ending {
        Ending::Win { winner, by } => json!({ "winner": winner, "by": by }),
        Ending::Draw { by } => json!({ "draw": by }),
        Ending::Adjudicated { winner, by } => json!({ "adjudicated": by, "winner": winner }),
        Ending::Forfeit { loser, fault } => json!({ "loser": loser, "fault": fault }),
    };
    let (game_name, plies) = (name.to_string(), moves.len());
    json!({ "game": game_name, "moves": moves.join(" "), "ending": ending, "plies": plies, "nodes": game.nodes })
}
