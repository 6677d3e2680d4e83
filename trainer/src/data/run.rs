//! Runs as a source of positions, and why a run gives none.

use super::export::ExportError;
use super::sieve::Extracted;
use arena::config::PositionFilter;
use arena::run::JournalReader;
use std::path::PathBuf;

/// A run that positions are made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The run's journal.
    pub journal: PathBuf,
    /// The number of the run's pairs that count.
    pub pairs: u64,
    /// Which positions are used.
    pub filter: PositionFilter,
}

/// Why a run gives no positions.
#[derive(Debug, thiserror::Error)]
pub enum NoPositions {
    /// The run cannot be read, or positions cannot be made from it.
    #[error("{}: {why}", journal.display())]
    Unreadable {
        /// The run's journal.
        journal: PathBuf,
        /// The reason.
        why: Box<ExportError>,
    },
    /// No position of the run is left.
    #[error("{}: {why}", journal.display())]
    Empty {
        /// The run's journal.
        journal: PathBuf,
        /// The reason.
        why: &'static str,
    },
}

impl Run {
    /// Reads the journal with `read`, which must keep at least one position.
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
