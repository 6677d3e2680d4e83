//! The positions of a run: as a file, where it lies and how it is made of the run's journal, and as a fit reads them.

use crate::error::SessionError;
use crate::jobs;
use arena::config::{ExperimentConfig, PositionFilter, PositionFormat, RunConfig};
use arena::run::{JournalReader, RunFolder, replay};
use play::games::GameKind;
use std::path::{Path, PathBuf};
use trainer::chess;
use trainer::data::{self, EXTENSION, Extracted, Run};

/// Which positions of a run are wanted, and how those of chess are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Which.
    pub filter: PositionFilter,
    /// How.
    pub format: PositionFormat,
}

impl Wanted {
    /// What a run's configuration says; what is usual if the run was made for something else.
    pub fn of(config: &RunConfig) -> Self {
        match &config.experiment {
            ExperimentConfig::Selfplay { filter, format, .. } => Self { filter: *filter, format: *format },
            _ => Self::default(),
        }
    }

    /// Why they cannot be had, in words.
    ///
    /// # Errors
    /// Of a format that needs what positions of this kind do not have.
    pub fn check(&self) -> Result<(), String> {
        if self.filter.quiet && self.format.needs_moves() {
            let name = self.format.name();
            return Err(format!(
                "`{name}` has the move played in each position, and the quiet end of a variation has none"
            ));
        }
        Ok(())
    }
}

/// What was written.
pub struct Written {
    /// What was kept and what was left out.
    pub counts: Extracted,
    /// What the file holds, if it is of chess.
    pub chess: Option<chess::Statistics>,
}

/// Whether positions of the game are written in the formats of chess.
pub fn is_chess(game: GameKind) -> bool {
    matches!(game, GameKind::Chess | GameKind::Chess960)
}

/// Writes the positions of the run in a folder, as far as it is played.
///
/// # Errors
/// [`SessionError`] if the run cannot be read or has none, or the file cannot be written: an old one stays then.
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

/// The positions of the run of this journal, as far as it is played, for a fit or a training: those that its file would hold.
///
/// # Errors
/// [`SessionError`] if the run cannot be read.
pub fn of_run(path: &Path, journal: &JournalReader, config: &RunConfig) -> Result<Run, SessionError> {
    let pairs = replay(jobs::experiment(config)?.as_mut(), journal)?.pairs;
    Ok(Run { journal: path.to_owned(), pairs, filter: Wanted::of(config).filter })
}

/// Beside the run's journal, under the name of its folder.
pub fn usual_place(run: &Path, config: &RunConfig, format: PositionFormat) -> PathBuf {
    let name = run.canonicalize().ok().and_then(|run| Some(run.file_name()?.to_owned()));
    let extension = if is_chess(config.game) { format.extension() } else { EXTENSION };
    run.join(name.unwrap_or_else(|| "run".into())).with_added_extension(extension)
}
