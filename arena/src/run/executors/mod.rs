//! Where pairs can be played. Today: [`Local`], threads of this process.

mod local;
mod worker;

pub use local::{Local, Processes};
pub use worker::play_pair;
pub(super) use worker::rehearse_pair;
