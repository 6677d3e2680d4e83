//! Lines from standard input, read by a separate thread, so that a search can check for `stop` without blocking.
//!
//! Owns the reading thread and the order of lines; their meaning is left to the protocols.

use engine::Stop;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{channel, Receiver, TryRecvError};
use std::thread;
use std::time::Instant;

/// The longest valid line is a game of about 600 bytes. Bytes of a line beyond this limit are discarded.
const LONGEST_LINE: u64 = 1 << 16;

/// A line and the time at which it was read.
#[derive(Debug)]
pub(crate) struct Line {
    /// The text without the line ending. Invalid UTF-8 is replaced.
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// The lines of standard input.
pub(crate) struct Input {
    receiver: Receiver<Line>,
    /// Lines received during a search, to be processed after it.
    deferred: RefCell<VecDeque<Line>>,
}

impl Input {
    /// Starts reading.
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, receiver) = channel();
        let read = move || {
            let mut source = io::stdin().lock();
            // A read error counts as the end of input.
            while let Ok(Some(line)) = read_line(&mut source) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self { receiver, deferred: RefCell::default() })
    }

    /// Waits for the next line; `None` at the end of input.
    pub(crate) fn next(&self) -> Option<Line> {
        let deferred = self.deferred.borrow_mut().pop_front();
        deferred.or_else(|| self.receive())
    }

    /// Waits for the next line that has not been received yet, ignoring deferred ones.
    pub(crate) fn receive(&self) -> Option<Line> {
        self.receiver.recv().ok()
    }

    /// Keeps a line until after the search.
    pub(crate) fn defer(&self, line: Line) {
        self.deferred.borrow_mut().push_back(line);
    }
}

fn read_line(source: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    let at = Instant::now();
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        skip_line(source)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(Line { text: text.trim_end_matches(['\r', '\n']).to_owned(), at }))
}

/// Skips to the end of the line.
fn skip_line(source: &mut impl BufRead) -> io::Result<()> {
    loop {
        let chunk = source.fill_buf()?;
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let (length, done) = (end.map_or(chunk.len(), |end| end + 1), end.is_some() || chunk.is_empty());
        source.consume(length);
        if done {
            return Ok(());
        }
    }
}

/// The effect of a line received during a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEffect {
    /// End the search with an answer.
    Stop,
    /// Exit.
    Quit,
    /// Nothing: the line has been handled.
    Handled,
    /// Process it after the search.
    Defer,
}

/// Listens to input during a search, and stops the search when a line asks for it or the input ends.
pub(crate) struct Listener<'a, F: Fn(&Line) -> LineEffect> {
    input: &'a Input,
    on_line: F,
    end: Cell<Option<LineEffect>>,
}

impl<'a, F: Fn(&Line) -> LineEffect> Listener<'a, F> {
    pub(crate) fn new(input: &'a Input, on_line: F) -> Self {
        Self { input, on_line, end: Cell::new(None) }
    }

    /// Whether the program is to exit.
    pub(crate) fn has_quit(&self) -> bool {
        self.end.get() == Some(LineEffect::Quit)
    }

    /// Waits until a line ends the search.
    pub(crate) fn wait(&self) {
        while self.end.get().is_none() {
            self.handle(self.input.receive());
        }
    }

    /// Handles a line, or the end of input.
    fn handle(&self, line: Option<Line>) {
        let Some(line) = line else { return self.end.set(Some(LineEffect::Quit)) };
        match (self.on_line)(&line) {
            LineEffect::Handled => {}
            LineEffect::Defer => self.input.defer(line),
            end => self.end.set(Some(end)),
        }
    }
}

impl<F: Fn(&Line) -> LineEffect> Stop for Listener<'_, F> {
    fn stopped(&self) -> bool {
        while self.end.get().is_none() {
            match self.input.receiver.try_recv() {
                Ok(line) => self.handle(Some(line)),
                Err(TryRecvError::Disconnected) => self.handle(None),
                Err(TryRecvError::Empty) => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{read_line, LONGEST_LINE};

    #[test]
    fn lines_are_split_and_long_ones_truncated() {
        let mut bytes = b"one\r\n\ntwo \xff\n".to_vec();
        bytes.extend(vec![b'x'; 3 * LONGEST_LINE as usize]);
        bytes.extend(b"\nlast");
        let mut source = bytes.as_slice();
        let mut next = || read_line(&mut source).unwrap().map(|line| line.text);
        assert_eq!(next().as_deref(), Some("one"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().as_deref(), Some("two \u{fffd}"));
        assert_eq!(next().map(|text| text.len()), Some(LONGEST_LINE as usize));
        assert_eq!(next().as_deref(), Some("last"));
        assert_eq!(next(), None);
    }
}
