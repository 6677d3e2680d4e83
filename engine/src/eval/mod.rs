//! Static evaluation.
//!
//! Owns the trait through which a search uses evaluations: each keeps its own line beside the line of moves, and turns
//! it into a [`Score`]. Wins, draws and repetitions are left to the search: only positions of games in progress are
//! evaluated.

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

/// A static evaluation, updated move by move.
///
/// It keeps its data in a line, by ply from the root. [`start`](Self::start), [`advance`](Self::advance) or
/// [`pass`](Self::pass) writes a ply before it is evaluated, and the ply stays unchanged while later plies are
/// rewritten: moves are never undone.
pub trait Evaluation: fmt::Debug + Send + Sync + 'static {
    /// The data kept for the positions from the root to the current node.
    type Line: Clone + fmt::Debug + Send;

    /// Makes a line with room for plies 0 to `plies` - 1. A search reuses it.
    fn new_line(&self, plies: usize) -> Self::Line;

    /// Sets ply 0 to `position`.
    fn start(&self, line: &mut Self::Line, position: &Position);

    /// Sets ply `ply`, from 1, to `after`: the result of a move from the previous ply that changed `delta`.
    fn advance(&self, line: &mut Self::Line, ply: usize, delta: &MoveDelta, after: &Position);

    /// Sets ply `ply`, from 1, to the previous ply with the other side to move.
    fn pass(&self, line: &mut Self::Line, ply: usize);

    /// The hidden layer of ply `ply`, which is `position`, if the evaluation has one.
    fn hidden<'a>(&'a self, _line: &'a mut Self::Line, _ply: usize, _position: &Position) -> Option<Hidden<'a>> {
        None
    }

    /// The score of ply `ply`, which is `position`, in the view of its side to move. Depends only on the position.
    fn evaluate(&self, line: &mut Self::Line, ply: usize, position: &Position) -> Score;
}
