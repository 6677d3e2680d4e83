//! What a worker does before it plays pairs of a run: builds programs from their sources for its own processor.
//!
//! It travels once, as a file that pairs name by its content. A run that wants nothing done has none.

use play::child::ContentHash;
use serde::{Deserialize, Serialize};
use session::builds::Blueprint;
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// The programs to be built, each as entrants name it.
    pub(crate) builds: Vec<ToBuild>,
}

/// How an entrant names its program: by its content, and with the folder it runs in.
pub(crate) type Named = (String, Option<PathBuf>);

/// A program to be built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToBuild {
    /// As entrants name it.
    pub(crate) named: Named,
    /// How.
    pub(crate) blueprint: Blueprint,
}

impl Terms {
    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.builds.is_empty()
    }

    /// As a file, and its SHA-256 in hexadecimal.
    pub(crate) fn file(&self) -> std::io::Result<(Vec<u8>, String)> {
        let bytes = serde_json::to_vec(self)?;
        let sha256 = ContentHash::of(&bytes[..])?.to_string();
        Ok((bytes, sha256))
    }
}
