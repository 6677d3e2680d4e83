//! Errors of resumed learning.

use std::path::PathBuf;

/// Why learning cannot be resumed as requested. The user can mend all these errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// Its configuration differs from that of its start.
    #[error(
        "{} was started with another configuration; only `generations`, `title`, `concurrency` and `max_fault_share` \
            may change during the job:\n  {}\n\
         Undo the change to resume it, or give the new one another `name`", path.display(), differences.join("\n  ")
    )]
    OtherPlan {
        /// Its folder.
        path: PathBuf,
        /// The differences, one per line.
        differences: Vec<String>,
    },
    /// Fewer generations are requested than are complete.
    #[error("{}: {done} generations are complete, so `generations = {asked}` is too few: expected {done} or \
        more", path.display())]
    TooFew {
        /// Its folder.
        path: PathBuf,
        /// The number of complete generations.
        done: u32,
        /// The number of requested generations.
        asked: u32,
    },
}
