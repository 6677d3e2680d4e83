//! What a worker does before it plays pairs of a run: builds programs from their sources for its own processor, and
//! measures its speed.
//!
//! It is sent once, as a file that pairs name by its content. A run without preparation has none.

use arena::config::ReferenceSpeed;
use play::child::ContentHash;
use play::entrant::Entrant;
use serde::{Deserialize, Serialize};
use session::builds::BuildSpec;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerSetup {
    /// The programs to be built, each as entrants name it.
    pub(crate) builds: Vec<ToBuild>,
    /// The speed that time controls are scaled to, if they are.
    pub(crate) speed: Option<ToMeasure>,
}

/// How an entrant names its program: by its content, and with the folder it runs in.
pub(crate) type Named = (String, Option<PathBuf>);

/// A program to be built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToBuild {
    /// As entrants name it.
    pub(crate) named: Named,
    /// How.
    pub(crate) build_spec: BuildSpec,
}

/// A bench by which time controls are scaled to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToMeasure {
    /// Whose bench it is, as in the specs of pairs.
    pub(crate) entrant: Entrant,
    /// Its speed on the host for which time controls are given.
    pub(crate) reference: ReferenceSpeed,
    /// How long it may take.
    pub(crate) within: Duration,
    /// The cores that a game takes.
    pub(crate) threads: NonZeroUsize,
}

impl WorkerSetup {
    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.builds.is_empty() && self.speed.is_none()
    }

    /// As a file, and its SHA-256 in hexadecimal.
    pub(crate) fn file(&self) -> std::io::Result<(Vec<u8>, String)> {
        let bytes = serde_json::to_vec(self)?;
        let sha256 = ContentHash::of(&bytes[..])?.to_string();
        Ok((bytes, sha256))
    }
}
