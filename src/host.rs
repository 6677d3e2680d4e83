//! What is asked of the process's host: its name, the time, Ctrl-C, and what becomes of panics.

use crate::failure::Failure;
use anyhow::Context;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A flag that Ctrl-C and a request to terminate raise. A second Ctrl-C ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(crate::failure::Exit::Interrupted as i32);
        }
    };
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C").map_err(Failure::Environment)?;
    Ok(stop)
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
