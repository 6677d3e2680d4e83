//! Piece-square tables: 80 weights, for each piece on each of ten classes of squares and for each piece in hand.
//!
//! `score = S(side to move) - S(opponent) + tempo`, where `S` sums a side's weights. The weights and the tempo are
//! those published by the author of the 2026 champion of 0.1, in logit x 1,000. A square is folded by the eight
//! symmetries of the board into the triangle a1 a2 a3 a4 b2 b3 b4 c3 c4 d4; the n-th piece of a kind in hand adds the
//! n-th weight of that kind.

use super::{Evaluation, ListedEvaluation};
use crate::{MoveDelta, Piece, Position, Score, Side, Square};
use std::sync::Arc;

/// The number of features of one side.
pub const FEATURES: usize = 80;
/// The number of classes of squares under the symmetries of the board.
const SQUARE_CLASSES: usize = 10;
/// The first hand feature.
const HAND: usize = 5 * SQUARE_CLASSES;
/// The first hand feature of each kind that can be in hand, counted from [`HAND`].
pub(super) const HAND_OFFSET: [usize; 4] = [0, 16, 24, 28];

/// Bonus for the side to move, logit x 1,000.
const TEMPO: i32 = 352;

/// Logit x 1,000: five kinds of piece on ten squares, then 16 alfils, 8 dabbabas, 4 ferzes and 2 knights in hand.
#[rustfmt::skip]
const WEIGHTS: [i32; FEATURES] = [
     83,  89, 163,  222, 112, 194,  203,  311,  313,  365,
     74,  60, 115,  185,  59, 181,  212,  320,  330,  309,
     18,  49,  62,  126, 206, 226,  247,  289,  286,  250,
    188, 221, 282,  318, 265, 343,  419,  449,  442,  405,
    655, 626,  25, -148, 599,  44, -304, -283, -514, -701,
    186, 111,  80,   71,  64,  73,   70,   91,   53,   55, -107, -85, 0, 0, 0, 0,
    307, 148,  89,   40,  23,  68, -236,    0,
    324, 207, 154,   34,
    442, 344,
];

/// The weight of each kind on each square, in the units of [`Score`].
static PSQT: [[i32; 64]; 5] = psqt_table();

/// The class of a square under the symmetries of the board: 0 for a corner to 9 for a centre square.
pub(super) const fn square_class(square: usize) -> usize {
    let (row, column) = (square / 8, square % 8);
    let row = if row < 4 { row } else { 7 - row };
    let column = if column < 4 { column } else { 7 - column };
    let (near, far) = if row <= column { (row, column) } else { (column, row) };
    [0, 4, 7, 9][near] + far - near
}

const fn psqt_table() -> [[i32; 64]; 5] {
    let mut weights = [[0; 64]; 5];
    let mut piece = 0;
    while piece < 5 {
        let mut square = 0;
        while square < 64 {
            weights[piece][square] = 10 * WEIGHTS[SQUARE_CLASSES * piece + square_class(square)];
            square += 1;
        }
        piece += 1;
    }
    weights
}

/// The weight of a piece on a square, in the units of [`Score`].
#[inline]
fn psqt(piece: Piece, square: Square) -> i32 {
    PSQT[piece.index()][square.index()]
}

/// The weight of the `nth` piece of a kind in hand (from 0), in the units of [`Score`].
fn hand_weight(piece: Piece, nth: u8) -> i32 {
    HAND_OFFSET.get(piece.index()).map_or(0, |offset| 10 * WEIGHTS[(HAND + offset + nth as usize).min(FEATURES - 1)])
}

/// Calls `each` with the index of every feature of one side: `10 piece + square class` for a piece on the board, `50 +
/// offset + n` for the n-th piece (from 0) of a kind in hand, offsets 0, 16, 24, 28. In the order of index, except
/// among pieces of one kind.
pub fn for_each_feature(position: &Position, side: Side, mut each: impl FnMut(usize)) {
    for piece in Piece::ALL {
        for square in position.pieces(side, piece) {
            each(SQUARE_CLASSES * piece.index() + square_class(square.index()));
        }
    }
    for (piece, offset) in Piece::DROPPABLE.into_iter().zip(HAND_OFFSET) {
        for nth in 0..position.hand(side, piece) {
            each(HAND + offset + nth as usize);
        }
    }
}

/// The evaluation with the published weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceSquare;

impl ListedEvaluation for PieceSquare {
    const NAME: &'static str = "piece-square";

    fn shipped() -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Red's sum of weights minus blue's, in the units of [`Score`].
#[derive(Clone, Copy)]
struct Balance(i32);

impl Balance {
    fn of(position: &Position) -> Self {
        let mut balance = Self(0);
        for side in Side::ALL {
            for_each_feature(position, side, |feature| balance.add(side, 10 * WEIGHTS[feature]));
        }
        balance
    }

    fn add(&mut self, side: Side, weight: i32) {
        match side {
            Side::Red => self.0 += weight,
            Side::Blue => self.0 -= weight,
        }
    }
}

impl Evaluation for PieceSquare {
    /// Red's sum of weights minus blue's, by ply.
    type Line = Vec<i32>;

    fn new_line(&self, plies: usize) -> Vec<i32> {
        vec![0; plies]
    }

    fn start(&self, line: &mut Vec<i32>, position: &Position) {
        line[0] = Balance::of(position).0;
    }

    #[inline]
    fn advance(&self, line: &mut Vec<i32>, ply: usize, delta: &MoveDelta, after: &Position) {
        let mut balance = Balance(line[ply - 1]);
        match *delta {
            MoveDelta::Setup { .. } => balance = Balance::of(after),
            MoveDelta::Jump { side, piece, from, to, captured } => {
                balance.add(side, psqt(piece, to) - psqt(piece, from));
                if let Some(captured) = captured {
                    balance.add(!side, -psqt(captured, to));
                    // A captured wazir does not go to the hand.
                    let count = after.hand(side, captured);
                    balance.add(side, if count > 0 { hand_weight(captured, count - 1) } else { 0 });
                }
            }
            MoveDelta::Drop { side, piece, to } => {
                balance.add(side, psqt(piece, to) - hand_weight(piece, after.hand(side, piece)));
            }
        }
        line[ply] = balance.0;
    }

    fn pass(&self, line: &mut Vec<i32>, ply: usize) {
        line[ply] = line[ply - 1];
    }

    fn evaluate(&self, line: &mut Vec<i32>, ply: usize, position: &Position) -> Score {
        Score::estimate(10 * TEMPO + relative(line[ply], position.side_to_move()))
    }
}

/// Converts a red-minus-blue difference to the view of the side to move.
pub(super) fn relative(red_minus_blue: i32, mover: Side) -> i32 {
    match mover {
        Side::Red => red_minus_blue,
        Side::Blue => -red_minus_blue,
    }
}
