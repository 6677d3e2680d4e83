//! A deadline that an engine cannot miss by the host's fault. For answers that no clock of the game judges.

use std::time::{Duration, Instant};

/// How many times its own timeout a deadline may be moved back by waits for a processor. The waits of all threads add
/// up, so without a limit an engine that hangs with more spinning threads than processors would never be late.
const MOST_EXTENSIONS: u32 = 10;

/// How long the host has kept a process waiting since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostDelay {
    /// How long its threads have waited for a processor while they were ready to run, in total.
    pub(super) queued: Duration,
    /// The total time by which the thread that waits for the process woke up too late.
    pub(super) overslept: Duration,
}

/// The time at which an answer is due, and how long the host had kept the process waiting when the deadline was set.
/// Any further wait moves the deadline back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairDeadline {
    at: Instant,
    /// By how much waits for a processor move the deadline back at most.
    most: Duration,
    before: HostDelay,
}

impl FairDeadline {
    /// A deadline at the end of `timeout`, for a process that the host has kept waiting this long since its start.
    pub(super) const fn new(at: Instant, timeout: Duration, before: HostDelay) -> Self {
        Self { at, most: timeout.saturating_mul(MOST_EXTENSIONS), before }
    }

    /// When the answer is due if the host does not keep the process waiting any more.
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// When the answer is due if the host has now kept the process waiting this long since its start.
    pub(super) fn after(&self, now: HostDelay) -> Instant {
        let queued = now.queued.saturating_sub(self.before.queued).min(self.most);
        self.at + queued + now.overslept.saturating_sub(self.before.overslept)
    }
}

#[cfg(test)]
mod tests {
    use super::{FairDeadline, HostDelay};
    use std::time::{Duration, Instant};

    /// These waits in milliseconds.
    fn delay(queued: u64, overslept: u64) -> HostDelay {
        HostDelay { queued: Duration::from_millis(queued), overslept: Duration::from_millis(overslept) }
    }

    #[test]
    fn only_waits_after_the_deadline_was_set_move_it_back() {
        let (at, ms) = (Instant::now(), Duration::from_millis);
        let deadline = FairDeadline::new(at, ms(1_000), delay(300, 50));
        assert_eq!(deadline.after(delay(300, 50)), at);
        assert_eq!(deadline.after(delay(1_300, 60)), at + ms(1_010));
        // Threads that ended no longer count.
        assert_eq!(deadline.after(delay(100, 50)), at);
    }

    #[test]
    fn a_process_cannot_wait_for_processors_for_ever() {
        let (at, ms) = (Instant::now(), Duration::from_millis);
        let deadline = FairDeadline::new(at, ms(1_000), delay(300, 0));
        assert_eq!(deadline.after(delay(10_299, 0)), at + ms(9_999));
        assert_eq!(deadline.after(delay(1_000_000, 0)), at + ms(10_000));
        assert_eq!(deadline.after(delay(1_000_000, 3_600_000)), at + ms(3_610_000), "a pause of the machine counts");
    }
}
