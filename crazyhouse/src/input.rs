//! Lines from standard input, which can be polled during a search.
//!
//! A thread reads them. The search thread handles the lines here that cannot wait for the end of the search, and keeps
//! the rest for later.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// The lines still to be processed.
pub(crate) struct Input {
    lines: Receiver<String>,
    /// Lines that arrived during a search and do not concern it.
    later: VecDeque<String>,
}

impl Input {
    /// Reads standard input. Bytes that are not UTF-8 are replaced.
    pub(crate) fn standard() -> Self {
        let (sender, lines) = channel();
        // The thread ends with the process: nothing can interrupt its read.
        let _reader = std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut line = Vec::new();
            while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self { lines, later: VecDeque::new() }
    }

    /// The next line; `None` at the end of input.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.later.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Whether a line that ends the search has arrived. The end of input ends only an `endless` search: other searches
    /// still have to be answered.
    pub(crate) fn ends_search(&mut self, is_endless: bool) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(line) => {
                    if self.is_stop(line) {
                        return true;
                    }
                }
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return is_endless,
            }
        }
    }

    /// Waits until an endless search may end.
    pub(crate) fn wait_for_stop(&mut self) {
        while let Ok(line) = self.lines.recv() {
            if self.is_stop(line) {
                return;
            }
        }
    }

    /// Whether a line ends a search. Lines for later are kept.
    fn is_stop(&mut self, line: String) -> bool {
        match line.as_str() {
            "stop" => return true,
            "isready" => super::uci::say("readyok"),
            "quit" => {
                self.later.push_front(line);
                return true;
            }
            _ => self.later.push_back(line),
        }
        false
    }
}
