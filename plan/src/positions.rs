//! The positions of a run: which are wanted, and the run as fits and trainings read it.

use crate::error::ReadError;
use crate::jobs;
use arena::config::{ExperimentConfig, PositionFilter, PositionFormat, RunConfig};
use arena::run::{JournalReader, replay};
use play::games::GameKind;
use std::path::Path;
use trainer::data::Run;

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
            ExperimentConfig::Sprt { .. }
            | ExperimentConfig::Match { .. }
            | ExperimentConfig::Tune(_)
            | ExperimentConfig::Ladder(_) => Self { format: usual_format(config.game), ..Self::default() },
        }
    }

    /// Why they cannot be had, in words.
    ///
    /// # Errors
    /// Of a format that needs what positions of this kind do not have, or that positions of the game are not written
    /// in.
    pub fn check(&self, game: GameKind) -> Result<(), String> {
        if game == GameKind::Crazyhouse && self.format != PositionFormat::Plain {
            let name = self.format.name();
            return Err(format!("positions of crazyhouse are written as `plain`, and not as `{name}`"));
        }
        if self.filter.quiet && self.format.needs_moves() {
            let name = self.format.name();
            return Err(format!(
                "`{name}` has the move played in each position, and the quiet end of a variation has none"
            ));
        }
        Ok(())
    }
}

/// Whether positions of the game are written in formats of chess: those of crazyhouse in one of them.
pub fn is_chess(game: GameKind) -> bool {
    matches!(game, GameKind::Chess | GameKind::Chess960 | GameKind::Crazyhouse)
}

/// The format of positions of a game where none is given. A network of crazyhouse learns moves, too.
pub(crate) fn usual_format(game: GameKind) -> PositionFormat {
    if game == GameKind::Crazyhouse { PositionFormat::Plain } else { PositionFormat::default() }
}

/// The positions of the run of this journal, up to its last pair, for a fit or a training: the same that its file would
/// hold.
///
/// # Errors
/// [`ReadError`] if the run cannot be read.
pub fn of_run(path: &Path, journal: &JournalReader, config: &RunConfig) -> Result<Run, ReadError> {
    let pairs = replay(jobs::experiment(config)?.as_mut(), journal)?.pairs;
    Ok(Run { journal: path.to_owned(), pairs, filter: Wanted::of(config).filter })
}
