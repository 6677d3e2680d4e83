//! A position of chess with the labels that evaluations are fitted to.

use shakmaty::{Chess, Color, Move, Position};
use stats::Score;

/// A position with the labels from a search and from the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The position.
    pub position: Chess,
    /// The search's score in centipawns, White's view, within [`Record::SCORE_LIMIT`](super::Record::SCORE_LIMIT); a
    /// mate in n moves is that limit less n.
    pub score: i16,
    /// How its game ended, White's view.
    pub result: Score,
    /// The move that was played in it; `None` if the position is the end of a variation instead.
    pub played: Option<Move>,
}

impl Labelled {
    /// Plies of its game before it, by the number of its move.
    pub fn ply(&self) -> u32 {
        ply(&self.position)
    }

    /// Score and result as the side to move has them.
    pub fn for_mover(&self) -> (i16, Score) {
        match self.position.turn() {
            Color::White => (self.score, self.result),
            Color::Black => (-self.score, self.result.mirror()),
        }
    }
}

/// Plies of its game before a position, by the number of its move.
pub(super) fn ply(position: &Chess) -> u32 {
    (position.fullmoves().get() - 1).saturating_mul(2).saturating_add(position.turn().is_black().into())
}
