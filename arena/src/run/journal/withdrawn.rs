//! A journal's records of distrusted workers: which pairs others have checked, which pairs were withdrawn with their
//! contents, and which workers get no more pairs. Facts about hosts, apart from all that is reproducible.
//!
//! A pair that was withdrawn is missing like one that was never
//! played, and is played again.

use super::schema::OF_PAIRS;
use super::{Journal, JournalError, JournalReader, StoredResult, key, move_times, number, pack, put};
use record::PairIndex;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why pairs go that were played between.
const OTHER_WAY: &str = "the run took another course after earlier pairs were played again";

/// A pair that was played a second time and came out the same, and who played it then.
pub(super) type Checked = (PairIndex, Arc<str>);

impl Journal {
    /// Keeps, with the next commit, that a pair was played again by somebody else and came out the same.
    pub fn checked(&mut self, pair: PairIndex, by: Arc<str>) {
        self.checked.push((pair, by));
    }

    /// Whether the next commit keeps that a pair was checked.
    pub fn is_to_be_checked(&self, pair: PairIndex) -> bool {
        self.checked.iter().any(|(checked, _)| *checked == pair)
    }

    /// Withdraws all pairs of a worker except those that another has checked, and records that it gets no more, and
    /// why. The move times of all its pairs are dropped: they cannot be checked. Returns the number of pairs.
    ///
    /// # Errors
    /// [`JournalError`], and nothing is withdrawn.
    pub fn withdraw(&mut self, worker: &str, why: &str) -> Result<u64, JournalError> {
        let pairs = self.unchecked_pairs(worker)?;
        let write = |transaction: &Connection| {
            let sql = "INSERT OR IGNORE INTO set_aside (worker, why) VALUES (?1, ?2)";
            let _one_row_or_none = transaction.execute(sql, params![worker, why])?;
            keep_checked(transaction, &self.checked)?;
            move_times::forget(transaction, worker)
        };
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        write(&transaction).map_err(|error| self.storage(error))?;
        self.remove(&pairs, Some(worker), why)?;
        transaction.commit().map_err(|error| self.storage(error))?;
        self.checked.clear();
        self.move_times.retain(|(_, by), _| by.as_deref() != Some(worker));
        Ok(pairs.len() as u64)
    }

    /// Forgets that a worker gets no more pairs. What was withdrawn stays withdrawn, and its checks of other workers'
    /// pairs do not count again.
    ///
    /// # Errors
    /// [`JournalError`], and nothing changes.
    pub fn take_back(&mut self, worker: &str) -> Result<(), JournalError> {
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        for sql in ["DELETE FROM set_aside WHERE worker = ?1", "DELETE FROM checked WHERE by = ?1"] {
            let _rows = transaction.execute(sql, [worker]).map_err(|error| self.storage(error))?;
        }
        transaction.commit().map_err(|error| self.storage(error))
    }

    /// Withdraws pairs that were played in a state of the run that it turned out not to have.
    ///
    /// # Errors
    /// [`JournalError`], and nothing is withdrawn.
    pub fn withdraw_pairs(&mut self, pairs: &[PairIndex]) -> Result<(), JournalError> {
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.storage(error))?;
        self.remove(pairs, None, OTHER_WAY)?;
        transaction.commit().map_err(|error| self.storage(error))
    }

    fn unchecked_pairs(&self, worker: &str) -> Result<Vec<PairIndex>, JournalError> {
        // Checks by another distrusted worker do not count.
        let sql = "SELECT pair FROM worker WHERE name = ?1 AND pair NOT IN
                 (SELECT pair FROM checked WHERE by NOT IN (SELECT worker FROM set_aside)) ORDER BY pair";
        let mut pairs: Vec<PairIndex> = self.rows(sql, [worker], number)?;
        pairs.retain(|pair| !self.is_to_be_checked(*pair));
        Ok(pairs)
    }

    /// Removes pairs one after the other, within the current transaction, and keeps their contents.
    fn remove(&self, pairs: &[PairIndex], worker: Option<&str>, why: &str) -> Result<(), JournalError> {
        for &pair in pairs {
            if let Some(stored) = self.result(pair)? {
                remove(&self.connection, &stored, worker, why).map_err(|error| self.storage(error))?;
            }
        }
        Ok(())
    }
}

impl JournalReader {
    /// How many pairs were ever withdrawn. A reader that has taken in part of this journal and finds another number
    /// must start over.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn withdrawals(&self) -> Result<u64, JournalError> {
        self.number("SELECT count(*) FROM withdrawn", [])
    }

    /// The unchecked pairs of workers on other machines, of the given ones, by rising number.
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

    /// The workers whose word is not taken in this run, and why.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn set_aside(&self) -> Result<BTreeMap<String, String>, JournalError> {
        self.rows("SELECT worker, why FROM set_aside", [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Keeps which pairs were checked.
pub(super) fn keep_checked(connection: &Connection, checked: &[Checked]) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO checked (pair, by) VALUES (?1, ?2)";
    checked.iter().try_for_each(|(pair, by)| put(connection, sql, params![key(*pair), by.as_ref()]))
}

/// Takes a pair out of its tables, and keeps what it was.
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
