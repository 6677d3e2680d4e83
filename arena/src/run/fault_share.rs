//! The largest share of its games that an entrant may lose by its own faults. Beyond it the run stops.
//!
//! Only absorbed pairs count, in order. So a run stops after the same pair with any number of workers, even if it was
//! interrupted and resumed. Games lost because the host starved the engine are not faults of the engine.

use crate::config::RunConfig;
use record::Proposal;
use serde::{Deserialize, Serialize};

/// The default for the largest share.
pub const USUAL_MAX_FAULT_SHARE: f64 = 0.1;

/// The share is not checked before an entrant has played this many games.
pub const LEAST_GAMES_FOR_SHARE: u64 = 20;

/// A result is marked if more than this share of all games were lost by faults.
pub const MARKED_FAULT_SHARE: f64 = 0.01;

/// The entrant that lost too many of its games by faults, when the run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooFaulty {
    /// The entrant.
    pub entrant: u32,
    /// The games that the entrant lost by its own faults.
    pub faults: u64,
    /// The games that the entrant played. A game against itself counts once.
    pub games: u64,
}

impl TooFaulty {
    /// Returns the share of the entrant's games that it lost by faults, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.faults as f64 / self.games.max(1) as f64
    }
}

/// Counts the games and faults of each entrant over the absorbed pairs.
#[derive(Clone, Debug)]
pub(super) struct FaultTally {
    /// The largest allowed share.
    most: f64,
    /// The counts by entrant.
    counts: Vec<Count>,
    exceeded: Option<TooFaulty>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    games: u64,
    faults: u64,
}

impl FaultTally {
    /// Returns the tally before the first pair of a run.
    pub(super) fn new(config: &RunConfig) -> Self {
        Self { most: config.max_fault_share, counts: vec![Count::default(); config.entrants.len()], exceeded: None }
    }

    /// Whether faults can stop the run: not if an entrant may lose all its games by them.
    pub(super) fn is_limited(&self) -> bool {
        self.most < 1.0
    }

    /// Counts the next absorbed pair. `faults` are the games that each seat lost by its own faults.
    pub(super) fn add(&mut self, proposal: &Proposal, faults: [u64; 2]) {
        let [one, two] = proposal.seats.each_ref().map(|seat| seat.entrant);
        let games = proposal.sides.games() as u64;
        if one == two {
            self.count(one, games, faults[0] + faults[1]);
        } else {
            self.count(one, games, faults[0]);
            self.count(two, games, faults[1]);
        }
    }

    fn count(&mut self, entrant: u32, games: u64, faults: u64) {
        let Some(count) = self.counts.get_mut(entrant as usize) else { return };
        count.games += games;
        count.faults += faults;
        let now = TooFaulty { entrant, faults: count.faults, games: count.games };
        let is_too_much = now.games >= LEAST_GAMES_FOR_SHARE && now.faults as f64 > self.most * now.games as f64;
        if is_too_much && self.exceeded.is_none_or(|before| now.share() > before.share()) {
            self.exceeded = Some(now);
        }
    }

    /// Returns the entrant that stops the run, if any; of two in the same pair, the one with the larger share.
    pub(super) fn exceeded(&self) -> Option<TooFaulty> {
        self.exceeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Side;
    use play::games::GameKind;
    use record::Sides;

    fn tally(most: f64) -> FaultTally {
        FaultTally::new(&RunConfig { max_fault_share: most, ..RunConfig::random_match(GameKind::Chess) })
    }

    /// Returns the number of pairs after which the tally stops, and why, if each pair has these faults.
    fn stops(most: f64, proposal: &Proposal, faults: impl Fn(u64) -> [u64; 2]) -> Option<(u64, TooFaulty)> {
        let mut tally = tally(most);
        (0..1_000).find_map(|pair| {
            tally.add(proposal, faults(pair));
            Some((pair + 1, tally.exceeded()?))
        })
    }

    #[test]
    fn an_engine_that_crashes_in_every_game_stops_the_run_after_twenty() {
        let found = stops(0.1, &Proposal::of(0, 1, 0), |_| [0, 2]);
        assert_eq!(found, Some((10, TooFaulty { entrant: 1, faults: 20, games: 20 })));
    }

    #[test]
    fn the_limit_itself_is_allowed_and_one_more_is_not() {
        let one_in_ten = |pair: u64| [u64::from(pair.is_multiple_of(5)), 0];
        assert_eq!(stops(0.1, &Proposal::of(0, 1, 0), |pair| one_in_ten(pair + 1)), None);
        let once_more = |pair: u64| [u64::from(pair.is_multiple_of(5)) + u64::from(pair == 50), 0];
        let found = stops(0.1, &Proposal::of(0, 1, 0), |pair| once_more(pair + 1));
        assert_eq!(found, Some((50, TooFaulty { entrant: 0, faults: 11, games: 100 })));
    }

    #[test]
    fn without_a_limit_and_with_a_limit_of_one_nothing_stops() {
        assert_eq!(stops(1.0, &Proposal::of(0, 1, 0), |_| [1, 1]), None);
        let found = stops(0.0, &Proposal::of(0, 1, 0), |pair| [u64::from(pair == 30), 0]);
        assert_eq!(found.map(|(pairs, _)| pairs), Some(31), "with none allowed the first one stops it");
    }

    #[test]
    fn games_of_an_entrant_against_itself_count_once() {
        let found = stops(0.1, &Proposal::of(0, 0, 0), |_| [1, 1]);
        assert_eq!(found, Some((10, TooFaulty { entrant: 0, faults: 20, games: 20 })));
        let single = Proposal { sides: Sides::Single(Side::First), ..Proposal::of(0, 0, 0) };
        let found = stops(0.1, &single, |pair| [u64::from(pair.is_multiple_of(2)), 0]);
        assert_eq!(found, Some((20, TooFaulty { entrant: 0, faults: 10, games: 20 })));
    }

    #[test]
    fn of_two_in_one_pair_the_worse_one_is_named() {
        let found = stops(0.1, &Proposal::of(0, 1, 0), |pair| [u64::from(pair % 2 == 0), 1]);
        assert_eq!(found, Some((10, TooFaulty { entrant: 1, faults: 10, games: 20 })));
    }
}
