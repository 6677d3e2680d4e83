//! Node counting and the hard limits of a search: nodes, deadline, stop.

use super::budget::{Stop, Timer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The search ended in the middle of a node: its budget is used up or it was stopped. The node has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aborted;

/// At most this many nodes between two checks of the timer and the stop: about 50 microseconds of alpha-beta, and a
/// millisecond of the tree search.
const POLL_INTERVAL: u64 = 256;

/// The node count of one thread of a search and its hard limits.
pub(crate) struct Control<'a> {
    /// The nodes of this thread.
    pub(crate) nodes: u64,
    /// The nodes of all threads, if there are several, as far as each has reported.
    all_nodes: Option<&'a AtomicU64>,
    /// The part of `nodes` that is already in `all_nodes`.
    reported: u64,
    /// The node count of the next check.
    next_check: u64,
    node_limit: u64,
    /// The time at which the search must end, if it has a time limit.
    pub(crate) deadline: Option<Duration>,
    stop: &'a dyn Stop,
    timer: &'a dyn Timer,
}

impl<'a> Control<'a> {
    pub(crate) fn new(
        node_limit: u64,
        deadline: Option<Duration>,
        stop: &'a dyn Stop,
        timer: &'a dyn Timer,
        all_nodes: Option<&'a AtomicU64>,
    ) -> Self {
        Self { nodes: 0, all_nodes, reported: 0, next_check: 0, node_limit, deadline, stop, timer }
    }

    /// Counts a node; fails if a limit is reached.
    #[inline]
    pub(crate) fn count_node(&mut self) -> Result<(), Aborted> {
        if self.nodes >= self.next_check {
            self.check_limits()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// The nodes of all threads; reports this thread's nodes to the others.
    pub(crate) fn total_nodes(&mut self) -> u64 {
        let Some(all_nodes) = self.all_nodes else { return self.nodes };
        let unreported = self.nodes - self.reported;
        self.reported = self.nodes;
        all_nodes.fetch_add(unreported, Ordering::Relaxed) + unreported
    }

    pub(crate) fn elapsed(&mut self) -> Duration {
        let nodes = self.total_nodes();
        self.timer.elapsed(nodes)
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Aborted> {
        let nodes = self.total_nodes();
        // The time after the next node: exact on a node clock, the present time on a wall clock.
        let spent = self.timer.elapsed(nodes + 1);
        let late = self.deadline.is_some_and(|deadline| spent > deadline);
        if nodes >= self.node_limit || late || self.stop.stopped() {
            return Err(Aborted);
        }
        let step =
            self.deadline.map_or(POLL_INTERVAL, |deadline| self.nodes_within(deadline.saturating_sub(spent), spent));
        self.next_check = self.nodes + step.min(self.node_limit - nodes);
        Ok(())
    }

    /// The number of nodes that fit into the time `left` at the speed so far, at which all nodes took `spent`; at least
    /// 1, at most [`POLL_INTERVAL`]. Without this, a search with very little time left would overrun by a whole
    /// interval.
    fn nodes_within(&self, left: Duration, spent: Duration) -> u64 {
        let nodes = (left.as_nanos() * u128::from(self.nodes)).checked_div(spent.as_nanos()).unwrap_or(0);
        u64::try_from(nodes).unwrap_or(POLL_INTERVAL).clamp(1, POLL_INTERVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, POLL_INTERVAL};
    use crate::search::budget::{NeverStop, NoClock, NodeClock};
    use std::num::NonZeroU64;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    #[test]
    fn a_node_clock_is_never_overrun() {
        let nodes_per_second = NonZeroU64::new(1_000_000).unwrap();
        let timer = NodeClock { nodes_per_second };
        for nanos in [0, 999, 1000, 1001, 2500, 255_000, 256_999, 1_234_567] {
            let deadline = Duration::from_nanos(nanos);
            let mut control = Control::new(u64::MAX, Some(deadline), &NeverStop, &timer, None);
            while control.count_node().is_ok() {}
            assert_eq!(control.nodes, nanos / 1000, "{deadline:?}");
            assert!(control.elapsed() <= deadline);
        }
    }

    #[test]
    fn threads_count_together_up_to_what_each_has_not_reported() {
        let all_nodes = AtomicU64::new(0);
        let control = || Control::new(1_000, None, &NeverStop, &NoClock, Some(&all_nodes));
        let (mut first, mut second) = (control(), control());
        while first.count_node().is_ok() && second.count_node().is_ok() {}
        let (nodes, reported) = (first.nodes + second.nodes, first.total_nodes());
        assert_eq!((first.total_nodes(), reported), (reported, reported), "no node is reported twice");
        assert_eq!(second.total_nodes(), nodes);
        assert!((1_000..=1_000 + 2 * POLL_INTERVAL).contains(&nodes), "{nodes}");
    }
}
