//! The order in which listed openings are played.

use super::source::{KeyError, OpeningsRequest};
use crate::random::{Purpose, Stream, mix};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

/// The order in which listed openings are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookOrder {
    /// In the order of the file, then from the first again.
    Sequential,
    /// Shuffled by the run's seed. No opening repeats until all have been played; then they are shuffled again.
    Random,
}

/// Enough rounds to mix halves of a few bits well.
const ROUNDS: usize = 8;

impl BookOrder {
    /// The order that the key `order` requests.
    pub(super) fn resolve(request: &OpeningsRequest) -> Result<Self, KeyError> {
        match request.text("order") {
            None | Some("random") => Ok(Self::Random),
            Some("sequential") => Ok(Self::Sequential),
            Some(unknown) => {
                let message = format!("`{unknown}` is not an order of openings");
                Err(KeyError::new("order", message, "expected `random` or `sequential`"))
            }
        }
    }

    /// The order's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        }
    }

    /// The index of the opening that stands at `place` in this order of `openings` openings; all counted from 0.
    pub fn at(self, run_seed: u64, place: u64, openings: NonZeroU64) -> u64 {
        let (cycle, index) = (place / openings, place % openings);
        match self {
            Self::Sequential => index,
            Self::Random => Shuffle::new(run_seed, cycle, openings).at(index),
        }
    }
}

/// A bijection of the numbers below a limit that needs no memory: a balanced Feistel network (Luby and Rackoff 1988) on
/// the smallest even number of bits that holds them all, applied until the result is among them (Black and Rogaway
/// 2002).
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
        // This ends: the walk started among the numbers, and the cycles of a bijection return to their start.
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
        // The order is part of what makes a run reproducible: if it changes, no old run can be resumed.
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
}
