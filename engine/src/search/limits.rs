//! The limits of one search, merged from all its budgets.

use super::budget::Budget;
use crate::time::{Allocation, TimeLeft, TimeParams};
use crate::Position;

/// The limits of one search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At most this many nodes.
    pub nodes: u64,
    /// At most this many plies; 255 for no limit.
    pub depth: u8,
    /// `None` if the search has no time limit.
    pub time: Option<Allocation>,
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self { nodes: u64::MAX, depth: u8::MAX, time: None };

    /// The limits of a search of 0.1.
    pub(crate) fn new(budgets: &[Budget], position: &Position, params: &TimeParams) -> Self {
        Self::of(budgets, |left| Allocation::new(params, position.plies(), left))
    }

    /// The limits of all budgets together. `allocate` plans the time of a clock. Among several budgets of time, the one
    /// with the shortest hard limit counts.
    pub fn of(budgets: &[Budget], allocate: impl Fn(TimeLeft) -> Allocation) -> Self {
        let mut limits = Self::NONE;
        for budget in budgets {
            let time = match *budget {
                Budget::Nodes(nodes) => {
                    limits.nodes = limits.nodes.min(nodes);
                    continue;
                }
                Budget::Depth(depth) => {
                    limits.depth = limits.depth.min(depth);
                    continue;
                }
                Budget::MoveTime(time) => Allocation::fixed(time),
                Budget::Clock(left) => allocate(left),
            };
            if limits.time.map_or(true, |other| time.hard_limit() < other.hard_limit()) {
                limits.time = Some(time);
            }
        }
        limits
    }
}
