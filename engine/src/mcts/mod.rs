//! Monte Carlo tree search by PUCT, for any game of two players with full information.
//!
//! Owns the tree, how moves are selected, how values and proven results get from leaves to the root, the limits of a
//! search and its time, and the choice of the move to play. A game is whatever implements [`Game`]: it has the
//! positions, their values and the probabilities that moves have before any search (priors). The engine's own game is
//! in `search::mcts`.
//!
//! A program that plays keeps a [`Tree`], [advances](Tree::advance) it by the moves that were played, and runs a
//! [`Task`] for each of its own moves.
//!
//! The search is reproducible to the bit on every machine: it uses `f64` and `f32` with `+ - * /` and the square root
//! in a fixed order, and functions of its own in place of those of std. Ties go to the move with the larger prior,
//! then to the one that the game lists first.
//!
//! Formulas and the parameters' first values: Czech, Willig, Beyer, Kersting, Fürnkranz, "Learning to play the chess
//! variant Crazyhouse above world champion level with deep neural networks and human data" (2020), on a scale of values
//! from 0 (lost) to 1 (won).

mod backup;
mod choose;
pub mod math;
mod params;
mod priors;
mod search;
mod select;
mod simulate;
#[cfg(test)]
mod tests;
mod threads;
mod tree;

pub use crate::search::limits::Limits;
pub use choose::{centipawns, Choice};
pub use params::MctsParams;
pub use search::{Found, Task};
pub use tree::{MoveStatistics, Tree};

/// A game as the search sees it: the line of moves from the root to the node at hand, position by position.
///
/// Plies count from the root, which is ply 0. The search plays from ply 0 on again and again; a game may keep what it
/// knows of a line that is played a second time.
pub trait Game {
    /// Plays a move at `ply`: the position of `ply + 1` is the one after it. The move is one of those that
    /// [`Game::moves`] gave for this position. What later plies held before is forgotten.
    fn play(&mut self, ply: usize, mv: u16);

    /// What the position at `ply` is worth. Asked when it is visited first, before its moves.
    fn evaluate(&mut self, ply: usize) -> Evaluation;

    /// Adds the moves of the position at `ply` to an empty list. It is asked for them once, when the node is expanded.
    ///
    /// A game that sees that a move wins at once, such as a mate in one, gives that move alone: the node is proven with
    /// this visit. Moves that lose at once may be left out, unless all do.
    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>);

    /// The result of a position at `ply` that [`Game::moves`] has no move for.
    fn without_moves(&self, ply: usize) -> Proof;
}

/// What a position is worth to its side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// From 0 (lost) to 1 (won): the probability of a win and half that of a draw.
    Estimate(f64),
    /// The game is over, or its result is known.
    Proven(Proof),
    /// The position repeats one of its own line: a draw for this line alone.
    Repeated,
}

/// A move of a position, before any search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The game's own code for it. It means the same move in whichever line it is played.
    pub mv: u16,
    /// Its prior is the softmax of these.
    pub logit: f32,
    /// Whether it gives check.
    pub gives_check: bool,
}

/// Whether the result of a node is known, for its side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// It is not.
    #[default]
    Open,
    /// The line to it counts as a draw, because a position was repeated. It is not searched, and proves nothing about
    /// its parent.
    Repeated,
    /// A draw.
    Draw,
    /// A win in this many plies.
    Win(u16),
    /// A loss in this many plies.
    Loss(u16),
}

impl Proof {
    /// The value from 0 to 1, if the node is not searched any more.
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Open => None,
            Self::Repeated | Self::Draw => Some(0.5),
            Self::Win(_) => Some(1.0),
            Self::Loss(_) => Some(0.0),
        }
    }
}
