//! One of the 64 squares, its coordinates and its text.

use std::fmt;
use std::str::FromStr;

use crate::Bitboard;

/// A square: row letter a to h (a printed at the top), then column digit 1 to 8.
///
/// The index is row x 8 + column - 1, so a1 = 0 and h8 = 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// a1, the first square.
    pub const A1: Self = Self(0);
    /// h8, the last square.
    pub const H8: Self = Self(63);

    /// The square at `row` and `column`, both 0 to 7; `None` off the board.
    pub const fn new(row: u8, column: u8) -> Option<Self> {
        if row < 8 && column < 8 {
            Some(Self(row * 8 + column))
        } else {
            None
        }
    }

    /// The square with this index; `None` from 64 on.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 64 {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// The square of the low six bits, for indices that are below 64 by construction.
    pub(crate) const fn wrapping(index: u32) -> Self {
        Self((index & 63) as u8)
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// 0 to 63.
    pub const fn index(self) -> usize {
        // The mask is free and spares every table look-up its bounds check.
        (self.0 & 63) as usize
    }

    /// 0 (row a) to 7 (row h).
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// 0 (column 1) to 7 (column 8).
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// The set that contains only this square.
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.row()) as char, (b'1' + self.column()) as char)
    }
}

/// The text is not a row letter a to h followed by a column digit 1 to 8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSquareError {
    /// The text as given.
    pub found: String,
}

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is not a square: expected a row letter a to h and a column digit 1 to 8",
            self.found.escape_debug()
        )
    }
}

impl std::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        match *text.as_bytes() {
            [row @ b'a'..=b'h', column @ b'1'..=b'8'] => Ok(Self((row - b'a') * 8 + column - b'1')),
            _ => Err(ParseSquareError { found: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_index_agree_with_the_rules() {
        assert_eq!("a1".parse(), Ok(Square::A1));
        assert_eq!("h8".parse(), Ok(Square::H8));
        assert_eq!("b5".parse::<Square>().unwrap().index(), 12);
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "a", "a0", "a9", "i1", "A1", "1a", "a1 ", "é1", "a١"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError { found: text.to_owned() }));
        }
    }
}
