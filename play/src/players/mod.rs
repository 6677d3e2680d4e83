//! The kinds of players.

mod native;
pub mod process;
mod random;

pub use native::{NativePlayer, judge_opening, opening_judge};
pub use random::RandomPlayer;
