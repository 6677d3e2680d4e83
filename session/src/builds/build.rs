//! The result of a build.

use super::revision::Revision;
use std::path::PathBuf;

/// The subfolder of the program and its files.
pub(super) const ENGINE: &str = "engine";

/// A built engine.
#[derive(Clone, Debug)]
pub struct Build {
    /// The revision that it was built from.
    pub revision: Revision,
    /// The program.
    pub program: PathBuf,
    /// Its working directory, if it needs files beside it: their paths are relative to this folder.
    pub directory: Option<PathBuf>,
    /// SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// Its signature, if it was taken.
    pub nodes: Option<u64>,
    /// Whether the build came from the cache.
    pub cached: bool,
}
