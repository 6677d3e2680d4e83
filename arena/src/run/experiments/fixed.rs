//! The fixed match: so many pairs between two entrants.

use super::trace::Trace;
use crate::run::experiment::{Experiment, Point, Series, Standing, Verdict};
use crate::run::pair::{PairIndex, Proposal};
use stats::{Estimate, PairCounts, PairOutcome, Summary};
use std::num::NonZeroU64;

/// Plays a fixed number of pairs.
#[derive(Debug)]
pub struct Fixed {
    pairs: NonZeroU64,
    absorbed: u64,
    counts: PairCounts,
    score: Trace,
}

impl Fixed {
    /// A match of `pairs` pairs.
    pub fn new(pairs: NonZeroU64) -> Self {
        Self { pairs, absorbed: 0, counts: PairCounts::default(), score: Trace::default() }
    }
}

impl Experiment for Fixed {
    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        (pair < self.pairs.get()).then(|| Proposal::of(0, 1))
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.absorbed = pair + 1;
        self.counts.add(outcome);
        let counts = &self.counts;
        self.score.push(|| point(pair + 1, counts));
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.pairs.get()).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        Standing {
            pairs: self.absorbed,
            counts: self.counts,
            sprt: None,
            pairs_left: Some(self.pairs.get() - self.absorbed),
        }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "score".to_owned(), points: self.score.points().to_vec() }]
    }
}

/// The mean score a game after so many pairs, with its 95% band.
fn point(pairs: u64, counts: &PairCounts) -> Point {
    let score = Summary::of_pairs(counts).score;
    let Estimate { value, low, high } = score.unwrap_or(Estimate { value: 0.5, low: 0.0, high: 1.0 });
    Point { x: pairs as f64, y: value, low: Some(low), high: Some(high) }
}
