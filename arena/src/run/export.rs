//! Export: the absorbed pairs of a run, in order, one JSON object a line.
//!
//! Only what is reproducible is written, so that two runs of the same identity give the same bytes, unless timings are
//! asked for.

use super::drive::{RunError, replay};
use super::experiment::Experiment;
use super::journal::{Header, Journal, JournalError, StoredResult};
use super::pair::{GameRecord, PairResult};
use crate::play::games::Rules;
use crate::play::{Ending, Game};
use serde_json::{Value, json};
use std::io::Write;

/// Whether wall times are exported too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timings {
    /// Leave them out: what is left is reproducible.
    Omit,
    /// Add them.
    Include,
}

/// Export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The output cannot be written.
    #[error("cannot write the export: {0}")]
    Output(#[from] std::io::Error),
}

impl From<JournalError> for ExportError {
    fn from(error: JournalError) -> Self {
        Self::Run(RunError::Journal(error))
    }
}

/// Writes the absorbed pairs in order as JSON lines, and returns how many there are.
///
/// `experiment` is the run's own, before its first pair: it knows how many pairs count.
///
/// # Errors
/// [`ExportError`] if the run cannot be read or `out` not be written.
pub fn export_jsonl(
    journal: &Journal,
    experiment: &mut dyn Experiment,
    timings: Timings,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    let header = journal.header()?;
    let absorbed = replay(experiment, journal)?;
    for pair in 0..absorbed {
        let damaged = || JournalError::Damaged {
            path: journal.path().to_owned(),
            place: format!("pair {pair}"),
            why: "its games are missing or unreadable".to_owned(),
        };
        let stored = journal.result(pair)?.ok_or_else(damaged)?;
        let line = line(&header, &stored, timings).ok_or_else(damaged)?;
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(absorbed)
}

/// One pair; `None` if its moves are no moves of the game.
fn line(header: &Header, stored: &StoredResult, timings: Timings) -> Option<Value> {
    let result = &stored.result;
    let entrants: Vec<Value> = stored
        .proposal
        .seats
        .iter()
        .map(|seat| {
            let name = header.config.entrants.get(seat.entrant as usize).map(|entrant| entrant.name.as_str());
            json!({ "entrant": name, "values": seat.values })
        })
        .collect();
    let (opening, games) = match header.config.game.rules() {
        Rules::ZeroPointOne(game) => texts(&game, result)?,
        Rules::Chess(game) => texts(&game, result)?,
    };
    let games: Vec<Value> = result.games.iter().zip(games).map(|(game, moves)| game_json(game, &moves)).collect();
    let scores = result.scores().map(|score| f64::from(score.half_points()) / 2.0);
    let mut line = json!({
        "pair": result.pair, "proposal": entrants, "start": result.start, "opening": opening.join(" "), "scores": scores, "games": games,
    });
    if timings == Timings::Include {
        line["times"] = serde_json::to_value(result.times).ok()?;
    }
    Some(line)
}

fn game_json(game: &GameRecord, moves: &[String]) -> Value {
    let ending = match &game.ending {
        Ending::Win { winner, by } => json!({ "winner": winner, "by": by }),
        Ending::Draw { by } => json!({ "draw": by }),
        Ending::Adjudicated { winner, by } => json!({ "adjudicated": by, "winner": winner }),
        Ending::Forfeit { loser, fault } => json!({ "loser": loser, "fault": fault }),
    };
    json!({ "moves": moves.join(" "), "ending": ending, "plies": moves.len(), "nodes": game.nodes })
}

type Texts = (Vec<String>, [Vec<String>; 2]);

/// The opening's and both games' moves as text.
fn texts<G: Game>(game: &G, result: &PairResult) -> Option<Texts> {
    let mut position = match &result.start {
        Some(text) => game.setup(text).ok()?,
        None => game.start(),
    };
    let opening = play_out::<G>(&mut position, &result.opening)?;
    let [a, b] = &result.games;
    let a = play_out::<G>(&mut position.clone(), &a.moves)?;
    let b = play_out::<G>(&mut position.clone(), &b.moves)?;
    Some((opening, [a, b]))
}

fn play_out<G: Game>(position: &mut G::Position, codes: &[u32]) -> Option<Vec<String>> {
    codes
        .iter()
        .map(|&code| {
            let mv = G::from_code(position, code).filter(|&mv| G::is_legal(position, mv))?;
            let text = G::format_move(position, mv);
            G::play(position, mv);
            Some(text)
        })
        .collect()
}
