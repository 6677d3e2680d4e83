//! Splits the bytes from a pipe into lines, in one fixed buffer. Reads nothing itself.
//!
//! A line longer than [`LONGEST_LINE`] keeps its beginning; the rest is dropped as it arrives, so that memory is
//! bounded no matter what an engine prints.

use memchr::memchr;
use std::ops::Range;

/// The maximum length of a line that is kept whole, in bytes.
pub const LONGEST_LINE: usize = 64 * 1024;
/// The size of the buffer: one cut line and as much again as a pipe holds on Linux.
const CAPACITY: usize = 2 * LONGEST_LINE;

/// Bytes read and not yet taken as lines.
#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: Box<[u8]>,
    /// Start of the first line that was not taken.
    start: usize,
    /// End of the part behind `start` that is known to hold no line end.
    scanned: usize,
    end: usize,
}

impl LineBuffer {
    /// An empty buffer. Its pages are touched only when they are used.
    pub(super) fn new() -> Self {
        Self { bytes: vec![0; CAPACITY].into_boxed_slice(), start: 0, scanned: 0, end: 0 }
    }

    /// The place to read into; never empty. The caller must call `filled` afterwards. Invalidates ranges from `take`.
    pub(super) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.scanned, self.end) = (0, 0, 0);
        } else if self.end == CAPACITY {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.scanned, self.end) = (self.scanned - self.start, self.end - self.start);
            self.start = 0;
        }
        if self.end == CAPACITY {
            self.drop_excess();
        }
        &mut self.bytes[self.end..]
    }

    /// Makes room when one unfinished line fills the buffer.
    fn drop_excess(&mut self) {
        self.end = LONGEST_LINE;
        self.scanned = self.scanned.min(self.end);
    }

    /// Notes that this many bytes were read into `room`.
    pub(super) fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Takes the next complete line, without its end. `get` returns its bytes until the next `room`.
    pub(super) fn take(&mut self) -> Option<Range<usize>> {
        let Some(offset) = memchr(b'\n', &self.bytes[self.scanned..self.end]) else {
            self.scanned = self.end;
            return None;
        };
        let newline = self.scanned + offset;
        let line = self.trimmed(newline);
        (self.start, self.scanned) = (newline + 1, newline + 1);
        Some(line)
    }

    /// Takes the text after the last line end: at the end of the stream that is a line, too.
    pub(super) fn take_rest(&mut self) -> Option<Range<usize>> {
        let line = self.trimmed(self.end);
        let any = self.start < self.end;
        (self.start, self.scanned) = (self.end, self.end);
        any.then_some(line)
    }

    /// The text after the last line end, which is the beginning of an incomplete line, without taking it.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The bytes of a line from `take`.
    pub(super) fn get(&self, line: Range<usize>) -> &[u8] {
        &self.bytes[line]
    }

    fn trimmed(&self, end: usize) -> Range<usize> {
        let mut end = end.min(self.start + LONGEST_LINE);
        while end > self.start && self.bytes[end - 1] == b'\r' {
            end -= 1;
        }
        self.start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds the stream in portions of the given size; a portion larger than the room is split.
    fn split(stream: &[u8], portion: usize) -> Vec<Vec<u8>> {
        let mut buffer = LineBuffer::new();
        let mut lines = Vec::new();
        let mut rest = stream;
        while !rest.is_empty() {
            let room = buffer.room();
            let count = room.len().min(portion).min(rest.len());
            room[..count].copy_from_slice(&rest[..count]);
            buffer.filled(count);
            rest = &rest[count..];
            while let Some(line) = buffer.take() {
                lines.push(buffer.get(line).to_vec());
            }
        }
        lines.extend(buffer.take_rest().map(|line| buffer.get(line).to_vec()));
        lines
    }

    #[test]
    fn line_ends_of_all_kinds() {
        assert_eq!(split(b"a\nb\r\n\nc\r\r\nlast", 3), [&b"a"[..], b"b", b"", b"c", b"last"]);
        assert_eq!(split(b"a\n", 3), [b"a"]);
    }

    #[test]
    fn a_line_of_five_megabytes_is_cut_and_the_next_is_whole() {
        let mut stream = vec![b'x'; 5_000_000];
        stream.extend_from_slice(b"\nbestmove e2e4\n");
        for portion in [1_000, LONGEST_LINE, usize::MAX] {
            let lines = split(&stream, portion);
            assert_eq!(lines.len(), 2);
            assert_eq!(lines[0].len(), LONGEST_LINE);
            assert_eq!(lines[1], b"bestmove e2e4");
        }
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(
            stream in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..400),
            portion in 1_usize..50,
        ) {
            let whole = split(&stream, usize::MAX);
            prop_assert_eq!(&split(&stream, portion), &whole);
            let mut expected: Vec<Vec<u8>> = stream.split(|byte| *byte == b'\n').map(|line| {
                let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
                line[..end].to_vec()
            }).collect();
            if stream.is_empty() || stream.last() == Some(&b'\n') {
                expected.pop();
            }
            prop_assert_eq!(whole, expected);
        }
    }
}
