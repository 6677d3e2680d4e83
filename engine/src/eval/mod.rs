//! Static evaluation.
//!
//! Owns the trait through which the search uses evaluations: each keeps a line of its own beside the line of moves, and turns
//! it into a [`Score`]. Wins, draws and repetitions are left to the search: only positions of games in progress are
//! evaluated.

pub mod features;
mod material;
pub mod network;
pub mod piece_square;
mod shipped;
pub(crate) mod simd;
pub mod wazir_piece_square;
pub(crate) mod weights;

pub use material::Material;
pub use network::Network;
pub use piece_square::PieceSquare;
pub use wazir_piece_square::WazirPieceSquare;
pub use weights::WeightsError;

use crate::{MoveDelta, Position, Score};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A static evaluation, brought up to date move by move.
///
/// It keeps what it needs in a line of its own, by ply from the root. A ply is written by [`start`](Self::start),
/// [`advance`](Self::advance) or [`pass`](Self::pass) before it is evaluated, and stays as it is while later plies are written
/// again and again: moves are never undone.
pub trait Evaluation {
    /// What is kept of the positions from the root to the present node.
    type Line;

    /// A line with room for plies 0 to `plies` - 1. A search uses it again and again.
    fn new_line(&self, plies: usize) -> Self::Line;

    /// Ply 0 is `position`.
    fn start(&self, line: &mut Self::Line, position: &Position);

    /// Ply `ply`, from 1, is `after`: what the ply before it becomes by a move that changed `delta`.
    fn advance(&self, line: &mut Self::Line, ply: usize, delta: &MoveDelta, after: &Position);

    /// Ply `ply`, from 1, is the ply before it with the other side to move.
    fn pass(&self, line: &mut Self::Line, ply: usize);

    /// The score of ply `ply`, which is `position`, from its side to move. Depends on the position alone.
    fn evaluate(&self, line: &mut Self::Line, ply: usize, position: &Position) -> Score;
}

/// The evaluations available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationKind {
    /// A tenth of a logit for each piece, on the board or in hand.
    Material,
    /// A weight for each piece by its square, and for each piece in hand.
    PieceSquare,
    /// A weight for each piece by its square, and for each piece in hand, by the square of the own wazir.
    WazirPieceSquare,
    /// A network over the features of the one before.
    #[default]
    Network,
}

impl EvaluationKind {
    /// All evaluations, weakest first.
    pub const ALL: [Self; 4] = [Self::Material, Self::PieceSquare, Self::WazirPieceSquare, Self::Network];

    /// The name used in configurations and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::PieceSquare => "piece-square",
            Self::WazirPieceSquare => "wps",
            Self::Network => "network",
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
        let [others @ .., last] = &names;
        write!(f, "unknown evaluation `{}`: expected {} or {last}", self.0, others.join(", "))
    }
}

impl std::error::Error for ParseEvaluationError {}

impl FromStr for EvaluationKind {
    type Err = ParseEvaluationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| ParseEvaluationError(text.to_owned()))
    }
}

/// An evaluation with its weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluator {
    /// Of bare material.
    Material,
    /// By the published piece-square weights.
    PieceSquare,
    /// By these weights.
    WazirPieceSquare(Arc<WazirPieceSquare>),
    /// By this network.
    Network(Arc<Network>),
}

impl Evaluator {
    /// The evaluation whose weights these bytes are: those of a file of [`WazirPieceSquare`] or of [`Network`].
    ///
    /// # Errors
    /// [`WeightsError`] for bytes that are neither.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        match WazirPieceSquare::from_bytes(bytes) {
            Err(WeightsError::Foreign { .. }) => match Network::from_bytes(bytes) {
                Err(WeightsError::Foreign { .. }) => Err(WeightsError::Unknown),
                network => Ok(Self::Network(Arc::new(network?))),
            },
            model => Ok(Self::WazirPieceSquare(Arc::new(model?))),
        }
    }

    /// Tells its weights from others of its kind, on every machine; 0 where there is nothing to tell.
    pub fn hash(&self) -> u64 {
        match self {
            Self::Material | Self::PieceSquare => 0,
            Self::WazirPieceSquare(model) => model.hash(),
            Self::Network(network) => network.hash(),
        }
    }

    /// What it is called.
    pub const fn kind(&self) -> EvaluationKind {
        match self {
            Self::Material => EvaluationKind::Material,
            Self::PieceSquare => EvaluationKind::PieceSquare,
            Self::WazirPieceSquare(_) => EvaluationKind::WazirPieceSquare,
            Self::Network(_) => EvaluationKind::Network,
        }
    }

    /// Evaluates one position from its side to move. [`Score::millilogits`] is the unit in which evaluations are printed.
    pub fn evaluate(&self, position: &Position) -> Score {
        match self {
            Self::Material => evaluate_from_scratch(&Material, position),
            Self::PieceSquare => evaluate_from_scratch(&PieceSquare, position),
            Self::WazirPieceSquare(model) => evaluate_from_scratch(&**model, position),
            Self::Network(network) => evaluate_from_scratch(&**network, position),
        }
    }
}

/// With the weights that the engine is shipped with.
impl From<EvaluationKind> for Evaluator {
    fn from(kind: EvaluationKind) -> Self {
        match kind {
            EvaluationKind::Material => Self::Material,
            EvaluationKind::PieceSquare => Self::PieceSquare,
            EvaluationKind::WazirPieceSquare => Self::WazirPieceSquare(shipped::wazir_piece_square()),
            EvaluationKind::Network => Self::Network(shipped::network()),
        }
    }
}

/// Evaluates one position from its side to move with the weights that the engine is shipped with.
pub fn evaluate(kind: EvaluationKind, position: &Position) -> Score {
    Evaluator::from(kind).evaluate(position)
}

fn evaluate_from_scratch(evaluation: &impl Evaluation, position: &Position) -> Score {
    let mut line = evaluation.new_line(1);
    evaluation.start(&mut line, position);
    evaluation.evaluate(&mut line, 0, position)
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
            "unknown evaluation `nnue`: expected `material`, `piece-square`, `wps` or `network`"
        );
    }
}
