//! The engine's protocols: parsing and formatting of lines, for both ends of a pipe.
//!
//! Owns what the two protocols share: the record of a game, and parsing of moves that must be legal. The user of this
//! module provides pipes, clocks and threads.

pub mod codecup;
pub mod uci;

use crate::{format_move, parse_move, Move, ParseMoveError, Position};
use std::fmt;

/// A game so far: its current position, and the keys of the earlier positions, which a search needs to detect
/// repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    position: Position,
    history: Vec<u64>,
}

impl GameRecord {
    /// A game that starts from a position.
    pub fn new(start: Position) -> Self {
        Self { position: start, history: Vec::new() }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The keys of the earlier positions, oldest first.
    pub fn history(&self) -> &[u64] {
        &self.history
    }

    /// Makes a move.
    ///
    /// # Errors
    /// [`MoveError::Illegal`] if the move is not legal; the record is then unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        let mv = legal(&self.position, mv)?;
        self.history.push(self.position.key());
        self.position.play(mv);
        Ok(())
    }
}

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// The text is not a move.
    Text {
        /// The parse error.
        error: ParseMoveError,
        /// The position in which a move was expected.
        position: Box<Position>,
        /// Examples of moves in this position.
        form: &'static str,
    },
    /// The move is not legal.
    Illegal {
        /// The move, in `CodeCup` notation.
        text: String,
        /// The position in which it is not legal.
        position: Box<Position>,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { error, position, form } => {
                write!(f, "expected {}'s ", position.side_to_move())?;
                if position.plies() < 2 {
                    write!(f, "setup of 16 letters: {error}")
                } else {
                    write!(f, "move like {form}: {error}")
                }
            }
            Self::Illegal { text, position } => match position.outcome() {
                Some(_) => write!(f, "expected no move, because the game is over: {text} in {position}"),
                None => write!(f, "expected a legal move: {text} is not legal in {position}"),
            },
        }
    }
}

impl std::error::Error for MoveError {}

/// Parses a legal move in `CodeCup` notation; blanks around it are allowed.
///
/// # Errors
/// [`MoveError`] if the text is not a legal move.
pub fn parse_legal(position: &Position, text: &str) -> Result<Move, MoveError> {
    match parse_move(position, text.trim()) {
        Ok(mv) => legal(position, mv),
        Err(error) => Err(MoveError::Text { error, position: Box::new(*position), form: "b5d3 or Df8" }),
    }
}

fn legal(position: &Position, mv: Move) -> Result<Move, MoveError> {
    if position.outcome().is_none() && position.is_legal(mv) {
        Ok(mv)
    } else {
        Err(MoveError::Illegal { text: format_move(position, mv), position: Box::new(*position) })
    }
}
