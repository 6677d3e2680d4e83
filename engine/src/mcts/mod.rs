//! Monte Carlo tree search by PUCT, for any game of two players with full information.
//!
//! Owns the tree, the selection of moves, the propagation of values and proven results from leaves to the root, the
//! limits and the time of a search, and the choice of the move to play. Any type that implements [`Game`] is a game: it
//! provides the positions, their values and the moves' probabilities before any search (priors). The engine's own game
//! is in `search::mcts`.
//!
//! A program that plays keeps a [`Tree`], [advances](Tree::advance) it by the moves played, and runs a [`Task`] for
//! each of its own moves.
//!
//! The search is reproducible to the bit on every machine: it uses `f64` and `f32` with `+ - * /` and the square root
//! in a fixed order, and its own functions instead of those of std. Ties go to the move with the larger prior, then to
//! the one that the game lists first.
//!
//! Source of the formulas and of the parameters' first values: Czech, Willig, Beyer, Kersting, Fürnkranz, "Learning to
//! play the chess variant Crazyhouse above world champion level with deep neural networks and human data" (2020), on a
//! scale of values from 0 (lost) to 1 (won).

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

/// A game as the search sees it: the line of moves from the root to the current node, position by position.
///
/// Plies count from the root, which is ply 0. The search replays lines from ply 0 many times; a game may cache what it
/// computed for a line.
pub trait Game {
    /// Plays a move at `ply`: it leads to the position at `ply + 1`. The move is one that [`Game::moves`] gave for this
    /// position. The previous content of later plies is discarded.
    fn play(&mut self, ply: usize, mv: u16);

    /// The value of the position at `ply`. Called at the position's first visit, before its moves are requested; by
    /// several threads perhaps more than once.
    fn evaluate(&mut self, ply: usize) -> Evaluation;

    /// Adds the moves of the position at `ply` to an empty list. Called when the node is expanded; by several
    /// threads perhaps more than once.
    ///
    /// If a move wins at once, such as a mate in one, a game may give that move alone: this visit then proves the node.
    /// Moves that lose at once may be left out, unless all do.
    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>);

    /// The result of a position at `ply` for which [`Game::moves`] gave no moves.
    fn without_moves(&self, ply: usize) -> Proof;
}

/// The value of a position for its side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// From 0 (lost) to 1 (won): the probability of a win plus half that of a draw.
    Estimate(f64),
    /// The game is over, or its result is known.
    Proven(Proof),
    /// The position repeats one of its own line: a draw for this line only.
    Repeated,
}

/// A move of a position, before any search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The game's code for the move. It means the same move in every line.
    pub mv: u16,
    /// The softmax of the logits gives the priors.
    pub logit: f32,
    /// Whether the move gives check.
    pub gives_check: bool,
}

/// The proven result of a node, for its side to move, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// Unknown.
    #[default]
    Open,
    /// The line to the node counts as a draw because a position was repeated. The node is not searched, and proves
    /// nothing about its parent.
    Repeated,
    /// A draw.
    Draw,
    /// A win in this many plies.
    Win(u16),
    /// A loss in this many plies.
    Loss(u16),
}

impl Proof {
    /// The value from 0 to 1, if the node is no longer searched.
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Open => None,
            Self::Repeated | Self::Draw => Some(0.5),
            Self::Win(_) => Some(1.0),
            Self::Loss(_) => Some(0.0),
        }
    }
}
