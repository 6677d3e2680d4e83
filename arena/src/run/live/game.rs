//! A game as those who look on see it.

use play::{BySide, Ending, Side, TrackPly};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A game that is being played, or the last one of a table where the next has not begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveGame {
    /// Its pair, from 0.
    pub pair: u64,
    /// The game in the pair, 0 or 1.
    pub game: usize,
    /// The entrants, by seat.
    pub entrants: [String; 2],
    /// The side of the first seat.
    pub side_of_first_seat: Side,
    /// The text of the position that it starts from, if it is not the game's usual one.
    pub start: Option<String>,
    /// The opening's plies, as codes.
    pub opening: Vec<u32>,
    /// The plies since, as codes.
    pub moves: Vec<u32>,
    /// Whose turn it is.
    pub side_to_move: Side,
    /// The search data of each ply since the opening, as far as the game was watched.
    pub track: Vec<Option<TrackPly>>,
    /// What is left on the clocks before the ply that is due; nothing where no time runs on from move to move.
    pub left: BySide<Option<Duration>>,
    /// Since when that ply is thought about, in milliseconds since 1970.
    pub since_unix_ms: u64,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
}
