//! Filters the plies of games: counts them and passes positions on. All games share the filter; only the conversion of
//! plies to positions differs.

use super::keys::KeySet;
use arena::config::PositionFilter;
use serde::Serialize;

/// The counts of a filter over the plies of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// Games read.
    pub games: u64,
    /// Games left out because a fault ended them.
    pub faulty_games: u64,
    /// Games left out because of their first score.
    pub unequal_games: u64,
    /// Plies of the remaining games, without their openings.
    pub plies: u64,
    /// Plies without a score, and setups.
    pub unscored: u64,
    /// Positions left out because they came too soon after the opening.
    pub early: u64,
    /// Positions left out because a win or a loss was proven.
    pub proven: u64,
    /// Positions left out because of their score.
    pub decided: u64,
    /// Positions left out because the side to move was in check.
    pub in_check: u64,
    /// Positions left out because a capture was played, or in chess a promotion.
    pub captures: u64,
    /// Positions left out because the variation to a quiet position ends the game.
    pub finished: u64,
    /// Positions left out by chance.
    pub unsampled: u64,
    /// Positions left out as duplicates.
    pub duplicates: u64,
    /// Positions kept.
    pub kept: u64,
}

impl Extracted {
    pub(crate) fn add(&mut self, other: &Self) {
        let Self { games, faulty_games, unequal_games, plies, unscored, early, proven, decided, in_check, .. } = other;
        let Self { captures, finished, unsampled, .. } = other;
        self.games += games;
        self.faulty_games += faulty_games;
        self.unequal_games += unequal_games;
        self.plies += plies;
        self.unscored += unscored;
        self.early += early;
        self.proven += proven;
        self.decided += decided;
        self.in_check += in_check;
        self.captures += captures;
        self.finished += finished;
        self.unsampled += unsampled;
    }
}

/// A stored game with moves that are not moves of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its moves are not moves of the game")]
pub(crate) struct NoGame;

/// The positions of one pair that a filter keeps, duplicates included, each with a key that equal positions share.
#[derive(Clone, Debug)]
pub(crate) struct OfPair<T> {
    pub(crate) counts: Extracted,
    pub(crate) positions: Vec<(u64, T)>,
}

impl<T> Default for OfPair<T> {
    fn default() -> Self {
        Self { counts: Extracted::default(), positions: Vec::new() }
    }
}

/// Takes the positions of pairs, in order, and drops duplicates.
#[derive(Default)]
pub(crate) struct Sieve {
    seen: KeySet,
    pub(crate) counts: Extracted,
}

impl Sieve {
    /// Returns the kept positions of a pair.
    pub(crate) fn pass<'a, T>(
        &'a mut self,
        of_pair: &'a OfPair<T>,
        filter: &'a PositionFilter,
    ) -> impl Iterator<Item = &'a T> + 'a {
        self.counts.add(&of_pair.counts);
        let Self { seen, counts } = self;
        of_pair.positions.iter().filter_map(move |(key, position)| {
            let kept = filter.duplicates || seen.insert(*key);
            counts.kept += u64::from(kept);
            counts.duplicates += u64::from(!kept);
            kept.then_some(position)
        })
    }
}
