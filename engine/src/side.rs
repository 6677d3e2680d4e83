//! The two sides.

use crate::Bitboard;

/// First mover (red) or second mover (blue).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Moves first, places its pieces on rows a and b, written in upper case.
    Red = 0,
    /// Moves second, places its pieces on rows g and h, written in lower case.
    Blue = 1,
}

impl Side {
    /// Both sides, in the order of [`Side::index`].
    pub const ALL: [Self; 2] = [Self::Red, Self::Blue];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Red => Self::Blue,
            Self::Blue => Self::Red,
        }
    }

    /// 0 for red, 1 for blue.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side that makes the next ply when `plies` have been made.
    pub const fn to_move_after(plies: u16) -> Self {
        if plies % 2 == 0 {
            Self::Red
        } else {
            Self::Blue
        }
    }

    /// The two rows on which this side places its pieces.
    pub const fn home(self) -> Bitboard {
        match self {
            Self::Red => Bitboard(0xffff),
            Self::Blue => Bitboard(0xffff << 48),
        }
    }

    /// `r` or `b`, as in the position text.
    pub const fn letter(self) -> char {
        match self {
            Self::Red => 'r',
            Self::Blue => 'b',
        }
    }
}

impl std::ops::Not for Side {
    type Output = Self;

    fn not(self) -> Self {
        self.other()
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Red => "red",
            Self::Blue => "blue",
        })
    }
}
