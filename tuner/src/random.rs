//! The one random generator of the crate: Xoshiro256++ seeded through `SplitMix64`, with the three draws the crate needs.
//!
//! A stream is opened by (run seed, [`Purpose`], index), never shared, so that what is drawn for pair `i` does not
//! depend on how much was drawn for the pairs before it. Leaves to the methods what the numbers are for.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a stream of random numbers is used for; streams of different purposes are unrelated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The signs of a perturbation.
    Signs,
    /// Where the centre of a proposal lies.
    Centre,
    /// The rounding of integer parameters, common to both sides.
    Rounding,
    /// The simulated games of the benchmark.
    Games,
}

impl Purpose {
    /// A fixed odd constant per purpose, so that seeds of different purposes are far apart.
    const fn salt(self) -> u64 {
        match self {
            Self::Signs => 0x9e37_79b9_7f4a_7c15,
            Self::Centre => 0xc2b2_ae3d_27d4_eb4f,
            Self::Rounding => 0x1656_67b1_9e37_79f9,
            Self::Games => 0xd6e8_feb8_6659_fd93,
        }
    }
}

/// A stream of pseudo-random numbers (Xoshiro256++ of Blackman and Vigna, state filled by `SplitMix64`).
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream whose four state words are the first four `SplitMix64` outputs from `seed`.
    pub fn from_seed(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The stream of `purpose` for pair (or design) `index` of the run with seed `run`.
    pub fn new(run: u64, purpose: Purpose, index: u64) -> Self {
        Self::from_seed(scramble(scramble(run ^ purpose.salt()).wrapping_add(index)))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
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

/// The finaliser of `SplitMix64`: a bijection that spreads every bit of `x`.
const fn scramble(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
