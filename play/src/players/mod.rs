//! Players: what can sit at a board.

mod native;
pub mod process;
mod random;
mod scripted;

pub use native::{NativePlayer, judge_opening, opening_judge};
pub use random::RandomPlayer;
pub use scripted::{Line, ScriptedPlayer};
