//! Engines from revisions of a git repository: checked out side by side, built once, kept in a cache.
//!
//! Owns git, build commands and the cache; knows nothing of games. What comes out is the path of a program.

mod cache;
mod git;
mod process;
mod recipe;
mod signature;

pub(crate) use cache::{Build, Builder};
pub(crate) use git::{Repository, Revision, WORKTREE};
pub(crate) use recipe::Recipe;
