//! What a search is given besides a position: how much it may do, and who tells it the time and to stop.
//!
//! The search reads no clock and no flag of its own; both are asked through the traits here, every few hundred nodes.

use crate::time::TimeLeft;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How much work one search may do. Whatever it is, a move is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// At most this many nodes. A hard limit, kept exactly; 0 gives the best move by first sight.
    Nodes(u64),
    /// Complete iterations up to this depth, in plies.
    Depth(u8),
    /// The whole of this time on the search's timer.
    MoveTime(Duration),
    /// A share of a game's time, as `time` allocates it.
    Clock(TimeLeft),
}

/// The clock a search goes by.
pub trait Timer {
    /// Time spent since the search was asked for, after `work` nodes.
    fn elapsed(&self, work: u64) -> Duration;
}

/// A clock that counts work: the time spent is the number of nodes over a fixed rate. Reproducible on any machine, however loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClock {
    /// Nodes that count as one second.
    pub nodes_per_second: std::num::NonZeroU64,
}

impl Timer for NodeClock {
    fn elapsed(&self, work: u64) -> Duration {
        let nanoseconds = u128::from(work) * 1_000_000_000 / u128::from(self.nodes_per_second.get());
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still: for searches limited by nodes or depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeless;

impl Timer for Timeless {
    fn elapsed(&self, _work: u64) -> Duration {
        Duration::ZERO
    }
}

/// Somebody who may end a search early.
pub trait Stop {
    /// Whether the search is to return what it has, now.
    fn stopped(&self) -> bool;
}

/// Raised from another thread.
impl Stop for AtomicBool {
    fn stopped(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Nobody: the search ends by its budget alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unstopped;

impl Stop for Unstopped {
    fn stopped(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeClock, Timer};
    use std::num::NonZeroU64;
    use std::time::Duration;

    #[test]
    fn the_node_clock_is_work_over_rate() {
        let clock = NodeClock { nodes_per_second: NonZeroU64::new(2_000_000).unwrap() };
        assert_eq!(clock.elapsed(0), Duration::ZERO);
        assert_eq!(clock.elapsed(3), Duration::from_nanos(1_500));
        assert_eq!(clock.elapsed(5_000_000), Duration::from_millis(2_500));
        // Longer than can be said in nanoseconds.
        assert_eq!(clock.elapsed(u64::MAX), Duration::from_nanos(u64::MAX));
    }
}
