//! The interface of players, each of which plays one side of one game. The referee owns this interface; players
//! implement it.

use super::clock::{Allowance, ClockFace, Limit, TimeSource};
use super::game::Game;
use record::{BySide, Ending, Fault, MoveInfo, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a player gets at the start of a game.
#[derive(Debug)]
pub struct GameStart<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The text of the position the moves start from, if it is not [`Game::start`].
    pub start: Option<&'a str>,
    /// The player's side.
    pub side: Side,
    /// How much the player may think in this game.
    pub limit: Limit,
    /// The player's own seed in this game, for players that draw random numbers.
    pub seed: u64,
    /// Set when the run is stopped: see [`Turn::stop`].
    pub stop: &'a AtomicBool,
}

/// A turn: everything a player may know when it has to move.
#[derive(Debug)]
pub struct Turn<'a, G: Game> {
    /// The position to move in.
    pub position: &'a G::Position,
    /// All plies since the game's start, the opening's included.
    pub moves: &'a [G::Move],
    /// What the player may spend on this move.
    pub allowance: Allowance,
    /// By how much the player may overrun its time unpunished.
    pub margin: Duration,
    /// Both clocks; `None` for a side that has none.
    pub clocks: BySide<Option<ClockFace>>,
    /// What measures the player's time.
    pub source: TimeSource,
    /// Whether the opponent has offered a draw with its last move: see [`MoveFailure::AgreedToDraw`].
    pub is_draw_offered: bool,
    /// Set when the run is stopped: the game no longer counts, so return anything at once.
    pub stop: &'a AtomicBool,
}

/// Which lines of engines are kept verbatim with each move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinesKept {
    /// No lines.
    #[default]
    None,
    /// The last line with the variation that the engine thinks best.
    Last,
    /// All lines about the search.
    All,
    /// Lines whose variation cannot be played.
    Illegal,
    /// The last line with the variation that the engine thinks best, and lines whose variation cannot be played.
    LastAndIllegal,
}

impl LinesKept {
    /// Whether the choice of lines depends on the position.
    pub(crate) fn are_illegal(self) -> bool {
        matches!(self, Self::Illegal | Self::LastAndIllegal)
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<M> {
    /// The move.
    pub mv: M,
    /// The player's report about the move.
    pub info: MoveInfo,
    /// The wall time of the move, where the player knows better than the referee: from sending the request to the
    /// answer's arrival.
    pub spent: Option<Duration>,
    /// How much of that time the host kept the player waiting for a processor, where that is measured.
    pub delayed: Duration,
    /// Whether the player offers a draw, which the opponent may accept in its next turn.
    pub offers_draw: bool,
}

impl<M> Reply<M> {
    /// An answer without times of its own.
    pub fn new(mv: M, info: MoveInfo) -> Self {
        Self { mv, info, spent: None, delayed: Duration::ZERO, offers_draw: false }
    }
}

/// Why a player made no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveFailure {
    /// The player did something wrong, which loses the game.
    Fault(Fault),
    /// The player resigned.
    Resigned,
    /// The player accepts the draw that its opponent has offered. Without an offer, this is a [false
    /// claim](Fault::FalseClaim).
    AgreedToDraw,
}

impl fmt::Display for MoveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Resigned => f.write_str("gave up"),
            Self::AgreedToDraw => f.write_str("agreed to a draw"),
        }
    }
}

/// A player's failure to answer, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why there is no move.
    pub why: MoveFailure,
    /// How long the host kept the player waiting for a processor within this move, where that is measured.
    pub delayed: Duration,
    /// The last lines of the player's protocol and of its standard error, for people to read.
    pub evidence: Option<String>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { why: MoveFailure::Fault(fault), delayed: Duration::ZERO, evidence: None }
    }
}

/// Plays one side of one game after another.
pub trait Player<G: Game>: Send {
    /// Chooses the lines to [hand out](Self::lines) from now on; players without lines ignore it.
    fn keep_lines(&mut self, _kept: LinesKept) {}

    /// The kept lines of the last move, verbatim. Each line is returned once.
    fn lines(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Begins a new game; the player must remember nothing of the last one.
    ///
    /// # Errors
    /// The fault that loses the game before it starts.
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure>;

    /// Chooses a move. The referee checks that it is legal and in time.
    ///
    /// # Errors
    /// Why there is no move.
    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure>;

    /// Ends the game: `ending` is `None` if it was abandoned because the run was stopped.
    fn end(&mut self, _ending: Option<&Ending>) {}
}
