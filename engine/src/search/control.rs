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
        // Would the next node still end in time? On a node clock that is exact, on a wall clock it is the time by now.
        let spent = self.timer.elapsed(self.nodes + 1);
        let late = self.deadline.is_some_and(|deadline| spent > deadline);
        if self.nodes >= self.limit || late || self.stop.stopped() {
            return Err(Halted);
        }
        let step = self.deadline.map_or(POLL, |deadline| self.nodes_within(deadline.saturating_sub(spent), spent));
        self.next_check = self.limit.min(self.nodes + step);
        Ok(())
    }

    /// How many nodes fit into `left` if they take as long as those before, which took `spent`; at least 1, at most
    /// [`POLL`]. Without this a search with next to no time left would overrun by a whole poll.
    fn nodes_within(&self, left: Duration, spent: Duration) -> u64 {
        let nodes = (left.as_nanos() * u128::from(self.nodes)).checked_div(spent.as_nanos()).unwrap_or(0);
        u64::try_from(nodes).unwrap_or(POLL).clamp(1, POLL)
    }
}

#[cfg(test)]
mod tests {
    use super::Control;
    use crate::search::budget::{NodeClock, Unstopped};
    use std::num::NonZeroU64;
    use std::time::Duration;

    #[test]
    fn a_node_clock_is_never_overrun() {
        let nodes_per_second = NonZeroU64::new(1_000_000).unwrap();
        let timer = NodeClock { nodes_per_second };
        for nanos in [0, 999, 1000, 1001, 2500, 255_000, 256_999, 1_234_567] {
            let deadline = Duration::from_nanos(nanos);
            let mut control = Control::new(u64::MAX, Some(deadline), &Unstopped, &timer);
            while control.enter().is_ok() {}
            assert_eq!(control.nodes, nanos / 1000, "{deadline:?}");
            assert!(control.elapsed() <= deadline);
        }
    }
}
