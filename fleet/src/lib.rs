//! Many machines: the runs of a session played by workers elsewhere, over NATS JetStream.
//!
//! It owns how pairs and results travel, who plays what, the worker, credentials, and what is told of a fleet. What is
//! played, decided and kept stays with sessions and their journals: a coordinator is the process that runs a session,
//! and this is an executor to it. Only this crate knows of NATS.
//!
//! Nothing that a server may lose matters: pairs are sent to a worker as plain messages, and what it does not say that
//! it holds is sent again; results are kept by JetStream until they are in the journal, whose pairs are unique.

mod access;
mod ask;
mod content;
mod coordinator;
#[cfg(feature = "server-tests")]
pub mod crowd;
mod error;
#[cfg(test)]
mod fuzz;
mod keys;
mod link;
mod local_fleet;
mod message;
mod names;
mod runtime;
mod status;
mod tidy;
mod worker;
mod worker_setup;

pub use access::{Access, Credentials, Role, Secret};
pub use ask::set_aside;
pub use coordinator::{Fleet, Settings as FleetSettings};
pub use error::FleetError;
pub use keys::{Keys, make as make_keys};
pub use local_fleet::{LocalFleet, Server};
pub use message::{Heartbeat, Residuals, RunNews, WorkerNews};
pub use names::WorkerName;
pub use status::{Status, WorkerStatus, read as read_status};
pub use worker::{STOP_TIMEOUT, Settings as WorkerSettings, work};
