//! The executors: [`Local`] plays pairs on threads of this process. Each thread has a [`Worker`].

mod local;
mod worker;

pub use local::{Local, Make, Processes};
pub(super) use worker::rehearse_pair;
pub use worker::{PlayPairs, Worker, WorkerOf};
