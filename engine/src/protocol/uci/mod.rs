//! The engine's dialect of UCI: commands to it.
//!
//! Moves are in `CodeCup` notation, setups being moves of sixteen letters; red is UCI's white and blue its black; `position
//! fen` takes the position text. What is said back is in `message`, the options are in `option`.
//!
//! The command's source: the description of the universal chess interface by Stefan Meyer-Kahlen, April 2006.

mod go;
mod message;
mod option;

pub use go::Go;
pub use message::{Info, Message};
pub use option::{option_text, option_value, EngineOption, OptionError};

use super::{parse_legal, MoveError, Record};
use crate::{format_move, Move, ParsePositionError, Position};
use std::fmt;

/// A line to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say who you are and what options there are.
    Uci,
    /// Say when everything before is done.
    IsReady,
    /// What follows belongs to another game.
    NewGame,
    /// Change an option.
    SetOption {
        /// Its name, in any case.
        name: String,
        /// Its value, empty when none was given.
        value: String,
    },
    /// The game so far.
    Position {
        /// Where it started.
        start: Box<Position>,
        /// The moves since, all legal.
        moves: Vec<Move>,
    },
    /// Look for a move.
    Go(Go),
    /// End the search and answer.
    Stop,
    /// End at once.
    Quit,
    /// Print the signature of the search and its speed.
    Bench,
}

impl Command {
    /// Reads a line.
    ///
    /// # Errors
    /// [`ParseCommandError`], which says what was expected. An engine goes on after it.
    pub fn parse(line: &str) -> Result<Self, ParseCommandError> {
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
            _ => Err(ParseCommandError::Unknown { word: word.to_owned() }),
        }
    }

    /// The command to set an option to a value.
    pub fn set(option: EngineOption, value: &str) -> Self {
        Self::SetOption { name: option.name().to_owned(), value: value.to_owned() }
    }
}

/// `name <words> [value <words>]`. A name holds no word `value`.
fn parse_option(text: &str) -> Result<Command, ParseCommandError> {
    let mut words = text.split_whitespace();
    if words.next() != Some("name") {
        return Err(ParseCommandError::OptionName);
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    let value: Vec<&str> = words.collect();
    if name.is_empty() {
        return Err(ParseCommandError::OptionName);
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

/// `startpos` or `fen <position text>`, then perhaps `moves` and moves.
fn parse_position(text: &str) -> Result<Command, ParseCommandError> {
    let mut words = text.split_whitespace();
    let start = match words.next() {
        Some("startpos") => {
            match words.next() {
                None | Some("moves") => {}
                Some(found) => return Err(ParseCommandError::Position { found: found.to_owned() }),
            }
            Position::new()
        }
        Some("fen") => {
            let fields: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            fields.join(" ").parse()?
        }
        found => return Err(ParseCommandError::Position { found: found.unwrap_or_default().to_owned() }),
    };
    let mut record = Record::new(start);
    let mut moves = Vec::new();
    for text in words {
        let mv = parse_legal(record.position(), text)
            .and_then(|mv| record.play(mv).map(|()| mv))
            .map_err(|error| ParseCommandError::Move { at: moves.len() + 1, error })?;
        moves.push(mv);
    }
    Ok(Command::Position { start: Box::new(start), moves })
}

/// The line, without its end.
impl fmt::Display for Command {
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

/// Moves that follow each other from a position, each after a blank.
fn write_moves(f: &mut fmt::Formatter<'_>, mut position: Position, moves: impl Iterator<Item = Move>) -> fmt::Result {
    for mv in moves {
        write!(f, " {}", format_move(&position, mv))?;
        let _what_changed = position.play(mv);
    }
    Ok(())
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseCommandError {
    /// Its first word is no command.
    Unknown {
        /// The word.
        word: String,
    },
    /// `setoption` without a name.
    OptionName,
    /// `position` without a place to start from.
    Position {
        /// The word in its place, or behind it.
        found: String,
    },
    /// `fen` is followed by no position text.
    Fen(ParsePositionError),
    /// A move of the game cannot be made.
    Move {
        /// Which, from 1.
        at: usize,
        /// Why.
        error: MoveError,
    },
    /// A limit of `go` without its number.
    Number {
        /// The limit.
        limit: String,
        /// The word in the number's place.
        found: String,
    },
}

impl fmt::Display for ParseCommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { word } => write!(
                f,
                "unknown command \"{}\": expected uci, isready, setoption, ucinewgame, position, go, stop, bench or quit",
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

impl std::error::Error for ParseCommandError {}

impl From<ParsePositionError> for ParseCommandError {
    fn from(error: ParsePositionError) -> Self {
        Self::Fen(error)
    }
}
