//! E-values of patches, and the discoveries among them.
//!
//! The null hypothesis of a patch: it scores no more than its base. Under it, a bet of a fixed share of the capital on
//! each pair has an expectation of at most 1 at any stopping time, for any distribution of its pairs, and so has the
//! mean of several such bets (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024).
//! Discoveries follow the procedure of Benjamini and Hochberg with e-values (Wang and Ramdas 2022), each weighted by
//! its share of the error budget: the expected share of false discoveries is at most the budget, for any dependence
//! between the patches.

use crate::law::SCORES;
use crate::{Pentanomial, elo};

/// The bet on each pair, as a multiple of its score less 1/2. A gain of advantage a and variance v grows fastest with a
/// / v: if half of the games are drawn, 0.05 is right for about 2 Elo and 0.8 for 30. A bet that is 1.6 times too large
/// or too small grows by 0.86 to 0.64 of the best.
const BETS: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];

/// The bets against one hypothesis: that a patch gains at most `elo0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bets {
    /// How much the logarithm of each bet's capital grows with a pair of each score.
    growth: [[f64; 5]; BETS.len()],
}

impl Bets {
    /// Makes the bets against a gain of at most this many Elo.
    pub fn new(elo0: f64) -> Self {
        let null = elo::expected_score(elo0);
        Self { growth: BETS.map(|bet| SCORES.map(|score| libm::log1p(bet * (score - null)))) }
    }

    /// The logarithm of a patch's e-value, the evidence of its pairs for a gain above `elo0`; 0 without pairs. Under
    /// the hypothesis, the expectation of the e-value is at most 1.
    pub fn ln_e_value(&self, pairs: &Pentanomial) -> f64 {
        let gains = self.growth.map(|growth| (0..5).map(|bin| pairs.0[bin] as f64 * growth[bin]).sum::<f64>());
        let largest = gains.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = gains.iter().map(|gain| libm::exp(gain - largest)).sum();
        largest + libm::log(sum / BETS.len() as f64)
    }
}

/// The number of discoveries, from the logarithm of each e-value times its share of the error budget, the largest
/// first: the largest k for which k of them are at least 1 / k.
pub(super) fn discoveries(weighted: &[f64]) -> usize {
    (1..=weighted.len()).rev().find(|&k| weighted[k - 1] >= -libm::log(k as f64)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pairs_nothing_is_known() {
        assert!(Bets::new(0.0).ln_e_value(&Pentanomial([0; 5])).abs() < 1e-15);
    }

    /// The expectation of the e-value over all outcomes of four pairs is exactly 1 under the hypothesis, for any
    /// distribution of its pairs, and less for weaker patches.
    #[test]
    fn the_expectation_is_one_for_an_equal_patch() {
        let bets = Bets::new(0.0);
        for (law, is_equal) in [
            ([0.1, 0.2, 0.4, 0.2, 0.1], true),
            ([0.5, 0.0, 0.0, 0.0, 0.5], true),
            ([0.0, 0.3, 0.5, 0.1, 0.1], true),
            ([0.1, 0.25, 0.4, 0.2, 0.05], false),
        ] {
            let mut expectation = 0.0;
            for index in 0..5_usize.pow(4) {
                let bins = [index % 5, index / 5 % 5, index / 25 % 5, index / 125];
                let mut counts = Pentanomial([0; 5]);
                for bin in bins {
                    counts.0[bin] += 1;
                }
                let probability: f64 = bins.iter().map(|&bin| law[bin]).product();
                expectation += probability * libm::exp(bets.ln_e_value(&counts));
            }
            if is_equal {
                assert!((expectation - 1.0).abs() < 1e-12, "{law:?}: {expectation}");
            } else {
                assert!(expectation < 0.99, "{law:?}: {expectation}");
            }
        }
    }

    #[test]
    fn discoveries_help_each_other() {
        let ln = |values: &[f64]| values.iter().map(|&value| libm::log(value)).collect::<Vec<_>>();
        assert_eq!(discoveries(&ln(&[0.99, 0.3])), 0);
        assert_eq!(discoveries(&ln(&[1.0, 0.3])), 1);
        assert_eq!(discoveries(&ln(&[0.6, 0.5])), 2);
        assert_eq!(discoveries(&ln(&[0.9, 0.4, 0.34, 0.2])), 3);
        assert_eq!(discoveries(&[]), 0);
    }
}
