//! The log of every line between spar and an engine: feeds the memory of the last lines, and a trace if there is one.

use super::tail::{Direction, Memory, Tail};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Receives every line, without its end, on the thread that sends or receives it; that thread waits for the call.
pub type Trace = Arc<dyn Fn(Direction, &str) + Send + Sync>;

/// Logs lines.
pub(super) struct Log {
    memory: Memory,
    trace: Option<Trace>,
}

impl Log {
    pub(super) fn new(started: Instant) -> Self {
        Self { memory: Memory::new(started), trace: None }
    }

    pub(super) fn set_trace(&mut self, trace: Trace) {
        self.trace = Some(trace);
    }

    /// Logs a line.
    pub(super) fn note(&mut self, direction: Direction, at: Instant, line: &str) {
        self.memory.record(direction, at, line);
        if let Some(trace) = &self.trace {
            trace(direction, line);
        }
    }

    /// Logs a line that may not be UTF-8; invalid bytes are replaced.
    pub(super) fn note_bytes(&mut self, direction: Direction, at: Instant, line: &[u8]) {
        self.note(direction, at, &String::from_utf8_lossy(line));
    }

    pub(super) fn tail(&self) -> Tail {
        self.memory.tail()
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("memory", &self.memory).field("traced", &self.trace.is_some()).finish()
    }
}
