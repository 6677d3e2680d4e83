//! Sessions make runs, play them, report on them and steer them.
//!
//! This crate owns runs and jobs in progress, builds of engines from revisions, the thread that works on them, its
//! events and its commands. It prints nothing: displays read events, and controls send commands. Playing and storing
//! belong to `arena`, tuning methods to `tuner`, drawing results to `reports`.

mod blame;
pub mod builds;
pub mod declared;
mod error;
mod event;
mod executors;
mod faulty;
pub mod fit;
#[cfg(test)]
mod fuzz;
mod host;
mod hub;
pub mod limit;
mod messages;
pub mod openings;
mod outcome;
mod page;
pub mod positions;
mod read;
mod run_folder;
mod runner;
mod session;
pub mod setups;
pub mod speed;
pub mod training;
mod unsuited;
mod warning;
pub mod work;

pub use blame::Blame;
pub use error::{FaultyRun, Left, LimitError, SessionError, SpeedError};
pub use event::{Event, FaultEvent, MOST_KEPT, Phase, Planned, State, TrainingProgress};
pub use executors::{Busy, Call, Executors, Threads};
pub use host::unix_ms;
pub use hub::Watcher;
pub use messages::Messages;
pub use outcome::Outcome;
pub use page::{Done, PageOfRun, Written, write_job, write_job_read_back};
pub use read::{Progress, ReadRun};
pub use run_folder::{executables, folder_name};
pub use runner::SessionRunner;
pub use session::{Command, Commander, Place, Session};
pub use warning::Warning;
