//! The player: what plays one side of one game. The referee owns this interface; players implement it.

use super::clock::{Allowance, TimeSource};
use super::game::{Game, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a player did wrong. It loses the game, the harness goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It crashed or panicked; the text says how.
    Crash(String),
    /// It played an illegal move, given as text.
    IllegalMove(String),
    /// It overran its time by so much.
    Time {
        /// How much more than it had.
        over: Duration,
    },
    /// It gave no answer within so long.
    Silence {
        /// The deadline it missed.
        after: Duration,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(how) => write!(f, "crashed: {how}"),
            Self::IllegalMove(text) => write!(f, "illegal move {text:?}"),
            Self::Time { over } => write!(f, "overran its time by {over:.3?}"),
            Self::Silence { after } => write!(f, "no answer within {after:.3?}"),
        }
    }
}

/// What a player is told at the start of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameStart {
    /// The side it plays.
    pub side: Side,
    /// Its own seed in this game, for players that draw random numbers.
    pub seed: u64,
}

/// A turn: everything a player may know when it is to move.
#[derive(Debug)]
pub struct Turn<'a, G: Game> {
    /// The position to move in.
    pub position: &'a G::Position,
    /// All plies since [`Game::start`], the opening's included.
    pub moves: &'a [G::Move],
    /// What this move may cost.
    pub allowance: Allowance,
    /// What measures the player's time.
    pub source: TimeSource,
    /// Raised when the run is stopped: the game no longer counts, so return anything at once.
    pub stop: &'a AtomicBool,
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<M> {
    /// The move.
    pub mv: M,
    /// Its own evaluation, for the side to move, in its own unit (the 0.1 engine: logit x 10,000), if it says one.
    pub score: Option<i32>,
    /// Depth reached, in plies; 0 if it says none.
    pub depth: u32,
    /// Work done, in its own unit (the 0.1 engine: nodes, quiescence included); 0 if it says none.
    pub nodes: u64,
}

/// Plays one side of one game after another.
pub trait Player<G: Game>: Send {
    /// A new game begins; nothing of the last one may be remembered.
    ///
    /// # Errors
    /// The fault that loses the game before it starts.
    fn begin(&mut self, start: GameStart) -> Result<(), Fault>;

    /// Chooses a move. The referee checks that it is legal and in time.
    ///
    /// # Errors
    /// The fault that loses the game.
    fn choose(&mut self, turn: &Turn<'_, G>) -> Result<Reply<G::Move>, Fault>;
}
