//! What comes of a build.

use super::revision::Revision;
use std::path::PathBuf;

/// Where the program is, and what it needs.
pub(super) const ENGINE: &str = "engine";

/// A built engine.
#[derive(Clone, Debug)]
pub struct Build {
    /// What it was built from.
    pub revision: Revision,
    /// The program.
    pub program: PathBuf,
    /// Where to run it, if it needs files beside it: their paths are relative to this folder.
    pub directory: Option<PathBuf>,
    /// SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// Its signature, if it was taken.
    pub nodes: Option<u64>,
    /// Whether it was there already.
    pub cached: bool,
}
