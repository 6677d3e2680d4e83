//! Static evaluation.
//!
//! Owns the trait through which a search uses evaluations: each keeps a line of its own beside the line of moves, and
//! turns it into a [`Score`]. Wins, draws and repetitions are left to the search: only positions of games in progress
//! are evaluated.

pub mod features;
mod list;
mod material;
pub mod network;
pub mod piece_square;
pub mod policy;
mod shipped;
pub(crate) mod simd;
pub mod wazir_piece_square;
pub(crate) mod weights;

pub use list::{evaluate, EvaluationKind, Evaluator, ListedEvaluation, ParseEvaluationError};
pub(crate) use list::{listed, EvaluationVisitor};
pub use material::Material;
pub use network::{Hidden, Network};
pub use piece_square::PieceSquare;
pub use wazir_piece_square::WazirPieceSquare;
pub use weights::WeightsError;

use crate::{MoveDelta, Position, Score};
use std::fmt;

/// A static evaluation, brought up to date move by move.
///
/// It keeps what it needs in a line of its own, by ply from the root. A ply is written by [`start`](Self::start),
/// [`advance`](Self::advance) or [`pass`](Self::pass) before it is evaluated, and stays unchanged while later plies are
/// written again and again: moves are never undone.
pub trait Evaluation: fmt::Debug + Send + Sync + 'static {
    /// What is kept of the positions from the root to the present node.
    type Line: Clone + fmt::Debug + Send;

    /// A line with room for plies 0 to `plies` - 1. A search uses it again and again.
    fn new_line(&self, plies: usize) -> Self::Line;

    /// Ply 0 is `position`.
    fn start(&self, line: &mut Self::Line, position: &Position);

    /// Ply `ply`, from 1, is `after`: what the ply before it becomes by a move that changed `delta`.
    fn advance(&self, line: &mut Self::Line, ply: usize, delta: &MoveDelta, after: &Position);

    /// Ply `ply`, from 1, is the ply before it with the other side to move.
    fn pass(&self, line: &mut Self::Line, ply: usize);

    /// The hidden layer of ply `ply`, which is `position`, if it has one.
    fn hidden<'a>(&'a self, _line: &'a mut Self::Line, _ply: usize, _position: &Position) -> Option<Hidden<'a>> {
        None
    }

    /// The score of ply `ply`, which is `position`, from its side to move. Depends on the position alone.
    fn evaluate(&self, line: &mut Self::Line, ply: usize, position: &Position) -> Score;
}
