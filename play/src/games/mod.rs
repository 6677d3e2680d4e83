//! Adapters between the rules, which live elsewhere, and [`Game`](super::Game).

mod chess;
mod kind;
mod rules;
mod zero_point_one;

pub use chess::{Chess, ChessPosition, FEWEST_MEN, STARTS_960, Start960, TableError};
pub use chess::{read_fen, read_move};
pub use kind::{CustomName, GameKind, UnknownGame};
pub use rules::Rules;
pub use zero_point_one::ZeroPointOne;
