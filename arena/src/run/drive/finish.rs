//! How a session of a run ended, and how far a journal was absorbed.

use crate::run::experiment::Verdict;
use crate::run::fault_share::TooFaulty;
use std::sync::Arc;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The experiment has its verdict.
    Verdict(Verdict),
    /// It was asked to stop; the run can be resumed.
    Stopped,
    /// An entrant lost more of its games by faults than the configuration allows. The run can be resumed if more are
    /// allowed.
    Faulty(TooFaulty),
}

impl Finish {
    /// The verdict, if there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Verdict(verdict) => Some(verdict),
            Self::Stopped | Self::Faulty(_) => None,
        }
    }

    /// The entrant whose faults have stopped the run, if one's have.
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
    /// Absorbed pairs do not count any more.
    Withdrawn(Withdrawn),
}

impl Driven {
    /// How the session ended; `None` if it continues with a new experiment.
    pub fn finish(self) -> Option<Finish> {
        match self {
            Self::Finished(finish) => Some(finish),
            Self::Withdrawn(_) => None,
        }
    }
}

/// Absorbed pairs that do not count any more. The journal is right: make a new experiment and drive it again, and the
/// missing pairs are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// Who played them.
    pub worker: Arc<str>,
    /// How many they are.
    pub pairs: u64,
}

/// How far a journal was absorbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Absorbed pairs.
    pub pairs: u64,
    /// How the run ended. One that was interrupted, or is being played, counts as stopped.
    pub finish: Finish,
}
