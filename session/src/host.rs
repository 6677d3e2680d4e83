//! The host of a session: its name, the time, and a file for the trace of engines.

use crate::error::SessionError;
use play::child::{Direction, Trace};
use play::platform::Machine;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Writes every line to and from engine processes to a new file.
///
/// # Errors
/// [`SessionError`] if the file cannot be made.
pub(crate) fn trace_to(path: &Path) -> Result<Trace, SessionError> {
    let file = File::create(path)
        .map_err(|cause| SessionError::io(format!("cannot write the trace to {}", path.display()), cause))?;
    let file = Mutex::new(BufWriter::new(file));
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
        // A failed write to the trace must not end the run.
        let _full = writeln!(file, "{time:.6} {worker} {sign} {line}").and_then(|()| file.flush());
    }))
}

/// Returns the name of this machine, or "unknown".
pub(crate) fn name() -> String {
    let name = Machine::this().host_name().or_else(|| std::env::var("HOSTNAME").ok());
    name.unwrap_or_else(|| "unknown".to_owned())
}

/// Milliseconds since 1970.
pub fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
