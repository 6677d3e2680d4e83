//! What is asked of the process's host: its name, the time, Ctrl-C, and what becomes of panics.

use crate::failure::Failure;
use anyhow::{Context, anyhow};
use play::child::{Direction, Trace};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The flag that Ctrl-C and a request to terminate raise. A second Ctrl-C ends the process at once.
///
/// Signals belong to the process, so there is one flag, watched from the first call on.
pub(crate) fn stop_flag() -> Result<&'static AtomicBool, Failure> {
    static STOP: AtomicBool = AtomicBool::new(false);
    static WATCHED: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(crate::failure::Exit::Interrupted as i32);
        }
    };
    match WATCHED.get_or_init(|| ctrlc::set_handler(handler)) {
        Ok(()) => Ok(&STOP),
        Err(error) => Err(Failure::Environment(anyhow!("cannot watch for Ctrl-C: {error}"))),
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

/// Appends every line to and from engine processes to a file.
///
/// # Errors
/// If the file cannot be made.
pub(crate) fn trace_to(path: &Path) -> Result<Trace, Failure> {
    let file = File::create(path).with_context(|| format!("cannot write the trace to {}", path.display()));
    let file = Mutex::new(BufWriter::new(file.map_err(Failure::Environment)?));
    let started = Instant::now();
    Ok(Arc::new(move |direction, line| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let sign = match direction {
            Direction::Sent => '>',
            Direction::Received => '<',
            Direction::Complaint => '!',
        };
        let worker = std::thread::current();
        let worker = worker.name().unwrap_or("?");
        let time = started.elapsed().as_secs_f64();
        // A trace that cannot be written must not end the run.
        let _full = writeln!(file, "{time:.6} {worker} {sign} {line}").and_then(|()| file.flush());
    }))
}

/// This machine's name, or "unknown".
pub(crate) fn name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// Milliseconds since 1970.
pub(crate) fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
