//! Self-play: plays games for the positions in them. The counts are the first mover's results.

use super::trace::Trace;
use crate::config::{GamesEach, Rounds};
use crate::run::experiment::{Experiment, FREE_RUN, Point, Series, Standing, StandingOf, Verdict};
use play::Side;
use record::{PairIndex, Proposal, Sides};
use stats::{Counts, Estimate, Outcome, PairOutcome, Score};
use std::num::NonZeroU64;

/// Plays a number of single games, each from its own opening.
#[derive(Clone, Debug)]
pub struct Selfplay {
    games: u64,
    entrants: u32,
    absorbed: u64,
    counts: Counts,
    score: Trace,
}

impl Selfplay {
    /// Creates this many games between this many entrants. A single entrant plays itself; of several, each moves first
    /// against all others in turn.
    pub fn new(games: NonZeroU64, entrants: u32) -> Self {
        let counts = Rounds { games: GamesEach::One, ..Rounds::default() }.no_counts();
        Self { games: games.get(), entrants, absorbed: 0, counts, score: Trace::default() }
    }

    /// Returns who moves first in a game, and who second.
    fn players(&self, game: PairIndex) -> (u32, u32) {
        let count = u64::from(self.entrants);
        if count < 2 {
            return (0, 0);
        }
        let (first, turn) = (game % count, game / count % (count - 1));
        let second = (first + 1 + turn) % count;
        (first as u32, second as u32)
    }

    fn take(&mut self, game: PairIndex, outcome: Outcome) {
        self.absorbed = game + 1;
        self.counts.add(outcome);
        let counts = &self.counts;
        self.score.push(|| {
            let score = counts.summary().score;
            let Estimate { value, low, high } = score.unwrap_or(Estimate { value: 0.5, low: 0.0, high: 1.0 });
            Point { x: (game + 1) as f64, y: value, low: Some(low), high: Some(high) }
        });
    }
}

impl Experiment for Selfplay {
    fn is_free(&self) -> bool {
        true
    }

    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        pair.saturating_sub(FREE_RUN)
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        let (first, second) = self.players(pair);
        let proposal = Proposal { sides: Sides::Single(Side::First), ..Proposal::of(first, second, pair) };
        (pair < self.games).then_some(proposal)
    }

    fn absorb(&mut self, pair: PairIndex, _proposal: &Proposal, outcome: PairOutcome) {
        self.take(pair, outcome.into());
    }

    fn absorb_game(&mut self, pair: PairIndex, _proposal: &Proposal, score: Score) {
        self.take(pair, Outcome::Game(score));
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.absorbed == self.games).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        let pairs_left = Some(self.games - self.absorbed);
        Standing { pairs: self.absorbed, counts: self.counts, pairs_left, of: StandingOf::Selfplay }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "score".to_owned(), points: self.score.points().to_vec() }]
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(games: u64, entrants: u32) -> Vec<(u32, u32, u64)> {
        let mut selfplay = Selfplay::new(NonZeroU64::new(games).unwrap(), entrants);
        let proposals: Vec<Proposal> = (0..).map_while(|game| selfplay.propose(game)).collect();
        for (game, proposal) in (0..).zip(&proposals) {
            assert_eq!(selfplay.verdict(), None);
            selfplay.absorb_game(game, proposal, Score::Win);
        }
        assert_eq!(selfplay.verdict(), Some(Verdict::Complete));
        assert_eq!((selfplay.standing().counts.wdl().wins, selfplay.standing().pairs_left), (games, Some(0)));
        proposals.iter().map(|of| (of.seats[0].entrant, of.seats[1].entrant, of.opening)).collect()
    }

    #[test]
    fn one_entrant_plays_itself_from_openings_that_differ() {
        assert_eq!(played(3, 1), [(0, 0, 0), (0, 0, 1), (0, 0, 2)]);
    }

    #[test]
    fn several_play_all_others_with_either_side() {
        let mut met: Vec<(u32, u32)> = played(6, 3).into_iter().map(|(first, second, _)| (first, second)).collect();
        met.sort_unstable();
        assert_eq!(met, [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
    }
}
