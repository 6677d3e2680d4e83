//! Runs as a source of positions: what is read of one, and why nothing can be.

use super::export::ExportError;
use super::sieve::Extracted;
use arena::config::PositionFilter;
use arena::run::JournalReader;
use std::path::PathBuf;

/// A run whose games positions are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its journal.
    pub journal: PathBuf,
    /// How many of its pairs count.
    pub pairs: u64,
    /// Which positions are used.
    pub filter: PositionFilter,
}

/// A run that gives no position.
#[derive(Debug, thiserror::Error)]
pub enum NoPositions {
    /// It cannot be read, or is none that positions are made of.
    #[error("{}: {why}", journal.display())]
    Unreadable {
        /// Its journal.
        journal: PathBuf,
        /// Why not.
        why: Box<ExportError>,
    },
    /// Nothing is left of it.
    #[error("{}: {why}", journal.display())]
    Empty {
        /// Its journal.
        journal: PathBuf,
        /// Why there is no position.
        why: &'static str,
    },
}

impl Run {
    /// Reads the journal with `read`, which must find something to use.
    pub(crate) fn read(
        &self,
        read: impl FnOnce(&JournalReader) -> Result<Extracted, ExportError>,
    ) -> Result<(), NoPositions> {
        let journal = JournalReader::open(&self.journal).map_err(ExportError::from);
        let counts = journal.and_then(|journal| read(&journal));
        let counts =
            counts.map_err(|why| NoPositions::Unreadable { journal: self.journal.clone(), why: Box::new(why) })?;
        let why = match counts {
            Extracted { kept: 1.., .. } => return Ok(()),
            Extracted { games: 0, .. } => "no pair of this run is finished yet",
            Extracted { games, faulty_games, unequal_games, .. } if games == faulty_games + unequal_games => {
                "all games of this run began too unequal for its filter, or ended by a fault"
            }
            Extracted { plies, unscored, .. } if plies == unscored => {
                "no player reported a score in the games of this run"
            }
            _ => "the filter of this run leaves out all of its positions",
        };
        Err(NoPositions::Empty { journal: self.journal.clone(), why })
    }
}
