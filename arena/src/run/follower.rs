//! Reads a run's pairs as they are absorbed, through a connection of its own, so that games can be shown or written
//! during the run.

use super::export::PgnComments;
use super::journal::{JournalError, JournalReader, StoredResult};
use super::name::pair_number;
use play::players::process::Introduction;
use record::PairIndex;
use std::path::Path;

/// A reader of a run's journal that never reads a pair twice.
#[derive(Debug)]
pub struct Follower {
    journal: JournalReader,
    next: PairIndex,
}

impl Follower {
    /// Before the first pair of the journal at `path`.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be opened.
    pub fn new(path: &Path) -> Result<Self, JournalError> {
        Ok(Self { journal: JournalReader::open(path)?, next: 0 })
    }

    /// How the engines have introduced themselves so far, with the numbers of their entrants: the latest last.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
    pub fn introductions(&self) -> Result<Vec<(usize, Introduction)>, JournalError> {
        Ok(self.journal.sessions()?.into_iter().flat_map(|session| session.introductions).collect())
    }

    /// The lines of engines that were kept of a pair, by game and ply.
    ///
    /// # Errors
    /// [`JournalError`] if they cannot be read.
    pub fn lines(&self, pair: PairIndex) -> Result<PgnComments, JournalError> {
        self.journal.lines(pair)
    }

    /// The pairs below `upto` that were not read yet, in order, one in memory at a time. All of them must have been
    /// absorbed: their rows are committed then. One that cannot be read is an error, and is asked for again the next
    /// time.
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
