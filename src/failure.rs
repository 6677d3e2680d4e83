//! How a command ends: its exit code, and its one error message.

use crate::args;
use crate::shown::cut;
use arena::run::{FolderError, JournalError, RunError};
use plan::PlanError;
use plan::jobs::JobError;
use plan::words::WordsError;
use play::book::BookError;
use session::{Blame, SessionError};
use std::process::ExitCode;

/// The result of a command that did its work. `--help` and `docs/reference/exit-codes.md` document the codes: never
/// renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done; for a test: H1 accepted.
    Done,
    /// H0 accepted.
    Rejected,
    /// The pair limit came before a decision.
    Undecided,
    /// Interrupted; the run can be resumed.
    Interrupted,
    /// Interrupted, for a fastchess command line: its callers expect fastchess's code.
    #[cfg_attr(not(feature = "fastchess"), expect(dead_code, reason = "this build reads no such line"))]
    Abandoned,
}

impl Exit {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Rejected | Self::Abandoned => 1,
            Self::Undecided => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The failure of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The configuration cannot be used; the error shows the place.
    Config(Box<PlanError>),
    /// An argument or option cannot be used.
    Usage(anyhow::Error),
    /// An error of the machine, the file system or a run.
    Environment(anyhow::Error),
    /// The command was asked to stop before there was anything to resume.
    Interrupted,
    /// The reader of the output is closed.
    OutputClosed,
}

/// The exit code for errors in the configuration or the command line.
const USAGE: u8 = 2;
/// The exit code for errors of the machine.
const ENVIRONMENT: u8 = 3;

impl Failure {
    /// The failure for an argument or option that cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(anyhow::Error::msg(message.into()))
    }

    /// Prints the message and returns the exit code.
    pub(crate) fn environment(error: impl Into<anyhow::Error>) -> Self {
        Self::Environment(error.into())
    }

    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Config(error) => {
                let shown = format!("{:?}", miette::Report::new(*error));
                say!("{}", cut(shown.trim_end()));
                ExitCode::from(USAGE)
            }
            Self::Usage(_) => {
                say!("error: {}", cut(&self.to_string()));
                ExitCode::from(USAGE)
            }
            Self::Environment(_) => {
                say!("error: {}", cut(&self.to_string()));
                ExitCode::from(ENVIRONMENT)
            }
            Self::Interrupted => {
                say!("{self}");
                Exit::Interrupted.into()
            }
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

/// Prints clap's message on these words; the message may be the help text.
pub(crate) fn usage(words: &[String], error: &clap::Error) -> ExitCode {
    // Help into a closed pipe is not a failure.
    let _closed = error.print();
    if let Some(option) = args::misplaced(error) {
        say!(
            "`{option}` is an option of `spar match` and `spar sprt`. Here the file says what is played; \
             `--set KEY=VALUE` replaces what it says."
        );
    }
    if let Some(advice) = args::habits::advice(words, error).filter(|_| error.use_stderr()) {
        say!("{advice}");
    }
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Usage(error) | Self::Environment(error) => write!(f, "{error:#}"),
            Self::Interrupted => f.write_str("Interrupted."),
            Self::OutputClosed => f.write_str("the output was closed"),
        }
    }
}

macro_rules! from_errors {
    ($($error:ty => $failure:expr),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                $failure(error.into())
            }
        })*
    };
}

from_errors!(
    JobError => Self::Usage, BookError => Self::Usage, JournalError => Self::Environment, RunError => Self::Environment
);

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match (error.blame(), error) {
            (_, SessionError::Plan(error)) => Self::Config(error),
            (_, SessionError::Interrupted) | (Blame::Nobody, _) => Self::Interrupted,
            (Blame::User, error) => Self::Usage(error.into()),
            (Blame::Machine, error) => Self::Environment(error.into()),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::Config(Box::new(error))
    }
}

impl From<WordsError> for Failure {
    fn from(error: WordsError) -> Self {
        match error {
            WordsError::Value(error) => Self::Config(error),
            WordsError::Words(message) => Self::usage(message),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Missing { .. } => Self::Usage(error.into()),
            _ => Self::Environment(error.into()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Environment(error.into()),
        }
    }
}
