//! Engine processes: started, talked to in lines, watched, and never left behind. Linux only.
//!
//! An engine that is reached over TCP is represented by a relay process that passes its lines on: see [`connect`].
//!
//! A [`Spawner`] starts engine processes; each is a [`Child`]. This module knows nothing of games and protocols: a line
//! is text. Other modules judge whether a player did what it had to; this one provides the evidence.
//!
//! No process outlives spar. While spar lives, dropping a [`Child`] kills its process group; when spar dies, however it
//! dies, the kernel kills the engines ([`launch`]) and the supervisor kills the processes that they had started
//! ([`supervise`]).

mod affinity;
mod busy;
mod connect;
mod cpus;
mod death;
mod executable;
mod exit;
mod fair_deadline;
mod launch;
mod lines;
mod log;
mod pipes;
mod port;
mod process;
mod spawner;
mod supervise;
mod tail;
mod wait;

pub use affinity::{Affinity, AffinityError};
pub use busy::start_once_written;
pub use connect::{CONNECT, address, connect, is_address};
pub use cpus::{Cpus, allowed_cpus};
pub use executable::{ContentHash, Executable, ExecutableError, resolve};
pub use exit::Exit;
pub use fair_deadline::FairDeadline;
pub use launch::{LAUNCH, launch, stay_on};
pub use lines::LONGEST_LINE;
pub use log::Trace;
pub use port::ReservedPort;
pub use process::{Child, ChildError};
pub use spawner::{ChildSpec, Launcher, SpawnError, Spawner};
pub use supervise::{SUPERVISE, supervise};
pub use tail::{Direction, KEPT_BYTES, KEPT_LINES, Tail, TailLine};
