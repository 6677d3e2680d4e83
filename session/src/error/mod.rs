//! Errors of sessions. Faults of players are data, never errors.

mod faulty;
mod learn;
mod limit;
mod speed;

pub use faulty::FaultyRun;
pub(crate) use faulty::LastFault;
pub use learn::LearnError;
pub use limit::LimitError;
pub use speed::SpeedError;

use crate::blame::Blame;
use crate::builds::error::BuildError;
use crate::builds::range::RangeError;
use crate::work::campaign::error::CampaignError;
use crate::work::ladder::error::LadderError;
use arena::run::{FileError, FolderError, JournalError, RunError, Unready};
use plan::jobs::JobError;
use plan::{PlanError, ReadError};
use play::child::AffinityError;
use reports::ReportError;
use std::io;
use std::path::PathBuf;
use trainer::data::ExportError;
use trainer::train::TrainError;

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The configuration cannot be used, and the error shows where.
    #[error(transparent)]
    Plan(Box<PlanError>),
    /// The configuration makes no experiment.
    #[error(transparent)]
    Job(#[from] JobError),
    /// An engine cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A range of commits cannot be bisected.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// An engine's program or weights cannot be used.
    #[error(transparent)]
    Program(#[from] FileError),
    /// The speed of this host is unknown.
    #[error(transparent)]
    Speed(#[from] SpeedError),
    /// The requested processors are not available.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// An entrant cannot get ready for a game.
    #[error("{why}\nNothing was played, and no run was made{}", advice(why))]
    Unready {
        /// The entrant and the reason.
        why: Box<Unready>,
    },
    /// A run would be resumed with another identity.
    #[error(
        "{} was made with another configuration or build, so it cannot continue:\n  {}\n\
         Undo the change to resume it, or start a new run", path.display(), differences.join("\n  ")
    )]
    OtherIdentity {
        /// The run.
        path: PathBuf,
        /// The differences, one per line.
        differences: Vec<String>,
    },
    /// A run cannot have this many pairs.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A run was stopped because an entrant lost too many of its games by faults.
    #[error("{0}")]
    Faulty(Box<FaultyRun>),
    /// The run's folder or journal cannot be made, read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A run broke off.
    #[error("{why}{}", what_is_left(left))]
    Broken {
        /// The reason.
        why: Box<RunError>,
        /// The state that it is left in.
        left: Left,
    },
    /// A run cannot be read back.
    #[error(transparent)]
    Read(Box<RunError>),
    /// A report cannot be made.
    #[error(transparent)]
    Report(Box<ReportError>),
    /// The journal's files have gone; the pairs were saved elsewhere, if possible.
    #[error("{why}\n{kept}")]
    Gone {
        /// What happened.
        why: Box<JournalError>,
        /// The place of the pairs, and how to resume.
        kept: String,
    },
    /// An error of the operating system.
    #[error("{what}: {cause}")]
    Io {
        /// The attempted action.
        what: String,
        /// Its error.
        cause: io::Error,
    },
    /// The runs of a ladder cannot be rated together.
    #[error(transparent)]
    Ladder(#[from] LadderError),
    /// An evaluation cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The positions of a run cannot be written.
    #[error(transparent)]
    Positions(#[from] ExportError),
    /// A bisection cannot be resumed as requested.
    #[error(
        "{} was started with another configuration:\n  {}\n\
         During a bisection only `confidence`, `max_pairs` and `find` may change. Undo the change to resume it, or \
         start a new one", path.display(), differences.join("\n  ")
    )]
    OtherBisection {
        /// Its folder.
        path: PathBuf,
        /// The differences, one per line.
        differences: Vec<String>,
    },
    /// A campaign cannot be played as requested.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// Learning cannot be resumed as requested.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The executor can play only one run, and this job has several.
    #[error("this executor has already played a run: a job of several runs needs a new one for each")]
    ExecutorSpent,
    /// An executor on other machines failed.
    #[error("{why}")]
    Elsewhere {
        /// The reason, in words, with a remedy.
        why: String,
        /// Who can mend it.
        blame: Blame,
    },
    /// The session was told to stop before there was anything to resume.
    #[error("Interrupted.")]
    Interrupted,
    /// The session's thread panicked.
    #[error("the session's thread panicked: {0}")]
    Panicked(String),
}

/// The state of a run that broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// No pair was finished, and the run was removed.
    Nothing,
    /// The run has all finished pairs, and can be resumed once the cause is mended.
    Resumable(PathBuf),
    /// The run is unchanged; resuming would fail again.
    AsItWas,
}

impl SessionError {
    /// An error of the operating system.
    pub(crate) fn io(what: impl Into<String>, cause: io::Error) -> Self {
        Self::Io { what: what.into(), cause }
    }

    /// Who can mend it.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Build(error) | Self::Range(RangeError::Build(error)) => error.blame(),
            Self::Affinity(AffinityError::Unknown(_)) => Blame::Machine,
            Self::Plan(_)
            | Self::Range(_)
            | Self::Job(_)
            | Self::Program(_)
            | Self::Speed(_)
            | Self::Affinity(_)
            | Self::Unready { .. }
            | Self::OtherIdentity { .. }
            | Self::Limit(_)
            | Self::Ladder(_)
            | Self::Learn(_)
            | Self::OtherBisection { .. }
            | Self::Campaign(_)
            | Self::Positions(ExportError::OtherGame { .. } | ExportError::NoTrack)
            | Self::ExecutorSpent
            | Self::Folder(FolderError::Missing { .. }) => Blame::User,
            Self::Broken { why, left: Left::Nothing } if matches!(**why, RunError::NotReady { .. }) => Blame::User,
            Self::Elsewhere { blame, .. } => *blame,
            Self::Interrupted => Blame::Nobody,
            Self::Folder(_)
            | Self::Faulty(_)
            | Self::Broken { .. }
            | Self::Read(_)
            | Self::Report(_)
            | Self::Gone { .. }
            | Self::Io { .. }
            | Self::Train(_)
            | Self::Positions(_)
            | Self::Panicked(_) => Blame::Machine,
        }
    }
}

fn advice(why: &Unready) -> &'static str {
    match why {
        Unready::Entrant { .. } => ". `spar check` tests an engine alone; `start_within` gives it more time to start",
        _ => "",
    }
}

fn what_is_left(left: &Left) -> String {
    match left {
        Left::Nothing => "\nNo pair was finished, and the run was removed".to_owned(),
        Left::Resumable(path) => {
            format!("\nEvery finished pair is kept. After you fix this: spar resume {}", path.display())
        }
        Left::AsItWas => String::new(),
    }
}

impl From<PlanError> for SessionError {
    fn from(error: PlanError) -> Self {
        Self::Plan(Box::new(error))
    }
}

impl From<ReadError> for SessionError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Plan(error) => Self::Plan(error),
            ReadError::Job(error) => Self::Job(error),
            ReadError::Journal(error) => error.into(),
            ReadError::Run(error) => error.into(),
        }
    }
}

impl From<RunError> for SessionError {
    fn from(error: RunError) -> Self {
        Self::Read(Box::new(error))
    }
}

impl From<ReportError> for SessionError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Folder(error) => Self::Folder(error),
            error => Self::Report(Box::new(error)),
        }
    }
}

impl From<JournalError> for SessionError {
    fn from(error: JournalError) -> Self {
        Self::Folder(error.into())
    }
}
