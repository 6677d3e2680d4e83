//! Observers of a game in progress: what the referee shows them, ply by ply.
//!
//! An unwatched game costs next to nothing. The observer decides what to keep and whom to show it.

use crate::clock::ClockFace;
use crate::game::Game;
use crate::opening::Opening;
use record::{BySide, Ending, Side, TrackPly};
use std::time::Duration;

/// Games whose plies take at least this long are always published: the cost is negligible, and a new watcher sees the
/// position at once instead of after the next ply.
pub(crate) const SLOW: Duration = Duration::from_millis(10);

/// Watches a game.
pub trait Observer<G: Game> {
    /// Whether there is a watcher now. The referee calls it at every ply, so it must be quick.
    fn looks(&self) -> bool;

    /// Shows the game before a ply or at its end.
    fn see(&self, game: &GameNow<'_, G>);
}

/// A game in progress.
pub struct GameNow<'a, G: Game> {
    /// The opening that the game started from.
    pub opening: &'a Opening<G>,
    /// The plies after the opening.
    pub moves: &'a [G::Move],
    /// The side to move.
    pub side_to_move: Side,
    /// The player's report at the last ply, and what the ply cost.
    pub last: Option<&'a TrackPly>,
    /// The state of the clocks; nothing where no time carries over from move to move.
    pub clocks: BySide<Option<ClockFace>>,
    /// The ending, if the game is over.
    pub ending: Option<&'a Ending>,
}
