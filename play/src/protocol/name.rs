//! The protocols, by name alone: configurations need no more.

use serde::{Deserialize, Serialize};

/// The protocol of an engine process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The universal chess interface, or its dialect for 0.1.
    #[default]
    Uci,
    /// The chess engine communication protocol, version 2.
    Xboard,
    /// The tournament protocol of 0.1. A process plays one game.
    Codecup,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Self; 3] = [Self::Uci, Self::Xboard, Self::Codecup];
}
