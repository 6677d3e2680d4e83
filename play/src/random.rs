//! The purposes of random numbers in games, and how each purpose makes a seed. [`stats::random`] draws the numbers.
//!
//! Streams are part of what makes a run reproducible: they are opened by (run seed, purpose, index), drawn from in
//! integers of fixed width, and never shared between two pairs.

pub use stats::random::{Stream, mix};

/// The purpose of a stream of random numbers. The discriminants are part of a run's identity: never renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// An opening; the index is its number in the run.
    Opening = 1,
    /// The moves of a random player; the index mixes pair, game and side.
    Player = 2,
    /// The order of a book's openings; the index counts how often the book has been played through.
    BookOrder = 3,
}

impl stats::random::Purpose for Purpose {
    fn seed(self, run: u64, index: u64) -> u64 {
        mix(mix(mix(run) ^ self as u64) ^ index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_pinned() {
        // The numbers must be the same on every machine and for ever: journals of old runs are replayed from them.
        let mut stream = Stream::new(1, Purpose::Opening, 0);
        let drawn: Vec<u32> = (0..6).map(|_| stream.below(1000)).collect();
        assert_eq!(drawn, [258, 373, 221, 91, 178, 758]);
    }

    #[test]
    fn purposes_and_indices_differ() {
        let first = |seed, purpose, index| Stream::new(seed, purpose, index).bits();
        let all = [
            first(1, Purpose::Opening, 0),
            first(1, Purpose::Opening, 1),
            first(1, Purpose::Player, 0),
            first(2, Purpose::Opening, 0),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b));
        }
    }
}
