//! A reader's mark in a journal, which tells later whether the pairs already read are still those of the journal.
//!
//! A folder can come to hold another run of the same name, configuration and number of pairs, if the run was played
//! again or restored from a copy. The inode and times of a file do not help, since a copy has others. So the sessions
//! and the last pair read are compared.

use super::{Header, JournalError, JournalReader, key};

/// What a reader remembers of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalMark {
    header: Header,
    /// The number of pairs withdrawn so far.
    withdrawals: u64,
    /// The start time and host of each session.
    sessions: Vec<(i64, String)>,
    /// The number of pairs read.
    pairs: u64,
    /// The last pair read, as stored.
    last: Option<StoredBytes>,
}

/// A pair's proposal, its opening and its games.
type StoredBytes = [Option<Vec<u8>>; 4];

impl JournalMark {
    /// Returns the run's identity.
    pub fn header(&self) -> &Header {
        &self.header
    }
}

impl JournalReader {
    /// Returns a mark of this journal after its first `pairs` pairs.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be read.
    pub fn mark(&self, pairs: u64) -> Result<JournalMark, JournalError> {
        let (header, withdrawals) = (self.header()?, self.withdrawals()?);
        let mut mark = JournalMark { header, withdrawals, sessions: Vec::new(), pairs, last: None };
        self.remark(&mut mark, pairs)?;
        Ok(mark)
    }

    /// Updates a mark of this journal after its first `pairs` pairs.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn remark(&self, mark: &mut JournalMark, pairs: u64) -> Result<(), JournalError> {
        (mark.sessions, mark.last, mark.pairs) = (self.began()?, self.bytes_before(pairs)?, pairs);
        Ok(())
    }

    /// Whether the pairs read up to a mark are still the first pairs of this journal.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be read.
    pub fn continues(&self, mark: &JournalMark) -> Result<bool, JournalError> {
        Ok(self.header()? == mark.header
            && self.withdrawals()? == mark.withdrawals
            && self.began()?.starts_with(&mark.sessions)
            && self.bytes_before(mark.pairs)? == mark.last)
    }

    fn began(&self) -> Result<Vec<(i64, String)>, JournalError> {
        let sql = "SELECT started_unix_ms, host FROM session ORDER BY session";
        self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the pair before the one with this number; `None` if it is missing.
    fn bytes_before(&self, pairs: u64) -> Result<Option<StoredBytes>, JournalError> {
        let Some(last) = pairs.checked_sub(1) else { return Ok(None) };
        let sql = "SELECT p.proposal, g.opening, g.game0, g.game1 FROM pair p LEFT JOIN games g USING (pair) WHERE \
            p.pair = ?1";
        self.row(sql, [key(last)], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))
    }
}
