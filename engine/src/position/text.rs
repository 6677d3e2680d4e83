//! The position text: `<rows a..h, '/'-separated, '.' empty> <hands or -> <r|b> <plies made>`.
//!
//! A text is accepted if the rules could have produced its material: from ply 3 on board and hands together hold both
//! sides' sets, each side has its wazir on the board (only the side to move can have lost it), and before that exactly
//! the setups placed so far stand on their home rows. Whether the position can be reached by legal moves is not
//! checked.

use std::fmt;
use std::str::FromStr;

use super::pieces::Held;
use super::{Position, PLY_LIMIT};
use crate::{Piece, Side, Square};

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsePositionError {
    /// There are not four fields separated by blanks.
    Fields {
        /// The number of fields.
        found: usize,
    },
    /// The board does not have eight rows.
    Rows {
        /// The number of rows.
        found: usize,
    },
    /// A row does not have eight characters.
    RowLength {
        /// The row's letter, a to h.
        row: char,
        /// The number of characters.
        found: usize,
    },
    /// A character of the board is neither a piece nor '.'.
    BoardLetter {
        /// Its square.
        square: Square,
        /// The character.
        found: char,
    },
    /// A character of the hands is not a piece that can be held.
    HandLetter {
        /// Index of the character in its field, from 0.
        at: usize,
        /// The character.
        found: char,
    },
    /// The third field is neither `r` nor `b`.
    Side {
        /// The field.
        found: String,
    },
    /// The fourth field is not a whole number from 0 to [`PLY_LIMIT`].
    Plies {
        /// The field.
        found: String,
    },
    /// The side to move does not match the number of plies.
    Turn {
        /// The side in the text.
        found: Side,
        /// The number of plies made.
        plies: u16,
    },
    /// Before ply 3, a square does not match the setups placed so far.
    Placement {
        /// The square.
        square: Square,
        /// The number of plies made.
        plies: u16,
    },
    /// Before ply 3, a hand is not empty.
    EarlyHand {
        /// The number of plies made.
        plies: u16,
    },
    /// Board and hands together hold too many or too few of a kind.
    Total {
        /// The kind.
        piece: Piece,
        /// The required number.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A side has a wrong number of pieces of a kind: wazirs from ply 3 on, any kind before.
    Count {
        /// The side.
        side: Side,
        /// The kind.
        piece: Piece,
        /// The required number on the board.
        expected: usize,
        /// The number found there.
        found: usize,
    },
}

impl fmt::Display for ParsePositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields { found } => {
                write!(f, "a position has 4 fields (board, hands or -, r or b, plies made), not {found}")
            }
            Self::Rows { found } => write!(f, "board: expected 8 rows separated by '/', found {found}"),
            Self::RowLength { row, found } => write!(f, "board, row {row}: expected 8 characters, found {found}"),
            Self::BoardLetter { square, found } => {
                write!(f, "board, {square}: expected one of ADFNWadfnw or '.', found '{}'", found.escape_debug())
            }
            Self::HandLetter { at, found } => {
                let found = found.escape_debug();
                write!(f, "hands, character {}: expected one of ADFNadfn, or - for none, found '{found}'", at + 1)
            }
            Self::Side { found } => write!(f, "side to move: expected r or b, found \"{}\"", found.escape_debug()),
            Self::Plies { found } => {
                write!(
                    f,
                    "plies made: expected a whole number from 0 to {PLY_LIMIT}, found \"{}\"",
                    found.escape_debug()
                )
            }
            Self::Turn { found, plies } => {
                let expected = found.other();
                write!(f, "side to move: after {plies} plies it is {expected}'s turn, found {found}")
            }
            Self::Placement { square, plies } => {
                write!(f, "board, {square}: not possible after {plies} plies, when only setups have been placed")
            }
            Self::EarlyHand { plies } => write!(f, "hands: must be - after {plies} plies"),
            Self::Total { piece, expected, found } => {
                write!(f, "board and hands together must have {expected} of the kind {piece}, found {found}")
            }
            Self::Count { side, piece, expected, found } => {
                write!(f, "board: {side} must have {expected} of the kind {piece}, found {found}")
            }
        }
    }
}

impl std::error::Error for ParsePositionError {}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Self, ParsePositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [board, hands, side, plies] = fields[..] else {
            return Err(ParsePositionError::Fields { found: fields.len() });
        };
        let mut position = Self::new();
        position.read_board(board)?;
        let held = read_hands(hands)?;
        position.plies = read_plies(plies)?;
        let side = read_side(side)?;
        if side != position.side_to_move() {
            return Err(ParsePositionError::Turn { found: side, plies: position.plies });
        }
        position.complete(&held)?;
        Ok(position)
    }
}

fn read_hands(field: &str) -> Result<Held, ParsePositionError> {
    let mut held = [[0; 4]; 2];
    if field == "-" {
        return Ok(held);
    }
    for (at, letter) in field.chars().enumerate() {
        match Piece::from_letter(letter) {
            Some((side, piece)) if piece != Piece::Wazir => held[side.index()][piece.index()] += 1,
            _ => return Err(ParsePositionError::HandLetter { at, found: letter }),
        }
    }
    Ok(held)
}

fn read_plies(field: &str) -> Result<u16, ParsePositionError> {
    let digits_only = field.bytes().all(|byte| byte.is_ascii_digit());
    match field.parse() {
        Ok(plies) if digits_only && plies <= PLY_LIMIT => Ok(plies),
        _ => Err(ParsePositionError::Plies { found: field.to_owned() }),
    }
}

fn read_side(field: &str) -> Result<Side, ParsePositionError> {
    match field {
        "r" => Ok(Side::Red),
        "b" => Ok(Side::Blue),
        _ => Err(ParsePositionError::Side { found: field.to_owned() }),
    }
}

impl Position {
    fn read_board(&mut self, field: &str) -> Result<(), ParsePositionError> {
        let rows: Vec<&str> = field.split('/').collect();
        if rows.len() != 8 {
            return Err(ParsePositionError::Rows { found: rows.len() });
        }
        for (letter, row) in ('a'..='h').zip(&rows) {
            let found = row.chars().count();
            if found != 8 {
                return Err(ParsePositionError::RowLength { row: letter, found });
            }
        }
        for (square, letter) in Square::all().zip(rows.iter().flat_map(|row| row.chars())) {
            match Piece::from_letter(letter) {
                Some((side, piece)) => self.put(side, piece, square),
                None if letter == '.' => {}
                None => return Err(ParsePositionError::BoardLetter { square, found: letter }),
            }
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            if square.column() == 0 && square.row() > 0 {
                f.write_str("/")?;
            }
            let letter = self.piece_at(square).map_or('.', |(side, piece)| piece.letter(side));
            write!(f, "{letter}")?;
        }
        f.write_str(" ")?;
        self.write_hands(f)?;
        write!(f, " {} {}", self.side_to_move().letter(), self.plies)
    }
}

impl Position {
    fn write_hands(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hands == [0; 2] {
            return f.write_str("-");
        }
        for side in Side::ALL {
            for piece in Piece::DROPPABLE {
                for _ in 0..self.hand(side, piece) {
                    write!(f, "{}", piece.letter(side))?;
                }
            }
        }
        Ok(())
    }
}
