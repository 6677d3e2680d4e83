//! Material evaluation: 0.1 logit for each piece of a side, on the board or in hand, whatever its kind.
//!
//! A baseline for the other evaluations.

use super::piece_square::relative;
use super::Evaluation;
use crate::{MoveDelta, Piece, Position, Score, Side};

/// One piece, in the units of [`Score`].
const PIECE: i32 = 1_000;

/// The evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

/// Red's pieces minus blue's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance(i32);

fn count(position: &Position, side: Side) -> i32 {
    let on_board: u32 = Piece::ALL.into_iter().map(|piece| position.pieces(side, piece).count()).sum();
    let in_hand: i32 = Piece::DROPPABLE.into_iter().map(|piece| i32::from(position.hand(side, piece))).sum();
    on_board as i32 + in_hand
}

impl Evaluation for Material {
    type Accumulator = Balance;

    fn refresh(&self, position: &Position) -> Balance {
        Balance(count(position, Side::Red) - count(position, Side::Blue))
    }

    fn update(&self, balance: Balance, delta: &MoveDelta, after: &Position) -> Balance {
        match *delta {
            MoveDelta::Setup { .. } => self.refresh(after),
            MoveDelta::Drop { .. } | MoveDelta::Jump { captured: None, .. } => balance,
            MoveDelta::Jump { side, captured: Some(captured), .. } => {
                // A captured wazir does not go to the captor's hand.
                let gain = if captured == Piece::Wazir { 1 } else { 2 };
                Balance(balance.0 + relative(gain, side))
            }
        }
    }

    fn evaluate(&self, balance: &Balance, position: &Position) -> Score {
        Score::estimate(PIECE * relative(balance.0, position.side_to_move()))
    }
}
