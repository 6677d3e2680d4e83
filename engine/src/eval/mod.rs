//! Judging a position without looking ahead.
//!
//! Owns the seam between search and evaluations: each keeps a state of its own in step with the moves of a line and turns
//! it into a [`Score`]. Wins, draws and repetitions are the search's business: an evaluation is asked only about positions
//! of a game that goes on.

mod material;
pub mod piece_square;

pub use material::Material;
pub use piece_square::PieceSquare;

use crate::{Played, Position, Score};
use std::fmt;
use std::str::FromStr;

/// A way to judge positions, incrementally.
pub trait Evaluation {
    /// What is carried along a line of moves. A search copies it at each ply.
    type State: Copy;

    /// The state of a position, from nothing.
    fn start(&self, position: &Position) -> Self::State;

    /// The state after a jump, capture or drop: `after` is the position it led to. Equal to [`Evaluation::start`] of `after`.
    fn update(&self, state: Self::State, played: &Played, after: &Position) -> Self::State;

    /// The value of the position that `state` belongs to, from the side to move.
    fn score(&self, state: &Self::State, position: &Position) -> Score;
}

/// The evaluations there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationKind {
    /// A tenth of a logit for each piece, on the board or in hand.
    Material,
    /// A weight for each piece on each kind of square and for each piece in hand.
    #[default]
    PieceSquare,
}

impl EvaluationKind {
    /// All evaluations, weakest first.
    pub const ALL: [Self; 2] = [Self::Material, Self::PieceSquare];

    /// The name used in configurations and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::PieceSquare => "piece-square",
        }
    }
}

impl fmt::Display for EvaluationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no evaluation's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseEvaluationError(String);

impl fmt::Display for ParseEvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = EvaluationKind::ALL.map(|kind| format!("`{kind}`"));
        write!(f, "unknown evaluation `{}`: there are {}", self.0, names.join(" and "))
    }
}

impl std::error::Error for ParseEvaluationError {}

impl FromStr for EvaluationKind {
    type Err = ParseEvaluationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| ParseEvaluationError(text.to_owned()))
    }
}

/// Judges one position from nothing, from the side to move. [`Score::millilogits`] has the unit evaluations are shown in.
pub fn evaluate(kind: EvaluationKind, position: &Position) -> Score {
    match kind {
        EvaluationKind::Material => fresh(&Material, position),
        EvaluationKind::PieceSquare => fresh(&PieceSquare, position),
    }
}

fn fresh(evaluation: &impl Evaluation, position: &Position) -> Score {
    evaluation.score(&evaluation.start(position), position)
}

#[cfg(test)]
mod tests {
    use super::EvaluationKind;

    #[test]
    fn names_are_read_back() {
        for kind in EvaluationKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!(
            "nnue".parse::<EvaluationKind>().unwrap_err().to_string(),
            "unknown evaluation `nnue`: there are `material` and `piece-square`"
        );
    }
}
