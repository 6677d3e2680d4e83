//! The sampled law of one observation (a pair or a game) on the score grid 0, 1/4, 1/2, 3/4, 1, and its moments.
//!
//! A game can only score 0, 1/2 or 1: its law has the same five bins with two of them impossible, so every formula is
//! written once for both.

/// Scores of the five bins, as a share of the points at stake.
pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The count of an empty bin. The value is fishtest's: small enough to be negligible next to one real pair, large
/// enough that no likelihood is zero.
pub const EMPTY_BIN: f64 = 1e-3;

/// The unit of one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Two games from one opening, seats swapped.
    Pair,
    /// A single game.
    Game,
}

impl Unit {
    /// Games in one observation.
    pub fn games(self) -> f64 {
        match self {
            Self::Pair => 2.0,
            Self::Game => 1.0,
        }
    }
}

/// Relative frequencies of the five scores among `size` observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// The number of observations; not an integer if empty bins were regularised.
    pub size: f64,
    /// Frequencies by rising score; they add up to one.
    pub p: [f64; 5],
    /// The unit of an observation.
    pub unit: Unit,
}

/// Mean and central moments of a [`Law`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Expected score less 1/2, with full precision even for small values; -1/2 to 1/2.
    pub advantage: f64,
    /// Variance of one observation.
    pub variance: f64,
    /// Third standardised moment.
    pub skewness: f64,
    /// Fourth standardised moment less 3.
    pub excess: f64,
}

impl Law {
    /// The law of the counts (three by rising score for games, five for pairs), with each empty bin counted as
    /// [`EMPTY_BIN`] first, as in fishtest. Without observations that is the uniform law of a tiny sample, which
    /// decides nothing.
    pub(crate) fn regularised<const K: usize>(counts: &[u64; K], unit: Unit) -> Self {
        let stride = if K == 3 { 2 } else { 1 };
        let mut p = [0.0; 5];
        for (k, &n) in counts.iter().enumerate() {
            p[k * stride] = if n == 0 { EMPTY_BIN } else { n as f64 };
        }
        Self::from_weights(&p, unit)
    }

    /// The law with these weights; `size` is their sum, which must be positive.
    pub(crate) fn from_weights(weights: &[f64; 5], unit: Unit) -> Self {
        // Summed so that mirrored counts give mirrored laws.
        let size = weights[2] + (weights[1] + weights[3]) + (weights[0] + weights[4]);
        Self { size, p: weights.map(|w| w / size), unit }
    }

    /// Mean, variance, skewness and excess kurtosis.
    pub fn moments(&self) -> Moments {
        let advantage = weighted(&self.p, |x| x);
        let variance = weighted(&self.p, |x| (x - advantage) * (x - advantage));
        let sigma = variance.sqrt();
        let skewness = weighted(&self.p, |x| {
            let z = (x - advantage) / sigma;
            z * z * z
        });
        let kurtosis = weighted(&self.p, |x| {
            let z = (x - advantage) / sigma;
            z * z * z * z
        });
        Moments { advantage, variance, skewness, excess: kurtosis - 3.0 }
    }
}

/// Expectation of a function of the score less 1/2, summed so that mirrored laws give mirrored results.
fn weighted(p: &[f64; 5], f: impl Fn(f64) -> f64) -> f64 {
    let term = |k: usize| p[k] * f(SCORES[k] - 0.5);
    term(2) + (term(1) + term(3)) + (term(0) + term(4))
}
