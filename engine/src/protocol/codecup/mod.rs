//! The `CodeCup` protocol of 0.1: one line for each message.
//!
//! The engine receives `Start` (make red's setup, or after an `Opening` the next move), the opponent's setups and
//! moves, and `Quit`; it sends its own setups and moves. There are two extensions, those of the 2026 champion, each
//! used at most once and before play: `Time <milliseconds>`, the time for the game, and `Opening <long moves>`, plies
//! already made. The move that ends a game is not sent to the opponent's engine; `Quit` is.
//!
//! Parsing and formatting a move need its position. [`Session`] knows the valid order of lines.

mod params;
mod session;

pub use params::CodecupParams;
pub use session::{Action, Session, SessionError};

use super::{parse_legal, GameRecord, MoveError};
use crate::{format_long, format_move, parse_long, Move, Position};
use std::fmt;
use std::time::Duration;

/// The time for a game without a `Time` line, as in `CodeCup`.
pub const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// A line to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeCupCommand {
    /// The engine must move.
    Start,
    /// The opponent's setup or move, which the engine must answer.
    Move(Move),
    /// The engine must exit.
    Quit,
    /// The engine's time for the whole game: whole milliseconds, at least 1.
    Time(Duration),
    /// The plies made since the start of the game, at least one.
    Opening(Vec<Move>),
}

impl CodeCupCommand {
    /// Parses a line to an engine whose game is at `position`. The moves are legal.
    ///
    /// # Errors
    /// [`ParseCodeCupError`], which says what was expected.
    pub fn parse(position: &Position, line: &str) -> Result<Self, ParseCodeCupError> {
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

    /// The line, without its end, to an engine whose game is at `position`. The moves must be legal.
    pub fn display<'a>(&'a self, position: &'a Position) -> impl fmt::Display + 'a {
        LineText { command: self, position }
    }
}

/// Parses the engine's answer, a legal setup or move of the side to move. [`format_move`] writes it.
///
/// # Errors
/// [`MoveError`] if the line is not a legal move.
pub fn parse_answer(position: &Position, line: &str) -> Result<Move, MoveError> {
    parse_legal(position, line)
}

fn parse_time(text: &str) -> Result<Duration, ParseCodeCupError> {
    match text.parse() {
        Ok(milliseconds @ 1..) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Duration::from_millis(milliseconds))
        }
        _ => Err(ParseCodeCupError::Time { found: text.to_owned() }),
    }
}

fn parse_opening(text: &str) -> Result<Vec<Move>, ParseCodeCupError> {
    let mut record = GameRecord::new(Position::new());
    let mut moves = Vec::new();
    for text in text.split_whitespace() {
        let parsed = match parse_long(record.position(), text) {
            Ok(mv) => record.play(mv).map(|()| mv),
            Err(error) => {
                let position = Box::new(*record.position());
                Err(MoveError::Text { error, position, form: "Fb3-c4 or A@a1" })
            }
        };
        moves.push(parsed.map_err(|error| ParseCodeCupError::Opening { ply: moves.len() + 1, error })?);
    }
    if moves.is_empty() {
        return Err(ParseCodeCupError::NoOpening);
    }
    Ok(moves)
}

struct LineText<'a> {
    command: &'a CodeCupCommand,
    position: &'a Position,
}

impl fmt::Display for LineText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command {
            CodeCupCommand::Start => f.write_str("Start"),
            CodeCupCommand::Quit => f.write_str("Quit"),
            CodeCupCommand::Move(mv) => f.write_str(&format_move(self.position, *mv)),
            CodeCupCommand::Time(time) => write!(f, "Time {}", time.as_millis()),
            CodeCupCommand::Opening(moves) => {
                f.write_str("Opening")?;
                let mut position = Position::new();
                for &mv in moves {
                    write!(f, " {}", format_long(&position, mv))?;
                    position.play(mv);
                }
                Ok(())
            }
        }
    }
}

/// Why a line to the engine cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseCodeCupError {
    /// The line is neither a keyword nor a legal move.
    Move(MoveError),
    /// `Time` without a positive whole number.
    Time {
        /// The text after it.
        found: String,
    },
    /// `Opening` without moves.
    NoOpening,
    /// A move of the opening is not legal.
    Opening {
        /// The number of the move, from 1.
        ply: usize,
        /// The reason.
        error: MoveError,
    },
}

impl fmt::Display for ParseCodeCupError {
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

impl std::error::Error for ParseCodeCupError {}

impl From<MoveError> for ParseCodeCupError {
    fn from(error: MoveError) -> Self {
        Self::Move(error)
    }
}
