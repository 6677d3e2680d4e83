//! One game, move by move.

use super::replayed::{Notation, Replayed};
use super::{Row, result_text};
use crate::config::RunConfig;
use crate::run::journal::StoredResult;
use crate::run::name::GameName;
use play::{BySide, Side, TrackPly, reason};
use serde::Serialize;

/// A replayed game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transcript {
    /// The game's name, e.g. `12.2`.
    pub game: String,
    /// The players; in tuning with the values that they played with.
    pub players: BySide<String>,
    /// The names of the sides in this game.
    pub sides: BySide<&'static str>,
    /// `1-0`, `0-1` or `1/2-1/2`, from the first mover's view.
    pub result: &'static str,
    /// How the game ended, in words.
    pub ending: String,
    /// The start position.
    pub start: String,
    /// All plies, those of the opening first.
    pub plies: Vec<TranscriptPly>,
    /// The final position.
    pub last: String,
}

/// A ply of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TranscriptPly {
    /// The move number, as people count moves.
    pub number: u32,
    /// The side that moved.
    pub side: Side,
    /// The move, in the notation that people read.
    #[serde(rename = "move")]
    pub text: String,
    /// Whether the ply is part of the opening.
    pub opening: bool,
    /// The recorded search data.
    pub track: Option<TrackPly>,
}

/// Returns the transcript of a pair's game; `None` if its moves are not moves of the game.
pub fn transcript(config: &RunConfig, stored: &StoredResult, index: usize) -> Option<Transcript> {
    let (heading, remarks) = (&super::Heading::default(), &super::NO_REMARKS);
    let row = Row { config, heading, remarks, proposal: &stored.proposal, result: &stored.result };
    let StoredResult { result, .. } = stored;
    let Replayed { start, number, side, opening, games, .. } = Replayed::new(config.game, result, Notation::Record)?;
    let record = result.games.get(index)?;
    let played = games.into_iter().nth(index)?;
    let given = opening.len();
    let mut due = (number, side);
    let ply = |(at, text): (usize, String)| {
        let (number, side) = due;
        due = (number + u32::from(side == Side::Second), !side);
        let track = at.checked_sub(given).and_then(|at| record.track.get(at)).copied();
        TranscriptPly { number, side, text, opening: at < given, track }
    };
    Some(Transcript {
        game: GameName { pair: result.pair, game: index }.to_string(),
        players: BySide { first: row.name(index, Side::First), second: row.name(index, Side::Second) },
        sides: config.game.side_names(),
        result: result_text(&record.ending),
        ending: reason(&record.ending, config.game.side_names()),
        start,
        plies: opening.into_iter().chain(played.moves).enumerate().map(ply).collect(),
        last: played.last,
    })
}
