//! Turns counts of pairs into the measurement of a match.

use super::Measured;
use crate::PairCounts;
use crate::counts::PairOutcome;
use crate::elo::elo_of_score;

/// The prior variance of a pair's score: half of the games drawn, and little bias of openings.
const USUAL: f64 = 0.0625;

/// The number of pairs that the prior variance counts as.
const PAIRS_OF_USUAL: f64 = 8.0;

/// The variance of the scores of pairs, estimated from the pairs of all matches of a bisection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSpread {
    /// The variance of a pair's score, 0 to 1.
    variance: f64,
}

impl PairSpread {
    /// Estimates the variance from these matches, each about its own mean.
    pub fn of(matches: &[PairCounts]) -> Self {
        let (mut squares, mut freedom) = (PAIRS_OF_USUAL * USUAL, PAIRS_OF_USUAL);
        for counts in matches.iter().filter(|counts| counts.total() > 0) {
            let (pairs, mean) = (counts.total() as f64, points(counts) / counts.total() as f64);
            let square = |outcome: PairOutcome| {
                let off = score(outcome) - mean;
                counts.count(outcome) as f64 * off * off
            };
            squares += PairOutcome::ALL.into_iter().map(square).sum::<f64>();
            freedom += pairs - 1.0;
        }
        Self { variance: squares / freedom }
    }

    /// The variance of the result of one pair between equals, in squared Elo.
    pub fn variance_of_equals(&self) -> f64 {
        self.variance * slope(0.5) * slope(0.5)
    }

    /// The measurement of a match, from the later version's view. One drawn pair is added, so that a match with only
    /// wins or losses has a finite estimate.
    pub fn measured(&self, counts: &PairCounts) -> Measured {
        let pairs = counts.total().max(1) as f64;
        let mean = ((2.0 * points(counts) + 1.0) / (2.0 * pairs + 2.0)).clamp(0.01, 0.99);
        let slope = slope(mean);
        Measured { elo: elo_of_score(mean), variance: self.variance * slope * slope / pairs }
    }
}

/// The score of a pair, 0 to 1.
fn score(outcome: PairOutcome) -> f64 {
    (2.0 + outcome.net()) / 4.0
}

/// The sum of the scores of all pairs.
fn points(counts: &PairCounts) -> f64 {
    PairOutcome::ALL.into_iter().map(|outcome| counts.count(outcome) as f64 * score(outcome)).sum()
}

/// The derivative of Elo by score, at a score.
fn slope(score: f64) -> f64 {
    400.0 / std::f64::consts::LN_10 / (score * (1.0 - score))
}
