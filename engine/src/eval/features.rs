//! The features of the learned evaluations: wazir-piece-square (WPS), 6,360 for each perspective, 31 of them active.
//!
//! Seen from one side, the board is turned by one of its eight symmetries so that the own wazir's square is one of the
//! ten of the triangle a1 a2 a3 a4 b2 b3 b4 c3 c4 d4. Each of these squares has a block of 636 features, one for each
//! other piece on each square and for each piece in hand. This module owns only the numbering: weights are in
//! `wazir_piece_square` and `network`. The numbering is that of the 2026 champion of 0.1, published by its author.

use super::piece_square::{square_class, HAND_OFFSET};
use crate::{Bitboard, Piece, Position, Side, Square};

/// The number of features of one perspective.
pub const FEATURES: usize = 10 * BLOCK;
/// The number of features for one square of the own wazir.
pub const BLOCK: usize = 9 * 64 + 2 * HAND;
/// The number of active features of one perspective: every piece but the own wazir, on the board or in hand.
pub const ACTIVE: usize = 31;
/// The first hand feature of a block.
const HANDS: usize = 9 * 64;
/// The number of hand features of one side.
const HAND: usize = 30;
/// The bits of a symmetry, applied in this order.
const FLIP_COLUMN: usize = 1;
const FLIP_ROW: usize = 2;
const TRANSPOSE: usize = 4;

/// Each square under each symmetry.
static TURNED: [[u8; 64]; 8] = turned();
/// For each square, the first symmetry that takes it to the triangle.
static SYMMETRY: [u8; 64] = symmetries();

const fn turn(symmetry: usize, square: usize) -> usize {
    let (mut row, mut column) = (square / 8, square % 8);
    if symmetry & FLIP_COLUMN != 0 {
        column = 7 - column;
    }
    if symmetry & FLIP_ROW != 0 {
        row = 7 - row;
    }
    if symmetry & TRANSPOSE != 0 {
        column * 8 + row
    } else {
        row * 8 + column
    }
}

const fn turned() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut square = 0;
        while square < 64 {
            table[symmetry][square] = turn(symmetry, square) as u8;
            square += 1;
        }
        symmetry += 1;
    }
    table
}

const fn symmetries() -> [u8; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut symmetry = 0;
        loop {
            let turned = turn(symmetry, square);
            if turned / 8 < 4 && turned / 8 <= turned % 8 && turned % 8 < 4 {
                break;
            }
            symmetry += 1;
        }
        table[square] = symmetry as u8;
        square += 1;
    }
    table
}

/// A side's view of the board for one square of its wazir, which maps squares to features.
#[derive(Clone, Copy, Debug)]
pub struct Perspective {
    side: Side,
    /// The first feature of the block.
    block: usize,
    turned: &'static [u8; 64],
}

impl Perspective {
    /// The perspective of `side` with its wazir on `wazir`.
    #[inline]
    pub fn new(side: Side, wazir: Square) -> Self {
        let turned = &TURNED[usize::from(SYMMETRY[wazir.index()])];
        Self { side, block: BLOCK * square_class(wazir.index()), turned }
    }

    /// The feature of a piece on the board. The own wazir has none: it chose the block.
    #[inline]
    pub fn board(&self, owner: Side, piece: Piece, square: Square) -> usize {
        let plane = if owner == self.side { 0 } else { 4 } + piece.index();
        self.block + 64 * plane + self.square(square)
    }

    /// The number of a square in this side's view.
    #[inline]
    pub fn square(&self, square: Square) -> usize {
        usize::from(self.turned[square.index()])
    }

    /// The feature of the `nth` piece of a kind (from 0) in the hand of `owner`. The wazir, never in hand, has none.
    #[inline]
    pub fn hand(&self, owner: Side, piece: Piece, nth: u8) -> usize {
        let first = if owner == self.side { 0 } else { HAND };
        self.block + HANDS + first + HAND_OFFSET[piece.index() & 3] + usize::from(nth)
    }

