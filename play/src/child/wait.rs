//! Time left until a deadline, as `poll` takes it.

use rustix::event::Timespec;
use std::time::{Duration, Instant};

/// The longest a single wait lasts: a request to stop is seen this soon.
pub(super) const LONGEST_NAP: Duration = Duration::from_millis(50);

/// What is left until the deadline; nothing if it has passed.
pub(super) fn timeout_until(deadline: Instant) -> Timespec {
    timespec(deadline.saturating_duration_since(Instant::now()))
}

/// What is left until the deadline, at most [`LONGEST_NAP`]; `None` if it has passed.
pub(super) fn nap_until(deadline: Instant) -> Option<Timespec> {
    let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
    Some(timespec(left.min(LONGEST_NAP)))
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}
