//! The last lines to and from an engine: evidence for a fault, bounded and without an allocation per line.

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

/// The number of lines kept for each direction.
pub const KEPT_LINES: usize = 20;
/// The number of bytes kept of each line.
pub const KEPT_BYTES: usize = 240;

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From spar to the engine's standard input.
    Sent,
    /// From the engine's standard output.
    Received,
    /// From the engine's standard error.
    Complaint,
}

/// A remembered line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailLine {
    /// The direction of the line.
    pub direction: Direction,
    /// The time since the engine was started.
    pub at: Duration,
    /// The line without its end, cut after [`KEPT_BYTES`].
    pub text: String,
}

/// The last [`KEPT_LINES`] lines of each direction, the oldest first. Displays one line each, `>` for sent, `<` for
/// received and `!` for standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The lines, in the order in which they were sent or read.
    pub lines: Vec<TailLine>,
}

impl Tail {
    /// The lines of one direction.
    pub fn of(&self, direction: Direction) -> impl Iterator<Item = &TailLine> {
        self.lines.iter().filter(move |line| line.direction == direction)
    }
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let mark = match line.direction {
                Direction::Sent => '>',
                Direction::Received => '<',
                Direction::Complaint => '!',
            };
            write!(f, "{:9.3} {mark} ", line.at.as_secs_f64())?;
            // An engine must not control the terminal or a page.
            for c in line.text.chars() {
                if c.is_control() && c != '\t' { write!(f, "{}", c.escape_default())? } else { f.write_char(c)? }
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

/// Remembers the last lines.
#[derive(Debug)]
pub(super) struct Memory {
    started: Instant,
    count: u64,
    rings: [Ring; 3],
}

#[derive(Debug, Default)]
struct Ring {
    slots: Vec<Slot>,
    next: usize,
}

#[derive(Debug)]
struct Slot {
    order: u64,
    at: Instant,
    text: String,
}

impl Memory {
    pub(super) fn new(started: Instant) -> Self {
        Self { started, count: 0, rings: Default::default() }
    }

    /// Remembers a line and forgets the oldest of its direction.
    pub(super) fn record(&mut self, direction: Direction, at: Instant, line: &str) {
        let text = &line[..line.floor_char_boundary(KEPT_BYTES)];
        self.count += 1;
        self.rings[direction as usize].record(self.count, at, text);
    }

    /// A copy of the remembered lines.
    pub(super) fn tail(&self) -> Tail {
        let directions = [Direction::Sent, Direction::Received, Direction::Complaint];
        let mut slots: Vec<(Direction, &Slot)> = directions
            .into_iter()
            .flat_map(|direction| self.rings[direction as usize].slots.iter().map(move |slot| (direction, slot)))
            .collect();
        slots.sort_by_key(|(_, slot)| slot.order);
        let line = |(direction, slot): (Direction, &Slot)| TailLine {
            direction,
            at: slot.at.saturating_duration_since(self.started),
            text: slot.text.clone(),
        };
        Tail { lines: slots.into_iter().map(line).collect() }
    }
}

impl Ring {
    fn record(&mut self, order: u64, at: Instant, text: &str) {
        if self.slots.len() < KEPT_LINES {
            self.slots.push(Slot { order, at, text: text.to_owned() });
            return;
        }
        let slot = &mut self.slots[self.next];
        (slot.order, slot.at) = (order, at);
        slot.text.clear();
        slot.text.push_str(text);
        self.next = (self.next + 1) % KEPT_LINES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_each_direction_in_order() {
        let start = Instant::now();
        let mut memory = Memory::new(start);
        memory.record(Direction::Sent, start, "go");
        for index in 0..100_u64 {
            memory.record(Direction::Received, start + Duration::from_millis(index), &format!("info {index}"));
        }
        memory.record(Direction::Complaint, start + Duration::from_secs(2), "oops");
        let tail = memory.tail();
        assert_eq!(tail.lines.len(), 2 + KEPT_LINES);
        assert_eq!(tail.lines[0].text, "go");
        assert_eq!(tail.lines[1].text, "info 80");
        assert_eq!(tail.of(Direction::Received).last().map(|line| line.at), Some(Duration::from_millis(99)));
        assert!(tail.to_string().ends_with("    0.099 < info 99\n    2.000 ! oops\n"), "{tail}");
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let mut memory = Memory::new(Instant::now());
        memory.record(Direction::Received, Instant::now(), &"é".repeat(1_000).replacen('é', "x", 1));
        assert_eq!(memory.tail().lines[0].text.len(), KEPT_BYTES - 1);
    }
}
