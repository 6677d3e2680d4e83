//! Reads a run's pairs as they are absorbed, through its own connection, so that games can be shown or written during
//! the run.

use super::export::PgnComments;
use super::journal::{JournalError, JournalReader, StoredResult};
use super::name::pair_number;
use play::players::process::Introduction;
use record::PairIndex;
use std::path::Path;

/// A journal reader that reads each pair only once.
#[derive(Debug)]
pub struct Follower {
    journal: JournalReader,
    next: PairIndex,
}

impl Follower {
    /// Opens the journal at `path`, before its first pair.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be opened.
    pub fn new(path: &Path) -> Result<Self, JournalError> {
        Ok(Self { journal: JournalReader::open(path)?, next: 0 })
    }

    /// Returns the engines' introductions so far, each with the number of its entrant, the latest last.
    ///
    /// # Errors
    /// [`JournalError`] if they cannot be read.
    pub fn introductions(&self) -> Result<Vec<(usize, Introduction)>, JournalError> {
        Ok(self.journal.sessions()?.into_iter().flat_map(|session| session.introductions).collect())
    }

    /// Returns the stored engine lines of a pair, by game and ply.
    ///
    /// # Errors
    /// [`JournalError`] if they cannot be read.
    pub fn lines(&self, pair: PairIndex) -> Result<PgnComments, JournalError> {
        self.journal.lines(pair)
    }

    /// Yields the pairs below `upto` that have not been read yet, in order, one in memory at a time. All of them must
    /// have been absorbed, so that their rows are committed. A pair that cannot be read yields an error, and is read
    /// again the next time.
    pub fn absorbed(&mut self, upto: PairIndex) -> impl Iterator<Item = Result<StoredResult, JournalError>> + '_ {
        std::iter::from_fn(move || {
            let pair = self.next;
            if pair >= upto {
                return None;
            }
            Some(self.journal.result(pair).and_then(|stored| {
                let stored = stored.ok_or_else(|| JournalError::Damaged {
                    path: self.journal.path().to_owned(),
                    place: format!("pair {}", pair_number(pair)),
                    why: "its games are missing".to_owned(),
                })?;
                self.next += 1;
                Ok(stored)
            }))
        })
    }
}
