//! Reads the faults that stopped a run from its journal.

use crate::error::{FaultyRun, LastFault, SessionError};
use crate::work::resumable::resumable;
use arena::config::RunConfig;
use arena::run::{JournalError, JournalReader, TooFaulty, lost_games};
use std::path::Path;

/// The most lines of the engine's last output that are shown.
const MOST_LINES: usize = 6;

/// The most characters of a line that are shown.
const LONGEST_LINE: usize = 160;

/// Reads the entrant's last fault among the first `pairs` pairs from the journal.
///
/// # Errors
/// [`SessionError`] if the journal cannot be read.
pub(crate) fn read(
    path: &Path,
    run: &RunConfig,
    counts: TooFaulty,
    journal: &JournalReader,
    pairs: u64,
) -> Result<FaultyRun, SessionError> {
    let entrant = run.entrants.get(counts.entrant as usize).map_or_else(String::new, |entrant| entrant.name.clone());
    let last = last_fault(journal, &entrant, pairs)?;
    let most = run.max_fault_share;
    Ok(FaultyRun { path: path.to_owned(), job: resumable(path), entrant, counts, most, last })
}

/// Returns the last game that an entrant lost by a fault of its own.
fn last_fault(journal: &JournalReader, entrant: &str, pairs: u64) -> Result<Option<LastFault>, JournalError> {
    let header = journal.header()?;
    for pair in journal.faulty_pairs(pairs)?.into_iter().rev() {
        let Some(stored) = journal.result(pair)? else { continue };
        let lost = lost_games(&header, &stored);
        if let Some(game) = lost.iter().rev().find(|game| game.entrant == entrant && !game.host_caused) {
            let lines = game.evidence.lines().filter(|line| !line.trim().is_empty());
            let mut lines: Vec<String> = lines.map(|line| line.chars().take(LONGEST_LINE).collect()).collect();
            lines.drain(..lines.len().saturating_sub(MOST_LINES));
            return Ok(Some(LastFault { game: game.name, fault: game.fault.clone(), lines }));
        }
    }
    Ok(None)
}
