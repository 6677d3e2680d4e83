//! What a reader remembers of a journal, to tell later whether its pairs are still the ones that it has read.
//!
//! A folder can hold another run of the same name, the same configuration and the same number of pairs: it was played
//! again, or put back from a copy. Nothing of a file's number or time tells, since a copy has others. So the sessions
//! of work and the last pair that was read are compared.

use super::{Header, JournalError, JournalReader, key};

/// What is remembered.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalMark {
    header: Header,
    /// How many pairs had been withdrawn.
    withdrawals: u64,
    /// When and where each session of work began.
    sessions: Vec<(i64, String)>,
    /// How many pairs were read.
    pairs: u64,
    /// The last of them as stored.
    last: Option<StoredBytes>,
}

/// A pair's proposal, its opening and its games.
type StoredBytes = [Option<Vec<u8>>; 4];

impl JournalMark {
    /// The run's identity.
    pub fn header(&self) -> &Header {
        &self.header
    }
}

impl JournalReader {
    /// What to remember of this journal when its first `pairs` pairs were read.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
    pub fn mark(&self, pairs: u64) -> Result<JournalMark, JournalError> {
        let (header, withdrawals) = (self.header()?, self.withdrawals()?);
        let mut mark = JournalMark { header, withdrawals, sessions: Vec::new(), pairs, last: None };
        self.remark(&mut mark, pairs)?;
        Ok(mark)
    }

    /// Brings a mark of this journal up to date, now that `pairs` pairs were read.
    ///
    /// # Errors
    /// [`JournalError::Storage`].
    pub fn remark(&self, mark: &mut JournalMark, pairs: u64) -> Result<(), JournalError> {
        (mark.sessions, mark.last, mark.pairs) = (self.began()?, self.bytes_before(pairs)?, pairs);
        Ok(())
    }

    /// Whether the pairs that were read up to a mark are still the first ones of this journal.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
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

    /// The pair before the one of this number; `None` if it is not there.
    fn bytes_before(&self, pairs: u64) -> Result<Option<StoredBytes>, JournalError> {
        let Some(last) = pairs.checked_sub(1) else { return Ok(None) };
        let sql = "SELECT p.proposal, g.opening, g.game0, g.game1 FROM pair p LEFT JOIN games g USING (pair) WHERE \
            p.pair = ?1";
        self.row(sql, [key(last)], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))
    }
}
