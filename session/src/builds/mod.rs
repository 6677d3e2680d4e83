//! Engines from revisions of a git repository: checked out side by side, built once, kept in a cache.
//!
//! Owns git, build commands and the cache; knows nothing of games and prints nothing: whoever asks for a build is told what happens.
//! What comes out is the path of a program.

mod blueprint;
mod cache;
mod diff;
mod error;
mod git;
mod news;
mod process;
mod recipe;
mod signature;
mod snapshot;
mod tree;
mod workshop;

pub use blueprint::Blueprint;
pub use cache::Build;
pub(crate) use diff::diff;
pub use error::{BuildError, FailedBuild};
pub use git::{Revision, WORKTREE};
pub use news::{BuildNews, Step};
pub(crate) use process::{End, run};
pub use workshop::{Sources, Workshop, default_cache};
