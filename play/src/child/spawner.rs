//! Starts engines: one thread that starts them all, and the supervisor that knows which are alive.
//!
//! The kernel's death signal comes when the *thread* that started a process ends. So one thread starts them all; it
//! lives as long as any [`Spawner`] or [`Child`] does.

use super::launch::{GO, arguments};
use super::supervise::Supervisor;
use super::{Child, connect, start_once_written};
use crate::platform::THIS_PROGRAM;
use crossbeam_channel::{Sender, bounded};
use rustix::process::Pid;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// The program to start, and how to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildSpec {
    /// The program's absolute path, as [`resolve`](super::resolve) returns it.
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The working folder; `None`: spar's own.
    pub directory: Option<PathBuf>,
    /// Variables added to spar's environment.
    pub environment: BTreeMap<String, String>,
    /// The CPUs the program may run on; empty: those of spar. Needs a [`Launcher`].
    pub cpus: Vec<usize>,
    /// The niceness, -20 to 19; `None`: spar's own. Needs a [`Launcher`].
    pub nice: Option<i32>,
}

impl ChildSpec {
    /// A program without arguments, in spar's folder and environment, on any CPU.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let (arguments, cpus, environment) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { program: program.into(), arguments, directory: None, environment, cpus, nice: None }
    }
}

/// The program that knows the hidden subcommands [`LAUNCH`](super::LAUNCH), [`SUPERVISE`](super::SUPERVISE) and
/// [`CONNECT`](super::CONNECT).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    program: PathBuf,
}

impl Launcher {
    /// The running program, even if its file has been replaced or removed since.
    #[must_use]
    pub fn this_program() -> Self {
        Self::at(Path::new(THIS_PROGRAM))
    }

    /// The program at this path.
    #[must_use]
    pub fn at(program: &Path) -> Self {
        // The launcher is started in other folders than this process's. Only an empty path cannot be made absolute, and
        // starts nothing.
        Self { program: std::path::absolute(program).unwrap_or_default() }
    }
}

/// Why an engine could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The launcher sets affinity and priority, and there is no launcher.
    #[error("cannot set CPUs or niceness without a launcher")]
    NeedsLauncher,
    /// The launcher's program makes connections, and there is no launcher.
    #[error("cannot reach an engine over TCP without a launcher")]
    NeedsLauncherToConnect,
    /// The system returned an error.
    #[error("cannot start {}: {source}", program.display())]
    Refused {
        /// The program to start: the engine, or the launcher on its behalf.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The working folder does not exist.
    #[error("cannot start {} in {}: there is no such folder", program.display(), directory.display())]
    NoFolder {
        /// The program to start.
        program: PathBuf,
        /// The missing folder.
        directory: PathBuf,
    },
    /// The thread that starts engines has ended, which does not happen while a sender exists.
    #[error("the thread that starts engines has ended")]
    NoThread,
}

/// Starts engines that do not outlive spar. Clones share the thread and the supervisor.
///
/// A process should have only one: while one spawner starts something, pipes of the process that another is starting
/// are open in a third process for a moment, and a death there is noticed that much later.
///
/// Without a [`Launcher`] (in unit tests) engines are in a process group of their own, which is killed when the
/// [`Child`] is dropped, but nothing kills them if spar is killed.
#[derive(Clone, Debug)]
pub struct Spawner {
    shared: Arc<Shared>,
}

/// Held by every clone and by every child.
#[derive(Debug)]
struct Shared {
    /// `None` only during the drop.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    launcher: Option<Launcher>,
    supervisor: Option<Supervisor>,
}

/// A request to the thread.
struct Order {
    command: Command,
    answer: Sender<io::Result<std::process::Child>>,
}

impl Spawner {
    /// Starts the thread and, with a launcher, the supervisor.
    ///
    /// # Errors
    ///
    /// If the system refuses either.
    pub fn start(launcher: Option<Launcher>) -> io::Result<Self> {
        let supervisor = launcher.as_ref().map(|launcher| Supervisor::start(&launcher.program)).transpose()?;
        let (orders, inbox) = bounded::<Order>(0);
        let thread = std::thread::Builder::new().name("spawner".into()).spawn(move || {
            for mut order in inbox {
                let _nobody_waits = order.answer.send(start_once_written(|| order.command.spawn()));
            }
        })?;
        Ok(Self { shared: Arc::new(Shared { orders: Some(orders), thread: Some(thread), launcher, supervisor }) })
    }

    /// Starts the relay between spar and the peer at `address`, which must be reached within `timeouts`; otherwise the
    /// relay ends with status 1, and prints the reason on standard error.
    ///
    /// # Errors
    ///
    /// [`SpawnError`], also if there is no launcher, whose program is the relay.
    pub fn connect(&self, address: &str, timeouts: Duration) -> Result<Child, SpawnError> {
        let launcher = self.shared.launcher.as_ref().ok_or(SpawnError::NeedsLauncherToConnect)?;
        let arguments = connect::arguments(address, timeouts);
        self.spawn(&ChildSpec { arguments, ..ChildSpec::new(&launcher.program) })
    }

    /// Starts an engine. With a launcher, an engine that cannot be executed ends with status 127, and one whose CPUs or
    /// niceness cannot be set with 125, with the reason on standard error; without a launcher, this function returns
    /// the error.
    ///
    /// # Errors
    ///
    /// [`SpawnError`]
    pub fn spawn(&self, spec: &ChildSpec) -> Result<Child, SpawnError> {
        let command = self.command(spec)?;
        let program = PathBuf::from(command.get_program());
        let refused = |source| SpawnError::Refused { program: program.clone(), source };
        if let Some(directory) = spec.directory.as_ref().filter(|directory| !directory.is_dir()) {
            return Err(SpawnError::NoFolder { program: spec.program.clone(), directory: directory.clone() });
        }
        let mut process = self.order(command)?.map_err(refused)?;
        self.release(&mut process);
        Child::adopt(process, self.clone()).map_err(refused)
    }

    /// Lets the thread start the process.
    fn order(&self, command: Command) -> Result<io::Result<std::process::Child>, SpawnError> {
        let orders = self.shared.orders.as_ref().ok_or(SpawnError::NoThread)?;
        let (answer, started) = bounded(1);
        orders.send(Order { command, answer }).map_err(|_| SpawnError::NoThread)?;
        started.recv().map_err(|_| SpawnError::NoThread)
    }

    /// Registers the launcher's group; only then may the launcher become the engine.
    fn release(&self, process: &mut std::process::Child) {
        let Some(supervisor) = &self.shared.supervisor else { return };
        supervisor.register(Pid::from_child(process));
        if let Some(input) = &mut process.stdin {
            // One byte always fits. If the launcher is dead already, reading its output reveals it.
            let _launcher_died = input.write_all(&[GO]);
        }
    }

    /// Notes that the group is dead and its leader about to be reaped.
    pub(super) fn unregister(&self, group: Pid) {
        if let Some(supervisor) = &self.shared.supervisor {
            supervisor.unregister(group);
        }
    }

    fn command(&self, spec: &ChildSpec) -> Result<Command, SpawnError> {
        let mut command = match &self.shared.launcher {
            Some(launcher) => {
                let mut command = Command::new(&launcher.program);
                command.args(arguments(spec, std::process::id()));
                command
            }
            None if !spec.cpus.is_empty() || spec.nice.is_some() => return Err(SpawnError::NeedsLauncher),
            None => {
                let mut command = Command::new(&spec.program);
                command.args(&spec.arguments);
                command
            }
        };
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        command.envs(&spec.environment).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}
