//! The positions of a run as a file: where it lies, and how it is made of the run's journal.

use crate::error::SessionError;
use crate::jobs;
use arena::config::{PositionFilter, RunConfig};
use arena::run::RunFolder;
use std::path::{Path, PathBuf};
use trainer::data::{self, EXTENSION, Extracted};

/// Writes the positions of the run in a folder, as far as it is played.
///
/// # Errors
/// [`SessionError`] if the run cannot be read or has none, or the file cannot be written: an old one stays then.
pub fn write(run: &Path, config: &RunConfig, filter: &PositionFilter, out: &Path) -> Result<Extracted, SessionError> {
    let journal = RunFolder::open_journal(run)?;
    let mut experiment = jobs::experiment(config)?;
    Ok(data::export_to(&journal, experiment.as_mut(), filter, out)?)
}

/// Beside the run's journal, under the name of its folder.
pub fn usual_place(run: &Path) -> PathBuf {
    let name = run.canonicalize().ok().and_then(|run| Some(run.file_name()?.to_owned()));
    run.join(name.unwrap_or_else(|| "run".into())).with_added_extension(EXTENSION)
}
