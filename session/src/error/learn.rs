//! Why learning cannot continue as asked.

use std::path::PathBuf;

/// Why learning cannot be resumed as requested. The user can mend all of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// Its configuration says something else now.
    #[error(
        "{} was started with another configuration; only `generations` and `max_fault_share` may change during the \
            job:\n  {}\n\
         Undo the change to resume it, or give the new one another `name`", path.display(), differences.join("\n  ")
    )]
    OtherPlan {
        /// Its folder.
        path: PathBuf,
        /// What differs, one line each.
        differences: Vec<String>,
    },
    /// Fewer generations are asked for than are done.
    #[error("{}: {done} generations are complete, so `generations = {asked}` is too few: expected {done} or \
        more", path.display())]
    TooFew {
        /// Its folder.
        path: PathBuf,
        /// How many are done.
        done: u32,
        /// How many are asked for.
        asked: u32,
    },
}
