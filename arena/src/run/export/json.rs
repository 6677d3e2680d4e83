//! A pair as a JSON object.

use super::replayed::{Notation, Replayed};
use super::{Row, Timings, pair_number};
use crate::run::name::GameName;
use record::{Ending, GameRecord, PairResult};
use serde_json::{Value, json};

/// One pair; `None` if its moves are not moves of the game.
pub(super) fn pair(row: &Row<'_>, timings: Timings) -> Option<Value> {
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
        "pair": pair_number(result.pair), "proposal": entrants, "start": result.start, "opening": replayed.opening.join(" "),
        "scores": scores, "games": games,
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

/// By game; a second game that there is not has none.
fn times_json(result: &PairResult) -> Value {
    let [one, two] = [0, 1].map(|game| result.games.get(game).map(|game| game.circumstances.times).unwrap_or_default());
    json!({
        "began_unix_ms": [one.began_unix_ms, two.began_unix_ms], "lasted": [one.lasted, two.lasted], "total": result.took,
        "thinking": [one.thinking, two.thinking], "delayed": [one.delayed, two.delayed], "decisive": [one.decisive, two.decisive],
    })
}

fn game_json(name: &GameName, game: &GameRecord, moves: &[String]) -> Value {
    let ending = match &game.ending {
        Ending::Win { winner, by } => json!({ "winner": winner, "by": by }),
        Ending::Draw { by } => json!({ "draw": by }),
        Ending::Adjudicated { winner, by } => json!({ "adjudicated": by, "winner": winner }),
        Ending::Forfeit { loser, fault } => json!({ "loser": loser, "fault": fault }),
    };
    json!({ "game": name.to_string(), "moves": moves.join(" "), "ending": ending, "plies": moves.len(), "nodes": game.nodes })
}
