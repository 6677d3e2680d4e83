//! Runs external commands to their end, each in its own process group, with its output in a file and with a timeout.

use super::error::BuildError;
use play::child::start_once_written;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{PipeWriter, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The interval of polls of a running command.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// The first interval of polls after the start.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// The interval of messages with the elapsed time.
const TELL: Duration = Duration::from_secs(1);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It exited by itself.
    Exited(ExitStatus),
    /// It exceeded the timeout and was killed.
    TooLong,
    /// spar was told to stop, and killed it.
    Stopped,
}

/// Runs a command with its output going to `log`, for at most `within` and until `stop` is set.
///
/// # Errors
/// [`BuildError`] if it cannot be started, or if its log cannot be written.
pub(crate) fn run(command: &mut Command, log: &Path, within: Duration, stop: &AtomicBool) -> Result<End, BuildError> {
    run_telling(command, log, within, stop, &|_| {})
}

/// Does the same, and calls `tell` with the time since the start, once a second.
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
    end_of(command, within, stop, tell)
}

/// The output of a command that has ended.
#[derive(Debug)]
pub(super) struct Printed {
    /// How it ended.
    pub(super) end: End,
    /// Its standard output.
    pub(super) stdout: Vec<u8>,
    /// Its standard error.
    pub(super) stderr: Vec<u8>,
}

/// Runs a command for at most `within` and until `stop` is set, and returns its output. The command sets its own input.
///
/// # Errors
/// [`BuildError`] if it cannot be started, or if its output cannot be stored.
pub(super) fn output(command: &mut Command, within: Duration, stop: &AtomicBool) -> Result<Printed, BuildError> {
    let kept = || tempfile::tempfile().map_err(BuildError::io("cannot write a temporary file"));
    let (stdout, stderr) = (kept()?, kept()?);
    let shared = |file: &File| file.try_clone().map_err(BuildError::io("cannot write a temporary file"));
    command.stdout(shared(&stdout)?).stderr(shared(&stderr)?);
    let end = end_of(command, within, stop, &|_| {})?;
    let read = |mut file: File| -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Printed { end, stdout: read(stdout)?, stderr: read(stderr)? })
}

/// Runs a command to its end.
fn end_of(
    command: &mut Command,
    within: Duration,
    stop: &AtomicBool,
    tell: &dyn Fn(Duration),
) -> Result<End, BuildError> {
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
        // Polls a new command more often, so that short commands do not wait.
        std::thread::sleep((started.elapsed() / 4).clamp(SHORTEST_TICK, TICK));
    }
}

/// Reports elapsed time, once a second.
pub(super) struct Clock {
    started: Instant,
    reported: Duration,
}

impl Clock {
    /// Starts at this time.
    pub(super) fn new(started: Instant) -> Self {
        Self { started, reported: Duration::ZERO }
    }

    /// Reports the time, unless it was reported within the last second.
    pub(super) fn tick(&mut self, tell: &dyn Fn(Duration)) {
        let elapsed = self.started.elapsed();
        if elapsed >= self.reported + TELL {
            self.reported = elapsed;
            tell(elapsed);
        }
    }
}

/// A command and all processes that it has started. They are killed when the group is dropped, and when this process
/// dies.
struct Group {
    command: Child,
    guard: Guard,
}

/// The first process of a group: a shell that kills the whole group once the other end of its input is closed, for any
/// reason.
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
        // Processes that the command left behind must not outlive it, even if it exited by itself.
        self.kill();
        let _reaped = self.shell.wait();
    }
}

impl Group {
    /// Starts a command in the guard's group, so that it is guarded at any time.
    fn of(command: &mut Command) -> std::io::Result<Self> {
        let guard = Guard::start()?;
        command.process_group(guard.group()?);
        let command = start_once_written(|| command.spawn())?;
        Ok(Self { command, guard })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.guard.kill();
        let _reaped = self.command.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn what_a_command_prints_is_kept_apart_and_it_ends_when_it_must() {
        let never = AtomicBool::new(false);
        let of = |script: &str, within, stop: &AtomicBool| {
            output(Command::new("sh").args(["-c", script]), within, stop).expect("sh")
        };
        let long = Duration::from_mins(1);
        let done = of("echo out; echo err >&2; exit 3", long, &never);
        assert_eq!((&done.stdout[..], &done.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert!(matches!(done.end, End::Exited(status) if status.code() == Some(3)), "{done:?}");
        // The processes that it has started end with it; otherwise the pipe would stay open.
        let hangs = |within| of("sleep 1000 & echo begun; sleep 1000", within, &never);
        let mut within = Duration::from_millis(300);
        let mut late = hangs(within);
        while late.stdout.is_empty() && within < long {
            // On a busy host it needs more time before it has begun.
            within *= 2;
            late = hangs(within);
        }
        assert_eq!((late.end, &late.stdout[..]), (End::TooLong, &b"begun\n"[..]));
        assert_eq!(of("sleep 1000", long, &AtomicBool::new(true)).end, End::Stopped);
    }

    #[test]
    fn time_is_sent_once_a_second() {
        let reported = RefCell::new(Vec::new());
        let tell = |elapsed| reported.borrow_mut().push(elapsed);
        let long = Duration::from_mins(1);
        let mut clock = Clock::new(Instant::now().checked_sub(long).expect("a host that is up for a minute"));
        clock.tick(&tell);
        clock.tick(&tell);
        assert!(matches!(reported.borrow()[..], [elapsed] if elapsed >= long), "{reported:?}");
        let mut fresh = Clock::new(Instant::now() + long);
        fresh.tick(&tell);
        assert_eq!(reported.borrow().len(), 1, "nothing has begun");
    }
}
