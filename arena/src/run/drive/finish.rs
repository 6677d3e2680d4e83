//! How a session of a run ended, and how far a journal was absorbed.

use crate::run::experiment::Verdict;
use crate::run::fault_share::TooFaulty;
use std::sync::Arc;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The experiment has its verdict.
    Verdict(Verdict),
    /// The session was asked to stop; the run can be resumed.
    Stopped,
    /// An entrant lost more of its games by faults than the configuration allows. The run can be resumed with a higher
    /// limit.
    Faulty(TooFaulty),
}

impl Finish {
    /// Returns the verdict, if any.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Verdict(verdict) => Some(verdict),
            Self::Stopped | Self::Faulty(_) => None,
        }
    }

    /// Returns the entrant whose faults stopped the run, if any.
    pub fn too_faulty(self) -> Option<TooFaulty> {
        match self {
            Self::Faulty(too_faulty) => Some(too_faulty),
            Self::Stopped | Self::Verdict(_) => None,
        }
    }
}

/// The outcome of a [`drive`](super::drive()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driven {
    /// The session ended.
    Finished(Finish),
    /// Absorbed pairs no longer count.
    Withdrawn(Withdrawn),
}

impl Driven {
    /// Returns how the session ended; `None` if it continues with a new experiment.
    pub fn finish(self) -> Option<Finish> {
        match self {
            Self::Finished(finish) => Some(finish),
            Self::Withdrawn(_) => None,
        }
    }
}

/// Absorbed pairs that no longer count. The journal is correct: make a new experiment and drive it again, and the
/// missing pairs are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The distrusted worker that played the pairs, or checked those of other distrusted workers.
    pub worker: Arc<str>,
    /// The number of pairs.
    pub pairs: u64,
}

/// How far a journal has been absorbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of absorbed pairs.
    pub pairs: u64,
    /// How the run ended. A run that was interrupted or is still being played counts as stopped.
    pub finish: Finish,
}
