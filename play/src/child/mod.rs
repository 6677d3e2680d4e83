//! Engine processes: started, talked to in lines, watched, and never left behind. Linux only.
//!
//! One that is reached over TCP is a process of ours that passes its lines on: see [`connect`].
//!
//! A [`Spawner`] starts them, a [`Child`] is one of them. This module knows nothing of games and protocols: a
//! line is text. What a player owes and whether it kept it is judged elsewhere; here is the evidence for it.
//!
//! No process outlives us. While we live, dropping a [`Child`] kills its process group; when we die, in whatever way,
//! the kernel kills the engines ([`launch`]) and the supervisor kills what they had started ([`supervise`]).

mod affinity;
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