    /// Calls `each` with every active feature of a position: those of both sides' pieces on the board, kind by kind,
    /// then those in hand.
    pub fn for_each_feature(&self, position: &Position, mut each: impl FnMut(usize)) {
        for owner in Side::ALL {
            for piece in Piece::ALL {
                if piece == Piece::Wazir && owner == self.side {
                    continue;
                }
                for square in position.pieces(owner, piece) {
                    each(self.board(owner, piece, square));
                }
            }
            for piece in Piece::DROPPABLE {
                for nth in 0..position.hand(owner, piece) {
                    each(self.hand(owner, piece, nth));
                }
            }
        }
    }
}

/// Calls `each` with every feature that is active for `side`; none if its wazir is not on the board.
pub fn for_each_feature(position: &Position, side: Side, each: impl FnMut(usize)) {
    if let Some(wazir) = position.wazir(side) {
        Perspective::new(side, wazir).for_each_feature(position, each);
    }
}

/// The number of a feature within its block, below [`BLOCK`]. Training shares a part of the weights between the blocks
/// by this number (a factorised first layer).
pub const fn within_block(feature: usize) -> usize {
    feature % BLOCK
}

/// The features of a position's pieces in one perspective, from which later changes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    sides: [Bitboard; 2],
    kinds: [Bitboard; 5],
    hands: [[u8; 4]; 2],
}

impl Placement {
    /// An empty board and empty hands.
    pub(super) const EMPTY: Self =
        Self { sides: [Bitboard::EMPTY; 2], kinds: [Bitboard::EMPTY; 5], hands: [[0; 4]; 2] };

    /// The pieces of a position.
    pub(super) fn of(position: &Position) -> Self {
        Self {
            sides: Side::ALL.map(|side| position.side_pieces(side)),
            kinds: Piece::ALL.map(|piece| position.kind_pieces(piece)),
            hands: Side::ALL.map(|side| Piece::DROPPABLE.map(|piece| position.hand(side, piece))),
        }
    }

    /// Calls `removed` and `added` with the features that differ from `before`.
    pub(super) fn changes_since(
        &self,
        before: &Self,
        perspective: &Perspective,
        mut change: impl FnMut(Change, usize),
    ) {
        for owner in Side::ALL {
            for piece in Piece::ALL {
                if piece == Piece::Wazir && owner == perspective.side {
                    continue;
                }
                let was = before.sides[owner.index()] & before.kinds[piece.index()];
                let is = self.sides[owner.index()] & self.kinds[piece.index()];
                (was - is).iter().for_each(|at| change(Change::Removed, perspective.board(owner, piece, at)));
                (is - was).iter().for_each(|at| change(Change::Added, perspective.board(owner, piece, at)));
            }
            for piece in Piece::DROPPABLE {
                let was = before.hands[owner.index()][piece.index()];
                let is = self.hands[owner.index()][piece.index()];
                (is..was).for_each(|nth| change(Change::Removed, perspective.hand(owner, piece, nth)));
                (was..is).for_each(|nth| change(Change::Added, perspective.hand(owner, piece, nth)));
            }
        }
    }
}

/// A change of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The feature is no longer active.
    Removed,
    /// It has become active.
    Added,
}

#[cfg(test)]
mod tests {
    use super::{for_each_feature, ACTIVE, FEATURES, SYMMETRY, TURNED};
    use crate::{bench_positions, Side};

    #[test]
    fn symmetries_permute_the_board_and_fold_the_wazir() {
        for symmetry in &TURNED {
            let mut squares = *symmetry;
            squares.sort_unstable();
            assert!(squares.iter().enumerate().all(|(i, &square)| i == usize::from(square)));
        }
        for (square, &symmetry) in SYMMETRY.iter().enumerate() {
            let turned = TURNED[usize::from(symmetry)][square];
            let (row, column) = (turned / 8, turned % 8);
            assert!(row <= column && column < 4, "{square} is taken to {turned}");
        }
    }

    #[test]
    fn thirty_one_features_are_active_and_all_differ() {
        for position in bench_positions() {
            for side in Side::ALL {
                let mut features = Vec::new();
                for_each_feature(&position, side, |feature| features.push(feature));
                features.sort_unstable();
                features.dedup();
                assert_eq!(features.len(), ACTIVE, "{position}");
                assert!(features.iter().all(|&feature| feature < FEATURES));
            }
        }
    }
}
