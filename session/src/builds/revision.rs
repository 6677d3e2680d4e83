//! A revision of a repository, as it was asked for and as it was found.

use serde::{Deserialize, Serialize};

/// What stands for the working tree where a revision is expected.
pub const WORKTREE: &str = "worktree";

/// Digits of an id that are shown.
const SHORT: usize = 8;

/// A revision to be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// As it was asked for.
    pub asked: String,
    /// The commit's id.
    pub commit: String,
    /// What identifies it: the commit's id, or that of the tree of a snapshot.
    pub id: String,
    /// The commit's message.
    pub message: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

impl Revision {
    /// The first digits of what identifies it.
    pub fn short(&self) -> &str {
        &self.id[..SHORT.min(self.id.len())]
    }

    /// The first line of its message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}
