//! The audit of a journal. Before a run is resumed or reported, every stored pair must be intact and its games valid.
//! Otherwise a damaged pair would still count by its stored summary.

use super::journal::{JournalError, JournalReader, StoredResult};
use super::name::pair_number;
use super::replace::replace_file;
use crate::config::RunConfig;
use play::Game;
use play::games::Rules;
use rayon::prelude::*;
use record::{PairIndex, PairResult};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The number of pairs that are held in memory and replayed together.
pub(super) const CHUNK: usize = 512;

/// Reads every stored pair and replays its games by the rules.
///
/// # Errors
/// [`JournalError::Damaged`] for the first damaged pair.
pub fn audit(journal: &JournalReader, config: &RunConfig) -> Result<(), JournalError> {
    let mut chunk = Vec::with_capacity(CHUNK);
    journal.results(0..PairIndex::MAX, |stored| {
        chunk.push(stored);
        if chunk.len() < CHUNK {
            return Ok(());
        }
        check(journal, config, &std::mem::take(&mut chunk))
    })?;
    check(journal, config, &chunk)
}

/// Audits a journal, unless an earlier audit passed and the journal has not been written since. A file beside the
/// journal records this.
///
/// # Errors
/// [`JournalError::Damaged`] for the first damaged pair.
pub fn audit_once(journal: &JournalReader, config: &RunConfig) -> Result<(), JournalError> {
    let mark = journal.path().with_file_name(AUDITED);
    let state = state_of(journal.path());
    let known = std::fs::read_to_string(&mark).ok();
    if state.is_some() && state == known {
        return Ok(());
    }
    audit(journal, config)?;
    if let Some(state) = state.filter(|state| Some(state) == state_of(journal.path()).as_ref()) {
        // If the mark cannot be written, the next call audits again.
        let _unwritten = replace_file(&mark, state.as_bytes());
    }
    Ok(())
}

/// The file beside a journal that records the state in which the journal last passed the audit.
const AUDITED: &str = "audited";

/// Returns the length and modification time of a journal; `None` if its write-ahead log is not empty.
fn state_of(path: &Path) -> Option<String> {
    let log = path.with_extension("sqlite-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let file = path.metadata().ok()?;
    Some(format!("{} {}.{:09}\n", file.len(), file.mtime(), file.mtime_nsec()))
}

/// Replays the games of `chunk` by the rules.
///
/// # Errors
/// [`JournalError::Damaged`] for the first damaged pair.
pub(super) fn check(journal: &JournalReader, config: &RunConfig, chunk: &[StoredResult]) -> Result<(), JournalError> {
    let flaw = |stored: &StoredResult| flaw(config, stored).map(|why| (stored.result.pair, why));
    match chunk.par_iter().find_map_first(flaw) {
        None => Ok(()),
        Some((pair, why)) => Err(JournalError::Damaged {
            path: journal.path().to_owned(),
            place: format!("pair {}", pair_number(pair)),
            why: why.to_owned(),
        }),
    }
}

/// Returns what is wrong with a pair, if anything.
fn flaw(config: &RunConfig, stored: &StoredResult) -> Option<&'static str> {
    let StoredResult { proposal, result, .. } = stored;
    if proposal.seats.iter().any(|seat| config.entrants.get(seat.entrant as usize).is_none()) {
        return Some("its players are none of the run's");
    }
    let is_game = match config.game.rules() {
        Rules::ZeroPointOne(game) => can_be_played(&game, result),
        Rules::Chess(game) => can_be_played(&game, result),
        // Only the program that plays a custom game knows its legal moves.
        Rules::Custom => true,
    };
    (!is_game).then_some("its moves are not moves of the game")
}

fn can_be_played<G: Game>(game: &G, result: &PairResult) -> bool {
    let start = result.start.as_ref().map_or_else(|| Ok(game.start()), |text| game.setup(text));
    let Ok(mut position) = start else { return false };
    play_out::<G>(&mut position, &result.opening)
        && result.games.iter().all(|game| play_out::<G>(&mut position.clone(), &game.moves))
}

/// Plays moves given by their codes. Returns whether all were legal.
pub(super) fn play_out<G: Game>(position: &mut G::Position, codes: &[u32]) -> bool {
    codes.iter().all(|&code| match G::legal_from_code(position, code) {
        Some(mv) => {
            G::play(position, mv);
            true
        }
        None => false,
    })
}
