//! How long and how far a search goes: `go` and its words, and how much of the clock a move may take.

use crate::game::read_move;
use shakmaty::{Chess, Color, Move, Position};
use std::str::FromStr;
use std::time::Duration;

/// Moves that the clock should last for without `movestogo`.
const MOVES_TO_GO: u32 = 25;

/// No longer than this, whatever is asked for: instants would overflow.
const LONGEST_MS: i64 = 1_000_000_000;

/// The time for a move.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// No iteration begins after this.
    pub(crate) soft: Duration,
    /// The search ends at this.
    pub(crate) hard: Duration,
}

/// What a search is limited by.
#[derive(Default)]
pub(crate) struct Limits {
    /// Plies.
    pub(crate) depth: Option<i32>,
    /// Nodes.
    pub(crate) nodes: Option<u64>,
    /// Time.
    pub(crate) budget: Option<Budget>,
    /// The moves to choose from; all, where there are none.
    pub(crate) moves: Vec<Move>,
}

/// The clock parameters of a `go`, in milliseconds.
#[derive(Default)]
struct Times {
    time: [Option<i64>; 2],
    increment: [i64; 2],
    moves_to_go: Option<u32>,
    move_time: Option<i64>,
}

impl Limits {
    /// Reads the words of a `go`. Invalid ones are ignored.
    pub(crate) fn read(words: &str, position: &Chess, overhead: Duration) -> Self {
        let (mut limits, mut times) = (Self::default(), Times::default());
        let mut words = words.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let next = words.peek().copied();
            match word {
                "depth" => limits.depth = number(next).or(limits.depth),
                "nodes" => limits.nodes = number(next).or(limits.nodes),
                "movetime" => times.move_time = number(next),
                "wtime" => times.time[0] = number(next),
                "btime" => times.time[1] = number(next),
                "winc" => times.increment[0] = number(next).unwrap_or(0),
                "binc" => times.increment[1] = number(next).unwrap_or(0),
                "movestogo" => times.moves_to_go = number(next),
                _ => limits.moves.extend(read_move(word, position)),
            }
        }
        limits.budget = times.budget(position.turn(), overhead);
        limits
    }

    /// Whether only `stop` ends it.
    pub(crate) fn is_endless(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.budget.is_none()
    }
}

fn number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word.and_then(|word| word.parse().ok())
}

impl Times {
    fn budget(&self, turn: Color, overhead: Duration) -> Option<Budget> {
        let side = usize::from(turn == Color::Black);
        if let Some(all) = self.move_time {
            let hard = milliseconds(all).saturating_sub(overhead);
            return Some(Budget { soft: hard, hard });
        }
        let left = milliseconds(self.time[side]?).saturating_sub(overhead);
        let increment = milliseconds(self.increment[side]);
        let moves = self.moves_to_go.unwrap_or(MOVES_TO_GO).clamp(1, 2 * MOVES_TO_GO);
        let share = left / moves + increment * 3 / 4;
        // A whole clock is never spent on one move, unless it is filled again after it.
        let most = if moves == 1 { left * 9 / 10 } else { left / 2 };
        Some(Budget { soft: (share / 2).min(most), hard: (share * 2).min(most) })
    }
}

fn milliseconds(count: i64) -> Duration {
    Duration::from_millis(count.clamp(0, LONGEST_MS) as u64)
}
