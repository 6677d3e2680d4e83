//! Builds engines from revisions of a git repository: checks them out side by side, builds each once, and caches the
//! builds.
//!
//! This module owns git, build commands and the cache. It knows nothing about games and prints nothing: the caller of a
//! build gets events. The result is the path of a program.

mod build;
mod build_spec;
mod builder;
mod cache;
mod diff;
pub(crate) mod error;
mod event;
mod git;
mod patches;
mod process;
pub(crate) mod range;
mod recipe;
mod revision;
mod signature;
mod snapshot;
mod tree;

pub use build::Build;
pub use build_spec::BuildSpec;
pub use builder::{EngineBuilder, Sources, default_cache};
pub use cache::built_from;
pub(crate) use diff::diff;
pub use diff::revisions;
pub use error::{BuildError, FailedBuild};
pub use event::{BuildEvent, Step};
pub use patches::Merged;
pub(crate) use process::{End, run};
pub use range::{RangeCommit, RangeError};
pub use revision::{Revision, WORKTREE};
