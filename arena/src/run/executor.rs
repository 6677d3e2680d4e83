//! The executor: plays pairs somewhere. It may answer in any order, twice, late or never; the driver copes.

use super::journal::{JournalError, JournalReader};
use super::live::LiveTables;
use super::pair::PairSpec;
use crate::config::HostScale;
use record::{PairIndex, PairResult};
use std::sync::Arc;
use std::time::Instant;

/// News from an executor.
#[derive(Debug)]
pub enum Event {
    /// A pair was played.
    Done {
        /// Its result.
        result: Box<PairResult>,
        /// Which machine's worker played it, if it was not this process.
        by: Option<Arc<str>>,
    },
    /// A pair will not be played by its worker. Not sent if another machine may still play it.
    Lost {
        /// Which.
        pair: PairIndex,
        /// Why: the harness's own failure, or its being revoked.
        why: String,
    },
    /// A pair was played once more by somebody else, and came out the same.
    Checked {
        /// Which.
        pair: PairIndex,
        /// Who played it the second time.
        by: Arc<str>,
    },
    /// What a worker of another machine has played is not to count, but for what others have [checked](Self::Checked).
    Withdraw {
        /// The worker.
        worker: Arc<str>,
        /// Why, in words.
        why: String,
    },
    /// A worker of another machine that was set aside plays again, and its results count from now on. What was
    /// withdrawn stays withdrawn.
    TakeBack {
        /// The worker.
        worker: Arc<str>,
    },
    /// A worker of another machine scales time controls to its own speed.
    Scaled {
        /// The worker.
        worker: Arc<str>,
        /// By how much.
        scale: HostScale,
    },
    /// A notice about the machines; the run continues.
    Notice(Notice),
    /// No worker can play a pair: the run must stop.
    Failed {
        /// Which.
        pair: PairIndex,
        /// Why.
        why: String,
    },
}

/// A notice about the machines that a run is played on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// In words.
    pub text: String,
    /// Whether the run suffers from it.
    pub is_serious: bool,
}

impl Event {
    /// A pair was played by this process.
    pub fn done(result: PairResult) -> Self {
        Self::Done { result: Box::new(result), by: None }
    }
}

/// Plays pairs.
pub trait Executor {
    /// How many pairs it begins at the same time, at most.
    fn workers(&self) -> usize;

    /// How many pairs it can have at a time without letting any of its workers wait.
    fn capacity(&self) -> usize;

    /// Begins at most this many pairs at a time from now on; 0 begins none. Running pairs continue. The default does
    /// nothing: the driver then gives out no more than are wanted. An executor that [paces itself](Self::paces_itself)
    /// gets 0 for a pause, and otherwise no bound.
    fn set_workers(&mut self, _workers: usize) {}

    /// The tables at which its games can be watched, if they are played here.
    fn live(&self) -> Option<Arc<LiveTables>> {
        None
    }

    /// Whether it looks itself after how many pairs its machines play at a time, since they come and go, and each knows
    /// best whether its players are kept waiting. The driver then gives out as many as there is
    /// [`capacity`](Self::capacity) for.
    fn paces_itself(&self) -> bool {
        false
    }

    /// Takes a pair. Never more than [`capacity`](Self::capacity) are outstanding, so this does not block.
    fn submit(&mut self, spec: PairSpec);

    /// The next news; `None` if there is none by `deadline`.
    fn next_event(&mut self, deadline: Instant) -> Option<Event>;

    /// The results of these pairs are in the journal, or will never be: an executor that keeps results until then may
    /// drop them.
    fn settled(&mut self, _pairs: &[PairIndex]) {}

    /// Gives no more pairs to a worker of another machine, for this reason. Whether there may be others.
    fn set_aside(&mut self, _worker: &str, _why: &str) -> bool {
        false
    }

    /// The run continues from the journal: called at its start, and whenever pairs were withdrawn. Returns the pairs to
    /// [play again](Self::check), to see whether they give the same result.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
    fn begin(&mut self, _journal: &JournalReader) -> Result<Vec<PairIndex>, JournalError> {
        Ok(Vec::new())
    }

    /// Has a pair that is in the journal played once more by somebody else than the worker who played it.
    fn check(&mut self, _spec: PairSpec, _result: PairResult, _by: &Arc<str>) {}

    /// Whether pairs are being played once more to see whether they come out the same. A run has its verdict when that
    /// is known.
    fn is_checking(&self) -> bool {
        false
    }

    /// Gives up all pairs, and their results that were not taken yet: later news are about pairs submitted later. Only
    /// executors that withdraw pairs need it.
    fn start_over(&mut self) {}

    /// Gives up all pairs from this number on, the ones being played included. They end as lost, or not at all.
    fn revoke_from(&mut self, pair: PairIndex);
}
