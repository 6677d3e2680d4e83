//! A worker's preparation for a run: it builds programs from their sources for its own processor, and measures its
//! speed.
//!
//! The setup is sent once, as a file that pairs name by its content. A run without preparation has none.

use arena::config::ReferenceSpeed;
use play::child::ContentHash;
use play::entrant::Entrant;
use serde::{Deserialize, Serialize};
use session::builds::BuildSpec;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// The preparation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerSetup {
    /// The programs to build, each with the name that entrants use.
    pub(crate) builds: Vec<ToBuild>,
    /// The bench for scaling time controls, if they are scaled.
    pub(crate) speed: Option<ToMeasure>,
}

/// An entrant's name for its program: its content, and the folder it runs in.
pub(crate) type Named = (String, Option<PathBuf>);

/// A program to build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToBuild {
    /// The name that entrants use.
    pub(crate) named: Named,
    /// The build instructions.
    pub(crate) build_spec: BuildSpec,
}

/// A bench by which time controls are scaled to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToMeasure {
    /// The entrant whose bench it is, as in the specs of pairs.
    pub(crate) entrant: Entrant,
    /// The entrant's speed on the host for which time controls are given.
    pub(crate) reference: ReferenceSpeed,
    /// The deadline.
    pub(crate) within: Duration,
    /// The cores that a game takes.
    pub(crate) threads: NonZeroUsize,
}

impl WorkerSetup {
    /// Whether the run needs no preparation.
    pub(crate) fn is_empty(&self) -> bool {
        self.builds.is_empty() && self.speed.is_none()
    }

    /// Returns the setup as a file, with its SHA-256 in hexadecimal.
    pub(crate) fn file(&self) -> std::io::Result<(Vec<u8>, String)> {
        let bytes = serde_json::to_vec(self)?;
        let sha256 = ContentHash::of(&bytes[..])?.to_string();
        Ok((bytes, sha256))
    }
}
