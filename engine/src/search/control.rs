//! Counting work, and noticing when there was enough of it.

use super::budget::{Stop, Timer};
use super::node::Halted;
use std::time::Duration;

/// Nodes between two looks at the timer and the stop: some 50 microseconds of search.
const POLL: u64 = 256;

/// The work of one search and its limits.
pub(super) struct Control<'a> {
    pub(super) nodes: u64,
    /// The work at which to look up next: the limit, or the next poll.
    next_check: u64,
    limit: u64,
    /// When the search is over, if it goes by time.
    pub(super) deadline: Option<Duration>,
    stop: &'a dyn Stop,
    timer: &'a dyn Timer,
}

impl<'a> Control<'a> {
    pub(super) fn new(limit: u64, deadline: Option<Duration>, stop: &'a dyn Stop, timer: &'a dyn Timer) -> Self {
        Self { nodes: 0, next_check: 0, limit, deadline, stop, timer }
    }

    /// Counts a node, unless the search is over.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), Halted> {
        if self.nodes >= self.next_check {
            self.check()?;
        }
        self.nodes += 1;
        Ok(())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.timer.elapsed(self.nodes)
    }

    #[cold]
    fn check(&mut self) -> Result<(), Halted> {
        let late = self.deadline.is_some_and(|deadline| self.elapsed() >= deadline);
        if self.nodes >= self.limit || late || self.stop.stopped() {
            return Err(Halted);
        }
        self.next_check = self.limit.min(self.nodes + POLL);
        Ok(())
    }
}
