//! Engine lines stored verbatim with their moves, if a run asks for it: facts beside its results.

use super::{JournalError, JournalReader, both, key};
use crate::run::name::pair_number;
use record::{PairIndex, PairResult};
use rusqlite::{Connection, params};

/// Stores the lines of a pair, if any.
pub(super) fn keep(connection: &Connection, result: &PairResult) -> rusqlite::Result<()> {
    let lines = result.games.iter().map(|game| &game.circumstances.lines).collect::<Vec<_>>();
    if lines.iter().all(|plies| plies.iter().all(Vec::is_empty)) {
        return Ok(());
    }
    let row = params![key(result.pair), super::pack(&lines)?];
    super::put(connection, "INSERT INTO lines (pair, lines) VALUES (?1, ?2)", row)
}

impl JournalReader {
    /// Returns the stored lines of a pair, by game and ply; empty if none were stored.
    ///
    /// # Errors
    /// [`JournalError`] if the lines cannot be read.
    pub fn lines(&self, pair: PairIndex) -> Result<[Vec<Vec<String>>; 2], JournalError> {
        let sql = "SELECT lines FROM lines WHERE pair = ?1";
        let row: Option<Vec<u8>> = self.row(sql, [key(pair)], |row| row.get(0))?;
        let damaged = |error| self.damaged(format!("the lines of pair {}", pair_number(pair)), &error);
        let Some(blob) = row else { return Ok(Default::default()) };
        let games: Vec<Vec<Vec<String>>> = record::from_bytes(&blob).map_err(damaged)?;
        Ok(both(games))
    }
}
