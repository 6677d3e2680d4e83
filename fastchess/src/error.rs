//! Why a command line of fastchess is not played.

use arena::run::JournalError;
use plan::PlanError;
use plan::jobs::JobError;
use plan::words::WordsError;
use session::{Blame, SessionError};
use std::fmt::Display;

/// A command line that is not played, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum FastchessError {
    /// Something typed cannot be used.
    #[error("{0}")]
    Words(String),
    /// What was typed makes no run, and the error shows where.
    #[error(transparent)]
    Plan(Box<PlanError>),
    /// A file cannot be read or written.
    #[error("{what}: {cause}")]
    File {
        /// What cannot be done with which file.
        what: String,
        /// Why.
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
    /// The configuration asks for no experiment of a run.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The run has failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// The program cannot do what is asked of it.
    #[error("{0}")]
    Host(String),
}

impl FastchessError {
    /// Something typed is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Words(message.into())
    }

    /// Something cannot be done with a file.
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

/// Whether a session has ended because it was asked to.
pub(crate) fn is_interruption(error: &SessionError) -> bool {
    let is_asked_for = matches!(error, SessionError::Interrupted) || error.blame() == Blame::Nobody;
    is_asked_for && !matches!(error, SessionError::Plan(_))
}
