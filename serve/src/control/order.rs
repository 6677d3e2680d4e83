//! Orders for a run.

use super::{Control, Refusal};
use crate::run::Run;
use arena::config::MOST_WORKERS;
use reports::text::{counted, grouped};
use serde::Deserialize;
use session::{SessionError, limit};
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;

/// The maximum number of a run's pairs or games: more than any run needs, and few enough that sums of them do not
/// overflow.
const MOST: NonZeroU64 = NonZeroU64::new(1_000_000_000_000).expect("more than none");
/// The maximum number of pairs at a time for each processor. Engines that are reached over the network need no
/// processor here.
const WORKERS_PER_PROCESSOR: usize = 16;
/// The number of pairs at a time that is allowed on any machine.
const FEWEST: usize = 64;

/// Returns the number of processors that this process may use.
pub(super) fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Returns the maximum number of a run's pairs at a time: each takes a thread here and two players.
pub(super) fn most_workers() -> NonZeroUsize {
    let most = (processors().get() * WORKERS_PER_PROCESSOR).clamp(FEWEST, MOST_WORKERS);
    NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN)
}

/// Refuses more pairs at a time than this machine can handle.
///
/// # Errors
/// The reason, in a sentence.
pub(super) fn check_workers(workers: NonZeroUsize) -> Result<(), String> {
    let most = most_workers();
    if workers > most {
        return Err(format!(
            "{} pairs at a time are too many for this machine: at most {most}",
            grouped(workers.get() as u64)
        ));
    }
    Ok(())
}

/// An order for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", content = "to", rename_all = "lowercase")]
pub(crate) enum Order {
    /// Begin no further pair until the run continues.
    Pause,
    /// Begin pairs again.
    Continue,
    /// End the run where it is: it can be resumed.
    Stop,
    /// Resume it.
    Resume,
    /// Play this many pairs at a time.
    Concurrency(NonZeroUsize),
    /// Play at most this many pairs.
    Limit(Limit),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pause => f.write_str("paused"),
            Self::Continue => f.write_str("continued"),
            Self::Stop => f.write_str("stopped"),
            Self::Resume => f.write_str("resumed"),
            Self::Concurrency(workers) => write!(f, "{} at a time", counted(workers.get() as u64, "pair")),
            Self::Limit(Limit(most)) => write!(f, "{} at most", grouped(most.get())),
        }
    }
}

/// A limit on the pairs of a run, or on the games of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct Limit(NonZeroU64);

impl Limit {
    /// Returns the limit as a setting of the run's or the job's configuration. Refuses a limit below what was played.
    pub(super) fn setting(self, control: &Control, run: &str) -> Result<String, Refusal> {
        if self.0 > MOST {
            return Err(Refusal::Bad(format!("a limit is at most {}", grouped(MOST.get()))));
        }
        let setting = self.setting_of(control, run)?;
        let played = Played::of(control, run)?;
        if self < played.least() {
            return Err(Refusal::Bad(format!(
                "{} were played already: a limit of {} would leave some of them out of the result",
                counted(played.count, played.unit),
                grouped(self.0.get())
            )));
        }
        Ok(setting)
    }

    /// Returns the setting for a run that has stopped: if more was played before it stopped, the lowest limit that
    /// drops nothing.
    pub(super) fn setting_of_stopped(self, control: &Control, run: &str) -> Result<String, Refusal> {
        self.max(Played::of(control, run)?.least()).setting_of(control, run)
    }

    fn setting_of(self, control: &Control, run: &str) -> Result<String, Refusal> {
        if let Some(job) = control.jobs.get(run).map_err(|why| unreadable(&why))? {
            return Ok(job.limit(self.0));
        }
        let known = known(control, run)?;
        limit::setting_of(known.path(), self.0).map_err(|why| match why {
            SessionError::Limit(why) => Refusal::Bad(why.to_string()),
            why => unreadable(&why),
        })
    }
}

fn known(control: &Control, run: &str) -> Result<Arc<Run>, Refusal> {
    control.listing.get(run).ok_or_else(|| Refusal::Missing("there is no such run".to_owned()))
}

fn unreadable(why: &SessionError) -> Refusal {
    Refusal::Now(why.to_string())
}

/// What a run or a job has played.
struct Played {
    count: u64,
    unit: &'static str,
    /// The number of pairings that share the limit evenly.
    pairings: u64,
}

impl Played {
    fn of(control: &Control, run: &str) -> Result<Self, Refusal> {
        if let Some(job) = control.jobs.get(run).map_err(|why| unreadable(&why))? {
            return Ok(Self { count: job.pairs(), unit: "pair", pairings: 1 });
        }
        let known = known(control, run)?;
        if let Some(job) = control.jobs.of_run(known.path()) {
            return Err(Refusal::Bad(format!(
                "{run} is a part of {job}, which decides how long it is: give {job} a limit"
            )));
        }
        let (journal, header) = known.journal().map_err(|why| unreadable(&why))?;
        let experiment = header.config.experiment;
        Ok(Self {
            count: journal.end().map_err(|why| Refusal::Now(why.to_string()))?,
            unit: experiment.rounds().unit(),
            pairings: experiment.pairings().unwrap_or(1).max(1),
        })
    }

    /// Returns the lowest limit that drops nothing.
    fn least(&self) -> Limit {
        Limit(NonZeroU64::new(self.count.div_ceil(self.pairings)).unwrap_or(NonZeroU64::MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Result<Order, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn numbers_that_are_none_are_refused_and_large_ones_are_bounded() {
        for number in ["0", "-1", "-0", "1e400", "1e3", "2.5", "18446744073709551616", "\"4\"", "null", "NaN", "[4]"] {
            for what in ["limit", "concurrency"] {
                assert!(asked(&format!("{{\"do\":\"{what}\",\"to\":{number}}}")).is_err(), "{what} {number}");
            }
        }
        assert!(most_workers().get() >= 64 && most_workers().get() <= MOST_WORKERS);
        for (workers, is_fine) in
            [(1, true), (most_workers().get(), true), (most_workers().get() + 1, false), (usize::MAX, false)]
        {
            let workers = NonZeroUsize::new(workers).expect("one or more");
            assert_eq!(check_workers(workers).is_ok(), is_fine, "{workers}");
        }
    }
}
