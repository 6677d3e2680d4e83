//! The errors of playing a command line of fastchess.

use arena::run::JournalError;
use plan::PlanError;
use plan::jobs::JobError;
use plan::words::WordsError;
use session::{Blame, SessionError};
use std::fmt::Display;

/// The reason why a command line was not played, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum FastchessError {
    /// An argument cannot be used.
    #[error("{0}")]
    Words(String),
    /// The arguments do not resolve to a run; the error shows the place.
    #[error(transparent)]
    Plan(Box<PlanError>),
    /// A file cannot be read or written.
    #[error("{what}: {cause}")]
    File {
        /// The failed operation and the file.
        what: String,
        /// The cause.
        cause: String,
    },
    /// A stored pair cannot be written as games.
    #[error("the moves of pair {pair} are not moves of the game")]
    Moves {
        /// The pair's number, from 1.
        pair: u64,
    },
    /// The run's journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The configuration does not describe an experiment of a run.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The run has failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// The host program cannot do what the command line asks.
    #[error("{0}")]
    Host(String),
}

impl FastchessError {
    /// The error for an argument that cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Words(message.into())
    }

    /// The error for a failed operation on a file.
    pub(crate) fn file(what: String, cause: &impl Display) -> Self {
        Self::File { what, cause: cause.to_string() }
    }
}

impl From<PlanError> for FastchessError {
    fn from(error: PlanError) -> Self {
        Self::Plan(Box::new(error))
    }
}

impl From<WordsError> for FastchessError {
    fn from(error: WordsError) -> Self {
        match error {
            WordsError::Value(error) => Self::Plan(error),
            WordsError::Words(message) => Self::Words(message),
        }
    }
}

/// Whether a session ended because it was asked to stop.
pub(crate) fn is_interruption(error: &SessionError) -> bool {
    let is_asked_for = matches!(error, SessionError::Interrupted) || error.blame() == Blame::Nobody;
    is_asked_for && !matches!(error, SessionError::Plan(_))
}
