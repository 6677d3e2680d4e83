//! The sequential probability ratio test between two entrants: is the first better than the second?

use super::trace::Trace;
use crate::config::Rounds;
use crate::run::experiment::{DecidedElo, Experiment, Point, Series, SprtStanding, Standing, StandingOf, Verdict};
use crate::schedules::PairingStanding;
use record::{PairIndex, Proposal};
use stats::{Counts, Outcome, PairOutcome, Score, SprtConfig, SprtError, SprtState};
use std::num::NonZeroU64;

/// The fewest pairs from which the remaining length is estimated. Fewer say too little about the drift.
const LEAST_PAIRS_FOR_ESTIMATE: u64 = 16;

/// Feeds a [`stats::Sprt`] pair by pair.
#[derive(Clone, Debug)]
pub struct Sprt {
    test: stats::Sprt<Counts>,
    max_pairs: Option<NonZeroU64>,
    rounds: Rounds,
    absorbed: u64,
    llr: Trace,
}

impl Sprt {
    /// Creates a test with games grouped by `rounds`. The driver treats each round as a pair and plays at most
    /// `max_pairs` of them. If pairs are not counted, the test is over games, and checks its bounds after each round.
    ///
    /// # Errors
    /// What is wrong with `config`.
    pub fn new(config: SprtConfig, max_pairs: Option<NonZeroU64>, rounds: Rounds) -> Result<Self, SprtError> {
        let test = stats::Sprt::counting(config, rounds.no_counts())?;
        Ok(Self { test, max_pairs, rounds, absorbed: 0, llr: Trace::default() })
    }

    fn take(&mut self, pair: PairIndex, outcome: Outcome) {
        self.absorbed = pair + 1;
        let _state = self.test.update(outcome);
        let llr = self.test.llr();
        self.llr.push(|| Point { x: (pair + 1) as f64, y: llr, low: None, high: None });
    }

    fn decided(&self) -> Option<DecidedElo> {
        let estimate = (self.test.state() != SprtState::Continue).then(|| self.test.estimate())??;
        let stats::Estimate { value, low, high } = estimate.elo;
        Some(DecidedElo { elo: value, low, high, p_value: estimate.p_value })
    }

    /// Returns the pairs still needed if the LLR keeps its average drift, or up to the pair limit if that comes first.
    fn pairs_left(&self) -> Option<u64> {
        let limit = self.max_pairs.map(|most| most.get().saturating_sub(self.absorbed));
        let stats::Bounds { lower, upper } = self.test.bounds();
        let llr = self.test.llr();
        let way = if llr > 0.0 { (upper - llr) / llr } else { (lower - llr) / llr };
        let drift = (self.absorbed >= LEAST_PAIRS_FOR_ESTIMATE && way.is_finite())
            .then(|| (way.max(0.0) * self.absorbed as f64).ceil().min(1e15) as u64);
        match (drift, limit) {
            (Some(drift), Some(limit)) => Some(drift.min(limit)),
            (drift, limit) => drift.or(limit),
        }
    }
}

impl Experiment for Sprt {
    fn is_free(&self) -> bool {
        true
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        let sides = self.rounds.sides(pair);
        self.max_pairs.is_none_or(|most| pair < most.get()).then(|| Proposal { sides, ..Proposal::of(0, 1, pair) })
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.take(pair, outcome.into());
    }

    fn absorb_game(&mut self, pair: PairIndex, _proposal: &Proposal, score: Score) {
        self.take(pair, Outcome::Game(score));
    }

    fn verdict(&self) -> Option<Verdict> {
        match self.test.state() {
            SprtState::H0 => Some(Verdict::AcceptedH0),
            SprtState::H1 => Some(Verdict::AcceptedH1),
            SprtState::Continue => {
                self.max_pairs.filter(|most| self.absorbed >= most.get()).map(|_| Verdict::Undecided)
            }
        }
    }

    fn standing(&self) -> Standing {
        let stats::Bounds { lower, upper } = self.test.bounds();
        Standing {
            pairs: self.absorbed,
            counts: *self.test.tally(),
            pairs_left: self.pairs_left(),
            of: StandingOf::Sprt {
                test: SprtStanding { llr: self.test.llr(), lower, upper, decided: self.decided() },
                pairing: PairingStanding { entrant: 0, opponent: 1, counts: *self.test.tally() },
            },
        }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "llr".to_owned(), points: self.llr.points().to_vec() }]
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}
