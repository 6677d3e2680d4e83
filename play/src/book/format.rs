//! What a book's file is written in, and in which order its openings are played.

use super::error::BookError;
use crate::random::{Purpose, Stream, mix};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::str::FromStr;

/// What a book's file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookFormat {
    /// A position a line: EPD or FEN.
    Epd,
    /// Games: their first plies are the openings.
    Pgn,
    /// A Polyglot book: a table of weighted moves by position.
    Polyglot,
    /// The moves of an opening a line, as the game's players write them.
    Moves,
}

/// Every format by its names; EPD and FEN are read alike.
const NAMES: [(&str, BookFormat); 5] = [
    ("epd", BookFormat::Epd),
    ("fen", BookFormat::Epd),
    ("pgn", BookFormat::Pgn),
    ("polyglot", BookFormat::Polyglot),
    ("moves", BookFormat::Moves),
];

impl BookFormat {
    /// The format that a file's name tells, the ending of a compressed one left aside.
    ///
    /// # Errors
    /// [`BookError::UnknownFormat`] if the name tells none.
    pub fn of_name(file: &str) -> Result<Self, BookError> {
        let path = Path::new(file);
        let ending = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let name = match ending(path).as_deref() {
            Some("gz" | "zst" | "zstd") => ending(Path::new(path.file_stem().unwrap_or_default())),
            _ => ending(path),
        };
        match name.as_deref() {
            Some("bin") => Ok(Self::Polyglot),
            Some("txt") => Ok(Self::Moves),
            Some(name) => name.parse().map_err(|_| BookError::UnknownFormat { file: file.to_owned() }),
            None => Err(BookError::UnknownFormat { file: file.to_owned() }),
        }
    }

    /// What the formats are called in configurations.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }
}

/// A format of an unknown name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of epd, fen, pgn, polyglot, moves")]
pub struct ParseBookFormatError;

impl FromStr for BookFormat {
    type Err = ParseBookFormatError;

    fn from_str(name: &str) -> Result<Self, ParseBookFormatError> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format).ok_or(ParseBookFormatError)
    }
}

impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, format)| format == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// In which order a book's openings are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookOrder {
    /// As they stand in the file, then from the first again.
    Sequential,
    /// Shuffled by the run's seed. No opening repeats until all have been played; then they are shuffled again.
    Random,
}

/// Enough for halves of a few bits to be mixed well.
const ROUNDS: usize = 8;

impl BookOrder {
    /// Which of `openings` openings stands at `place` in this order; all counted from 0.
    pub fn at(self, run_seed: u64, place: u64, openings: NonZeroU64) -> u64 {
        let (cycle, index) = (place / openings, place % openings);
        match self {
            Self::Sequential => index,
            Self::Random => Shuffle::new(run_seed, cycle, openings).at(index),
        }
    }
}

/// A bijection of the numbers below some number, in no memory: a balanced Feistel network (Luby and Rackoff 1988) on
/// the smallest even number of bits that holds them all, walked until it is back among them (Black and Rogaway 2002).
struct Shuffle {
    keys: [u64; ROUNDS],
    half_bits: u32,
    numbers: u64,
}

impl Shuffle {
    fn new(run_seed: u64, cycle: u64, numbers: NonZeroU64) -> Self {
        let mut stream = Stream::new(run_seed, Purpose::BookOrder, cycle);
        let bits = u64::BITS - (numbers.get() - 1).leading_zeros();
        Self {
            keys: std::array::from_fn(|_| stream.bits()),
            half_bits: bits.div_ceil(2).max(1),
            numbers: numbers.get(),
        }
    }

    fn at(&self, index: u64) -> u64 {
        let mut at = self.network(index);
        // The walk started among the numbers, and a bijection's cycles come back to where they started.
        while at >= self.numbers {
            at = self.network(at);
        }
        at
    }

    fn network(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(key ^ right) & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(run_seed: u64, openings: u64, places: std::ops::Range<u64>) -> Vec<u64> {
        let openings = NonZeroU64::new(openings).unwrap();
        places.map(|place| BookOrder::Random.at(run_seed, place, openings)).collect()
    }

    #[test]
    fn the_order_of_seed_1_is_pinned() {
        // Part of what makes a run reproducible: should these change, no old run could be resumed.
        assert_eq!(order(1, 1000, 0..6), [508, 256, 631, 651, 54, 348]);
        assert_eq!(order(1, 5, 0..10), [1, 4, 2, 3, 0, 2, 4, 1, 3, 0]);
        assert_eq!(order(1, 1_000_000, 0..4), [447_727, 795_159, 426_695, 848_292]);
    }

    #[test]
    fn every_cycle_is_another() {
        let cycles: Vec<Vec<u64>> = (0..4).map(|cycle| order(1, 100, cycle * 100..(cycle + 1) * 100)).collect();
        for (number, cycle) in cycles.iter().enumerate() {
            assert!(cycles[number + 1..].iter().all(|other| other != cycle));
            let fixed = cycle.iter().enumerate().filter(|(at, opening)| *at as u64 == **opening).count();
            assert!(fixed < 10, "{fixed} openings stand where they stood");
        }
        assert_ne!(order(1, 100, 0..100), order(2, 100, 0..100));
    }

    #[test]
    fn every_place_is_as_likely() {
        // The first opening of ten, over many seeds: 1000 of each, standard deviation 30.
        let mut seen = [0u32; 10];
        for seed in 0..10_000 {
            seen[order(seed, 10, 0..1)[0] as usize] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn no_opening_comes_twice_in_a_cycle(run_seed: u64, openings in 1u64..3000, cycle in 0u64..5) {
            let mut order = order(run_seed, openings, cycle * openings..(cycle + 1) * openings);
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..openings));
        }

        #[test]
        fn large_books_stay_in_range(run_seed: u64, openings in 1u64.., place: u64) {
            let openings = NonZeroU64::new(openings).unwrap();
            prop_assert!(BookOrder::Random.at(run_seed, place, openings) < openings.get());
        }
    }

    #[test]
    fn names_tell_formats() {
        let of = |name| BookFormat::of_name(name).ok();
        assert_eq!(of("a/b.epd"), Some(BookFormat::Epd));
        assert_eq!(of("b.FEN.gz"), Some(BookFormat::Epd));
        assert_eq!(of("b.pgn.zst"), Some(BookFormat::Pgn));
        assert_eq!(of("b.bin"), Some(BookFormat::Polyglot));
        assert_eq!(of("b.txt"), Some(BookFormat::Moves));
        assert_eq!([of("b.gz"), of("b"), of("b.zip"), of("")], [None; 4]);
        for name in BookFormat::names() {
            let format: BookFormat = name.parse().unwrap();
            assert_eq!(format.to_string().parse(), Ok(format));
        }
    }
}
