//! A game as viewers see it.

use play::{BySide, Ending, Side, TrackPly};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The game being played at a table, or the last one if the next has not begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveGame {
    /// The pair, from 0.
    pub pair: u64,
    /// The game in the pair, 0 or 1.
    pub game: usize,
    /// The entrants, by seat.
    pub entrants: [String; 2],
    /// The side of the first seat.
    pub side_of_first_seat: Side,
    /// The text of the start position, if it is not the game's usual one.
    pub start: Option<String>,
    /// The opening's plies, as codes.
    pub opening: Vec<u32>,
    /// The plies since, as codes.
    pub moves: Vec<u32>,
    /// The side to move.
    pub side_to_move: Side,
    /// The search data of each ply since the opening, for the plies that were watched.
    pub track: Vec<Option<TrackPly>>,
    /// The time left on the clocks before the current ply; nothing where clocks do not carry over from move to move.
    pub left: BySide<Option<Duration>>,
    /// When thinking about the current ply began, in milliseconds since 1970.
    pub since_unix_ms: u64,
    /// How the game ended, if it has.
    pub ending: Option<Ending>,
}
