//! Static evaluation.
//!
//! Owns the trait through which the search uses evaluations: each has an accumulator that is updated with every move and
//! turned into a [`Score`]. Wins, draws and repetitions are left to the search: only positions of games in progress are
//! evaluated.

mod material;
pub mod piece_square;

pub use material::Material;
pub use piece_square::PieceSquare;

use crate::{MoveDelta, Position, Score};
use std::fmt;
use std::str::FromStr;

/// A static evaluation, updated incrementally.
pub trait Evaluation {
    /// The incremental state. The search copies it with the position at each ply.
    type Accumulator: Copy;

    /// The accumulator of a position, computed from scratch.
    fn refresh(&self, position: &Position) -> Self::Accumulator;

    /// The accumulator after a move: `delta` is what the move changed, `after` the position after it. Equal to
    /// [`Evaluation::refresh`] of `after`.
    fn update(&self, accumulator: Self::Accumulator, delta: &MoveDelta, after: &Position) -> Self::Accumulator;

    /// The score of a position from its side to move, given its accumulator.
    fn evaluate(&self, accumulator: &Self::Accumulator, position: &Position) -> Score;
}

/// The evaluations available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationKind {
    /// A tenth of a logit for each piece, on the board or in hand.
    Material,
    /// A weight for each piece by its square, and for each piece in hand.
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

/// There is no evaluation of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseEvaluationError(String);

impl fmt::Display for ParseEvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = EvaluationKind::ALL.map(|kind| format!("`{kind}`"));
        write!(f, "unknown evaluation `{}`: expected {}", self.0, names.join(" or "))
    }
}

impl std::error::Error for ParseEvaluationError {}

impl FromStr for EvaluationKind {
    type Err = ParseEvaluationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| ParseEvaluationError(text.to_owned()))
    }
}

/// Evaluates one position from its side to move. [`Score::millilogits`] is the unit in which evaluations are printed.
pub fn evaluate(kind: EvaluationKind, position: &Position) -> Score {
    match kind {
        EvaluationKind::Material => evaluate_from_scratch(&Material, position),
        EvaluationKind::PieceSquare => evaluate_from_scratch(&PieceSquare, position),
    }
}

fn evaluate_from_scratch(evaluation: &impl Evaluation, position: &Position) -> Score {
    evaluation.evaluate(&evaluation.refresh(position), position)
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
            "unknown evaluation `nnue`: expected `material` or `piece-square`"
        );
    }
}
