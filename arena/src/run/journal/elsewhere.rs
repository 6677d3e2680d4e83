//! What a journal has of a run whose pairs are played on other machines: who played each pair, and the name by which the run is known
//! there. Facts about hosts, apart from all that is reproducible.
//!
//! Only journals of such runs have the tables.

use super::{Journal, JournalError, JournalReader, key};
use crate::run::pair::PairIndex;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use std::sync::Arc;

const TOKEN: &str = "CREATE TABLE IF NOT EXISTS token (only INTEGER PRIMARY KEY CHECK (only = 0), token TEXT NOT NULL)";
const SALT: &str = "CREATE TABLE IF NOT EXISTS salt (only INTEGER PRIMARY KEY CHECK (only = 0), salt INTEGER NOT NULL)";
const WORKER: &str = "CREATE TABLE IF NOT EXISTS worker (pair INTEGER PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID";

impl Journal {
    /// A name for this run that no other run has, wherever it is worked on: 16 hexadecimal digits, drawn when it is asked for first.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn token(&mut self) -> Result<String, JournalError> {
        let draw = || {
            self.connection.execute_batch(TOKEN)?;
            let sql = "INSERT OR IGNORE INTO token (only, token) VALUES (0, lower(hex(randomblob(8))))";
            let _one_row_or_none = self.connection.execute(sql, [])?;
            self.connection.query_row("SELECT token FROM token", [], |row| row.get(0))
        };
        draw().map_err(|error| self.storage(error))
    }
}

impl Journal {
    /// A number that is drawn when it is asked for first and that only this journal has: what it decides about pairs nobody else can know,
    /// and each session decides alike.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn salt(&mut self) -> Result<u64, JournalError> {
        let draw = || {
            self.connection.execute_batch(SALT)?;
            let sql = "INSERT OR IGNORE INTO salt (only, salt) VALUES (0, random())";
            let _one_row_or_none = self.connection.execute(sql, [])?;
            self.connection.query_row("SELECT salt FROM salt", [], |row| row.get::<_, i64>(0))
        };
        draw().map(i64::cast_unsigned).map_err(|error| self.storage(error))
    }
}

impl JournalReader {
    /// The worker of another machine that played a pair, if one did.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn worker(&self, pair: PairIndex) -> Result<Option<String>, JournalError> {
        let read = || {
            if !self.has_table("worker")? {
                return Ok(None);
            }
            let mut statement = self.connection.prepare_cached("SELECT name FROM worker WHERE pair = ?1")?;
            statement.query_row([key(pair)], |row| row.get(0)).optional()
        };
        read().map_err(|error| self.storage(error))
    }

    /// How many of the run's pairs each worker of another machine played.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn pairs_by_worker(&self) -> Result<BTreeMap<String, u64>, JournalError> {
        let read = || {
            if !self.has_table("worker")? {
                return Ok(BTreeMap::new());
            }
            let mut statement = self.connection.prepare("SELECT name, count(*) FROM worker GROUP BY name")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
            rows.collect()
        };
        read().map_err(|error| self.storage(error))
    }
}

impl JournalReader {
    /// Calls `visit` with each pair that a worker of another machine played: the worker, the half points of the pair's first seat, and
    /// whether a game was lost by a fault.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn scores_by_worker(&self, mut visit: impl FnMut(&str, u64, bool)) -> Result<(), JournalError> {
        let mut read = || {
            if !self.has_table("worker")? {
                return Ok(());
            }
            let sql =
                "SELECT w.name, p.score0 + p.score1, p.faults0 + p.faults1 > 0 FROM pair p JOIN worker w USING (pair)";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(row.get_ref(0)?.as_str()?, row.get::<_, i64>(1)?.unsigned_abs(), row.get(2)?);
            }
            Ok(())
        };
        read().map_err(|error| self.storage(error))
    }
}

/// Makes the table of who played which pair, unless it is there.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(WORKER)
}

/// Keeps who played a pair, in a journal that is [prepared](prepare) for it.
pub(super) fn keep(connection: &Connection, pair: PairIndex, by: &Arc<str>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO worker (pair, name) VALUES (?1, ?2)")?;
    let _one_row = statement.execute(params![key(pair), by.as_ref()])?;
    Ok(())
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
        assert_eq!((one.worker(0).unwrap(), one.pairs_by_worker().unwrap().len()), (None, 0));
        let token = one.token().unwrap();
        assert!(token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
        assert_eq!(one.token().unwrap(), token);
        let salt = one.salt().unwrap();
        assert!(one.salt().unwrap() == salt && other.salt().unwrap() != salt);
        assert_ne!(other.token().unwrap(), token);
        prepare(&one.connection).unwrap();
        for (pair, name) in [(0, "east"), (1, "west"), (2, "east")] {
            keep(&one.connection, pair, &name.into()).unwrap();
        }
        let again = JournalReader::open(one.path()).unwrap();
        assert_eq!(again.unchecked(|pair| pair != 1).unwrap(), [0, 2]);
        assert_eq!((again.worker(1).unwrap(), again.worker(3).unwrap()), (Some("west".to_owned()), None));
        assert_eq!(again.pairs_by_worker().unwrap(), [("east".to_owned(), 2), ("west".to_owned(), 1)].into());
    }
}
