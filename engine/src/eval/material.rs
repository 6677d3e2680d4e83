//! Material evaluation: 0.1 logit for each piece of a side of any kind, on the board or in hand.
//!
//! A baseline for the other evaluations.

use super::piece_square::relative;
use super::{Evaluation, ListedEvaluation};
use crate::{MoveDelta, Piece, Position, Score, Side};
use std::sync::Arc;

/// One piece, in the units of [`Score`].
const PIECE: i32 = 1_000;

/// The evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Material;

impl ListedEvaluation for Material {
    const NAME: &'static str = "material";

    fn shipped() -> Arc<Self> {
        Arc::new(Self)
    }
}

fn balance(position: &Position) -> i32 {
    count(position, Side::Red) - count(position, Side::Blue)
}

fn count(position: &Position, side: Side) -> i32 {
    let on_board: u32 = Piece::ALL.into_iter().map(|piece| position.pieces(side, piece).count()).sum();
    let in_hand: i32 = Piece::DROPPABLE.into_iter().map(|piece| i32::from(position.hand(side, piece))).sum();
    on_board as i32 + in_hand
}

impl Evaluation for Material {
    /// Red's pieces minus blue's, by ply.
    type Line = Vec<i32>;

    fn new_line(&self, plies: usize) -> Vec<i32> {
        vec![0; plies]
    }

    fn start(&self, line: &mut Vec<i32>, position: &Position) {
        line[0] = balance(position);
    }

    fn advance(&self, line: &mut Vec<i32>, ply: usize, delta: &MoveDelta, after: &Position) {
        line[ply] = match *delta {
            MoveDelta::Setup { .. } => balance(after),
            MoveDelta::Drop { .. } | MoveDelta::Jump { captured: None, .. } => line[ply - 1],
            MoveDelta::Jump { side, captured: Some(captured), .. } => {
                // A captured wazir does not go to the captor's hand.
                let gain = if captured == Piece::Wazir { 1 } else { 2 };
                line[ply - 1] + relative(gain, side)
            }
        };
    }

    fn pass(&self, line: &mut Vec<i32>, ply: usize) {
        line[ply] = line[ply - 1];
    }

    fn evaluate(&self, line: &mut Vec<i32>, ply: usize, position: &Position) -> Score {
        Score::estimate(PIECE * relative(line[ply], position.side_to_move()))
    }
}
