//! Positions built from pieces, accepted only if the rules could have produced them.
//!
//! Owns the checks that texts ([`super::text`]) and other encodings of positions share.

use super::{add, ParsePositionError, Position, PLY_LIMIT};
use crate::{zobrist, Bitboard, Piece, Side, Square};

/// The number of pieces in hand, by side and kind, as read: not yet checked to fit a hand.
pub(super) type Held = [[usize; 4]; 2];

impl Position {
    /// Makes a position from pieces by square ([`Square::index`]), pieces in hand by side and kind, and `plies` made.
    ///
    /// ```
    /// use engine::Position;
    ///
    /// assert_eq!(Position::from_pieces(&[None; 64], [[0; 4]; 2], 0), Ok(Position::new()));
    /// assert!(Position::from_pieces(&[None; 64], [[0; 4]; 2], 2).is_err());
    /// ```
    ///
    /// # Errors
    /// [`ParsePositionError`] for pieces that the rules could not have produced. It is not checked that moves lead
    /// there.
    pub fn from_pieces(
        board: &[Option<(Side, Piece)>; 64],
        hands: [[u8; 4]; 2],
        plies: u16,
    ) -> Result<Self, ParsePositionError> {
        if plies > PLY_LIMIT {
            return Err(ParsePositionError::Plies { found: plies.to_string() });
        }
        let mut position = Self::new();
        position.plies = plies;
        for (square, piece) in Square::all().zip(board) {
            if let Some((side, piece)) = *piece {
                position.put(side, piece, square);
            }
        }
        position.complete(&hands.map(|held| held.map(usize::from)))?;
        Ok(position)
    }

    /// Checks the pieces of a position that lacks its hands and the side to move in its key, and adds both.
    pub(super) fn complete(&mut self, held: &Held) -> Result<(), ParsePositionError> {
        if self.plies <= 2 {
            self.check_setups(held)?;
        } else {
            self.check_material(held)?;
        }
        self.fill_hands(held);
        if self.side_to_move() == Side::Blue {
            self.key ^= zobrist::side();
        }
        Ok(())
    }

    /// Checks that up to ply 2 there are only the home rows of the sides that have placed their setup, since nothing
    /// has moved.
    fn check_setups(&self, held: &Held) -> Result<(), ParsePositionError> {
        for side in Side::ALL {
            let placed = usize::from(self.plies) > side.index();
            let expected = if placed { side.home() } else { Bitboard::EMPTY };
            if let Some(square) = (self.side_pieces(side) ^ expected).first() {
                return Err(ParsePositionError::Placement { square, plies: self.plies });
            }
            for piece in Piece::ALL {
                self.check_count(side, piece, if placed { piece.count_per_side() as usize } else { 0 })?;
            }
        }
        if *held != [[0; 4]; 2] {
            return Err(ParsePositionError::EarlyHand { plies: self.plies });
        }
        Ok(())
    }

    fn check_material(&self, held: &Held) -> Result<(), ParsePositionError> {
        for piece in Piece::DROPPABLE {
            let in_hands = held[0][piece.index()] + held[1][piece.index()];
            let found = self.kind_pieces(piece).count() as usize + in_hands;
            let expected = 2 * piece.count_per_side() as usize;
            if found != expected {
                return Err(ParsePositionError::Total { piece, expected, found });
            }
        }
        let loser = self.side_to_move();
        self.check_count(loser.other(), Piece::Wazir, 1)?;
        if self.wazir(loser).is_none() {
            return Ok(());
        }
        self.check_count(loser, Piece::Wazir, 1)
    }

    fn check_count(&self, side: Side, piece: Piece, expected: usize) -> Result<(), ParsePositionError> {
        let found = self.pieces(side, piece).count() as usize;
        if found == expected {
            Ok(())
        } else {
            Err(ParsePositionError::Count { side, piece, expected, found })
        }
    }

    fn fill_hands(&mut self, held: &Held) {
        for side in Side::ALL {
            for piece in Piece::DROPPABLE {
                for count in 0..held[side.index()][piece.index()] {
                    self.key ^= zobrist::hand_step(side, piece, count as u8);
                    self.hands[side.index()] = add(self.hands[side.index()], piece, 1);
                }
            }
        }
    }
}
