//! A pair to be played. Its spec is self-contained, so that a local thread or another machine can play it.

use play::entrant::Entrant;
use play::games::GameKind;
use play::{PairOpening, TableRules};
use record::{BuildId, PairIndex, Sides};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One pair to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairSpec {
    /// The pair's number.
    pub pair: PairIndex,
    /// The run's seed.
    pub run_seed: u64,
    /// The game.
    pub game: GameKind,
    /// The entrants, fully resolved; see [`Proposal::seats`](record::Proposal::seats). The command of an engine process
    /// and the weights file of an in-process engine are [content names](super::content_name); the worker knows where it
    /// keeps these files.
    pub seats: [Arc<Entrant>; 2],
    /// The builds of the two players.
    pub builds: [Arc<BuildId>; 2],
    /// Who moves first in which game.
    pub sides: Sides,
    /// The opening of all games of the pair.
    pub opening: PairOpening,
    /// How the games are played, beyond the rules of the game.
    pub rules: TableRules,
}
