//! The experiments. The code that configures a run builds the experiment that its configuration asks for.

mod fixed_match;
mod ladder;
mod selfplay;
mod sprt;
mod trace;
mod tune;

pub use fixed_match::Match;
pub use ladder::{Ladder, ladder_ratings};
pub use selfplay::Selfplay;
pub use sprt::Sprt;
pub use trace::Trace;
pub use tune::{Tune, TuneBudget, tell_method};
