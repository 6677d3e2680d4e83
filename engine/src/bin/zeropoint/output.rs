//! Lines to standard output, each flushed at once.

use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, Write};

/// Standard output, until the reader closes it.
pub(crate) struct Output {
    closed: Cell<bool>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { closed: Cell::new(false) }
    }

    /// Writes a line. A closed pipe is not an error; [`Output::is_closed`] reports it.
    pub(crate) fn send(&self, message: impl Display) {
        let line = format!("{message}\n");
        let mut out = io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.closed.set(true);
        }
    }

    /// Whether a write failed because the reader closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.get()
    }
}
