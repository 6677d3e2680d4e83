//! The match: a fixed number of pairs in each pairing of a schedule.
//!
//! Pairings take turns, and all pairings of a round get the same openings, so that their results can be compared. A
//! schedule that does not depend on results is one round. Otherwise, a round is drawn when the last pair of the round
//! before has been absorbed: no pair of it is proposed earlier, even if workers are idle.

use super::trace::Trace;
use crate::config::{Rounds, Schedule};
use crate::run::experiment::{Experiment, FREE_RUN, Point, Series, Standing, StandingOf, Verdict};
use crate::schedules::{Drawn, Kind, PairingStanding, Tournament};
use record::{PairIndex, Proposal};
use stats::{Counts, Estimate, Outcome, PairOutcome, Score};
use std::num::NonZeroU64;

/// Plays a number of pairs in each pairing.
#[derive(Clone, Debug)]
pub struct Match {
    rounds: Rounds,
    absorbed: u64,
    /// The outcomes of the first entrant's pairs, from its view.
    counts: Counts,
    pairings: Vec<PairingStanding>,
    turns: Turns,
    /// Draws the rounds, if there are several.
    tournament: Option<Box<dyn Tournament>>,
    score: Trace,
}

/// Pairings that take turns: all of them, or those of a tournament's round.
#[derive(Clone, Debug, Default)]
struct Turns {
    /// The first pair.
    start: PairIndex,
    /// The numbers of the pairings; empty after the last round.
    pairings: Vec<usize>,
    /// The pairs in each pairing.
    pairs: u64,
    first_opening: u64,
}

/// The turn of a pairing.
struct Turn {
    /// The number of the pairing.
    pairing: usize,
    opening: u64,
    /// The pairing's place among those that take turns.
    place: u64,
}

impl Turns {
    /// Returns the pair after the last one.
    fn end(&self) -> PairIndex {
        self.start.saturating_add(self.pairs.saturating_mul(self.pairings.len() as u64))
    }

    /// Returns the turn that a pair belongs to; `None` for pairs of other rounds.
    fn turn(&self, pair: PairIndex) -> Option<Turn> {
        let number = pair.checked_sub(self.start).filter(|_| pair < self.end())?;
        let count = self.pairings.len() as u64;
        let (place, opening) = (number % count, self.first_opening.saturating_add(number / count));
        Some(Turn { pairing: self.pairings[place as usize], opening, place })
    }
}

impl Match {
    /// Creates a match of `pairs` pairs in each pairing of this many entrants; fewer than two make no pairing, and so
    /// no match.
    pub fn new(pairs: NonZeroU64, schedule: Schedule, entrants: u32) -> Self {
        let (tournament, pairings) = match schedule.kind() {
            Kind::Fixed(fixed) => (None, fixed.pairings(entrants).map(unplayed).collect()),
            Kind::Rounds(rounds) => (Some(rounds.begin(pairs, entrants)), Vec::<PairingStanding>::new()),
        };
        let turns = Turns { pairings: (0..pairings.len()).collect(), pairs: pairs.get(), ..Turns::default() };
        let (rounds, counts, score) = (Rounds::default(), Counts::default(), Trace::default());
        let mut made = Self { rounds, absorbed: 0, counts, pairings, turns, tournament, score };
        made.draw();
        made
    }

    /// Returns the match before its first pair, with games grouped by `rounds`. The driver treats each round as a pair.
    #[must_use]
    pub fn of_rounds(mut self, rounds: Rounds) -> Self {
        self.rounds = rounds;
        self.counts = rounds.no_counts();
        self.pairings.iter_mut().for_each(|pairing| pairing.counts = rounds.no_counts());
        if let Some(tournament) = &mut self.tournament {
            tournament.set_games_each(rounds.games_each());
        }
        self
    }

    /// Draws the next round, if the match has rounds.
    fn draw(&mut self) {
        let Some(tournament) = &mut self.tournament else { return };
        let Drawn { meetings, pairs, first_opening } = tournament.draw(&self.pairings).unwrap_or_default();
        let pairings = meetings.into_iter().map(|meeting| self.number(meeting)).collect();
        self.turns = Turns { start: self.absorbed, pairings, pairs, first_opening };
    }

    /// Returns the number of a pairing, and adds the pairing if it is new.
    fn number(&mut self, meeting: (u32, u32)) -> usize {
        let known = self.pairings.iter().position(|pairing| (pairing.entrant, pairing.opponent) == meeting);
        known.unwrap_or_else(|| {
            self.pairings.push(PairingStanding { counts: self.rounds.no_counts(), ..unplayed(meeting) });
            self.pairings.len() - 1
        })
    }

    fn take(&mut self, pair: PairIndex, outcome: Outcome) {
        self.absorbed = pair + 1;
        let Some(Turn { pairing, .. }) = self.turns.turn(pair) else { return };
        let pairing = &mut self.pairings[pairing];
        pairing.counts.add(outcome);
        match (pairing.entrant, pairing.opponent) {
            (0, _) => self.counts.add(outcome),
            (_, 0) => self.counts.add(outcome.mirror()),
            _ => {}
        }
        let counts = &self.counts;
        self.score.push(|| point(pair + 1, counts));
        if self.absorbed == self.turns.end() {
            self.draw();
        }
    }

    fn pairs_left(&self) -> u64 {
        let to_come = self.tournament.as_ref().map_or(0, |tournament| tournament.pairs_to_come());
        (self.turns.end() - self.absorbed).saturating_add(to_come)
    }
}

fn unplayed((entrant, opponent): (u32, u32)) -> PairingStanding {
    PairingStanding { entrant, opponent, counts: Counts::default() }
}

impl Experiment for Match {
    /// Free within a round; the next round is drawn once everything in this one has been absorbed.
    fn is_free(&self) -> bool {
        true
    }

    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        let barrier = if pair < self.turns.end() { self.turns.start } else { self.turns.end() };
        match self.tournament {
            Some(_) => barrier.max(pair.saturating_sub(FREE_RUN)),
            None => pair.saturating_sub(FREE_RUN),
        }
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        let Turn { pairing, opening, place } = self.turns.turn(pair)?;
        let PairingStanding { entrant, opponent, .. } = self.pairings[pairing];
        // The single games of an opening do not all have the first entrant moving first.
        let sides = self.rounds.sides(opening.wrapping_add(place));
        Some(Proposal { sides, ..Proposal::of(entrant, opponent, opening) })
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.take(pair, outcome.into());
    }

    fn absorb_game(&mut self, pair: PairIndex, _proposal: &Proposal, score: Score) {
        self.take(pair, Outcome::Game(score));
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.turns.end()).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        let pairings = self.pairings.clone();
        let of = match &self.tournament {
            None => StandingOf::Match { pairings },
            Some(tournament) => StandingOf::Tournament { tournament: tournament.standing(&pairings), pairings },
        };
        Standing { pairs: self.absorbed, counts: self.counts, pairs_left: Some(self.pairs_left()), of }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "score".to_owned(), points: self.score.points().to_vec() }]
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}

/// Returns the mean score per game after this many pairs, with its 95% band.
fn point(pairs: u64, counts: &Counts) -> Point {
    let score = counts.summary().score;
    let Estimate { value, low, high } = score.unwrap_or(Estimate { value: 0.5, low: 0.0, high: 1.0 });
    Point { x: pairs as f64, y: value, low: Some(low), high: Some(high) }
}

#[cfg(test)]
mod tests {
    mod tournaments;

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
