//! A revision of a repository, as requested and as found.

use serde::{Deserialize, Serialize};

/// The name of the working tree as a revision.
pub const WORKTREE: &str = "worktree";

/// The number of digits of an id that are shown.
const SHORT: usize = 8;

/// A revision to build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The name, as requested.
    pub asked: String,
    /// The commit's id.
    pub commit: String,
    /// Its id: that of the commit, or that of the tree of a snapshot.
    pub id: String,
    /// The commit's message.
    pub message: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
}

impl Revision {
    /// Returns the first digits of its id.
    pub fn short(&self) -> &str {
        &self.id[..SHORT.min(self.id.len())]
    }

    /// Returns the first line of its message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}
