//! The five kinds of piece and their letters. Their leaps are in `movegen::tables`.

use crate::Side;

/// A kind of piece. The order is that of hands in the position text, of setup ranks and of move codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Piece {
    /// Leaps (±2, ±2).
    Alfil = 0,
    /// Leaps (±2, 0) and (0, ±2).
    Dabbaba = 1,
    /// Leaps (±1, ±1).
    Ferz = 2,
    /// Leaps (±1, ±2) and (±2, ±1).
    Knight = 3,
    /// Leaps (±1, 0) and (0, ±1); the royal piece, never in hand.
    Wazir = 4,
}

impl Piece {
    /// Every kind, in the order of [`Piece::index`].
    pub const ALL: [Self; 5] = [Self::Alfil, Self::Dabbaba, Self::Ferz, Self::Knight, Self::Wazir];

    /// The kinds that can be held in hand and dropped: all but the wazir.
    pub const DROPPABLE: [Self; 4] = [Self::Alfil, Self::Dabbaba, Self::Ferz, Self::Knight];

    /// 0 to 4: alfil, dabbaba, ferz, knight, wazir.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this [`Piece::index`]; `None` from 5 on.
    pub const fn from_index(index: usize) -> Option<Self> {
        match index {
            0 => Some(Self::Alfil),
            1 => Some(Self::Dabbaba),
            2 => Some(Self::Ferz),
            3 => Some(Self::Knight),
            4 => Some(Self::Wazir),
            _ => None,
        }
    }

    /// The number of pieces of this kind that each side places at the start: 8, 4, 2, 1, 1.
    pub const fn count_per_side(self) -> u8 {
        match self {
            Self::Alfil => 8,
            Self::Dabbaba => 4,
            Self::Ferz => 2,
            Self::Knight | Self::Wazir => 1,
        }
    }

    /// The letter in the owner's case: upper for red, lower for blue.
    pub const fn letter(self, owner: Side) -> char {
        let upper = match self {
            Self::Alfil => 'A',
            Self::Dabbaba => 'D',
            Self::Ferz => 'F',
            Self::Knight => 'N',
            Self::Wazir => 'W',
        };
        match owner {
            Side::Red => upper,
            Side::Blue => upper.to_ascii_lowercase(),
        }
    }

    /// The owner and the kind of a letter.
    pub const fn from_letter(letter: char) -> Option<(Side, Self)> {
        let owner = if letter.is_ascii_uppercase() { Side::Red } else { Side::Blue };
        let piece = match letter.to_ascii_uppercase() {
            'A' => Self::Alfil,
            'D' => Self::Dabbaba,
            'F' => Self::Ferz,
            'N' => Self::Knight,
            'W' => Self::Wazir,
            _ => return None,
        };
        Some((owner, piece))
    }
}

impl std::fmt::Display for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Alfil => "alfil",
            Self::Dabbaba => "dabbaba",
            Self::Ferz => "ferz",
            Self::Knight => "knight",
            Self::Wazir => "wazir",
        })
    }
}
