//! The name of a run's folder, and files that are read before work on the run begins.

use crate::error::SessionError;
use arena::config::RunConfig;
use arena::run::{Executables, JournalReader, RunFolder};
use std::path::Path;

/// Returns the name of a folder.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the name of a run's folder, without its number.
pub fn folder_name(run: &RunConfig) -> String {
    format!("{}-{}", run.experiment.kind(), run.name)
}

/// Finds the current programs of a run's engine processes and the weights of its built-in engines. Relative paths start
/// from the working directory.
///
/// # Errors
/// [`SessionError`] if a file cannot be found or read.
pub fn executables(run: &RunConfig) -> Result<Executables, SessionError> {
    let base = std::env::current_dir().map_err(|cause| SessionError::io("cannot tell the working directory", cause))?;
    Ok(Executables::of(run, &base)?)
}

/// Returns the text of the configuration of the run in a folder.
pub(crate) fn stored_text(path: &Path, journal: &JournalReader) -> Result<String, SessionError> {
    let config = RunFolder::config_of(path);
    match std::fs::read_to_string(&config) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(journal.text()?),
        Err(cause) => Err(SessionError::io(format!("cannot read the configuration {}", config.display()), cause)),
    }
}
