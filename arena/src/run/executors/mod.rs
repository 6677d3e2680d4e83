//! Where pairs can be played: [`Local`] has threads of this process do it. Each thread has a [`Worker`].

mod local;
mod worker;

pub use local::{Local, Make, Processes};
pub(super) use worker::rehearse_pair;
pub use worker::{PlayPairs, Worker, WorkerOf};
