//! How long an entrant thought: time and work a move, and ply by ply if the run kept search data.

use super::depths::Depths;
use super::seen::GameSeen;
use play::{Side, TrackPly};
use stats::Delays;
use std::time::Duration;

/// The maximum number of plies with sums of their own.
const MOST_PLIES: usize = 400;

/// Sums over the plies with one number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyPace {
    /// The number of moves made at this ply.
    pub moves: u64,
    /// The sum of the wall times, in seconds.
    pub seconds: f64,
    /// The sum of their squares.
    pub squares: f64,
    /// The reported depths.
    pub depths: Depths,
}

/// How long one entrant thought, and how much work it did.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// The number of moves made.
    pub moves: u64,
    /// The wall time spent on them.
    pub thinking: Duration,
    /// The work done, in the entrant's own unit.
    pub nodes: u64,
    /// The longest that the host kept the entrant waiting for a processor within one move.
    pub delayed: Duration,
    /// By number of the ply from the start of the game: empty unless the run kept search data.
    pub by_ply: Vec<PlyPace>,
    /// Wall times compared with the times that the player reports.
    pub delays: Delays,
}

impl Pace {
    pub(crate) fn add(&mut self, game: &GameSeen<'_>, side: Side, thinking: Duration, delayed: Duration) {
        let own = (0..game.record.moves.len()).filter(|&index| game.mover(index) == side).count();
        self.moves += own as u64;
        self.thinking += thinking;
        self.nodes = self.nodes.saturating_add(game.record.nodes[side]);
        self.delayed = self.delayed.max(delayed);
        for (index, ply) in game.record.track.iter().enumerate().filter(|(index, _)| game.mover(*index) == side) {
            self.add_ply(game.opening_plies + index, ply);
        }
    }

    fn add_ply(&mut self, number: usize, ply: &TrackPly) {
        if let Some(reported) = ply.info.time {
            self.delays.add(ply.wall, reported);
        }
        if number >= MOST_PLIES {
            return;
        }
        if self.by_ply.len() <= number {
            self.by_ply.resize(number + 1, PlyPace::default());
        }
        let (at, seconds) = (&mut self.by_ply[number], ply.wall.as_secs_f64());
        at.moves += 1;
        at.seconds += seconds;
        at.squares += seconds * seconds;
        if ply.info.depth > 0 {
            at.depths.add(ply.info.depth);
        }
    }

    /// The depths of all plies that have sums of their own.
    pub fn depths(&self) -> Depths {
        let mut all = Depths::default();
        for ply in &self.by_ply {
            all.merge(&ply.depths);
        }
        all
    }

    /// The mean time of a move; `None` without moves.
    pub fn time_a_move(&self) -> Option<Duration> {
        (self.moves > 0).then(|| self.thinking.div_f64(self.moves as f64))
    }

    /// The mean work of a move; `None` without moves.
    pub fn nodes_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.nodes as f64 / self.moves as f64)
    }
}
