//! The true sequential procedure on made-up pairs: seeded, one look at the bounds per pair, a pure function of its arguments.

use super::PairLaw;
use crate::counts::PairCounts;
use crate::sprt::{Sprt, SprtConfig, SprtError, SprtState};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// One simulated test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// How it ended; `Continue` if it reached the limit of pairs.
    pub state: SprtState,
    /// Its pairs.
    pub counts: PairCounts,
}

/// Many simulated tests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trials {
    /// Tests simulated.
    pub tests: u64,
    /// Those that accepted H1.
    pub passed: u64,
    /// Those that reached the limit of pairs undecided.
    pub undecided: u64,
    /// Pairs of all of them.
    pub pairs: u64,
}

/// The generator of trial `index` of a simulation: a stream of its own, so trials can run in any order.
pub fn generator(seed: u64, index: u64) -> Xoshiro256PlusPlus {
    // Seeding goes through SplitMix64; the odd factor keeps neighbouring (seed, index) apart.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Plays one test to its end, or to `limit` pairs.
///
/// # Errors
/// [`SprtError`] if the configuration makes no test.
pub fn trial(config: &SprtConfig, law: &PairLaw, seed: u64, index: u64, limit: u64) -> Result<Trial, SprtError> {
    let mut sprt = Sprt::new(*config)?;
    let mut generator = generator(seed, index);
    let mut pairs = 0;
    while pairs < limit && sprt.state() == SprtState::Continue {
        sprt.update(law.sample(&mut generator));
        pairs += 1;
    }
    Ok(Trial { state: sprt.state(), counts: *sprt.tally() })
}

/// Plays the tests `0..tests` of a simulation.
///
/// # Errors
/// [`SprtError`] if the configuration makes no test.
pub fn trials(config: &SprtConfig, law: &PairLaw, seed: u64, tests: u64, limit: u64) -> Result<Trials, SprtError> {
    let mut all = Trials::default();
    for index in 0..tests {
        all.add(&trial(config, law, seed, index, limit)?);
    }
    Ok(all)
}

impl Trials {
    /// Counts one more test.
    pub fn add(&mut self, trial: &Trial) {
        self.tests += 1;
        self.pairs += trial.counts.total();
        match trial.state {
            SprtState::H1 => self.passed += 1,
            SprtState::H0 => {}
            SprtState::Continue => self.undecided += 1,
        }
    }

    /// Share of tests that accepted H1, and its standard error.
    pub fn pass(&self) -> (f64, f64) {
        let n = self.tests as f64;
        let p = self.passed as f64 / n;
        (p, (p * (1.0 - p) / n).sqrt())
    }

    /// Mean number of games per test.
    pub fn mean_games(&self) -> f64 {
        2.0 * self.pairs as f64 / self.tests as f64
    }
}
