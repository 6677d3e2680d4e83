//! Distributed runs: remote workers play the pairs of a session's runs, over NATS JetStream.
//!
//! This crate owns the transport of pairs and results, their assignment to workers, the worker, credentials, and the
//! status of a fleet. Sessions and their journals own the runs: a coordinator is the process that runs a session, and
//! this crate is its executor. Only this crate knows about NATS.
//!
//! Losing data on the server does no harm. The coordinator sends pairs as plain messages, and sends a pair again if the
//! worker does not report that it holds it. JetStream keeps results until they are in the journal, whose pairs are
//! unique.

mod access;
mod ask;
mod content;
mod coordinator;
#[cfg(feature = "server-tests")]
#[path = "../tests/crowd/mod.rs"]
pub mod crowd;
mod error;
#[cfg(test)]
mod fuzz;
mod keys;
mod link;
mod local_fleet;
mod message;
mod names;
mod orders;
mod runtime;
mod status;
mod tidy;
mod worker;
mod worker_setup;

pub use access::{Access, Credentials, Role, Secret};
pub use ask::set_aside;
#[cfg(feature = "server-tests")]
pub use content::Store;
pub use coordinator::{Fleet, Settings as FleetSettings};
pub use error::FleetError;
pub use keys::{Keys, make as make_keys};
pub use local_fleet::{LocalFleet, Server, server_program};
pub use message::{Heartbeat, Residuals, RunNews, WorkerNews};
pub use names::WorkerName;
pub use orders::{StandingOrder, WorkerOrder, steer};
pub use status::{Status, WorkerStatus, read as read_status};
pub use worker::{STOP_TIMEOUT, Settings as WorkerSettings, work};
