//! The `CodeCup` protocol of 0.1, one line a message.
//!
//! To the engine go `Start` (make red's setup, or after an `Opening` the next move), the opponent's setups and moves, and
//! `Quit`; from it come its own setups and moves. Two extensions before play, once each, are those of the 2026 champion:
//! `Time <milliseconds>`, the game's budget, and `Opening <long moves>`, plies already made. The move that ended a game is
//! not sent; `Quit` is.
//!
//! Moves mean something only in a position, so both directions take the one they belong to. In which order lines may
//! come is [`Seat`]'s to know.

mod seat;

pub use seat::{Duty, Seat, SeatError};

use super::{parse_legal, MoveError, Record};
use crate::{format_long, format_move, parse_long, Move, Position};
use std::fmt;
use std::time::Duration;

/// The budget of a game where no `Time` says otherwise: `CodeCup`'s.
pub const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// A line to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The engine is to move.
    Start,
    /// The opponent's setup or move; the engine is to answer it.
    Move(Move),
    /// The engine is to end at once.
    Quit,
    /// The engine's time for the whole game, in whole milliseconds, more than none.
    Time(Duration),
    /// Plies made from the start of the game on, at least one.
    Opening(Vec<Move>),
}

impl Command {
    /// Reads a line to an engine that has `position` before it. Moves read are legal.
    ///
    /// # Errors
    /// [`ParseCommandError`], which says what was expected.
    pub fn parse(position: &Position, line: &str) -> Result<Self, ParseCommandError> {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("Start", "") => Ok(Self::Start),
            ("Quit", "") => Ok(Self::Quit),
            ("Time", time) => parse_time(time).map(Self::Time),
            ("Opening", moves) => parse_opening(moves).map(Self::Opening),
            _ => Ok(Self::Move(parse_legal(position, line)?)),
        }
    }

    /// The line, without its end, to an engine that has `position` before it. The moves must be legal.
    pub fn display<'a>(&'a self, position: &'a Position) -> impl fmt::Display + 'a {
        Shown { command: self, position }
    }
}

/// Reads the engine's answer: a legal setup or move of the side to move.
///
/// # Errors
/// [`MoveError`] when it is no move, or none that the rules allow. Its own text is [`format_move`]'s.
pub fn parse_answer(position: &Position, line: &str) -> Result<Move, MoveError> {
    parse_legal(position, line)
}

fn parse_time(text: &str) -> Result<Duration, ParseCommandError> {
    match text.parse() {
        Ok(milliseconds @ 1..) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Duration::from_millis(milliseconds))
        }
        _ => Err(ParseCommandError::Time { found: text.to_owned() }),
    }
}

fn parse_opening(text: &str) -> Result<Vec<Move>, ParseCommandError> {
    let mut record = Record::new(Position::new());
    let mut moves = Vec::new();
    for text in text.split_whitespace() {
        let played = match parse_long(record.position(), text) {
            Ok(mv) => record.play(mv).map(|()| mv),
            Err(error) => {
                let position = Box::new(*record.position());
                Err(MoveError::Text { error, position, form: "Fb3-c4 or A@a1" })
            }
        };
        moves.push(played.map_err(|error| ParseCommandError::Opening { ply: moves.len() + 1, error })?);
    }
    if moves.is_empty() {
        return Err(ParseCommandError::NoOpening);
    }
    Ok(moves)
}

struct Shown<'a> {
    command: &'a Command,
    position: &'a Position,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command {
            Command::Start => f.write_str("Start"),
            Command::Quit => f.write_str("Quit"),
            Command::Move(mv) => f.write_str(&format_move(self.position, *mv)),
            Command::Time(time) => write!(f, "Time {}", time.as_millis()),
            Command::Opening(moves) => {
                f.write_str("Opening")?;
                let mut position = Position::new();
                for &mv in moves {
                    write!(f, " {}", format_long(&position, mv))?;
                    let _what_changed = position.play(mv);
                }
                Ok(())
            }
        }
    }
}

/// Why a line to the engine cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseCommandError {
    /// No keyword, and no legal move either.
    Move(MoveError),
    /// `Time` without a positive whole number.
    Time {
        /// What followed it.
        found: String,
    },
    /// `Opening` without moves.
    NoOpening,
    /// A move of the opening cannot be made.
    Opening {
        /// Which, from 1.
        ply: usize,
        /// Why.
        error: MoveError,
    },
}

impl fmt::Display for ParseCommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(error) => error.fmt(f),
            Self::Time { found } => {
                write!(
                    f,
                    "expected a whole number of milliseconds above 0 after Time, found \"{}\"",
                    found.escape_debug()
                )
            }
            Self::NoOpening => f.write_str("expected long moves (setups as 16 letters, Fb3-c4, A@a1) after Opening"),
            Self::Opening { ply, error } => write!(f, "Opening, move {ply}: {error}"),
        }
    }
}

impl std::error::Error for ParseCommandError {}

impl From<MoveError> for ParseCommandError {
    fn from(error: MoveError) -> Self {
        Self::Move(error)
    }
}
