//! The changes to a run or a job that is resumed.

use std::num::NonZeroU64;

/// The changes to a run or a job that is resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// `key=value` texts that replace what the stored configuration says.
    pub settings: Vec<String>,
    /// How many pairs a run may have, or games of self-play; of a job each of its runs.
    pub pairs: Option<NonZeroU64>,
}

impl From<Vec<String>> for Changes {
    fn from(settings: Vec<String>) -> Self {
        Self { settings, pairs: None }
    }
}
