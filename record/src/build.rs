//! Which program a player is.

use serde::{Deserialize, Serialize};

/// What identifies the build of an entrant's player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildId {
    /// The engine in process: it searches the same trees and has the same parameters.
    Native {
        /// Node count of the engine's `bench`.
        bench: u64,
        /// Hash of its parameter table, in hexadecimal.
        params: String,
        /// SHA-256 of the file of its weights, in hexadecimal; none for those that the engine is shipped with.
        network: Option<String>,
        /// SHA-256 of the file of its policy, in hexadecimal, if it has one.
        policy: Option<String>,
    },
    /// The random player: only its generator, which never changes.
    Random,
    /// A player that only the program knows which plays the run.
    Custom,
    /// An engine over TCP: its program is unknown.
    Remote {
        /// Its host and port.
        address: String,
    },
    /// An engine process: its program.
    Process {
        /// SHA-256 of the program's file, in hexadecimal.
        sha256: String,
    },
}
