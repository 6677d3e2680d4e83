//! The player: what plays one side of one game. The referee owns this interface; players implement it.

use super::clock::{Allowance, ClockFace, Limit, TimeSource};
use super::game::{BySide, Game, Side};
use super::referee::Ending;
use crate::players::process::STOP_TIMEOUT;
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
    /// It could not be started, or did not get ready for the game; the text says why.
    Startup(String),
    /// It claimed what is not so, in the words of this text: a result that the game does not have, or that a legal move of its
    /// opponent is illegal.
    FalseClaim(String),
}

impl Fault {
    /// Whether the player's process, if it is one, has ended or must be ended.
    pub fn needs_restart(&self) -> bool {
        matches!(self, Self::Crash(_) | Self::Silence { .. } | Self::Startup(_))
    }

    /// Whether the player would have been in time, `margin` included, if the host had not kept it waiting for a processor for so long.
    pub fn is_explained_by(&self, waited: Duration, margin: Duration) -> bool {
        match self {
            Self::Time { over } => *over <= waited.saturating_add(margin),
            // It had so long to answer after its time was over.
            Self::Silence { .. } => waited >= STOP_TIMEOUT,
            Self::Crash(_) | Self::IllegalMove(_) | Self::Startup(_) | Self::FalseClaim(_) => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(how) => write!(f, "crashed: {how}"),
            Self::IllegalMove(text) => write!(f, "illegal move {text:?}"),
            Self::Time { over } => write!(f, "overran its time by {over:.3?}"),
            Self::Startup(why) => write!(f, "did not start: {why}"),
            Self::FalseClaim(text) => write!(f, "false claim {text:?}"),
            Self::Silence { after } => write!(f, "no answer within {after:.3?}"),
        }
    }
}

/// What a player is told at the start of a game.
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
    /// Whether none are kept.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde prescribes the signature")]
    pub(crate) fn are_none(&self) -> bool {
        *self == Self::None
    }

    /// Whether it depends on the position which are kept.
    pub(crate) fn are_illegal(self) -> bool {
        matches!(self, Self::Illegal | Self::LastAndIllegal)
    }
}

/// A player's own evaluation of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// The logit of the expected score, times 10,000: the 0.1 engine's unit.
    Logit(i32),
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// A forced mate in so many own moves; negative: it is mated in so many of its own.
    Mate(i32),
}

/// What a player says of a move it makes, as far as it says anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Its evaluation.
    pub score: Option<Evaluation>,
    /// Depth reached, in plies; 0 if it says none.
    pub depth: u32,
    /// Greatest depth of any line, in plies; 0 if it says none.
    pub seldepth: u32,
    /// Work done, in its own unit (the 0.1 engine: nodes, quiescence included); 0 if it says none.
    pub nodes: u64,
    /// Hits in endgame tables; 0 if it says none.
    pub tbhits: u64,
    /// How full its hash table is, in thousandths; 0 if it says nothing.
    pub hashfull: u32,
    /// The time it says it took, by its own clock.
    pub time: Option<Duration>,
}

impl Said {
    /// The most nodes that are believed of one move: a counter that has run over says more.
    pub const MOST_NODES: u64 = 1 << 44;
    /// The longest time that is believed of one move: a hundred days.
    pub const LONGEST: Duration = Duration::from_hours(100 * 24);

    /// The same, within what is believed, so that sums over a game stay numbers.
    #[must_use]
    pub fn bounded(self) -> Self {
        let time = self.time.map(|time| time.min(Self::LONGEST));
        Self { nodes: self.nodes.min(Self::MOST_NODES), tbhits: self.tbhits.min(Self::MOST_NODES), time, ..self }
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<M> {
    /// The move.
    pub mv: M,
    /// What it says of it.
    pub said: Said,
    /// Wall time it took, where the player knows better than the referee: from the request's being sent to the answer's
    /// arrival.
    pub spent: Option<Duration>,
    /// For how long of that the host kept it waiting for a processor, where that is measured.
    pub delayed: Duration,
    /// Whether it offers a draw, which the opponent may take in its next turn.
    pub offers_draw: bool,
}

impl<M> Reply<M> {
    /// An answer without more to say of its time.
    pub fn new(mv: M, said: Said) -> Self {
        Self { mv, said, spent: None, delayed: Duration::ZERO, offers_draw: false }
    }
}

/// Why a player made no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveFailure {
    /// It did something wrong, which loses the game.
    Fault(Fault),
    /// It gave the game up.
    Resigned,
    /// It takes the draw that its opponent has offered. Where there is no offer, this is a [false claim](Fault::FalseClaim).
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
    /// What was heard of it last, for people to read: lines of its protocol and of its standard error.
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

    /// What it said word for word of the move that it made last, as far as that is kept. Nothing is handed out twice.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_has_run_over_is_not_believed() {
        let said = Said { nodes: u64::MAX, time: Some(Duration::MAX), depth: 7, ..Said::default() };
        let bounded = said.bounded();
        assert_eq!((bounded.nodes, bounded.time, bounded.depth), (Said::MOST_NODES, Some(Said::LONGEST), 7));
        assert!(bounded.nodes.checked_mul(10_000).is_some(), "a game's sum is a number");
        let usual = Said { nodes: 1_000, time: Some(Duration::from_secs(1)), ..Said::default() };
        assert_eq!(usual.bounded(), usual);
    }
}
