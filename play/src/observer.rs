//! Looking on at a game that is being played: what the referee tells of it, ply by ply.
//!
//! A game that nobody watches pays next to nothing. What is kept of it, and who gets to see it, is left to whoever
//! looks on.

use crate::clock::ClockFace;
use crate::game::Game;
use crate::opening::Opening;
use record::{BySide, Ending, Side, TrackPly};
use std::time::Duration;

/// A game whose plies take so long is told of whether anybody looks or not: it costs nothing beside them, and whoever
/// comes sees it at once and not with its next ply.
pub(crate) const SLOW: Duration = Duration::from_millis(10);

/// Looks on at a game.
pub trait Observer<G: Game> {
    /// Whether somebody looks just now. It is asked at every ply, so that it has to be quick.
    fn looks(&self) -> bool;

    /// The game, as it stands before a ply or at its end.
    fn see(&self, game: &GameNow<'_, G>);
}

/// A game that is being played.
pub struct GameNow<'a, G: Game> {
    /// What it started from.
    pub opening: &'a Opening<G>,
    /// The plies since.
    pub moves: &'a [G::Move],
    /// Whose turn it is.
    pub side_to_move: Side,
    /// What was said at the last of them, and what it cost.
    pub last: Option<&'a TrackPly>,
    /// What can be read off the clocks; nothing where no time runs on from move to move.
    pub clocks: BySide<Option<ClockFace>>,
    /// How it ended, if it has.
    pub ending: Option<&'a Ending>,
}
