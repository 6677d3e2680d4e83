//! The time left until a deadline, in the form that `poll` accepts.

use rustix::event::Timespec;
use std::time::{Duration, Instant};

/// The maximum length of a single wait: a request to stop is noticed within this time.
pub(super) const LONGEST_NAP: Duration = Duration::from_millis(50);

/// The time left until the deadline; zero if it has passed.
pub(super) fn timeout_until(deadline: Instant) -> Timespec {
    timespec(deadline.saturating_duration_since(Instant::now()))
}

/// The time left until the deadline, at most [`LONGEST_NAP`]; `None` if it has passed.
pub(super) fn nap_until(deadline: Instant) -> Option<Timespec> {
    let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
    Some(timespec(left.min(LONGEST_NAP)))
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}
