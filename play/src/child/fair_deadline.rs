//! A deadline that the host cannot make an engine miss. For answers that are not judged by a clock of the game.

use std::time::{Duration, Instant};

/// When an answer is due, and how long the host had kept the process waiting when the deadline was set. What it keeps
/// it waiting from then on moves the deadline back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairDeadline {
    at: Instant,
    waited_before: Duration,
}

impl FairDeadline {
    /// A deadline for a process that the host has kept waiting this long since it began.
    pub(super) const fn new(at: Instant, waited_before: Duration) -> Self {
        Self { at, waited_before }
    }

    /// When the answer is due if the host keeps the process waiting no more.
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// When the answer is due for a process that the host has by now kept waiting this long since it began.
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
