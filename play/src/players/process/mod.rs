//! The common part of players that are engine processes: how a process is started, and how its failures become faults.
//!
//! [`crate::child`] keeps the processes; [`crate::protocol`] interprets their lines and has the players themselves.

pub(crate) mod move_request;
pub(crate) mod ongoing_game;

use crate::child::{Child, ChildError, ChildSpec, Exit, Spawner, Trace, address};
use crate::entrant::{NativeSpec, ProcessSpec, UnknownOptions};
use crate::player::{Failure, MoveFailure};
use crate::protocol::option::OptionError;
use engine::{Evaluator, Policy};
use record::Fault;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a process that does not get ready is started before its game is lost.
const ATTEMPTS: u32 = 3;
/// How long an engine that has overrun its time may take by default to answer `stop`; the answer gives the length of
/// the overrun. Also the time limit for commands that need no search.
pub const STOP_TIMEOUT: Duration = record::LATE_ANSWER;
/// How long a process may take to exit after the request.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How long to wait for the exit of a process that closed its pipes, to report how it ended.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Starts the engine processes of one worker, and provides the weights of its engines in process.
#[derive(Clone)]
pub struct Starter {
    /// Starts the processes.
    pub spawner: Spawner,
    /// The processors that the processes may run on; empty: any.
    pub cpus: Vec<usize>,
    /// Receives every line to and from the processes, if set.
    pub trace: Option<Trace>,
    /// Finds an engine's program, and refuses one that was rebuilt since the run began; provides the weights that
    /// entrants name.
    pub programs: Arc<dyn Programs>,
    /// Players whose processes are already ready.
    pub standby: StandbyPlayers,
    /// The pause between two games.
    pub pause: Duration,
}

/// Players that wait for their first game after their engine processes were started for the rehearsal: an engine may
/// take long to start. Clones share the players. The players' own starters must not share them: a player that waits in
/// its own starter would never be dropped.
#[derive(Clone, Default)]
pub struct StandbyPlayers(Arc<Mutex<Vec<Box<dyn Any + Send>>>>);

impl StandbyPlayers {
    /// Puts a player on standby.
    pub(crate) fn park<T: Any + Send>(&self, player: T) {
        self.lock().push(Box::new(player));
    }

    /// Takes a player that fits, if there is one.
    pub(crate) fn take<T: Any + Send>(&self, will_do: impl Fn(&T) -> bool) -> Option<T> {
        let mut standby = self.lock();
        let place = standby.iter().position(|player| player.downcast_ref::<T>().is_some_and(&will_do))?;
        standby.swap_remove(place).downcast::<T>().ok().map(|player| *player)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Box<dyn Any + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for StandbyPlayers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StandbyPlayers({})", self.lock().len())
    }
}

/// An engine's own name and authors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// The name, mostly with the version; empty if the engine gave none.
    pub name: String,
    /// The authors; empty if the engine named none.
    pub author: String,
}

/// Finds the files that entrants name: the programs of engine processes and the weights of the engine in process. May
/// also note how engines introduce themselves.
pub trait Programs: Send + Sync {
    /// Finds the path of the program.
    ///
    /// # Errors
    /// Why the program cannot be started, in words.
    fn find(&self, process: &ProcessSpec) -> Result<PathBuf, String>;

    /// The evaluation of an engine in process that names a file of weights.
    ///
    /// # Errors
    /// Why the evaluation is not available, in words.
    fn network(&self, native: &NativeSpec) -> Result<Evaluator, String> {
        Err(unknown_network(native))
    }

    /// The policy of an engine in process that names a file with one.
    ///
    /// # Errors
    /// Why the policy is not available, in words.
    fn policy(&self, native: &NativeSpec) -> Result<Arc<Policy>, String> {
        Err(unknown_policy(native))
    }

    /// Notes what an engine reports about itself; ignored by default.
    fn introduced(&self, _process: &ProcessSpec, _introduction: &Introduction) {}

    /// Notes an option that is ignored; does nothing by default.
    fn passed_over(&self, _process: &ProcessSpec, _why: &OptionError) {}
}

/// The error for a file of weights that was not read here.
pub fn unknown_network(native: &NativeSpec) -> String {
    format!("`{}` is not a network of this run", native.network.as_deref().unwrap_or_default())
}

/// The error for a policy that was not read here.
pub fn unknown_policy(native: &NativeSpec) -> String {
    format!("`{}` is not a policy of this run", native.policy.as_deref().unwrap_or_default())
}

