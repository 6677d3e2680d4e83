//! The process's host: Ctrl-C, and the handling of panics and full disks.

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

/// Processors that this process may use.
pub(crate) fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What starts engine processes.
pub(crate) fn spawner() -> Result<Spawner, Failure> {
    let spawner = Spawner::start(Some(Launcher::this_program()));
    spawner.context("cannot watch over engine processes").map_err(Failure::Environment)
}

/// The folder that paths of programs start from.
pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)
}

/// Signals within this time of the first one are the same request: `timeout` sends one to the process and one to its
/// group.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// The requests to end that have come so far.
#[derive(Debug, Default)]
struct Requests {
    first: Option<Instant>,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// End in order.
    Stop,
    /// What was asked for a moment ago.
    Same,
    /// End at once.
    Force,
}

impl Requests {
    /// What a signal at this moment asks for.
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
/// with the first.
///
/// Signals belong to the process, so there is one flag, watched from the first call on.
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

/// The folder of the run that is at work.
static RUN: Mutex<Option<PathBuf>> = Mutex::new(None);

fn working_on() -> Option<PathBuf> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Remembers which run is at work, so that it can be named if the process is ended at once; `None`: there is nothing to
/// resume.
pub(crate) fn set_working_on(run: Option<&Path>) {
    *RUN.lock().unwrap_or_else(PoisonError::into_inner) = run.map(Path::to_owned);
}

/// Prints the message for an interrupted run.
pub(crate) fn say_how_to_go_on(path: &Path) {
    say!("Interrupted; every committed pair is kept. To resume: spar resume {}", path.display());
}

/// What ends the server, if this process is one.
static SERVER: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has Ctrl-C and a request to terminate end a server.
#[cfg(feature = "serve")]
pub(crate) fn on_ctrl_c(end: impl Fn() + Send + Sync + 'static) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let end = SERVER.get_or_init(|| Box::new(end));
    // Pressed a moment ago, it counts, too.
    if stop.load(Ordering::SeqCst) {
        end();
    }
    Ok(())
}

/// The sessions that Ctrl-C stops.
static SESSIONS: Mutex<Vec<Commander>> = Mutex::new(Vec::new());

/// Has Ctrl-C stop a session, for as long as the answer lives.
pub(crate) fn stop_on_ctrl_c(commander: &Commander) -> Result<StopsOnCtrlC, Failure> {
    let stop = stop_flag()?;
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).push(commander.clone());
    // Pressed a moment ago, it counts, too.
    if stop.load(Ordering::SeqCst) {
        commander.send(Command::Stop);
    }
    Ok(StopsOnCtrlC)
}

/// Until it is dropped, Ctrl-C stops a session.
#[must_use]
pub(crate) struct StopsOnCtrlC;

impl Drop for StopsOnCtrlC {
    fn drop(&mut self) {
        set_working_on(None);
        // One session is shown at a time.
        SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A player's panic is a fault, reported as data by the worker that caught it: it is not printed as well.
pub(crate) fn keep_player_panics_quiet() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("worker-"));
        if !is_worker {
            report(info);
        }
    }));
}

/// A file that has grown to the limit set for files fails the write, as a full disk does, instead of ending the
/// process. Programs that are started have the usual behaviour again.
pub(crate) fn take_file_limits_for_full_disks() {
    let reached = Arc::new(AtomicBool::new(false));
    // Where it cannot be had, a limit ends the process as before: the journal is safe all the same.
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
