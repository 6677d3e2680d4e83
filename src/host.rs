//! What is asked of the process's host: Ctrl-C, and what becomes of panics and of full disks.

use crate::failure::Failure;
use anyhow::anyhow;
use session::{Command, Commander};
use std::num::NonZeroUsize;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Processors that this process may use.
pub(crate) fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The flag that Ctrl-C and a request to terminate raise. A second Ctrl-C ends the process at once.
///
/// Signals belong to the process, so there is one flag, watched from the first call on.
pub(crate) fn stop_flag() -> Result<&'static AtomicBool, Failure> {
    static STOP: AtomicBool = AtomicBool::new(false);
    static WATCHED: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(crate::failure::Exit::Interrupted.code().into());
        }
        if let Some(end) = SERVER.get() {
            end();
        }
        for commander in SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            commander.send(Command::Stop);
        }
    };
    match WATCHED.get_or_init(|| ctrlc::set_handler(handler)) {
        Ok(()) => Ok(&STOP),
        Err(error) => Err(Failure::Environment(anyhow!("cannot watch for Ctrl-C: {error}"))),
    }
}

/// What ends the server, if this process is one.
static SERVER: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has Ctrl-C and a request to terminate end a server.
#[cfg(feature = "serve")]
pub(crate) fn on_ctrl_c(end: impl Fn() + Send + Sync + 'static) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let end = SERVER.get_or_init(|| Box::new(end));
    // Pressed a moment ago, it is meant, too.
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
    // Pressed a moment ago, it is meant, too.
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

/// A file that has grown to the limit set for files fails the write, as a full disk does, instead of ending the process.
/// Programs that are started have the usual behaviour again.
pub(crate) fn take_file_limits_for_full_disks() {
    let reached = Arc::new(AtomicBool::new(false));
    // Where it cannot be had, a limit ends the process as before: the journal is safe all the same.
    let _as_before = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, reached);
}
