//! The audit of a journal: every stored pair must be whole, and its games must be valid, before a run is resumed or
//! reported. A damaged pair would otherwise count by its stored summary.

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

/// This many pairs are held in memory and played over together.
pub(super) const CHUNK: usize = 512;

/// Reads every stored pair, and plays its games over by the rules.
///
/// # Errors
/// [`JournalError::Damaged`] for the first pair that is not whole.
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

/// The same, but for a journal that has been found whole before and has not been written since: what tells so lies
/// beside it.
///
/// # Errors
/// [`JournalError::Damaged`] for the first pair that is not whole.
pub fn audit_once(journal: &JournalReader, config: &RunConfig) -> Result<(), JournalError> {
    let mark = journal.path().with_file_name(AUDITED);
    let state = state_of(journal.path());
    let known = std::fs::read_to_string(&mark).ok();
    if state.is_some() && state == known {
        return Ok(());
    }
    audit(journal, config)?;
    if let Some(state) = state.filter(|state| Some(state) == state_of(journal.path()).as_ref()) {
        // Where nothing can be written it is looked at again.
        let _unwritten = replace_file(&mark, state.as_bytes());
    }
    Ok(())
}

/// The file beside a journal that says in which state it was found whole.
const AUDITED: &str = "audited";

/// What changes with a journal: its length, and when it was written. `None` if something written is still to go into
/// it.
fn state_of(path: &Path) -> Option<String> {
    let log = path.with_extension("sqlite-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let file = path.metadata().ok()?;
    Some(format!("{} {}.{:09}\n", file.len(), file.mtime(), file.mtime_nsec()))
}

/// Plays the games of some pairs over by the rules.
///
/// # Errors
/// [`JournalError::Damaged`] for the first pair that is not whole.
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

/// What is wrong with a pair.
fn flaw(config: &RunConfig, stored: &StoredResult) -> Option<&'static str> {
    let StoredResult { proposal, result, .. } = stored;
    if proposal.seats.iter().any(|seat| config.entrants.get(seat.entrant as usize).is_none()) {
        return Some("its players are none of the run's");
    }
    let is_game = match config.game.rules() {
        Rules::ZeroPointOne(game) => can_be_played(&game, result),
        Rules::Chess(game) => can_be_played(&game, result),
        // Whether they are moves of the game, only the program knows that plays it.
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

/// Plays moves by their codes; whether all were legal.
pub(super) fn play_out<G: Game>(position: &mut G::Position, codes: &[u32]) -> bool {
    codes.iter().all(|&code| match G::legal_from_code(position, code) {
        Some(mv) => {
            G::play(position, mv);
            true
        }
        None => false,
    })
}
