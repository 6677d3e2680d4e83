//! The engine's seat at a `CodeCup` game: which line may come when, what it asks for, and what time is left.
//!
//! No clock is read here: whoever reads one says what a move took.

use super::{Command, ParseCommandError, DEFAULT_TIME};
use crate::protocol::{MoveError, Record};
use crate::time::TimeLeft;
use crate::{Move, Position};
use std::fmt;
use std::time::Duration;

/// What a line asks of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Nothing: the next line decides.
    Wait,
    /// To make a move.
    Move,
    /// To end at once.
    Leave,
}

/// How far the game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// `Time`, `Opening`, `Start` and the first move may come.
    Before,
    /// It is the opponent's turn, or the game is over.
    Listening,
    /// It is the engine's turn.
    Thinking,
}

/// One side of one game.
#[derive(Clone, Debug)]
pub struct Seat {
    record: Record,
    stage: Stage,
    /// What `Time` said, once it has.
    told: Option<Duration>,
    spent: Duration,
}

impl Seat {
    /// The seat before the first line.
    pub fn new() -> Self {
        Self { record: Record::new(Position::new()), stage: Stage::Before, told: None, spent: Duration::ZERO }
    }

    /// The game so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What is left for the engine's moves. An eighth of the game's time, 500 ms at most, stays in reserve for what only
    /// the referee sees: the way through the pipes, and a busy machine.
    pub fn time_left(&self) -> TimeLeft {
        let time = self.told.unwrap_or(DEFAULT_TIME);
        TimeLeft {
            remaining: time.saturating_sub(self.spent),
            reserve: (time / 8).min(Duration::from_millis(500)),
            increment: Duration::ZERO,
        }
    }

    /// Takes a line in.
    ///
    /// # Errors
    /// [`SeatError`] when it cannot be read or has no place here; the seat is as it was.
    pub fn take(&mut self, line: &str) -> Result<Duty, SeatError> {
        let command = Command::parse(self.record.position(), line)?;
        match (command, self.stage) {
            (Command::Quit, _) => Ok(Duty::Leave),
            (Command::Time(time), Stage::Before) if self.told.is_none() => {
                self.told = Some(time);
                Ok(Duty::Wait)
            }
            (Command::Opening(moves), Stage::Before) if self.record.history().is_empty() => {
                for mv in moves {
                    self.record.play(mv)?;
                }
                Ok(Duty::Wait)
            }
            (Command::Start, Stage::Before) => Ok(self.turn()),
            (Command::Move(mv), Stage::Before | Stage::Listening) => {
                self.record.play(mv)?;
                Ok(self.turn())
            }
            _ => Err(SeatError::Order { line: line.trim().to_owned(), expected: self.expected() }),
        }
    }

    /// Makes the engine's move, which took it so long.
    ///
    /// # Errors
    /// [`MoveError::Illegal`], and nothing is changed.
    pub fn made(&mut self, mv: Move, took: Duration) -> Result<(), MoveError> {
        self.record.play(mv)?;
        self.spent += took;
        self.stage = Stage::Listening;
        Ok(())
    }

    /// It is the engine's turn, unless the game is over.
    fn turn(&mut self) -> Duty {
        if self.record.position().outcome().is_some() {
            self.stage = Stage::Listening;
            return Duty::Wait;
        }
        self.stage = Stage::Thinking;
        Duty::Move
    }

    fn expected(&self) -> &'static str {
        match self.stage {
            Stage::Before => "Start or the opponent's move, and before them Time and Opening once each",
            Stage::Listening => "the opponent's move or Quit",
            Stage::Thinking => "nothing but Quit, the engine being to move",
        }
    }
}

impl Default for Seat {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatError {
    /// It cannot be read.
    Line(ParseCommandError),
    /// It has no place here.
    Order {
        /// The line.
        line: String,
        /// What may come instead.
        expected: &'static str,
    },
}

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(error) => error.fmt(f),
            Self::Order { line, expected } => write!(f, "expected {expected}, found \"{}\"", line.escape_debug()),
        }
    }
}

impl std::error::Error for SeatError {}

impl From<ParseCommandError> for SeatError {
    fn from(error: ParseCommandError) -> Self {
        Self::Line(error)
    }
}

impl From<MoveError> for SeatError {
    fn from(error: MoveError) -> Self {
        Self::Line(ParseCommandError::Move(error))
    }
}
