//! A pair to be played: self-contained, so that a thread here can play it or a machine elsewhere.

use play::entrant::Entrant;
use play::games::GameKind;
use play::{PairOpening, TableRules};
use record::{BuildId, PairIndex, Sides};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One pair to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairSpec {
    /// Its number.
    pub pair: PairIndex,
    /// The run's seed.
    pub run_seed: u64,
    /// The game.
    pub game: GameKind,
    /// The entrants, fully resolved; see [`Proposal::seats`](record::Proposal::seats). The command of an engine process
    /// is the [name of its program's content](super::content_name), and so is the file of an engine's weights: the
    /// worker knows where it has them.
    pub seats: [Arc<Entrant>; 2],
    /// The builds of those who play.
    pub builds: [Arc<BuildId>; 2],
    /// Who moves first in which game.
    pub sides: Sides,
    /// What all games start with.
    pub opening: PairOpening,
    /// How its games are played beside the rules of the game.
    pub rules: TableRules,
}
