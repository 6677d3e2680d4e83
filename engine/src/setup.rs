//! Setups: the sixteen pieces that a side places on its home rows with its first move, and their numbering.

use std::fmt;

use crate::{Piece, Side};

/// Sixteen pieces in board order of the owner's home rows: a1 to a8, b1 to b8 for red, g1 to g8, h1 to h8 for blue.
///
/// Always exactly eight alfils, four dabbabas, two ferzes, a knight and a wazir.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup([Piece; 16]);

impl Setup {
    /// Number of different setups: 16! / (8! 4! 2! 1! 1!).
    pub const COUNT: u32 = 10_810_800;

    /// Makes a setup of these pieces.
    ///
    /// # Errors
    /// [`ParseSetupError::Count`] for the first kind that does not occur as often as the rules say.
    pub fn new(pieces: [Piece; 16]) -> Result<Self, ParseSetupError> {
        for piece in Piece::ALL {
            let found = pieces.iter().filter(|&&other| other == piece).count();
            if found != piece.count_per_side() as usize {
                return Err(ParseSetupError::Count { piece, found });
            }
        }
        Ok(Self(pieces))
    }

    /// The sixteen pieces in board order.
    pub const fn pieces(&self) -> &[Piece; 16] {
        &self.0
    }

    /// The mirrored setup: the columns in reverse order.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self(std::array::from_fn(|at| self.0[at ^ 7]))
    }

    /// The same setup for the other side: the front row stays in front of the back row. Places are counted from row a
    /// for red and from row g, the front row, for blue.
    #[must_use]
    pub fn for_other_side(&self) -> Self {
        Self(std::array::from_fn(|at| self.0[at ^ 8]))
    }

    /// The rank of this setup among all, in lexicographic order with alfil < dabbaba < ferz < knight < wazir: 0 to
    /// [`Setup::COUNT`] - 1.
    pub fn rank(&self) -> u32 {
        let mut bag = Bag::full();
        let mut rank = 0;
        for &chosen in &self.0 {
            rank += Piece::ALL[..chosen.index()].iter().map(|&smaller| bag.starting_with(smaller)).sum::<u32>();
            bag.take(chosen);
        }
        rank
    }

    /// The setup of this rank; `None` from [`Setup::COUNT`] on.
    #[inline(never)] // Rare next to jumps and drops, whose code should not carry it along.
    pub fn from_rank(rank: u32) -> Option<Self> {
        if rank >= Self::COUNT {
            return None;
        }
        let mut bag = Bag::full();
        let mut rest = rank;
        Some(Self(std::array::from_fn(|_| {
            let chosen = bag.at(&mut rest);
            bag.take(chosen);
            chosen
        })))
    }

    /// Parses sixteen letters in the case of `side`.
    ///
    /// # Errors
    /// [`ParseSetupError`]: wrong length, a letter that is not a piece of `side`, or wrong numbers of pieces.
    pub fn parse(text: &str, side: Side) -> Result<Self, ParseSetupError> {
        let found = text.chars().count();
        if found != 16 {
            return Err(ParseSetupError::Length { found });
        }
        let mut pieces = [Piece::Alfil; 16];
        for (at, (slot, letter)) in pieces.iter_mut().zip(text.chars()).enumerate() {
            *slot = match Piece::from_letter(letter) {
                Some((owner, piece)) if owner == side => piece,
                _ => return Err(ParseSetupError::Letter { at, found: letter, side }),
            };
        }
        Self::new(pieces)
    }

    /// The sixteen letters in the case of `side`.
    pub fn text(&self, side: Side) -> String {
        self.0.iter().map(|piece| piece.letter(side)).collect()
    }
}

/// The pieces not yet placed, and the number of orders they can be placed in.
struct Bag {
    left: [u32; 5],
    size: u32,
    orders: u32,
}

