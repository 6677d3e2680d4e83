//! The positions of a run: which to keep, and the run as fits and trainings read it.

use crate::error::ReadError;
use crate::jobs;
use arena::config::{ExperimentConfig, PositionFilter, PositionFormat, RunConfig};
use arena::run::{JournalReader, replay};
use play::games::GameKind;
use std::path::Path;
use trainer::data::Run;

/// Which positions of a run to keep, and the format of positions of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Which positions.
    pub filter: PositionFilter,
    /// Their format.
    pub format: PositionFormat,
}

impl Wanted {
    /// The settings of a run's configuration; the defaults if the run is not self-play.
    pub fn of(config: &RunConfig) -> Self {
        match &config.experiment {
            ExperimentConfig::Selfplay { filter, format, .. } => Self { filter: *filter, format: *format },
            ExperimentConfig::Sprt { .. }
            | ExperimentConfig::Match { .. }
            | ExperimentConfig::Tune(_)
            | ExperimentConfig::Ladder(_) => Self { format: usual_format(config.game), ..Self::default() },
        }
    }

    /// Checks that the positions of a game can be had in this format; the error is in words.
    ///
    /// # Errors
    /// A format that needs data which positions of this kind lack, or a format that does not exist for the game.
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

/// Whether positions of the game are written in formats of chess. Crazyhouse supports only one of them.
pub fn is_chess(game: GameKind) -> bool {
    matches!(game, GameKind::Chess | GameKind::Chess960 | GameKind::Crazyhouse)
}

/// The default format of positions of a game. A network of crazyhouse learns moves, too.
pub(crate) fn usual_format(game: GameKind) -> PositionFormat {
    if game == GameKind::Crazyhouse { PositionFormat::Plain } else { PositionFormat::default() }
}

/// Reads the positions of the run of this journal, up to its last pair, for a fit or a training. They equal those in
/// the run's file of positions.
///
/// # Errors
/// [`ReadError`] if the run cannot be read.
pub fn of_run(path: &Path, journal: &JournalReader, config: &RunConfig) -> Result<Run, ReadError> {
    let pairs = replay(jobs::experiment(config)?.as_mut(), journal)?.pairs;
    Ok(Run { journal: path.to_owned(), pairs, filter: Wanted::of(config).filter })
}
