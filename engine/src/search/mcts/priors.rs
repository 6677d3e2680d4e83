//! Priors without a learned policy: by what a move wins by exchanges, and whether it gives check.

use super::super::exchange::{exchange, value};
use crate::mcts::MctsParams;
use crate::{Bitboard, Move, Piece, Position};

/// What the priors of a position need.
pub(super) struct StaticPriors<'a> {
    position: &'a Position,
    /// All squares that the opponent attacks.
    attacked: Bitboard,
    exchange: f32,
    check: f32,
}

impl<'a> StaticPriors<'a> {
    pub(super) fn new(position: &'a Position, params: &MctsParams) -> Self {
        let opponent = !position.side_to_move();
        let attacks = Piece::ALL.into_iter().map(|piece| piece.attacks_from_set(position.pieces(opponent, piece)));
        Self {
            position,
            attacked: attacks.fold(Bitboard::EMPTY, |all, some| all | some),
            exchange: params.mcts_exchange_prior as f32 / 1_000.0,
            check: params.mcts_check_prior as f32,
        }
    }

    /// The logit of a safe move.
    pub(super) fn logit(&self, mv: Move, gives_check: bool) -> f32 {
        let check = if gives_check { self.check } else { 0.0 };
        self.gain(mv).clamp(-2_000, 2_000) as f32 * self.exchange + check
    }

    /// What the move wins by exchanges on its target, in thousandths of a logit.
    fn gain(&self, mv: Move) -> i32 {
        match mv.to() {
            Some(to) if self.attacked.contains(to) => exchange(self.position, mv),
            Some(to) => self.position.piece_at(to).map_or(0, |(_, piece)| value(piece)),
            None => 0,
        }
    }
}
