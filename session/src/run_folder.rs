//! What a run's folder is called, and what is read of it before it is worked on.

use crate::error::SessionError;
use arena::config::RunConfig;
use arena::run::{Executables, JournalReader, RunFolder};
use std::path::Path;

/// What a folder is called.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What a run's folder is called, but for its number.
pub fn folder_name(run: &RunConfig) -> String {
    format!("{}-{}", run.experiment.kind(), run.name)
}

/// The current programs of a run's engine processes and weights of its engines in process. Relative paths start from
/// the working directory.
///
/// # Errors
/// What cannot be found or read.
pub fn executables(run: &RunConfig) -> Result<Executables, SessionError> {
    let base = std::env::current_dir().map_err(|cause| SessionError::io("cannot tell the working directory", cause))?;
    Ok(Executables::of(run, &base)?)
}

/// The text of the configuration of the run in a folder.
pub(crate) fn stored_text(path: &Path, journal: &JournalReader) -> Result<String, SessionError> {
    let config = RunFolder::config_of(path);
    match std::fs::read_to_string(&config) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(journal.text()?),
        Err(cause) => Err(SessionError::io(format!("cannot read the configuration {}", config.display()), cause)),
    }
}
