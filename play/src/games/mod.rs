//! Adapters between [`Game`](super::Game) and the rules, which are implemented elsewhere.

mod chess;
mod kind;
mod rules;
mod zero_point_one;

pub use chess::{Chess, ChessPosition, FEWEST_MEN, STARTS_960, Start960, TableError};
pub use chess::{read_fen, read_move};
pub use kind::{CustomName, GameKind, UnknownGame};
pub use rules::Rules;
pub use zero_point_one::ZeroPointOne;
