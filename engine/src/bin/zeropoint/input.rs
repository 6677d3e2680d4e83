//! Lines from standard input, read by a thread of their own, so that a search can look for `stop` without waiting.
//!
//! Owns the reading thread and the order of lines; what they mean is the protocols' business.

use engine::Stop;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{channel, Receiver, TryRecvError};
use std::thread;
use std::time::Instant;

/// The longest line that makes sense is a game of some 600 bytes. What goes beyond this is thrown away.
const LONGEST_LINE: u64 = 1 << 16;

/// A line and when it had been read.
#[derive(Debug)]
pub(crate) struct Line {
    /// Without its end. Bytes that are no UTF-8 are replaced.
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// The lines of standard input.
pub(crate) struct Input {
    arriving: Receiver<Line>,
    /// Arrived during a search and left for after it.
    deferred: RefCell<VecDeque<Line>>,
}

impl Input {
    /// Begins to read.
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, arriving) = channel();
        let read = move || {
            let mut source = io::stdin().lock();
            // An error of reading is the end of input.
            while let Ok(Some(line)) = read_line(&mut source) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self { arriving, deferred: RefCell::default() })
    }

    /// Waits for the next line; `None` at the end of input.
    pub(crate) fn next(&self) -> Option<Line> {
        let deferred = self.deferred.borrow_mut().pop_front();
        deferred.or_else(|| self.arrival())
    }

    /// Waits for the next line to arrive, past those that were deferred.
    pub(crate) fn arrival(&self) -> Option<Line> {
        self.arriving.recv().ok()
    }

    /// Leaves a line for after the search.
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

/// Reads past the next end of line.
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

/// What a line that arrives during a search does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The search is to end with an answer.
    Stop,
    /// The program is to end.
    Quit,
    /// It has been dealt with.
    Done,
    /// It waits until after the search.
    Later,
}

/// Listens while a search goes on, and ends it when a line says so or no more can come.
pub(crate) struct Listener<'a, F: Fn(&Line) -> Heard> {
    input: &'a Input,
    hear: F,
    end: Cell<Option<Heard>>,
}

impl<'a, F: Fn(&Line) -> Heard> Listener<'a, F> {
    pub(crate) fn new(input: &'a Input, hear: F) -> Self {
        Self { input, hear, end: Cell::new(None) }
    }

    /// Whether the program is to end.
    pub(crate) fn has_quit(&self) -> bool {
        self.end.get() == Some(Heard::Quit)
    }

    /// Waits until a line ends the search.
    pub(crate) fn wait(&self) {
        while self.end.get().is_none() {
            self.take(self.input.arrival());
        }
    }

    /// Takes in a line, or the end of input.
    fn take(&self, line: Option<Line>) {
        let Some(line) = line else { return self.end.set(Some(Heard::Quit)) };
        match (self.hear)(&line) {
            Heard::Done => {}
            Heard::Later => self.input.defer(line),
            end => self.end.set(Some(end)),
        }
    }
}

impl<F: Fn(&Line) -> Heard> Stop for Listener<'_, F> {
    fn stopped(&self) -> bool {
        while self.end.get().is_none() {
            match self.input.arriving.try_recv() {
                Ok(line) => self.take(Some(line)),
                Err(TryRecvError::Disconnected) => self.take(None),
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
    fn lines_end_at_their_end_and_long_ones_are_cut() {
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
