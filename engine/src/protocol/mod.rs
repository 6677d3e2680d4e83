//! The protocols the engine speaks, as pure codecs: lines to values and back, for both ends of a pipe.
//!
//! Owns what the two protocols share: a game as it is followed move by move, and reading a move that must be legal. Pipes,
//! clocks and threads belong to whoever uses it.

pub mod codecup;
pub mod uci;

use crate::{format_move, parse_move, Move, ParseMoveError, Position};
use std::fmt;

/// A game so far: the position at hand, and the keys of those before it, which a search needs to see repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    position: Position,
    history: Vec<u64>,
}

impl Record {
    /// A game that starts from a position.
    pub fn new(start: Position) -> Self {
        Self { position: start, history: Vec::new() }
    }

    /// The position at hand.
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
    /// [`MoveError::Illegal`] when the rules do not allow it; the record is as it was.
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        let mv = legal(&self.position, mv)?;
        self.history.push(self.position.key());
        let _what_changed = self.position.play(mv);
        Ok(())
    }
}

/// Why a text is not a move that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// It is no move at all.
    Text {
        /// What was read.
        error: ParseMoveError,
        /// Where the move was due.
        position: Box<Position>,
        /// What moves look like here.
        form: &'static str,
    },
    /// The rules do not allow it.
    Illegal {
        /// The move, in `CodeCup` notation.
        text: String,
        /// Where it was to be made.
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
                Some(_) => write!(f, "expected no move, the game being over: {text} in {position}"),
                None => write!(f, "expected a legal move: {text} is not one in {position}"),
            },
        }
    }
}

impl std::error::Error for MoveError {}

/// Reads a legal move in `CodeCup` notation, blanks around it allowed.
///
/// # Errors
/// [`MoveError`] when the text is no move, or none that the rules allow.
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
