//! A journal's records of distrusted workers: which pairs other workers have checked, which pairs were withdrawn, with
//! their contents, and which workers get no more pairs. These are facts about hosts, separate from everything
//! reproducible.
//!
//! A withdrawn pair is missing like one that was never played, and is played again.

use super::schema::OF_PAIRS;
use super::{Journal, JournalError, JournalReader, StoredResult, key, move_times, number, pack, put};
use record::PairIndex;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reason for withdrawing later pairs after earlier ones were replayed with other results.
const OTHER_WAY: &str = "the run took another course after earlier pairs were played again";

/// A pair that was replayed with the same result, and the worker that replayed it.
pub(super) type Checked = (PairIndex, Arc<str>);

impl Journal {
    /// Records, with the next commit, that another worker replayed a pair with the same result.
    pub fn checked(&mut self, pair: PairIndex, by: Arc<str>) {
        self.checked.push((pair, by));
    }

    /// Whether the next commit will record a check of this pair.
    pub fn is_to_be_checked(&self, pair: PairIndex) -> bool {
        self.checked.iter().any(|(checked, _)| *checked == pair)
    }

    /// Withdraws all pairs of a worker except those that others have checked, and records that it gets no more pairs,
    /// and why. Its own checks do not count any more, so pairs of other distrusted workers may be withdrawn, too. The
    /// move times of all its pairs are dropped, because they cannot be checked. Returns the number of pairs.
    ///
    /// # Errors
    /// [`JournalError`]; nothing is withdrawn then.
    pub fn withdraw(&mut self, worker: &str, why: &str) -> Result<u64, JournalError> {
        let write = |transaction: &Connection| {
            let sql = "INSERT OR IGNORE INTO set_aside (worker, why) VALUES (?1, ?2)";
            let _one_row_or_none = transaction.execute(sql, params![worker, why])?;
            keep_checked(transaction, &self.checked)?;
            move_times::forget(transaction, worker)
        };
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        write(&transaction).map_err(|error| self.storage(error))?;
        let pairs = self.unchecked_pairs_of_distrusted()?;
        for (pair, by, why) in &pairs {
            self.remove(*pair, Some(by.as_str()), why)?;
        }
        transaction.commit().map_err(|error| self.storage(error))?;
        self.checked.clear();
        self.move_times.retain(|(_, by), _| by.as_deref() != Some(worker));
        Ok(pairs.len() as u64)
    }

    /// Lets a worker get pairs again. Its withdrawn pairs stay withdrawn, and its earlier checks of other workers'
    /// pairs do not count again.
    ///
    /// # Errors
    /// [`JournalError`]; nothing changes then.
    pub fn take_back(&mut self, worker: &str) -> Result<(), JournalError> {
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        for sql in ["DELETE FROM set_aside WHERE worker = ?1", "DELETE FROM checked WHERE by = ?1"] {
            let _rows = transaction.execute(sql, [worker]).map_err(|error| self.storage(error))?;
        }
        transaction.commit().map_err(|error| self.storage(error))
    }

    /// Withdraws pairs that were played in a state that the run turned out not to have.
    ///
    /// # Errors
    /// [`JournalError`]; nothing is withdrawn then.
    pub fn withdraw_pairs(&mut self, pairs: &[PairIndex]) -> Result<(), JournalError> {
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        pairs.iter().try_for_each(|pair| self.remove(*pair, None, OTHER_WAY))?;
        transaction.commit().map_err(|error| self.storage(error))
    }

    /// Returns the unchecked pairs of all distrusted workers, each with its worker and why that is not trusted.
    fn unchecked_pairs_of_distrusted(&self) -> Result<Vec<(PairIndex, String, String)>, JournalError> {
        // Checks by another distrusted worker do not count.
        let sql = "SELECT w.pair, w.name, s.why FROM worker w JOIN set_aside s ON s.worker = w.name WHERE w.pair NOT IN
                 (SELECT pair FROM checked WHERE by NOT IN (SELECT worker FROM set_aside)) ORDER BY w.pair";
        self.rows(sql, [], |row| Ok((number(row)?, row.get(1)?, row.get(2)?)))
    }

    /// Removes a pair, within the current transaction, and stores its contents.
    fn remove(&self, pair: PairIndex, worker: Option<&str>, why: &str) -> Result<(), JournalError> {
        let Some(stored) = self.result(pair)? else { return Ok(()) };
        remove(&self.connection, &stored, worker, why).map_err(|error| self.storage(error))
    }
}

impl JournalReader {
    /// Returns the number of pairs ever withdrawn. A reader that has absorbed part of this journal and finds another
    /// number must start over.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn withdrawals(&self) -> Result<u64, JournalError> {
        self.number("SELECT count(*) FROM withdrawn", [])
    }

    /// Returns, in rising order, the wanted pairs of workers on other machines that are still unchecked.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn unchecked(&self, wanted: impl Fn(PairIndex) -> bool) -> Result<Vec<PairIndex>, JournalError> {
        let sql = "SELECT pair FROM worker WHERE pair NOT IN
                 (SELECT pair FROM checked WHERE by NOT IN (SELECT worker FROM set_aside)) ORDER BY pair";
        let mut pairs: Vec<PairIndex> = self.rows(sql, [], number)?;
        pairs.retain(|pair| wanted(*pair));
        Ok(pairs)
    }

    /// Returns the distrusted workers of this run, and the reasons.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn set_aside(&self) -> Result<BTreeMap<String, String>, JournalError> {
        self.rows("SELECT worker, why FROM set_aside", [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Stores which pairs were checked.
pub(super) fn keep_checked(connection: &Connection, checked: &[Checked]) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO checked (pair, by) VALUES (?1, ?2)";
    checked.iter().try_for_each(|(pair, by)| put(connection, sql, params![key(*pair), by.as_ref()]))
}

/// Removes a pair from its tables, and stores its contents.
fn remove(
    connection: &Connection,
    StoredResult { proposal, result, .. }: &StoredResult,
    worker: Option<&str>,
    why: &str,
) -> rusqlite::Result<()> {
    let pair = key(result.pair);
    let sql = "INSERT INTO withdrawn (pair, worker, why, proposal, result) VALUES (?1, ?2, ?3, ?4, ?5)";
    put(connection, sql, params![pair, worker, why, pack(proposal)?, pack(result)?])?;
    OF_PAIRS.iter().try_for_each(|table| put(connection, &format!("DELETE FROM {table} WHERE pair = ?1"), [pair]))
}
