//! The one generator of randomness: xoshiro256++, seeded per use by (run seed, purpose, index).
//!
//! Its stream is part of what makes a run reproducible, so it is named by algorithm, seeded by a fixed mix and
//! drawn from in integers of fixed width. Nothing here is ever shared between two pairs.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a stream of random numbers is for. The discriminants are part of a run's identity: never renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Drawing an opening; the index is its number in the run.
    Opening = 1,
    /// The moves of a random player; the index mixes pair, game and side.
    Player = 2,
    /// The order of a book's openings; the index counts how often the book has been played through.
    BookOrder = 3,
}

/// A stream of random integers (xoshiro256++ by Blackman and Vigna).
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream for `index` of `purpose` in the run with this seed.
    pub fn new(run_seed: u64, purpose: Purpose, index: u64) -> Self {
        Self::from_seed(mix(mix(mix(run_seed) ^ purpose as u64) ^ index))
    }

    /// The stream of one 64-bit seed, expanded by SplitMix64.
    pub fn from_seed(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..n`; 0 for `n` = 0. Unbiased (Lemire's multiply and reject, on 32 bits).
    pub fn below(&mut self, n: u32) -> u32 {
        let reject_under = n.wrapping_neg().checked_rem(n).unwrap_or(0);
        loop {
            let wide = (self.bits() >> 32) * u64::from(n);
            if wide as u32 >= reject_under {
                return (wide >> 32) as u32;
            }
        }
    }
}

/// `SplitMix64`'s output function (Steele, Lea, Flood 2014): a bijection whose outputs look independent.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_pinned() {
        // Same numbers on every machine and for ever: journals of old runs are replayed from them.
        let mut stream = Stream::new(1, Purpose::Opening, 0);
        let drawn: Vec<u32> = (0..6).map(|_| stream.below(1000)).collect();
        assert_eq!(drawn, [258, 373, 221, 91, 178, 758]);
    }

    #[test]
    fn below_is_in_range_and_covers_it() {
        let mut stream = Stream::from_seed(7);
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[stream.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
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
