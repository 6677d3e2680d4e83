//! Commands of others, run to their end in a process group of their own: their output goes to a file, and they have a deadline.

use super::error::BuildError;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::PipeWriter;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a running command is looked at.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// How often the time that it takes is told.
const TELL: Duration = Duration::from_secs(1);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long and was killed.
    TooLong,
    /// We were asked to stop, and it was killed.
    Stopped,
}

/// Runs a command with its output going to `log`, for at most `within` and until `stop` is raised.
///
/// # Errors
/// If it cannot be started or its log not be written.
pub(crate) fn run(command: &mut Command, log: &Path, within: Duration, stop: &AtomicBool) -> Result<End, BuildError> {
    run_telling(command, log, within, stop, &|_| {})
}

/// The same; `tell` gets the time since the start, once a second.
pub(super) fn run_telling(
    command: &mut Command,
    log: &Path,
    within: Duration,
    stop: &AtomicBool,
    tell: &dyn Fn(Duration),
) -> Result<End, BuildError> {
    let file = File::create(log).map_err(BuildError::io(format!("cannot write {}", log.display())))?;
    let errors = file.try_clone().map_err(BuildError::io("cannot write a log"))?;
    command.stdin(Stdio::null()).stdout(file).stderr(errors);
    let started = Instant::now();
    let what = format!("cannot start {}", command.get_program().display());
    let mut group = Group::of(command).map_err(BuildError::io(what))?;
    let mut clock = Clock::new(started);
    loop {
        if let Some(status) = group.command.try_wait().map_err(BuildError::io("cannot wait for a command"))? {
            return Ok(End::Exited(status));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(End::Stopped);
        }
        if started.elapsed() >= within {
            return Ok(End::TooLong);
        }
        clock.tick(tell);
        std::thread::sleep(TICK);
    }
}

/// Tells the time that something takes, once a second.
pub(super) struct Clock {
    started: Instant,
    told: Duration,
}

impl Clock {
    /// For something that began then.
    pub(super) fn new(started: Instant) -> Self {
        Self { started, told: Duration::ZERO }
    }

    /// Tells the time, if it was not told within the last second.
    pub(super) fn tick(&mut self, tell: &dyn Fn(Duration)) {
        let elapsed = self.started.elapsed();
        if elapsed >= self.told + TELL {
            self.told = elapsed;
            tell(elapsed);
        }
    }
}

/// A command and all it has started, killed when dropped, and when this process dies.
struct Group {
    command: Child,
    guard: Guard,
}

/// The first process of a group: a shell that kills it all once nobody holds the other end of its input any more, however that came to be.
struct Guard {
    shell: Child,
    _open: PipeWriter,
}

impl Guard {
    fn start() -> std::io::Result<Self> {
        let (input, open) = std::io::pipe()?;
        let mut command = Command::new("sh");
        command.args(["-c", "read -r _; kill -KILL 0"]).stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { shell: command.process_group(0).spawn()?, _open: open })
    }

    fn group(&self) -> std::io::Result<i32> {
        i32::try_from(self.shell.id()).map_err(std::io::Error::other)
    }

    fn kill(&self) {
        if let Some(group) = self.group().ok().and_then(Pid::from_raw) {
            let _nobody_left = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // What a command left behind must not outlive it, even if it ended by itself.
        self.kill();
        let _reaped = self.shell.wait();
    }
}

impl Group {
    /// Starts a command among what the guard watches: at no moment is it there without one.
    fn of(command: &mut Command) -> std::io::Result<Self> {
        let guard = Guard::start()?;
        let command = command.process_group(guard.group()?).spawn()?;
        Ok(Self { command, guard })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.guard.kill();
        let _reaped = self.command.wait();
    }
}
