//! How long the host keeps an engine waiting for a processor in a step of a check: if that explains why the engine was
//! late, the step proves nothing about the engine.

use super::finding::Grade;
use crate::child::Child;
use crate::platform::own_run_delay;
use std::time::Duration;

/// The outcome of a step: a grade and a note.
pub(crate) type Outcome = (Grade, String);

/// The waiting times that the kernel has counted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waits {
    /// The engine's process.
    pid: u32,
    engine: Duration,
    own: Duration,
}

impl Waits {
    /// Reads the times of an engine, and of this thread that waits for it.
    pub(super) fn of(child: &Child) -> Self {
        let engine = child.run_delay().unwrap_or_default();
        Self { pid: child.pid(), engine, own: own_run_delay().unwrap_or_default() }
    }

    /// The time spent waiting after `before`. The step may have started the engine again, whose count then began at
    /// zero.
    pub(super) fn since(&self, before: &Self) -> Duration {
        let counted = if self.pid == before.pid { before.engine } else { Duration::ZERO };
        self.engine.saturating_sub(counted) + self.own.saturating_sub(before.own)
    }
}

/// The outcome of a step in view of the host's share. `late` is by how much the engine was late, if it was; `waited` is
/// how long the host kept it waiting.
pub(super) fn judged((grade, note): Outcome, late: Option<Duration>, waited: Duration) -> Outcome {
    let is_explained = late.is_some_and(|late| !waited.is_zero() && waited >= late);
    if grade == Grade::Failure && is_explained { (Grade::Unjudged, explained(&note, waited)) } else { (grade, note) }
}

/// The note, with the host's share added.
pub(super) fn explained(note: &str, waited: Duration) -> String {
    format!("{note}; the host kept it waiting for a processor for {waited:.0?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn failure() -> Outcome {
        (Grade::Failure, "it took 180ms".to_owned())
    }

    #[test]
    fn lateness_that_the_host_explains_is_not_judged() {
        let (grade, note) = judged(failure(), Some(MS(30)), MS(30));
        assert_eq!(grade, Grade::Unjudged);
        assert_eq!(note, "it took 180ms; the host kept it waiting for a processor for 30ms");
    }

    #[test]
    fn all_other_failures_stay_failures() {
        let late_by_itself = judged(failure(), Some(MS(31)), MS(30));
        let never_measured = judged(failure(), Some(MS(0)), MS(0));
        let not_late = judged(failure(), None, MS(5_000));
        assert_eq!([late_by_itself, never_measured, not_late], [failure(), failure(), failure()]);
        let warning = (Grade::Warning, String::new());
        assert_eq!(judged(warning.clone(), Some(MS(1)), MS(5_000)), warning);
    }

    #[test]
    fn a_process_that_was_started_again_counts_from_its_start() {
        let waits = |pid, engine, own| Waits { pid, engine: MS(engine), own: MS(own) };
        assert_eq!(waits(1, 50, 7).since(&waits(1, 20, 5)), MS(32));
        assert_eq!(waits(2, 50, 7).since(&waits(1, 90, 5)), MS(52));
        assert_eq!(waits(1, 10, 5).since(&waits(1, 20, 5)), MS(0), "a thread that has ended counts no longer");
    }
}
