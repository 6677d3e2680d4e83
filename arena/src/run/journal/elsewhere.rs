//! A journal's data for a run whose pairs are played on other machines: which worker played each pair, and the name by
//! which the run is known there. These are facts about hosts, separate from everything reproducible.

use super::{Journal, JournalError, JournalReader, key};
use record::PairIndex;
use rusqlite::{Connection, params};
use std::sync::Arc;

impl Journal {
    /// Returns a globally unique name for this run: 16 hexadecimal digits, drawn on first use.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn token(&mut self) -> Result<String, JournalError> {
        self.drawn("token", "lower(hex(randomblob(8)))", "value")
    }

    /// Returns a secret random number of this journal, drawn on first use. With it, decisions about pairs are unknown
    /// to workers and the same in each session.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn salt(&mut self) -> Result<u64, JournalError> {
        self.drawn("salt", "CAST(random() AS TEXT)", "CAST(value AS INTEGER)").map(i64::cast_unsigned)
    }

    /// Reads a header value as `value`; draws it with `expression` first if it is missing.
    fn drawn<T: rusqlite::types::FromSql>(&self, key: &str, expression: &str, value: &str) -> Result<T, JournalError> {
        let draw = || {
            let sql = format!("INSERT OR IGNORE INTO header (key, value) VALUES (?1, {expression})");
            let _one_row_or_none = self.connection.execute(&sql, [key])?;
            self.connection.query_row(&format!("SELECT {value} FROM header WHERE key = ?1"), [key], |row| row.get(0))
        };
        draw().map_err(|error| self.storage(error))
    }
}

impl JournalReader {
    /// Returns the worker on another machine that played a pair, if any.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn worker(&self, pair: PairIndex) -> Result<Option<String>, JournalError> {
        self.row("SELECT name FROM worker WHERE pair = ?1", [key(pair)], |row| row.get(0))
    }

    /// Calls `visit` for each pair that a worker on another machine played, with the worker, the half points of the
    /// pair's first seat, and whether a game was lost by a fault.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn scores_by_worker(&self, mut visit: impl FnMut(&str, u64, bool)) -> Result<(), JournalError> {
        let sql =
            "SELECT w.name, p.score0 + p.score1, p.faults0 + p.faults1 > 0 FROM pair p JOIN worker w USING (pair)";
        self.rows(sql, [], |row| {
            visit(row.get_ref(0)?.as_str()?, row.get::<_, i64>(1)?.unsigned_abs(), row.get(2)?);
            Ok(())
        })
    }
}

/// Stores which worker played a pair.
pub(super) fn keep(connection: &Connection, pair: PairIndex, by: &Arc<str>) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO worker (pair, name) VALUES (?1, ?2)";
    super::put(connection, sql, params![key(pair), by.as_ref()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::run::{Executables, run_header};
    use play::games::GameKind;

    #[test]
    fn a_run_keeps_its_token_and_who_played_its_pairs() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, std::path::Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| Journal::create(&folder.path().join(name), &header).unwrap();
        let (mut one, mut other) = (make("one"), make("other"));
        assert_eq!(one.worker(0).unwrap(), None);
        let token = one.token().unwrap();
        assert!(token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
        assert_eq!(one.token().unwrap(), token);
        let salt = one.salt().unwrap();
        assert!(one.salt().unwrap() == salt && other.salt().unwrap() != salt);
        assert_ne!(other.token().unwrap(), token);
        for (pair, name) in [(0, "east"), (1, "west"), (2, "east")] {
            keep(&one.connection, pair, &name.into()).unwrap();
        }
        let again = JournalReader::open(one.path()).unwrap();
        assert_eq!(again.unchecked(|pair| pair != 1).unwrap(), [0, 2]);
        assert_eq!((again.worker(1).unwrap(), again.worker(3).unwrap()), (Some("west".to_owned()), None));
    }
}
