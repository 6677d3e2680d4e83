//! The engine's side of a `CodeCup` game: the valid order of lines, the required action, and the time left.
//!
//! Reads no clock: the caller passes the duration of each move.

use super::CodecupParams;
use super::{CodeCupCommand, ParseCodeCupError, DEFAULT_TIME};
use crate::protocol::{GameRecord, MoveError};
use crate::time::TimeLeft;
use crate::{Move, Position};
use std::fmt;
use std::time::Duration;

/// The action that a line requires of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Wait for the next line.
    Wait,
    /// Make a move.
    Move,
    /// Exit.
    Quit,
}

/// The phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// `Time`, `Opening`, `Start` and the first move are accepted.
    Setup,
    /// It is the opponent's turn, or the game is over.
    Waiting,
    /// It is the engine's turn.
    Thinking,
}

/// The engine's side of one game.
#[derive(Clone, Debug)]
pub struct Session {
    record: GameRecord,
    phase: Phase,
    /// The time of the `Time` line, if any.
    total_time: Option<Duration>,
    spent: Duration,
    /// The number of moves that the engine has made.
    moves: u32,
}

impl Session {
    /// A session before its first line.
    pub fn new() -> Self {
        Self {
            record: GameRecord::new(Position::new()),
            phase: Phase::Setup,
            total_time: None,
            spent: Duration::ZERO,
            moves: 0,
        }
    }

    /// The game so far.
    pub fn record(&self) -> &GameRecord {
        &self.record
    }

    /// The time left for the engine's moves. The protocol does not send it. Time that only the referee measures, in
    /// pipes and on a busy machine, is assumed to be [`CodecupParams::codecup_overhead`] for each move, and
    /// [`CodecupParams::codecup_reserve`] is kept in reserve.
    pub fn time_left(&self, params: &CodecupParams) -> TimeLeft {
        let time = self.total_time.unwrap_or(DEFAULT_TIME);
        let at_most = |seconds: f64, most: Duration| Duration::from_secs_f64(seconds.max(0.0)).min(most);
        let overhead = at_most(params.codecup_overhead, time / 1500) * self.moves;
        TimeLeft {
            remaining: time.saturating_sub(self.spent).saturating_sub(overhead),
            reserve: at_most(params.codecup_reserve, time / 30),
            increment: Duration::ZERO,
        }
    }

    /// Processes a line.
    ///
    /// # Errors
    /// [`SessionError`] if the line cannot be parsed or is not valid at this point; the session is then unchanged.
    pub fn handle_line(&mut self, line: &str) -> Result<Action, SessionError> {
        let command = CodeCupCommand::parse(self.record.position(), line)?;
        match (command, self.phase) {
            (CodeCupCommand::Quit, _) => Ok(Action::Quit),
            (CodeCupCommand::Time(time), Phase::Setup) if self.total_time.is_none() => {
                self.total_time = Some(time);
                Ok(Action::Wait)
            }
            (CodeCupCommand::Opening(moves), Phase::Setup) if self.record.history().is_empty() => {
                for mv in moves {
                    self.record.play(mv)?;
                }
                Ok(Action::Wait)
            }
            (CodeCupCommand::Start, Phase::Setup) => Ok(self.turn()),
            (CodeCupCommand::Move(mv), Phase::Setup | Phase::Waiting) => {
                self.record.play(mv)?;
                Ok(self.turn())
            }
            _ => Err(SessionError::Order { line: line.trim().to_owned(), expected: self.expected() }),
        }
    }

    /// Makes the engine's own move, which took the time `took`.
    ///
    /// # Errors
    /// [`MoveError::Illegal`]; the session is then unchanged.
    pub fn record_move(&mut self, mv: Move, took: Duration) -> Result<(), MoveError> {
        self.record.play(mv)?;
        self.spent += took;
        self.moves += 1;
        self.phase = Phase::Waiting;
        Ok(())
    }

    /// Gives the turn to the engine, unless the game is over.
    fn turn(&mut self) -> Action {
        if self.record.position().outcome().is_some() {
            self.phase = Phase::Waiting;
            return Action::Wait;
        }
        self.phase = Phase::Thinking;
        Action::Move
    }

    fn expected(&self) -> &'static str {
        match self.phase {
            Phase::Setup => "Start or the opponent's move, or before them Time and Opening, once each",
            Phase::Waiting => "the opponent's move or Quit",
            Phase::Thinking => "only Quit, because it is the engine's turn",
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a line is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// The line cannot be parsed.
    Line(ParseCodeCupError),
    /// The line is not valid at this point.
    Order {
        /// The line.
        line: String,
        /// The expected line.
        expected: &'static str,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(error) => error.fmt(f),
            Self::Order { line, expected } => write!(f, "expected {expected}, found \"{}\"", line.escape_debug()),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<ParseCodeCupError> for SessionError {
    fn from(error: ParseCodeCupError) -> Self {
        Self::Line(error)
    }
}

impl From<MoveError> for SessionError {
    fn from(error: MoveError) -> Self {
        Self::Line(ParseCodeCupError::Move(error))
    }
}
