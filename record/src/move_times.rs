//! Counts of how long a player's moves took: of every game, whether its plies are recorded or not.

use serde::{Deserialize, Serialize};
use stats::{Delays, Durations};
use std::time::Duration;

/// How long moves took. Facts about host and engine, no part of what is reproducible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTimes {
    /// By the wall.
    pub wall: Durations,
    /// By how much longer that is than the player says, where it does.
    pub delays: Delays,
}

impl MoveTimes {
    /// Counts a move that took `wall`, and by the player's report `reported`.
    pub fn add(&mut self, wall: Duration, reported: Option<Duration>) {
        self.wall.add(wall);
        if let Some(reported) = reported {
            self.delays.add(wall, reported);
        }
    }

    /// Counts all moves that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.wall.merge(&other.wall);
        self.delays.merge(&other.delays);
    }

    /// Whether it may be of at most this many moves. A stored value may hold anything.
    pub fn is_of_at_most(&self, moves: u64) -> bool {
        self.wall.is_of_at_most(moves) && self.delays.is_of_at_most(moves)
    }

    /// Whether there are no moves.
    pub fn is_empty(&self) -> bool {
        self.wall.count() == 0
    }
}
