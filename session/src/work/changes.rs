//! The changes of a resumed run or job.

use std::num::NonZeroU64;

/// The changes of a resumed run or job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// `key=value` texts that override the stored configuration.
    pub settings: Vec<String>,
    /// The number of pairs of a run, or of games of self-play; for a job, of each of its runs.
    pub pairs: Option<NonZeroU64>,
}

impl From<Vec<String>> for Changes {
    fn from(settings: Vec<String>) -> Self {
        Self { settings, pairs: None }
    }
}
