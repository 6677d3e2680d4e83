//! The list of evaluations, and everything that follows from it.
//!
//! A new evaluation needs its own module that implements [`ListedEvaluation`], and one line of the list at the end.

use super::{Evaluation, Material, Network, PieceSquare, WazirPieceSquare, WeightsError};
use crate::{Position, Score};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// An evaluation in the list: its name and its weights.
pub trait ListedEvaluation: Evaluation + Sized {
    /// The name used in configurations and on the command line.
    const NAME: &'static str;
    /// The eight bytes at the start of its weights files; `None` if it has no files.
    const MAGIC: Option<&'static str> = None;

    /// The evaluation with the shipped weights.
    fn shipped() -> Arc<Self>;

    /// The evaluation with the weights of a file.
    ///
    /// # Errors
    /// [`WeightsError`] for bytes that are not such a file. An evaluation without files accepts none.
    fn read(_bytes: &[u8]) -> Result<Self, WeightsError> {
        Err(WeightsError::Unknown)
    }

    /// A hash that identifies the weights among those of the evaluation, the same on every machine; 0 if there is only
    /// one set of weights.
    fn weights_hash(&self) -> u64 {
        0
    }
}

/// Code that is generic over evaluations, compiled for each of them.
pub(crate) trait EvaluationVisitor {
    type Output;

    fn visit<E: Evaluation>(self, evaluation: &Arc<E>) -> Self::Output;
}

/// Generates the kinds and the evaluators of the listed evaluations, weakest first.
macro_rules! evaluations {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// The evaluations available.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EvaluationKind {
            $($(#[$doc])+ $name,)+
        }

        impl EvaluationKind {
            /// All evaluations, weakest first.
            pub const ALL: [Self; [$(stringify!($name)),+].len()] = [$(Self::$name),+];

            /// The name used in configurations and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => <$name as ListedEvaluation>::NAME,)+
                }
            }
        }

        /// An evaluation with its weights.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Evaluator {
            $($(#[$doc])+ $name(Arc<$name>),)+
        }

        impl Evaluator {
            /// The kind of the evaluation.
            pub const fn kind(&self) -> EvaluationKind {
                match self {
                    $(Self::$name(_) => EvaluationKind::$name,)+
                }
            }

            /// Reads an evaluation from the bytes of its weights; the first eight identify the kind.
            ///
            /// # Errors
            /// [`WeightsError`] for bytes that are not a file of weights.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
                $(if is_file_of::<$name>(bytes) {
                    return Ok(Self::$name(Arc::new(<$name as ListedEvaluation>::read(bytes)?)));
                })+
                Err(WeightsError::Unknown)
            }

            /// A hash that identifies the weights among those of the evaluation, the same on every machine; 0 if there
            /// is only one set of weights.
            pub fn hash(&self) -> u64 {
                match self {
                    $(Self::$name(evaluation) => evaluation.weights_hash(),)+
                }
            }

            /// Calls the visitor with the evaluation.
            pub(crate) fn visit<V: EvaluationVisitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(Self::$name(evaluation) => visitor.visit(evaluation),)+
                }
            }
        }

        /// Uses the shipped weights.
        impl From<EvaluationKind> for Evaluator {
            fn from(kind: EvaluationKind) -> Self {
                match kind {
                    $(EvaluationKind::$name => Self::$name($name::shipped()),)+
                }
            }
        }

        /// The first bytes of weights files.
        pub(super) const MAGICS: &[Option<&str>] = &[$(<$name as ListedEvaluation>::MAGIC),+];
    };
}

fn is_file_of<E: ListedEvaluation>(bytes: &[u8]) -> bool {
    E::MAGIC.is_some_and(|magic| bytes.starts_with(magic.as_bytes()))
}

/// The strongest evaluation.
impl Default for EvaluationKind {
    fn default() -> Self {
        Self::ALL[Self::ALL.len() - 1]
    }
}

impl EvaluationKind {
    /// All names for a message: `a`, `b` or `c`, in backticks.
    pub fn names() -> String {
        listed(Self::ALL.iter().map(|kind| kind.name()), "or")
    }
}

/// Lists names in backticks, separated by commas, with a word before the last.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} {word} {last}", others.join(", ")),
        _ => names.concat(),
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
        write!(f, "unknown evaluation `{}`: expected {}", self.0, EvaluationKind::names())
    }
}

impl std::error::Error for ParseEvaluationError {}

impl FromStr for EvaluationKind {
    type Err = ParseEvaluationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| ParseEvaluationError(text.to_owned()))
    }
}

impl Evaluator {
    /// Evaluates one position in the view of its side to move. [`Score::millilogits`] is the unit in which evaluations
    /// are printed.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.visit(FromScratch(position))
    }
}

/// The score of a position without a search.
struct FromScratch<'a>(&'a Position);

impl EvaluationVisitor for FromScratch<'_> {
    type Output = Score;

    fn visit<E: Evaluation>(self, evaluation: &Arc<E>) -> Score {
        let mut line = evaluation.new_line(1);
        evaluation.start(&mut line, self.0);
        evaluation.evaluate(&mut line, 0, self.0)
    }
}

/// Evaluates one position in the view of its side to move, with the shipped weights.
pub fn evaluate(kind: EvaluationKind, position: &Position) -> Score {
    Evaluator::from(kind).evaluate(position)
}

evaluations! {
    /// A tenth of a logit for each piece, on the board or in hand.
    Material,
    /// A weight for each piece by its square, and for each piece in hand.
    PieceSquare,
    /// A weight for each piece by its square, and for each piece in hand, by the square of the own wazir.
    WazirPieceSquare,
    /// A network over the features of the previous evaluation.
    Network,
}

#[cfg(test)]
mod tests {
    use super::{EvaluationKind, Evaluator};

    #[test]
    fn names_are_read_back() {
        for kind in EvaluationKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(Evaluator::from(kind).kind(), kind);
        }
        assert_eq!(
            "nnue".parse::<EvaluationKind>().unwrap_err().to_string(),
            "unknown evaluation `nnue`: expected `material`, `piece-square`, `wps` or `network`"
        );
    }
}