impl Starter {
    /// Starts a process, for callers that talk to it themselves.
    ///
    /// # Errors
    /// Why the process cannot be started, in words.
    pub fn spawn(&self, process: &ProcessSpec) -> Result<Child, String> {
        self.start(process).map_err(|failure| failure.why.to_string())
    }

    /// Notes how an engine introduces itself.
    pub(crate) fn introduce(&self, process: &ProcessSpec, name: Option<&str>, author: Option<&str>) {
        let text = |name: Option<&str>| name.unwrap_or_default().trim().to_owned();
        let introduction = Introduction { name: text(name), author: text(author) };
        if introduction != Introduction::default() {
            self.programs.introduced(process, &introduction);
        }
    }

    /// Handles an option that cannot be set: either it is ignored, or the engine cannot play.
    pub(crate) fn refuse_option(&self, process: &ProcessSpec, why: &OptionError) -> Result<(), Failure> {
        match process.handling.unknown_options {
            UnknownOptions::Error => Err(Fault::Startup(why.to_string()).into()),
            UnknownOptions::Warn => {
                self.programs.passed_over(process, why);
                Ok(())
            }
        }
    }

    pub(crate) fn start(&self, process: &ProcessSpec) -> Result<Child, Failure> {
        let failed = |why: String| Failure::from(Fault::Startup(why));
        if let Some(address) = address(&process.command) {
            let child = self.spawner.connect(address, process.timeouts.start);
            return Ok(self.traced(child.map_err(|error| failed(error.to_string()))?));
        }
        let spec = ChildSpec {
            program: self.programs.find(process).map_err(failed)?,
            arguments: process.arguments.clone(),
            directory: process.directory.clone(),
            environment: process.environment.clone(),
            cpus: self.cpus.clone(),
            nice: process.nice,
        };
        Ok(self.traced(self.spawner.spawn(&spec).map_err(|error| failed(error.to_string()))?))
    }

    fn traced(&self, mut child: Child) -> Child {
        if let Some(trace) = &self.trace {
            child.set_trace(Arc::clone(trace));
        }
        child
    }
}

/// Starts an engine and gets it ready, again after a failure that another attempt may mend.
pub(crate) fn with_attempts<E>(stop: &AtomicBool, mut start: impl FnMut() -> Result<E, Failure>) -> Result<E, Failure> {
    let mut attempt = 1;
    loop {
        match start() {
            Err(failure) if attempt < ATTEMPTS && may_be_mended(&failure) && !stop.load(Ordering::Relaxed) => {
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Whether another attempt may help; not after a timeout, which is waited for only once.
fn may_be_mended(failure: &Failure) -> bool {
    matches!(failure.why, MoveFailure::Fault(Fault::Crash(_)))
}

/// Turns a failure of `start` into a failure to start.
pub(crate) fn as_startup(failure: Failure) -> Failure {
    let why = match failure.why {
        MoveFailure::Fault(Fault::Startup(why)) => Fault::Startup(why),
        MoveFailure::Fault(fault) => Fault::Startup(fault.to_string()),
        MoveFailure::Resigned | MoveFailure::AgreedToDraw => Fault::Startup("it gave up before the game".to_owned()),
    };
    Failure { why: MoveFailure::Fault(why), ..failure }
}

/// Turns an error in talking to a process into a failure; `since` is the time of the request.
pub(crate) fn failure(child: &mut Child, error: &ChildError, since: Instant) -> Failure {
    let fault = match error {
        ChildError::Deadline => Fault::Silence { after: since.elapsed() },
        ChildError::Stopped => Fault::Crash("the run was stopped".to_owned()),
        ChildError::Io(error) => Fault::Crash(error.to_string()),
        ChildError::Closed => Fault::Crash(last_words(child)),
    };
    let evidence = Some(child.tail().to_string());
    Failure { why: MoveFailure::Fault(fault), delayed: Duration::ZERO, evidence }
}

/// How a process that closed its pipes ended, and its last lines on standard error.
fn last_words(child: &mut Child) -> String {
    let ended = match child.wait_for_exit(Instant::now() + EXIT_TIMEOUT) {
        Some(exit @ (Exit::Status(_) | Exit::Signal(_))) => exit.to_string(),
        None => "closed its output".to_owned(),
    };
    let complaint = child.tail().of(crate::child::Direction::Complaint).last().map(|line| line.text.clone());
    match complaint {
        Some(complaint) if !complaint.trim().is_empty() => format!("{ended}: {}", complaint.trim()),
        _ => ended,
    }
}
