//! The executor, which plays pairs somewhere. It may answer in any order, twice, late or never; the driver copes.

use super::journal::{JournalError, JournalReader};
use super::live::LiveTables;
use super::pair::PairSpec;
use crate::config::HostScale;
use record::{PairIndex, PairResult};
use std::sync::Arc;
use std::time::Instant;

/// An event from an executor.
#[derive(Debug)]
pub enum Event {
    /// A pair was played.
    Done {
        /// Its result.
        result: Box<PairResult>,
        /// The machine whose worker played it, if this process did not.
        by: Option<Arc<str>>,
    },
    /// The worker will not play this pair. Not sent if another machine may still play it.
    Lost {
        /// The pair.
        pair: PairIndex,
        /// The reason: a failure of the harness itself, or a revocation.
        why: String,
    },
    /// A different worker replayed a pair and got the same result.
    Checked {
        /// The pair.
        pair: PairIndex,
        /// The worker that replayed it.
        by: Arc<str>,
    },
    /// The results of a worker on another machine no longer count, except those that others have
    /// [checked](Self::Checked).
    Withdraw {
        /// The worker.
        worker: Arc<str>,
        /// The reason, in words.
        why: String,
    },
    /// A worker on another machine that was set aside plays again. Its results count from now on; withdrawn results
    /// stay withdrawn.
    TakeBack {
        /// The worker.
        worker: Arc<str>,
    },
    /// A worker on another machine scales time controls to its own speed.
    Scaled {
        /// The worker.
        worker: Arc<str>,
        /// The factor and how it was found.
        scale: HostScale,
    },
    /// A notice about the machines; the run continues.
    Notice(Notice),
    /// No worker can play this pair, so the run must stop.
    Failed {
        /// The pair.
        pair: PairIndex,
        /// The reason.
        why: String,
    },
}

/// A notice about the machines that a run is played on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The text of the notice.
    pub text: String,
    /// Whether the run is impaired.
    pub is_serious: bool,
}

impl Event {
    /// Returns the event for a pair played by this process.
    pub fn done(result: PairResult) -> Self {
        Self::Done { result: Box::new(result), by: None }
    }
}

/// Plays pairs.
pub trait Executor {
    /// Returns the most pairs that this executor starts at the same time.
    fn workers(&self) -> usize;

    /// Returns how many pairs this executor can hold without letting any of its workers wait.
    fn capacity(&self) -> usize;

    /// Limits the number of pairs played at a time from now on; 0 starts no more pairs. Running pairs continue. The
    /// default does nothing: the driver then submits no more pairs than it wants. An executor that [paces
    /// itself](Self::paces_itself) gets 0 for a pause, and otherwise no limit.
    fn set_workers(&mut self, _workers: usize) {}

    /// Returns the tables at which the games can be watched, if they are played in this process.
    fn live(&self) -> Option<Arc<LiveTables>> {
        None
    }

    /// Whether this executor decides itself how many pairs its machines play at a time. Machines come and go, and each
    /// knows best whether its players are kept waiting. The driver then submits as many pairs as
    /// [`capacity`](Self::capacity) allows.
    fn paces_itself(&self) -> bool {
        false
    }

    /// Takes a pair. At most [`capacity`](Self::capacity) pairs are outstanding, so this does not block.
    fn submit(&mut self, spec: PairSpec);

    /// Returns the next event; `None` if there is none by `deadline`.
    fn next_event(&mut self, deadline: Instant) -> Option<Event>;

    /// Reports that the results of these pairs are in the journal, or will never be. An executor that keeps results
    /// until then may drop them.
    fn settled(&mut self, _pairs: &[PairIndex]) {}

    /// Gives no more pairs to a worker on another machine, for this reason. Returns whether there may be other workers.
    fn set_aside(&mut self, _worker: &str, _why: &str) -> bool {
        false
    }

    /// Continues the run from the journal. Called at the start, and whenever pairs were withdrawn. Returns the pairs to
    /// [play again](Self::check), to verify that they give the same result.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be read.
    fn begin(&mut self, _journal: &JournalReader) -> Result<Vec<PairIndex>, JournalError> {
        Ok(Vec::new())
    }

    /// Has a pair from the journal replayed by a worker other than `by`, which played it.
    fn check(&mut self, _spec: PairSpec, _result: PairResult, _by: &Arc<str>) {}

    /// Whether pairs are being replayed to verify their results. A run has its verdict only when these checks are done.
    fn is_checking(&self) -> bool {
        false
    }

    /// Gives up all pairs, and all results not yet fetched: later events concern pairs submitted later. Only executors
    /// that withdraw pairs need it.
    fn start_over(&mut self) {}

    /// Gives up all pairs from this number on, including those being played. They end as lost, or without an event.
    fn revoke_from(&mut self, pair: PairIndex);
}