impl Bag {
    fn full() -> Self {
        Self { left: Piece::ALL.map(|piece| piece.count_per_side() as u32), size: 16, orders: Setup::COUNT }
    }

    /// Number of orders that start with `piece`: the same share of all orders as its share of the pieces.
    fn starting_with(&self, piece: Piece) -> u32 {
        self.orders * self.left[piece.index()] / self.size
    }

    fn take(&mut self, piece: Piece) {
        self.orders = self.starting_with(piece);
        self.left[piece.index()] -= 1;
        self.size -= 1;
    }

    /// The first piece of the order with this rank; `rank` becomes the rank among the orders that start with it.
    fn at(&self, rank: &mut u32) -> Piece {
        for piece in Piece::DROPPABLE {
            let orders = self.starting_with(piece);
            if *rank < orders {
                return piece;
            }
            *rank -= orders;
        }
        Piece::Wazir
    }
}

/// Why a text or a list of pieces is not a setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseSetupError {
    /// There are not sixteen characters.
    Length {
        /// The number of characters.
        found: usize,
    },
    /// A character is not a piece letter in the case of the side that places.
    Letter {
        /// Index of the character, from 0.
        at: usize,
        /// The character.
        found: char,
        /// The side that places.
        side: Side,
    },
    /// A kind occurs too often or too rarely.
    Count {
        /// The kind.
        piece: Piece,
        /// The number found.
        found: usize,
    },
}

impl fmt::Display for ParseSetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found } => write!(f, "a setup has 16 letters, not {found}"),
            Self::Letter { at, found, side } => {
                let letters: String = Piece::ALL.iter().map(|piece| piece.letter(*side)).collect();
                write!(f, "letter {} of the setup is '{}': {side} has {letters}", at + 1, found.escape_debug())
            }
            Self::Count { piece, found } => {
                write!(f, "a setup has {} of the kind {piece}, not {found}", piece.count_per_side())
            }
        }
    }
}

impl std::error::Error for ParseSetupError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_setup() {
        let first = Setup::parse("AAAAAAAADDDDFFNW", Side::Red).unwrap();
        let last = Setup::parse("wnffddddaaaaaaaa", Side::Blue).unwrap();
        assert_eq!((first.rank(), last.rank()), (0, Setup::COUNT - 1));
        assert_eq!(Setup::from_rank(0), Some(first));
        assert_eq!(Setup::from_rank(Setup::COUNT - 1), Some(last));
        assert_eq!(Setup::from_rank(Setup::COUNT), None);
    }

    #[test]
    fn ranks_are_in_lexicographic_order() {
        let mut previous = *Setup::from_rank(0).unwrap().pieces();
        for rank in (1..Setup::COUNT).step_by(997) {
            let setup = Setup::from_rank(rank).unwrap();
            assert_eq!(setup.rank(), rank);
            assert!(previous < *setup.pieces());
            previous = *setup.pieces();
        }
    }

    #[test]
    fn reflections_are_undone_by_themselves() {
        let setup = Setup::parse("AAAAAAAADDDDFFNW", Side::Red).unwrap();
        assert_eq!(setup.mirrored().text(Side::Red), "AAAAAAAAWNFFDDDD");
        assert_eq!(setup.for_other_side().text(Side::Blue), "ddddffnwaaaaaaaa");
        assert_eq!(setup.mirrored().mirrored(), setup);
        assert_eq!(setup.for_other_side().for_other_side(), setup);
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(Setup::parse("AAAA", Side::Red), Err(ParseSetupError::Length { found: 4 }));
        let text = "AAAAAAAADDDDFFNw";
        assert_eq!(Setup::parse(text, Side::Red), Err(ParseSetupError::Letter { at: 15, found: 'w', side: Side::Red }));
        let text = "AAAAAAAADDDDFFNN";
        assert_eq!(Setup::parse(text, Side::Red), Err(ParseSetupError::Count { piece: Piece::Knight, found: 2 }));
    }
}
