//! Looking on at a game that is being played: what the referee tells of it, ply by ply.
//!
//! An unwatched game costs next to nothing. The observer decides what to keep and whom to show it.

use crate::clock::ClockFace;
use crate::game::Game;
use crate::opening::Opening;
use record::{BySide, Ending, Side, TrackPly};
use std::time::Duration;

/// Games with plies at least this long are always published: the cost is negligible, and a new watcher sees the
/// position at once instead of after the next ply.
pub(crate) const SLOW: Duration = Duration::from_millis(10);

/// Looks on at a game.
pub trait Observer<G: Game> {
    /// Whether there is a watcher now. It is called at every ply, so it must be quick.
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
    /// What the player reported at the last of them, and what it cost.
    pub last: Option<&'a TrackPly>,
    /// What can be read off the clocks; nothing where no time runs on from move to move.
    pub clocks: BySide<Option<ClockFace>>,
    /// How it ended, if it has.
    pub ending: Option<&'a Ending>,
}
