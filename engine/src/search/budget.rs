//! The limits of a search, and the traits through which it reads time and the stop signal.
//!
//! The search has no clock and no stop flag of its own: it asks the caller's, at least every few hundred nodes.

use crate::time::TimeLeft;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The limit of one search. A move is returned in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// At most this many nodes. One thread keeps the limit exactly; several threads share it and may each search some
    /// hundred nodes more. 0 returns the first move in move order without a search. Nodes of the tree search are
    /// simulations.
    Nodes(u64),
    /// Iterations up to this depth, in plies. In the tree search, simulations until lines have this mean length.
    Depth(u8),
    /// All of this time, by the search's timer.
    MoveTime(Duration),
    /// A share of the game's remaining time, as allocated in `time`.
    Clock(TimeLeft),
}

/// The clock of a search.
pub trait Timer {
    /// The time since the search was requested, after `nodes` nodes of all threads.
    fn elapsed(&self, nodes: u64) -> Duration;
}

/// A clock that counts nodes: the elapsed time is the number of nodes divided by a fixed rate. Reproducible on any
/// machine under any load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClock {
    /// Nodes that count as one second.
    pub nodes_per_second: std::num::NonZeroU64,
}

impl Timer for NodeClock {
    fn elapsed(&self, nodes: u64) -> Duration {
        let nanoseconds = u128::from(nodes) * 1_000_000_000 / u128::from(self.nodes_per_second.get());
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// A clock that always shows zero: for searches limited by nodes or depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoClock;

impl Timer for NoClock {
    fn elapsed(&self, _nodes: u64) -> Duration {
        Duration::ZERO
    }
}

/// A signal that ends a search early.
pub trait Stop {
    /// Whether the search must return its result now.
    fn stopped(&self) -> bool;
}

/// A flag set by another thread.
impl Stop for AtomicBool {
    fn stopped(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Never stops: only the budget ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeverStop;

impl Stop for NeverStop {
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
    fn the_node_clock_is_nodes_over_rate() {
        let clock = NodeClock { nodes_per_second: NonZeroU64::new(2_000_000).unwrap() };
        assert_eq!(clock.elapsed(0), Duration::ZERO);
        assert_eq!(clock.elapsed(3), Duration::from_nanos(1_500));
        assert_eq!(clock.elapsed(5_000_000), Duration::from_millis(2_500));
        // Too long for 64 bits of nanoseconds.
        assert_eq!(clock.elapsed(u64::MAX), Duration::from_nanos(u64::MAX));
    }
}
