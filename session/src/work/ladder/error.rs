//! Why the runs of a ladder make no ladder.

use stats::CountsError;
use stats::rating::RatingError;
use std::path::PathBuf;

/// Why the runs of a ladder cannot be rated together. All of these are the user's to mend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// The configuration is of another job.
    #[error("this is not a ladder")]
    NoLadder,
    /// An earlier run has other conditions.
    #[error(
        "{} has another game, other openings or other rules: the runs of a ladder share them. \
         Give the new ladder another `name`", path.display()
    )]
    OtherRules {
        /// The earlier run.
        path: PathBuf,
    },
    /// An earlier run has another entrant of the same name.
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
    /// The results are too many to be counted.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// There is no rating of these results.
    #[error(transparent)]
    Rating(#[from] RatingError),
}
