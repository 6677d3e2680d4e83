//! The player: what plays one side of one game. The referee owns this interface; players implement it.

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
    /// The side it plays.
    pub side: Side,
    /// How much it may think in this game.
    pub limit: Limit,
    /// Its own seed in this game, for players that draw random numbers.
    pub seed: u64,
    /// Raised when the run is stopped: see [`Turn::stop`].
    pub stop: &'a AtomicBool,
}

/// A turn: everything a player may know when it is to move.
#[derive(Debug)]
pub struct Turn<'a, G: Game> {
    /// The position to move in.
    pub position: &'a G::Position,
    /// All plies since the game's start, the opening's included.
    pub moves: &'a [G::Move],
    /// What this move may cost.
    pub allowance: Allowance,
    /// By how much it may overrun unpunished.
    pub margin: Duration,
    /// Both clocks, the one of a side that has none being `None`.
    pub clocks: BySide<Option<ClockFace>>,
    /// What measures the player's time.
    pub source: TimeSource,
    /// Whether the opponent has offered a draw with its last move: see [`MoveFailure::AgreedToDraw`].
    pub is_draw_offered: bool,
    /// Raised when the run is stopped: the game no longer counts, so return anything at once.
    pub stop: &'a AtomicBool,
}

/// Which lines of engines are kept, word for word, with each move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinesKept {
    /// None.
    #[default]
    None,
    /// The last that tells the line of play that it thinks best.
    Last,
    /// All that tell of the search.
    All,
    /// Those whose line of play cannot be played.
    Illegal,
    /// The last that tells the line of play that it thinks best, and those whose line of play cannot be played.
    LastAndIllegal,
}

impl LinesKept {
    /// Whether it depends on the position which are kept.
    pub(crate) fn are_illegal(self) -> bool {
        matches!(self, Self::Illegal | Self::LastAndIllegal)
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<M> {
    /// The move.
    pub mv: M,
    /// Its report about the move.
    pub info: MoveInfo,
    /// Wall time it took, where the player knows better than the referee: from the request's being sent to the answer's
    /// arrival.
    pub spent: Option<Duration>,
    /// For how long of that the host kept it waiting for a processor, where that is measured.
    pub delayed: Duration,
    /// Whether it offers a draw, which the opponent may take in its next turn.
    pub offers_draw: bool,
}

impl<M> Reply<M> {
    /// An answer without own times.
    pub fn new(mv: M, info: MoveInfo) -> Self {
        Self { mv, info, spent: None, delayed: Duration::ZERO, offers_draw: false }
    }
}

/// Why a player made no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveFailure {
    /// It did something wrong, which loses the game.
    Fault(Fault),
    /// It gave the game up.
    Resigned,
    /// It takes the draw that its opponent has offered. Where there is no offer, this is a [false
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

/// A player's failure to answer, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why there is no move.
    pub why: MoveFailure,
    /// For how long the host kept it waiting for a processor within this move, where that is measured.
    pub delayed: Duration,
    /// Its last lines, for people to read: those of its protocol and of its standard error.
    pub evidence: Option<String>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { why: MoveFailure::Fault(fault), delayed: Duration::ZERO, evidence: None }
    }
}

/// Plays one side of one game after another.
pub trait Player<G: Game>: Send {
    /// Which lines it is to [hand out](Self::lines) from now on; players without lines take no notice.
    fn keep_lines(&mut self, _kept: LinesKept) {}

    /// The kept lines of its last move, verbatim. Each line is returned once.
    fn lines(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// A new game begins; nothing of the last one may be remembered.
    ///
    /// # Errors
    /// The fault that loses the game before it starts.
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure>;

    /// Chooses a move. The referee checks that it is legal and in time.
    ///
    /// # Errors
    /// Why there is no move.
    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Failure>;

    /// The game is over: how it ended, or `None` if it was given up because the run was stopped.
    fn end(&mut self, _ending: Option<&Ending>) {}
}
