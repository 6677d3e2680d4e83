//! Lines to standard output, each written whole and flushed at once.

use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, Write};

/// Standard output, until nobody listens any more.
pub(crate) struct Output {
    closed: Cell<bool>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { closed: Cell::new(false) }
    }

    /// Writes a line. A reader that has gone away is no error of ours; [`Output::is_closed`] tells.
    pub(crate) fn say(&self, message: impl Display) {
        let line = format!("{message}\n");
        let mut out = io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.closed.set(true);
        }
    }

    /// Whether a line could not be written: there is no one to play for.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.get()
    }
}
