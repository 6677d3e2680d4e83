//! The positions of a run of chess as a file of another program's format.

use super::extract::Extraction;
use super::formats;
use super::statistics::Statistics;
use crate::data::export::{ExportError, check_track, sift};
use crate::data::{Extracted, write};
use arena::config::{PositionFilter, PositionFormat};
use arena::run::{Experiment, JournalReader, PairResult, replay};
use play::games::{Chess, GameKind};
use std::io::Write;
use std::path::Path;

/// What was written.
pub struct Exported {
    /// What was kept and what was left out.
    pub counts: Extracted,
    /// What is in the file.
    pub statistics: Statistics,
}

/// Writes the positions of a run's absorbed pairs, in order: the same bytes however often and wherever it is done.
///
/// `experiment` is the run's own, before its first pair: it knows how many pairs count.
///
/// # Errors
/// [`ExportError`]
pub fn export(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    filter: &PositionFilter,
    format: PositionFormat,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    let header = journal.header()?;
    let game = header.config.game;
    let rules = Chess::of(game).filter(|_| matches!(game, GameKind::Chess | GameKind::Chess960));
    let rules = rules.ok_or(ExportError::OtherGame { game })?;
    check_track(&header)?;
    let absorbed = replay(experiment, journal)?;
    let extraction = Extraction { rules, seed: header.config.seed, filter: *filter };
    let mut statistics = Statistics::new(format, false);
    let positions = |result: &PairResult| extraction.positions(result);
    let counts = sift(journal, absorbed, filter, positions, |of| {
        statistics.add(of);
        formats::write(format, of, out)
    })?;
    Ok(Exported { counts, statistics })
}

/// As [`export`], into a file that is replaced in one step.
///
/// # Errors
/// [`ExportError`]
pub fn export_to(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    filter: &PositionFilter,
    format: PositionFormat,
    path: &Path,
) -> Result<Exported, ExportError> {
    write::replace(path, |out| export(journal, experiment, filter, format, out))
}
