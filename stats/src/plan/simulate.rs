//! Simulates the real sequential procedure on random pairs, with a look at the bounds after every pair: seeded, a pure
//! function of its arguments.

use super::{PairLaw, Prospect};
use crate::counts::PairCounts;
use crate::random::{Purpose, Stream};
use crate::sprt::{Sprt, SprtConfig, SprtError, SprtState};

/// A simulated test ends undecided after this many times the pairs expected at the worst difference, and a few more.
const PATIENCE: f64 = 100.0;
const FEW_PAIRS: u64 = 1000;

/// The number of pairs after which a simulated test may be given up, if `worst` is its prospect at the worst
/// difference.
pub fn pair_limit(worst: Prospect) -> u64 {
    ((PATIENCE * worst.games / 2.0) as u64).saturating_add(FEW_PAIRS)
}

/// The true differences for a simulation, on the scale of the test's model: H0, half way between the hypotheses, and
/// H1.
pub fn differences(config: &SprtConfig) -> [f64; 3] {
    [config.elo0, f64::midpoint(config.elo0, config.elo1), config.elo1]
}

/// One simulated test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// How the test ended; `Continue` if it reached the limit of pairs.
    pub state: SprtState,
    /// The pairs of the test.
    pub counts: PairCounts,
}

/// Many simulated tests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trials {
    /// The number of simulated tests.
    pub tests: u64,
    /// The number of tests that accepted H1.
    pub passed: u64,
    /// The number of tests that reached the limit of pairs undecided.
    pub undecided: u64,
    /// The number of pairs of all tests.
    pub pairs: u64,
}

/// The pairs of one simulated test.
struct Simulated;

impl Purpose for Simulated {
    fn seed(self, run: u64, index: u64) -> u64 {
        // The odd factor keeps neighbouring (seed, index) apart.
        run ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// The generator of trial `index` of a simulation: a separate stream, so trials can run in any order.
pub fn generator(seed: u64, index: u64) -> Stream {
    Stream::new(seed, Simulated, index)
}

/// Plays one test to its end, or to `limit` pairs.
///
/// # Errors
/// [`SprtError`] if the configuration is not a valid test.
pub fn trial(config: &SprtConfig, law: &PairLaw, seed: u64, index: u64, limit: u64) -> Result<Trial, SprtError> {
    let mut sprt = Sprt::new(*config)?;
    let mut generator = generator(seed, index);
    let mut batch = Vec::new();
    let mut left = limit;
    while left > 0 && sprt.state() == SprtState::Continue {
        // Skips looks that cannot decide anything and takes all others, so the test ends at the same pair.
        let pairs = (sprt.quiet_observations() + 1).min(left);
        batch.clear();
        batch.extend((0..pairs).map(|_| law.sample(&mut generator)));
        sprt.update_batch(&batch);
        left -= pairs;
    }
    Ok(Trial { state: sprt.state(), counts: *sprt.tally() })
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

    /// The share of tests that accepted H1, and its standard error; 0 without tests.
    pub fn pass(&self) -> (f64, f64) {
        let n = self.tests.max(1) as f64;
        let p = self.passed as f64 / n;
        (p, (p * (1.0 - p) / n).sqrt())
    }

    /// Mean number of games per test; 0 without tests.
    pub fn mean_games(&self) -> f64 {
        2.0 * self.pairs as f64 / self.tests.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::Model;
    use crate::plan::Conditions;

    #[test]
    fn skipped_looks_change_nothing() {
        let conditions = Conditions::new(0.5, 150.0).unwrap();
        for (model, overshoot, elo1) in [
            (Model::Normalized, true, 8.0),
            (Model::Logistic, true, 4.0),
            (Model::Bayesian, true, 6.0),
            (Model::Normalized, false, 8.0),
            (Model::Normalized, true, 60.0),
        ] {
            let config = SprtConfig { elo1, model, overshoot, ..SprtConfig::default() };
            let law = conditions.pair_law(conditions.score(model, elo1 / 2.0)).unwrap();
            for index in 0..25 {
                let skipping = trial(&config, &law, 7, index, u64::MAX).unwrap();
                let mut sprt = Sprt::new(config).unwrap();
                let mut generator = generator(7, index);
                while sprt.state() == SprtState::Continue {
                    sprt.update(law.sample(&mut generator));
                }
                assert_eq!(*sprt.tally(), skipping.counts);
                assert_eq!(sprt.state(), skipping.state);
            }
        }
    }
}
