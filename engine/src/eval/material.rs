//! Material evaluation: a tenth of a logit for each piece a side has, on the board or in hand, whatever its kind.
//!
//! The least a player of 0.1 knows; a yardstick for the other evaluations.

use super::piece_square::relative;
use super::Evaluation;
use crate::{Piece, Played, Position, Score, Side};

/// One piece, in the units of [`Score`].
const PIECE: i32 = 1_000;

/// The evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

/// Red's pieces minus blue's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surplus(i32);

fn count(position: &Position, side: Side) -> i32 {
    let on_board: u32 = Piece::ALL.into_iter().map(|piece| position.pieces(side, piece).count()).sum();
    let in_hand: i32 = Piece::DROPPABLE.into_iter().map(|piece| i32::from(position.hand(side, piece))).sum();
    on_board as i32 + in_hand
}

impl Evaluation for Material {
    type State = Surplus;

    fn start(&self, position: &Position) -> Surplus {
        Surplus(count(position, Side::Red) - count(position, Side::Blue))
    }

    fn update(&self, state: Surplus, played: &Played, after: &Position) -> Surplus {
        match *played {
            Played::Setup { .. } => self.start(after),
            Played::Drop { .. } | Played::Jump { victim: None, .. } => state,
            Played::Jump { side, victim: Some(victim), .. } => {
                // A captured wazir joins no hand: it is lost to one side and no gain to the other.
                let gain = if victim == Piece::Wazir { 1 } else { 2 };
                Surplus(state.0 + relative(gain, side))
            }
        }
    }

    fn score(&self, state: &Surplus, position: &Position) -> Score {
        Score::estimate(PIECE * relative(state.0, position.side_to_move()))
    }
}
