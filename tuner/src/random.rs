//! The purposes of tuning's random numbers, and how each makes a seed. [`stats::random`] draws the numbers, and the
//! methods decide how to use them.

pub use stats::random::Stream;
use stats::random::scramble;

/// The purpose of a stream of random numbers; streams of different purposes are unrelated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The signs of a perturbation.
    Signs,
    /// The centre of a proposal.
    Centre,
    /// The rounding of integer parameters, common to both sides.
    Rounding,
    /// The simulated games of the benchmark.
    Games,
    /// The values of a category that meet.
    Rivals,
    /// The draws from which a probability is computed.
    Chances,
}

impl Purpose {
    /// A fixed odd constant per purpose, so that seeds of different purposes are far apart.
    const fn salt(self) -> u64 {
        match self {
            Self::Signs => 0x9e37_79b9_7f4a_7c15,
            Self::Centre => 0xc2b2_ae3d_27d4_eb4f,
            Self::Rounding => 0x1656_67b1_9e37_79f9,
            Self::Games => 0xd6e8_feb8_6659_fd93,
            Self::Rivals => 0xa076_1d64_78bd_642f,
            Self::Chances => 0xe703_7ed1_a0b4_28db,
        }
    }
}

/// The index is that of a pair, or of a design.
impl stats::random::Purpose for Purpose {
    fn seed(self, run: u64, index: u64) -> u64 {
        scramble(scramble(run ^ self.salt()).wrapping_add(index))
    }
}
