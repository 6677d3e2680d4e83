//! The verdict of a run in a folder.

use crate::error::{Left, SessionError};
use arena::run::{RunFolder, Verdict, replay};
use plan::jobs;
use std::path::Path;

/// Whether a run has its verdict.
pub(super) fn is_finished(path: &Path) -> Result<bool, SessionError> {
    verdict_of(path).map(|verdict| verdict.is_some())
}

/// Returns the verdict of the run in a folder.
pub(super) fn verdict_of(path: &Path) -> Result<Option<Verdict>, SessionError> {
    let journal = RunFolder::open_journal(path)?;
    let mut experiment = jobs::experiment(&journal.header()?.config)?;
    let replayed = replay(experiment.as_mut(), &journal);
    let left = Left::AsItWas;
    let replayed = replayed.map_err(|why| SessionError::Broken { why: Box::new(why), left })?;
    Ok(replayed.finish.verdict())
}
