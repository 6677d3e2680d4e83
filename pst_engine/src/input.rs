//! Lines from standard input, which can be polled during a search.
//!
//! A thread reads them; all else happens in the thread that searches, which obeys here what cannot wait for the end of
//! the search and leaves the rest for later.

use crate::engine::say;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What has arrived for a search since its last poll.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchEvent {
    /// Nothing that concerns it.
    Nothing,
    /// That it should end.
    Stop,
    /// The end of input.
    End,
}

/// The lines to come.
pub(crate) struct Input {
    lines: Receiver<String>,
    /// Lines that came during a search and are not for it.
    later: VecDeque<String>,
}

impl Input {
    /// Standard input. A line that is not UTF-8 comes with its bad bytes replaced.
    pub(crate) fn standard() -> Self {
        let (sender, lines) = channel();
        // It ends with the process: nothing can wake it from reading.
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

    /// Nothing at all.
    pub(crate) fn closed() -> Self {
        Self { lines: channel().1, later: VecDeque::new() }
    }

    /// The next line; `None` at the end of all input.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.later.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Reads what has arrived during a search, without waiting.
    pub(crate) fn poll(&mut self) -> SearchEvent {
        loop {
            match self.lines.try_recv() {
                Ok(line) => {
                    if self.concerns(line) {
                        return SearchEvent::Stop;
                    }
                }
                Err(TryRecvError::Empty) => return SearchEvent::Nothing,
                Err(TryRecvError::Disconnected) => return SearchEvent::End,
            }
        }
    }

    /// Waits until the search may end.
    pub(crate) fn wait_for_stop(&mut self) {
        while let Ok(line) = self.lines.recv() {
            if self.concerns(line) {
                return;
            }
        }
    }

    /// Whether a line ends the search.
    fn concerns(&mut self, line: String) -> bool {
        match line.as_str() {
            "stop" => return true,
            "isready" => say("readyok"),
            "quit" => {
                self.later.push_front(line);
                return true;
            }
            _ => self.later.push_back(line),
        }
        false
    }
}
