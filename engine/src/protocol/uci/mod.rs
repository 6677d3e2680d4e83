//! The engine's dialect of UCI: commands to the engine.
//!
//! Moves are in `CodeCup` notation, with setups as moves of sixteen letters; red is UCI's white and blue its black;
//! `position fen` takes the position text. Messages from the engine are in `message` and `visits`, the options in
//! `option`.
//!
//! Source: the description of the universal chess interface by Stefan Meyer-Kahlen, April 2006.

mod go;
mod message;
mod option;
mod visits;

pub use go::Go;
pub use message::{Info, UciMessage};
pub use option::{option_text, option_value, EngineOption, OptionError, EMPTY};
pub use visits::{parse_visits, Visits};

use super::{parse_legal, GameRecord, MoveError};
use crate::{format_move, Move, ParsePositionError, Position};
use std::fmt;

/// A line to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UciCommand {
    /// Identify the engine and list its options.
    Uci,
    /// Answer when all earlier commands have been processed.
    IsReady,
    /// The next search belongs to a new game.
    NewGame,
    /// Change an option.
    SetOption {
        /// Its name, in any case.
        name: String,
        /// Its value; empty if there is none.
        value: String,
    },
    /// Set the position to search.
    Position {
        /// The start of the game.
        start: Box<Position>,
        /// The moves since then, all legal.
        moves: Vec<Move>,
    },
    /// Search for a move.
    Go(Go),
    /// End the search and answer.
    Stop,
    /// Exit.
    Quit,
    /// Print the signature of the search and its speed.
    Bench,
}

impl UciCommand {
    /// Parses a line.
    ///
    /// # Errors
    /// [`ParseUciError`], which says what was expected. An engine ignores such a line.
    pub fn parse(line: &str) -> Result<Self, ParseUciError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "uci" => Ok(Self::Uci),
            "isready" => Ok(Self::IsReady),
            "ucinewgame" => Ok(Self::NewGame),
            "setoption" => parse_option(rest),
            "position" => parse_position(rest),
            "go" => Go::parse(rest).map(Self::Go),
            "stop" => Ok(Self::Stop),
            "quit" => Ok(Self::Quit),
            "bench" => Ok(Self::Bench),
            _ => Err(ParseUciError::Unknown { word: word.to_owned() }),
        }
    }
}

/// `name <words> [value <words>]`. A name cannot contain the word `value`.
fn parse_option(text: &str) -> Result<UciCommand, ParseUciError> {
    let mut words = text.split_whitespace();
    if words.next() != Some("name") {
        return Err(ParseUciError::OptionName);
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    let value: Vec<&str> = words.collect();
    if name.is_empty() {
        return Err(ParseUciError::OptionName);
    }
    Ok(UciCommand::SetOption { name: name.join(" "), value: value.join(" ") })
}

/// `startpos` or `fen <position text>`, then optionally `moves` and the moves.
fn parse_position(text: &str) -> Result<UciCommand, ParseUciError> {
    let mut words = text.split_whitespace();
    let start = match words.next() {
        Some("startpos") => {
            match words.next() {
                None | Some("moves") => {}
                Some(found) => return Err(ParseUciError::Position { found: found.to_owned() }),
            }
            Position::new()
        }
        Some("fen") => {
            let fields: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            fields.join(" ").parse()?
        }
        found => return Err(ParseUciError::Position { found: found.unwrap_or_default().to_owned() }),
    };
    let mut record = GameRecord::new(start);
    let mut moves = Vec::new();
    for text in words {
        let mv = parse_legal(record.position(), text)
            .and_then(|mv| record.play(mv).map(|()| mv))
            .map_err(|error| ParseUciError::Move { at: moves.len() + 1, error })?;
        moves.push(mv);
    }
    Ok(UciCommand::Position { start: Box::new(start), moves })
}

/// The line, without its end.
impl fmt::Display for UciCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => f.write_str("uci"),
            Self::IsReady => f.write_str("isready"),
            Self::NewGame => f.write_str("ucinewgame"),
            Self::SetOption { name, value } if value.is_empty() => write!(f, "setoption name {name}"),
            Self::SetOption { name, value } => write!(f, "setoption name {name} value {value}"),
            Self::Position { start, moves } => write_position(f, start, moves),
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
            Self::Bench => f.write_str("bench"),
        }
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, start: &Position, moves: &[Move]) -> fmt::Result {
    if *start == Position::new() {
        f.write_str("position startpos")?;
    } else {
        write!(f, "position fen {start}")?;
    }
    if !moves.is_empty() {
        f.write_str(" moves")?;
    }
    write_moves(f, *start, moves.iter().copied())
}

/// Writes consecutive moves from a position, each after a blank.
fn write_moves(f: &mut fmt::Formatter<'_>, mut position: Position, moves: impl Iterator<Item = Move>) -> fmt::Result {
    for mv in moves {
        write!(f, " {}", format_move(&position, mv))?;
        position.play(mv);
    }
    Ok(())
}

/// Why a line cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseUciError {
    /// The first word is not a command.
    Unknown {
        /// The word.
        word: String,
    },
    /// `setoption` without a name.
    OptionName,
    /// `position` without `startpos` or `fen`.
    Position {
        /// The word found instead, or after it.
        found: String,
    },
    /// The text after `fen` is not a position.
    Fen(ParsePositionError),
    /// A move is not legal.
    Move {
        /// The number of the move, from 1.
        at: usize,
        /// The reason.
        error: MoveError,
    },
    /// A limit of `go` without a number.
    Number {
        /// The limit.
        limit: String,
        /// The word found instead.
        found: String,
    },
}

impl fmt::Display for ParseUciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { word } => write!(
                f,
                "unknown command \"{}\": expected uci, isready, setoption, ucinewgame, position, go, stop, bench or \
                quit",
                word.escape_debug()
            ),
            Self::OptionName => f.write_str("setoption: expected name <name> value <value>"),
            Self::Position { found } => write!(
                f,
                "position: expected startpos or fen <position text>, then moves, found \"{}\"",
                found.escape_debug()
            ),
            Self::Fen(error) => write!(f, "position fen: {error}"),
            Self::Move { at, error } => write!(f, "position, move {at}: {error}"),
            Self::Number { limit, found } => {
                write!(f, "go {limit}: expected a whole number, found \"{}\"", found.escape_debug())
            }
        }
    }
}

impl std::error::Error for ParseUciError {}

impl From<ParsePositionError> for ParseUciError {
    fn from(error: ParsePositionError) -> Self {
        Self::Fen(error)
    }
}
