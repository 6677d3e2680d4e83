//! `spar fastchess`: runs fastchess's command lines, which the crate `fastchess` parses.

use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "fastchess"))]
pub(crate) fn fastchess(_words: &[String], _runs: &Path) -> Result<Exit, Failure> {
    Err(Failure::usage(crate::optional::missing("the front for fastchess", "fastchess")))
}

/// Whether fastchess has an option of this name that spar accepts.
#[cfg(not(feature = "fastchess"))]
pub(crate) fn is_option(_name: &str) -> bool {
    false
}

#[cfg(feature = "fastchess")]
pub(crate) use known::{fastchess, is_option};

#[cfg(feature = "fastchess")]
mod known {
    use super::{Exit, Failure, Path};
    use crate::args::Check;
    use crate::commands::{check, print};
    use crate::host;
    use crate::host::say_what_resumes;
    use crate::watch::in_words;
    use ::fastchess::{End, FastchessError, Host, PASSED, compliance, run};
    use anyhow::anyhow;
    use play::games::GameKind;
    use session::{Commander, Warning};
    use std::any::Any;

    pub(crate) use ::fastchess::is_option;

    pub(crate) fn fastchess(words: &[String], runs: &Path) -> Result<Exit, Failure> {
        if let Some((engine, arguments)) = compliance(words)? {
            return keeps_to_uci(engine, arguments);
        }
        Ok(match run(words, runs, &ThisProcess)? {
            End::Done => Exit::Done,
            End::Abandoned => Exit::Abandoned,
        })
    }

    fn keeps_to_uci(engine: String, arguments: Vec<String>) -> Result<Exit, Failure> {
        let (protocol, options) = ("uci".to_owned(), Vec::new());
        let exit =
            check::check(&Check { engine, arguments, protocol, game: Some(GameKind::Chess), options, json: false })?;
        if exit == Exit::Done {
            print(PASSED)?;
        }
        Ok(exit)
    }

    /// This process; the user sees its standard error.
    struct ThisProcess;

    impl Host for ThisProcess {
        fn note(&self, text: &str) {
            say!("{text}");
        }

        fn warn(&self, warning: &Warning) {
            say!("{}", in_words(warning));
        }

        fn stop_on_ctrl_c(&self, commander: &Commander) -> Result<Box<dyn Any>, String> {
            match host::stop_on_ctrl_c(commander) {
                Ok(until_over) => Ok(Box::new(until_over)),
                Err(failure) => Err(failure.to_string()),
            }
        }

        fn begun(&self, run: &Path) {
            host::set_working_on(Some(run));
        }

        fn interrupted(&self, command: &str) {
            say_what_resumes(command);
        }
    }

    impl From<FastchessError> for Failure {
        fn from(error: FastchessError) -> Self {
            match error {
                FastchessError::Words(message) => Self::usage(message),
                FastchessError::Plan(error) => Self::Config(error),
                FastchessError::Job(error) => error.into(),
                FastchessError::Session(error) => error.into(),
                FastchessError::Output(error) => error.into(),
                error @ (FastchessError::File { .. }
                | FastchessError::Moves { .. }
                | FastchessError::Journal(_)
                | FastchessError::Host(_)) => Self::Environment(anyhow!(error)),
            }
        }
    }
}
