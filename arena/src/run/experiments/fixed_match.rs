//! The fixed match: so many pairs in each pairing of a schedule.
//!
//! Pairings take turns, and all of them get the same openings, so that their results can be compared.

use super::trace::Trace;
use crate::config::{Rounds, Schedule};
use crate::run::experiment::{Experiment, PairingStanding, Point, Series, Standing, StandingOf, Verdict};
use crate::run::pair::{PairIndex, Proposal};
use stats::{Counts, Estimate, Outcome, PairOutcome, Score};
use std::num::NonZeroU64;

/// Plays a fixed number of pairs.
#[derive(Debug)]
pub struct Match {
    pairs: u64,
    rounds: Rounds,
    absorbed: u64,
    counts: Counts,
    pairings: Vec<PairingStanding>,
    score: Trace,
}

impl Match {
    /// A match of `pairs` pairs in each pairing of so many entrants; fewer than two make no pairing, and no match.
    pub fn new(pairs: NonZeroU64, schedule: Schedule, entrants: u32) -> Self {
        let firsts = match schedule {
            Schedule::Gauntlet => entrants.min(1),
            Schedule::RoundRobin => entrants,
        };
        let pairing = |entrant| {
            let counts = Counts::default();
            (entrant + 1..entrants).map(move |opponent| PairingStanding { entrant, opponent, counts })
        };
        let pairings: Vec<PairingStanding> = (0..firsts).flat_map(pairing).collect();
        Self {
            pairs: pairs.get().saturating_mul(pairings.len() as u64),
            rounds: Rounds::default(),
            absorbed: 0,
            counts: Counts::default(),
            pairings,
            score: Trace::default(),
        }
    }

    /// The same match before its first pair, with games that come as `rounds` says; each round is a pair to the driver.
    #[must_use]
    pub fn of_rounds(mut self, rounds: Rounds) -> Self {
        self.rounds = rounds;
        self.counts = rounds.no_counts();
        self.pairings.iter_mut().for_each(|pairing| pairing.counts = rounds.no_counts());
        self
    }

    fn take(&mut self, pair: PairIndex, outcome: Outcome) {
        self.absorbed = pair + 1;
        let turn = self.turn(pair);
        let pairing = &mut self.pairings[turn];
        pairing.counts.add(outcome);
        if pairing.entrant == 0 {
            self.counts.add(outcome);
        }
        let counts = &self.counts;
        self.score.push(|| point(pair + 1, counts));
    }

    /// Whose turn it is among the pairings.
    fn turn(&self, pair: PairIndex) -> usize {
        (pair % self.pairings.len() as u64) as usize
    }
}

impl Experiment for Match {
    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        (pair < self.pairs).then(|| {
            let turn = self.turn(pair);
            let PairingStanding { entrant, opponent, .. } = self.pairings[turn];
            let round = pair / self.pairings.len() as u64;
            // Not all of an opening's single games have the same entrants first.
            let sides = self.rounds.sides(round + turn as u64);
            Proposal { sides, ..Proposal::of(entrant, opponent, round) }
        })
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.take(pair, outcome.into());
    }

    fn absorb_game(&mut self, pair: PairIndex, _proposal: &Proposal, score: Score) {
        self.take(pair, Outcome::Game(score));
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.pairs).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        Standing {
            pairs: self.absorbed,
            counts: self.counts,
            pairs_left: Some(self.pairs - self.absorbed),
            of: StandingOf::Match { pairings: self.pairings.clone() },
        }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "score".to_owned(), points: self.score.points().to_vec() }]
    }
}

/// The mean score a game after so many pairs, with its 95% band.
fn point(pairs: u64, counts: &Counts) -> Point {
    let score = counts.summary().score;
    let Estimate { value, low, high } = score.unwrap_or(Estimate { value: 0.5, low: 0.0, high: 1.0 });
    Point { x: pairs as f64, y: value, low: Some(low), high: Some(high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_take_turns_on_the_same_openings() {
        let mut played = Match::new(NonZeroU64::new(2).unwrap(), Schedule::Gauntlet, 4);
        let proposed: Vec<_> = (0..7).map(|pair| played.propose(pair)).collect();
        let seats: Vec<_> =
            proposed.iter().flatten().map(|p| (p.seats[0].entrant, p.seats[1].entrant, p.opening)).collect();
        assert_eq!(seats, [(0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 1, 1), (0, 2, 1), (0, 3, 1)]);
        for (pair, proposal) in proposed.iter().flatten().enumerate() {
            assert_eq!(played.verdict(), None);
            let outcome = if proposal.seats[1].entrant == 2 { PairOutcome::WW } else { PairOutcome::LD };
            played.absorb(pair as u64, proposal, outcome);
        }
        assert_eq!(played.verdict(), Some(Verdict::Complete));
        let standing = played.standing();
        let totals: Vec<u64> = standing
            .pairings()
            .iter()
            .map(|pairing| pairing.counts.pairs().expect("pairs").count(PairOutcome::WW))
            .collect();
        assert_eq!(totals, [0, 2, 0]);
    }

    #[test]
    fn a_round_robin_has_every_pairing_once_an_opening() {
        let mut played = Match::new(NonZeroU64::new(2).unwrap(), Schedule::RoundRobin, 4);
        let proposed: Vec<Proposal> = (0..).map_while(|pair| played.propose(pair)).collect();
        let of_opening = |opening| {
            let some = proposed.iter().filter(move |proposal| proposal.opening == opening);
            some.map(|proposal| (proposal.seats[0].entrant, proposal.seats[1].entrant)).collect::<Vec<_>>()
        };
        let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        assert_eq!((of_opening(0), of_opening(1), proposed.len()), (all.to_vec(), all.to_vec(), 12));
        for (pair, proposal) in (0..).zip(&proposed) {
            played.absorb(pair, proposal, PairOutcome::WW);
        }
        assert_eq!(played.verdict(), Some(Verdict::Complete));
        assert_eq!(
            played.standing().counts.pairs().expect("pairs").count(PairOutcome::WW),
            6,
            "those of the first entrant"
        );
    }
}
