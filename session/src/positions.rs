//! The positions of a run as a file: its place, and how to make it from the run's journal.

use crate::error::SessionError;
use arena::config::{PositionFormat, RunConfig};
use arena::run::RunFolder;
use plan::jobs;
use plan::positions::{Wanted, is_chess};
use std::path::{Path, PathBuf};
use trainer::chess;
use trainer::data::{self, EXTENSION, Extracted};

/// The result of writing.
pub struct Written {
    /// The numbers of kept and skipped positions.
    pub counts: Extracted,
    /// Statistics of the file, for positions of chess.
    pub chess: Option<chess::Statistics>,
}

/// Writes the positions of the run in a folder, up to its last pair.
///
/// # Errors
/// [`SessionError`] if the run cannot be read or has no positions, or if the file cannot be written; an old file then
/// stays.
pub fn write(run: &Path, config: &RunConfig, wanted: &Wanted, out: &Path) -> Result<Written, SessionError> {
    let journal = RunFolder::open_journal(run)?;
    let mut experiment = jobs::experiment(config)?;
    let Wanted { filter, format } = wanted;
    if is_chess(config.game) {
        let chess::Exported { counts, statistics } =
            chess::export_to(&journal, experiment.as_mut(), filter, *format, out)?;
        return Ok(Written { counts, chess: Some(statistics) });
    }
    let counts = data::export_to(&journal, experiment.as_mut(), filter, out)?;
    Ok(Written { counts, chess: None })
}

/// Returns the default place: next to the run's journal, under the name of its folder.
pub fn usual_place(run: &Path, config: &RunConfig, format: PositionFormat) -> PathBuf {
    let name = run.canonicalize().ok().and_then(|run| Some(run.file_name()?.to_owned()));
    let extension = if is_chess(config.game) { format.extension() } else { EXTENSION };
    run.join(name.unwrap_or_else(|| "run".into())).with_added_extension(extension)
}
