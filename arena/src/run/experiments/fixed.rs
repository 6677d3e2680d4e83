//! The fixed match: the first entrant plays so many pairs against each of the others.
//!
//! Opponents take turns, and all of them get the same openings, so that their results can be compared.

use super::trace::Trace;
use crate::run::experiment::{Experiment, Point, Series, Standing, Verdict};
use crate::run::pair::{PairIndex, Proposal};
use stats::{Estimate, PairCounts, PairOutcome, Summary};
use std::num::{NonZeroU32, NonZeroU64};

/// Plays a fixed number of pairs.
#[derive(Debug)]
pub struct Fixed {
    pairs: u64,
    absorbed: u64,
    counts: PairCounts,
    opponents: Vec<PairCounts>,
    score: Trace,
}

impl Fixed {
    /// A match of `pairs` pairs against each of so many opponents.
    pub fn new(pairs: NonZeroU64, opponents: NonZeroU32) -> Self {
        Self {
            pairs: pairs.get().saturating_mul(u64::from(opponents.get())),
            absorbed: 0,
            counts: PairCounts::default(),
            opponents: vec![PairCounts::default(); opponents.get() as usize],
            score: Trace::default(),
        }
    }

    /// Whose turn it is among the opponents.
    fn opponent(&self, pair: PairIndex) -> usize {
        (pair % self.opponents.len() as u64) as usize
    }
}

impl Experiment for Fixed {
    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        let opening = pair / self.opponents.len() as u64;
        (pair < self.pairs).then(|| Proposal::of(0, self.opponent(pair) as u32 + 1, opening))
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.absorbed = pair + 1;
        self.counts.add(outcome);
        let opponent = self.opponent(pair);
        self.opponents[opponent].add(outcome);
        let counts = &self.counts;
        self.score.push(|| point(pair + 1, counts));
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.pairs).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        Standing {
            pairs: self.absorbed,
            counts: self.counts,
            opponents: self.opponents.clone(),
            sprt: None,
            tune: None,
            pairs_left: Some(self.pairs - self.absorbed),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_take_turns_on_the_same_openings() {
        let mut fixed = Fixed::new(NonZeroU64::new(2).unwrap(), NonZeroU32::new(3).unwrap());
        let proposed: Vec<_> = (0..7).map(|pair| fixed.propose(pair)).collect();
        let seats: Vec<_> =
            proposed.iter().flatten().map(|p| (p.seats[0].entrant, p.seats[1].entrant, p.opening)).collect();
        assert_eq!(seats, [(0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 1, 1), (0, 2, 1), (0, 3, 1)]);
        for (pair, proposal) in proposed.iter().flatten().enumerate() {
            assert_eq!(fixed.verdict(), None);
            let outcome = if proposal.seats[1].entrant == 2 { PairOutcome::WW } else { PairOutcome::LD };
            fixed.absorb(pair as u64, proposal, outcome);
        }
        assert_eq!(fixed.verdict(), Some(Verdict::Complete));
        let totals: Vec<u64> = fixed.standing().opponents.iter().map(|counts| counts.count(PairOutcome::WW)).collect();
        assert_eq!(totals, [0, 2, 0]);
    }
}
