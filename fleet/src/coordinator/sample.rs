//! Draws the pairs that are played again: a share of them, by a number that only the run's journal has. So no worker
//! can predict the draw, and every coordinator of the run draws the same pairs.

use arena::run::PairIndex;
use stats::random::mix;

/// A random sample of the pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    salt: u64,
    share: f64,
}

impl Sample {
    /// Draws a share of the pairs, 0 to 1.
    pub(crate) fn new(salt: u64, share: f64) -> Self {
        Self { salt, share }
    }

    /// Whether any are drawn.
    pub(crate) fn is_any(self) -> bool {
        self.share > 0.0
    }

    /// Whether a pair is drawn.
    pub(crate) fn draws(self, pair: PairIndex) -> bool {
        let drawn = (mix(mix(self.salt) ^ pair) >> 11) as f64 / (1_u64 << 53) as f64;
        drawn < self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_drawn_and_by_every_salt_another() {
        let drawn = |salt| (0..10_000).filter(|&pair| Sample::new(salt, 0.02).draws(pair)).collect::<Vec<_>>();
        let (one, other) = (drawn(1), drawn(2));
        assert!((140..260).contains(&one.len()) && (140..260).contains(&other.len()));
        assert_eq!(drawn(1), one);
        assert!(one.iter().filter(|pair| other.contains(pair)).count() < 20);
        assert!(!Sample::new(1, 0.0).draws(7) && Sample::new(1, 1.0).draws(7) && !Sample::new(1, 0.0).is_any());
    }
}
