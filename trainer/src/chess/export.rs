//! Exports the positions of a run of chess: to a file of another program's format, or one by one.

use super::extract::Extraction;
use super::formats::{self, plain};
use super::labelled::{Labelled, Variant};
use super::statistics::Statistics;
use crate::data::export::{ExportError, Read, check_track, hand_over, sift};
use crate::data::{Extracted, write};
use arena::config::{PositionFilter, PositionFormat};
use arena::run::{Experiment, JournalReader, PairIndex, PairResult, replay};
use play::games::{Chess, GameKind};
use shakmaty::variant::Crazyhouse;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

/// The result of an export.
pub struct Exported {
    /// Counts of kept and dropped positions.
    pub counts: Extracted,
    /// Statistics of the file.
    pub statistics: Statistics,
}

/// Writes the positions of a run's absorbed pairs, in order. Every call on every machine writes the same bytes.
///
/// `experiment` is the run's experiment before its first pair: it knows how many pairs count.
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
    match journal.header()?.config.game {
        GameKind::Crazyhouse if format == PositionFormat::Plain => {
            export_with(journal, experiment, filter, format, |of| plain::write::<Crazyhouse>(of, out))
        }
        GameKind::Crazyhouse => Err(ExportError::Format { format: format.name() }),
        _ => export_with(journal, experiment, filter, format, |of| formats::write(format, of, out)),
    }
}

fn export_with<P: Variant>(
    journal: &JournalReader,
    experiment: &mut dyn Experiment,
    filter: &PositionFilter,
    format: PositionFormat,
    mut write: impl FnMut(&Labelled<P>) -> io::Result<()>,
) -> Result<Exported, ExportError> {
    let extraction = extraction::<P>(journal, filter)?;
    let absorbed = replay(experiment, journal)?.pairs;
    let mut statistics = Statistics::new(format, false);
    let positions = |result: &PairResult| extraction.positions(result);
    let counts = sift(journal, Read { pairs: absorbed, lines: false }, filter, positions, |_, of| {
        statistics.add(of);
        write(of)
    })?;
    Ok(Exported { counts, statistics })
}

/// Passes the positions of a run's first pairs to `take`, in order, with the number of their pair, until `take` stops.
/// These are all positions that the filter keeps, duplicates included. Returns the counts of the plies.
///
/// # Errors
/// [`ExportError`]
pub(crate) fn read<P: Variant>(
    journal: &JournalReader,
    pairs: u64,
    filter: &PositionFilter,
    take: impl FnMut(PairIndex, Labelled<P>) -> ControlFlow<()>,
) -> Result<Extracted, ExportError> {
    let extraction = extraction::<P>(journal, filter)?;
    hand_over(journal, pairs, |result| extraction.positions(result), take)
}

/// Like [`read`], without duplicates: the positions that the run's file would have.
///
/// # Errors
/// [`ExportError`]
pub(crate) fn read_once<P: Variant>(
    journal: &JournalReader,
    pairs: u64,
    filter: &PositionFilter,
    take: impl FnMut(PairIndex, &Labelled<P>) -> io::Result<()>,
) -> Result<Extracted, ExportError> {
    let extraction = extraction::<P>(journal, filter)?;
    sift(journal, Read { pairs, lines: false }, filter, |result| extraction.positions(result), take)
}

/// Returns how to make the positions of a run, which must be of this kind of game and have scores.
fn extraction<P: Variant>(journal: &JournalReader, filter: &PositionFilter) -> Result<Extraction, ExportError> {
    let header = journal.header()?;
    let game = header.config.game;
    let rules = Chess::of(game).filter(|_| P::GAMES.contains(&game));
    let rules = rules.ok_or(ExportError::OtherGame { game })?;
    check_track(&header)?;
    Ok(Extraction { rules, seed: header.config.seed, filter: *filter })
}

/// Like [`export`], into a file that is replaced atomically.
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
