//! How much an entrant thought: time and work a move, and ply by ply where the run kept what was said.

use super::GameSeen;
use arena::play::{Side, TrackPly};
use std::time::Duration;

/// Plies beyond are not looked at one by one.
const MOST_PLIES: usize = 400;
/// Delays are counted in bins: bin 0 is below 2 us, bin `i` from `2^i` us to twice that, the last one all above.
const DELAY_BINS: usize = 24;

/// Sums over the plies of one number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlyPace {
    /// Moves made at this ply.
    pub moves: u64,
    /// Sum of the wall time, in seconds.
    pub seconds: f64,
    /// Sum of its squares.
    pub squares: f64,
    /// Moves whose depth was said.
    pub with_depth: u64,
    /// Sum of these depths, in plies.
    pub depth: f64,
    /// Sum of their squares.
    pub depth_squares: f64,
}

/// How much one entrant thought.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Moves made.
    pub moves: u64,
    /// Wall time spent on them.
    pub thinking: Duration,
    /// Work done, in its own unit.
    pub nodes: u64,
    /// The longest that the host kept it waiting for a processor within one move.
    pub delayed: Duration,
    /// By number of the ply from the start of the game: empty unless the run kept what was said.
    pub by_ply: Vec<PlyPace>,
    /// Moves by wall time less the time that the player says it took: see [`Pace::delay_at`]. Empty if it never says.
    pub delays: Vec<u64>,
}

impl Pace {
    pub(super) fn add(&mut self, game: &GameSeen<'_>, side: Side, thinking: Duration, delayed: Duration) {
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
        if let Some(said) = ply.said.time {
            self.delays.resize(DELAY_BINS, 0);
            let micros = ply.wall.saturating_sub(said).as_micros().max(1);
            self.delays[(micros.ilog2() as usize).min(DELAY_BINS - 1)] += 1;
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
        if ply.said.depth > 0 {
            let depth = f64::from(ply.said.depth);
            at.with_depth += 1;
            at.depth += depth;
            at.depth_squares += depth * depth;
        }
    }

    /// The least delay counted in a bin of [`delays`](Self::delays) but the first, which begins at 0.
    pub fn delay_at(bin: usize) -> Duration {
        Duration::from_micros(1 << bin.min(DELAY_BINS))
    }

    /// Time a move on average; `None` without moves.
    pub fn time_a_move(&self) -> Option<Duration> {
        (self.moves > 0).then(|| self.thinking.div_f64(self.moves as f64))
    }

    /// Work a move on average; `None` without moves.
    pub fn nodes_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.nodes as f64 / self.moves as f64)
    }
}
