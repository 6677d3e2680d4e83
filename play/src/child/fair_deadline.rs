//! A deadline that an engine cannot miss by the host's fault. For answers that no clock of the game judges.

use std::time::{Duration, Instant};

/// The time at which an answer is due, and how long the host had kept the process waiting when the deadline was set.
/// Any further wait moves the deadline back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairDeadline {
    at: Instant,
    waited_before: Duration,
}

impl FairDeadline {
    /// A deadline for a process that the host has kept waiting this long since its start.
    pub(super) const fn new(at: Instant, waited_before: Duration) -> Self {
        Self { at, waited_before }
    }

    /// When the answer is due if the host does not keep the process waiting any more.
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// When the answer is due if the host has now kept the process waiting this long since its start.
    pub(super) fn after(&self, waited: Duration) -> Instant {
        self.at + waited.saturating_sub(self.waited_before)
    }
}

#[cfg(test)]
mod tests {
    use super::FairDeadline;
    use std::time::{Duration, Instant};

    #[test]
    fn only_waits_after_the_deadline_was_set_move_it_back() {
        let (at, ms) = (Instant::now(), Duration::from_millis);
        let deadline = FairDeadline::new(at, ms(300));
        assert_eq!(deadline.after(ms(300)), at);
        assert_eq!(deadline.after(ms(1_300)), at + ms(1_000));
        // Threads that ended no longer count.
        assert_eq!(deadline.after(ms(100)), at);
    }
}
