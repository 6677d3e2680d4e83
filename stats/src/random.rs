//! Random numbers: one stream per use, opened by (run seed, purpose, index) and never shared, so that the draws for
//! pair `i` do not depend on the number of draws before it.
//!
//! This module owns the generator (xoshiro256++ of Blackman and Vigna, its state filled by SplitMix64) and the draws.
//! The modules that use it define their purposes, and how each makes a seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The purpose of a stream of random numbers; streams of different purposes are unrelated.
pub trait Purpose {
    /// The seed of stream `index` of this purpose in the run with seed `run`. It is part of a run's identity: changing
    /// it would make stored runs impossible to replay.
    fn seed(self, run: u64, index: u64) -> u64;
}

/// A stream of random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream for `index` of `purpose` in the run with this seed.
    pub fn new(run: u64, purpose: impl Purpose, index: u64) -> Self {
        Self::from_seed(purpose.seed(run, index))
    }

    /// The stream whose four state words are the first four SplitMix64 outputs from `seed`.
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

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// +1 or -1, equally likely (the top bit, set for +1).
    pub fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 1 { 1.0 } else { -1.0 }
    }

    /// Standard normal by Box and Muller: sqrt(-2 ln(1-u)) cos(2 pi v) of two uniforms.
    pub fn normal(&mut self) -> f64 {
        let u = self.uniform();
        let v = self.uniform();
        libm::sqrt(-2.0 * libm::log(1.0 - u)) * libm::cos(2.0 * std::f64::consts::PI * v)
    }
}

/// SplitMix64's output function (Steele, Lea, Flood 2014): a bijection whose outputs look independent.
pub const fn mix(x: u64) -> u64 {
    scramble(x.wrapping_add(0x9E37_79B9_7F4A_7C15))
}

/// The finaliser of SplitMix64: a bijection that spreads every bit of `x`.
pub const fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_xoshiro256plusplus_seeded_by_splitmix64() {
        // The state words are SplitMix64's outputs from the seed; the first output is rotl(s0 + s3, 23) + s0.
        let step = 0x9E37_79B9_7F4A_7C15_u64;
        let state = [0_u64, 1, 2, 3].map(|k| mix(7_u64.wrapping_add(k.wrapping_mul(step))));
        let first = state[0].wrapping_add(state[3]).rotate_left(23).wrapping_add(state[0]);
        assert_eq!(Stream::from_seed(7).bits(), first);
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
    fn draws_have_their_moments() {
        let mut stream = Stream::from_seed(3);
        let n = 20_000;
        let moments = |draws: Vec<f64>| {
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            (mean, draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n))
        };
        let near = |(mean, variance): (f64, f64), expected: (f64, f64)| {
            assert!((mean - expected.0).abs() < 0.03 && (variance - expected.1).abs() < 0.05, "{mean} {variance}");
        };
        near(moments((0..n).map(|_| stream.uniform()).collect()), (0.5, 1.0 / 12.0));
        near(moments((0..n).map(|_| stream.sign()).collect()), (0.0, 1.0));
        near(moments((0..n).map(|_| stream.normal()).collect()), (0.0, 1.0));
    }
}
