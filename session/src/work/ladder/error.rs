//! Errors of ladders.

use stats::CountsError;
use stats::rating::RatingError;
use std::path::PathBuf;

/// Why the runs of a ladder cannot be rated together. The user can mend all these errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// The configuration belongs to another job.
    #[error("this is not a ladder")]
    NoLadder,
    /// An earlier run has another game, openings or rules.
    #[error(
        "{} has another game, other openings or other rules: the runs of a ladder share them. \
         Give the new ladder another `name`", path.display()
    )]
    OtherRules {
        /// The earlier run.
        path: PathBuf,
    },
    /// An entrant of an earlier run has the same name, but is another engine.
    #[error(
        "\"{name}\" was another engine in {}: other settings or another build. Give the new one another name",
        path.display()
    )]
    OtherEngine {
        /// The entrant's name.
        name: String,
        /// The earlier run.
        path: PathBuf,
    },
    /// There are too many results to count.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// These results have no rating.
    #[error(transparent)]
    Rating(#[from] RatingError),
}
