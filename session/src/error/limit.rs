//! Why a run cannot have this many pairs.

use reports::text::{counted, grouped};
use std::num::NonZeroU64;

/// Why a run cannot have this many pairs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// More pairs than this have been played already.
    #[error(
        "{run}: {} played already, so {asked} is too few: expected {} or more", are(*played, unit), grouped(*least)
    )]
    TooFew {
        /// The run.
        run: String,
        /// The number of rounds that count.
        played: u64,
        /// The name of a round, in the singular.
        unit: &'static str,
        /// The requested limit, in words.
        asked: String,
        /// The lowest limit that is accepted.
        least: u64,
    },
    /// The pairings of the run depend on results.
    #[error(
        "{run} is a {schedule}: its pairings depend on the number of pairs of a match. Start another run to play more"
    )]
    Fixed {
        /// The run.
        run: String,
        /// Its schedule.
        schedule: &'static str,
    },
    /// Learning has no pairs of its own.
    #[error("`--pairs {pairs}`: {job} learns in generations. Use `--set learn.generations=N`")]
    Learning {
        /// The job.
        job: String,
        /// The requested number of pairs.
        pairs: NonZeroU64,
    },
}

fn are(count: u64, unit: &str) -> String {
    format!("{} {}", counted(count, unit), if count == 1 { "was" } else { "were" })
}
