//! The process's environment: Ctrl-C, panics and full disks.

use crate::failure::{Exit, Failure};
use anyhow::{Context, anyhow};
use play::child::{Launcher, Spawner};
use session::work::resumable;
use session::{Command, Commander};
use std::num::NonZeroUsize;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The number of processors that this process may use.
pub(crate) fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The spawner of engine processes.
pub(crate) fn spawner() -> Result<Spawner, Failure> {
    let spawner = Spawner::start(Some(Launcher::this_program()));
    spawner.context("cannot watch over engine processes").map_err(Failure::Environment)
}

/// The folder that relative paths of programs start from.
pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)
}

/// Signals within this time of the first one are one request: `timeout` sends a signal to the process and another to
/// its group.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// The requests to end that have arrived.
#[derive(Debug, Default)]
struct Requests {
    first: Option<Instant>,
}

/// The request that a signal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// End in order.
    Stop,
    /// A repetition of the last request.
    Same,
    /// End at once.
    Force,
}

impl Requests {
    /// The request that a signal at this moment makes.
    fn take(&mut self, now: Instant) -> Request {
        match self.first {
            None => {
                self.first = Some(now);
                Request::Stop
            }
            Some(first) if now.saturating_duration_since(first) < SAME_REQUEST => Request::Same,
            Some(_) => Request::Force,
        }
    }
}

/// The flag that Ctrl-C and a request to terminate raise. A second Ctrl-C ends the process at once, unless it comes
/// together with the first.
///
/// Signals belong to the process, so there is one flag, which is set up by the first call.
pub(crate) fn stop_flag() -> Result<&'static AtomicBool, Failure> {
    static STOP: AtomicBool = AtomicBool::new(false);
    static WATCHED: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
    let mut requests = Requests::default();
    let handler = move || match requests.take(Instant::now()) {
        Request::Stop => {
            STOP.store(true, Ordering::SeqCst);
            stop_all();
        }
        Request::Same => {}
        Request::Force => {
            if let Some(run) = working_on() {
                say_how_to_go_on(&resumable(&run));
            }
            std::process::exit(Exit::Interrupted.code().into());
        }
    };
    match WATCHED.get_or_init(|| ctrlc::set_handler(handler)) {
        Ok(()) => Ok(&STOP),
        Err(ctrlc::Error::System(cause)) => Err(Failure::Environment(anyhow!("cannot watch for Ctrl-C: {cause}"))),
        Err(error) => Err(Failure::Environment(anyhow!("cannot watch for Ctrl-C: {error}"))),
    }
}

/// Ends the server and stops the sessions of this process.
fn stop_all() {
    if let Some(end) = SERVER.get() {
        end();
    }
    for commander in SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        commander.send(Command::Stop);
    }
}

/// The folder of the current run.
static RUN: Mutex<Option<PathBuf>> = Mutex::new(None);

fn working_on() -> Option<PathBuf> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Sets the current run, whose name is printed if the process is ended at once; `None` if there is nothing to resume.
pub(crate) fn set_working_on(run: Option<&Path>) {
    *RUN.lock().unwrap_or_else(PoisonError::into_inner) = run.map(Path::to_owned);
}

/// Prints how to resume an interrupted run.
pub(crate) fn say_how_to_go_on(path: &Path) {
    say_what_resumes(&format!("spar resume {}", path.display()));
}

/// Prints the command line that resumes an interrupted run.
pub(crate) fn say_what_resumes(command: &str) {
    say!("Interrupted; every finished pair is kept. To resume: {command}");
}

/// The function that ends the server, if this process is a server.
static SERVER: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Makes Ctrl-C and a request to terminate end a server.
#[cfg(feature = "serve")]
pub(crate) fn on_ctrl_c(end: impl Fn() + Send + Sync + 'static) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let end = SERVER.get_or_init(|| Box::new(end));
    // A signal from before this call counts, too.
    if stop.load(Ordering::SeqCst) {
        end();
    }
    Ok(())
}

/// The sessions that Ctrl-C stops.
static SESSIONS: Mutex<Vec<Commander>> = Mutex::new(Vec::new());

/// Makes Ctrl-C stop a session, as long as the returned guard lives.
pub(crate) fn stop_on_ctrl_c(commander: &Commander) -> Result<StopsOnCtrlC, Failure> {
    let stop = stop_flag()?;
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).push(commander.clone());
    // A signal from before this call counts, too.
    if stop.load(Ordering::SeqCst) {
        commander.send(Command::Stop);
    }
    Ok(StopsOnCtrlC)
}

/// The guard of a session that Ctrl-C stops.
#[must_use]
pub(crate) struct StopsOnCtrlC;

impl Drop for StopsOnCtrlC {
    fn drop(&mut self) {
        set_working_on(None);
        // One session is shown at a time.
        SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Silences the panics of players: the worker that catches one reports it as a fault.
pub(crate) fn keep_player_panics_quiet() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("worker-"));
        if !is_worker {
            report(info);
        }
    }));
}

/// Makes a write fail if it exceeds the limit on file sizes, as on a full disk, instead of ending the process. Programs
/// that spar starts have the default behaviour.
pub(crate) fn take_file_limits_for_full_disks() {
    let reached = Arc::new(AtomicBool::new(false));
    // If this fails, the limit ends the process as before; the journal is safe in both cases.
    let _as_before = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, reached);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_signals_at_once_are_one_request_and_a_later_one_forces_the_end() {
        let (mut requests, start) = (Requests::default(), Instant::now());
        let asked = [0, 0, 1, 400, 999, 1_000, 5_000].map(|ms| requests.take(start + Duration::from_millis(ms)));
        let (stop, same, force) = (Request::Stop, Request::Same, Request::Force);
        assert_eq!(asked, [stop, same, same, same, same, force, force]);
    }

    #[test]
    fn a_clock_that_goes_back_forces_nothing() {
        let (mut requests, earlier) = (Requests::default(), Instant::now());
        assert_eq!(requests.take(earlier + Duration::from_millis(1)), Request::Stop);
        assert_eq!(requests.take(earlier), Request::Same);
    }
}
