//! The results of each pairing, by seat and score: the input of the ratings.

use super::RatingError;
use crate::counts::{CountsError, PairCounts, PairOutcome, Score, Wdl};
use std::collections::BTreeMap;

/// Scores of the first entrant of a pairing in the pairs played: `counts[a][b]` pairs in which it scored `a` moving
/// first and `b` moving second (0 loss, 1 draw, 2 win).
pub type PairTable = [[u64; 3]; 3];

/// All results among some entrants, numbered from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    entrants: usize,
    pairs: BTreeMap<(usize, usize), PairTable>,
    games: BTreeMap<(usize, usize), Wdl>,
}

/// Two entrants and the seats they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seats {
    pub(super) first: usize,
    pub(super) second: usize,
}

/// A cluster: games that are not independent of each other.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cluster {
    /// A pair: the score of `first` moving first, and moving second.
    Pair(Score, Score),
    /// A single game: the score of the first mover.
    Game(Score),
}

const SCORES: [Score; 3] = [Score::Loss, Score::Draw, Score::Win];

impl Results {
    /// No results yet among this many entrants.
    pub fn new(entrants: usize) -> Self {
        Self { entrants, pairs: BTreeMap::new(), games: BTreeMap::new() }
    }

    /// The number of entrants.
    pub fn entrants(&self) -> usize {
        self.entrants
    }

    /// Adds pairs of `one` and `two`; the table is from the view of `one`.
    ///
    /// # Errors
    /// [`RatingError`] for an unknown entrant, one that plays itself, or counts too large.
    pub fn add_pairs(&mut self, one: usize, two: usize, table: &PairTable) -> Result<(), RatingError> {
        self.check(one, two)?;
        let sum = self.pairs.entry((one, two)).or_default();
        for (a, b) in sum.iter_mut().flatten().zip(table.iter().flatten()) {
            *a = a.checked_add(*b).ok_or(CountsError::Overflow)?;
        }
        Ok(())
    }

    /// Adds pairs of `one` and `two` with known outcomes, from the view of `one`, and unknown scores by seat. The
    /// missing scores affect no rating, only the estimate of the first mover's advantage.
    ///
    /// # Errors
    /// As for [`Results::add_pairs`].
    pub fn add_counts(&mut self, one: usize, two: usize, counts: &PairCounts) -> Result<(), RatingError> {
        let mut table = PairTable::default();
        for outcome in PairOutcome::ALL {
            let (a, b) = outcome.scores();
            table[a as usize][b as usize] += counts.count(outcome);
        }
        self.add_pairs(one, two, &table)
    }

    /// Adds single games in which `first` moved first; `games` is from its view.
    ///
    /// # Errors
    /// [`RatingError`] for an unknown entrant, one that plays itself, or counts too large.
    pub fn add_games(&mut self, first: usize, second: usize, games: &Wdl) -> Result<(), RatingError> {
        self.check(first, second)?;
        let sum = self.games.entry((first, second)).or_default();
        *sum = sum.merge(games)?;
        Ok(())
    }

    /// The results of these entrants against each other, numbered in this order.
    pub(super) fn among(&self, members: &[usize]) -> Self {
        let number = |entrant: &usize| members.iter().position(|member| member == entrant);
        let both = |(one, two): &(usize, usize)| Some((number(one)?, number(two)?));
        Self {
            entrants: members.len(),
            pairs: self.pairs.iter().filter_map(|(two, table)| Some((both(two)?, *table))).collect(),
            games: self.games.iter().filter_map(|(two, games)| Some((both(two)?, *games))).collect(),
        }
    }

    /// Whether no game was played.
    pub(super) fn is_empty(&self) -> bool {
        self.clusters().next().is_none()
    }

    /// Whether there is any pair.
    pub(super) fn has_pairs(&self) -> bool {
        self.clusters().any(|(_, cluster, _)| matches!(cluster, Cluster::Pair(..)))
    }

    /// The pairs from the view of the first of two entrants that played nothing else; `None` for other results.
    pub(super) fn as_match(&self) -> Option<PairCounts> {
        if self.entrants != 2 || self.is_empty() {
            return None;
        }
        let mut counts = PairCounts::default();
        for (Seats { first, .. }, cluster, count) in self.clusters() {
            let Cluster::Pair(a, b) = cluster else { return None };
            let outcome = PairOutcome::new(a, b);
            let outcome = if first == 0 { outcome } else { outcome.mirror() };
            // A count came from an integer.
            let number = &mut counts.0[outcome as usize];
            *number = number.saturating_add(count as u64);
        }
        Some(counts)
    }

    /// The first entrant that has games but no pair.
    pub(super) fn unpaired(&self) -> Option<usize> {
        let mut paired = vec![false; self.entrants];
        let mut played = vec![false; self.entrants];
        for (Seats { first, second }, cluster, _) in self.clusters() {
            for entrant in [first, second] {
                played[entrant] = true;
                paired[entrant] |= matches!(cluster, Cluster::Pair(..));
            }
        }
        (0..self.entrants).find(|&entrant| played[entrant] && !paired[entrant])
    }

    fn check(&self, one: usize, two: usize) -> Result<(), RatingError> {
        let entrants = self.entrants;
        match [one, two].into_iter().find(|&e| e >= entrants) {
            Some(entrant) => Err(RatingError::UnknownEntrant { entrant, entrants }),
            None if one == two => Err(RatingError::PlaysItself(one)),
            None => Ok(()),
        }
    }

    /// All games as wins, draws and losses of the first mover, by seats.
    pub(super) fn by_seats(&self) -> BTreeMap<(usize, usize), [f64; 3]> {
        add_up(self.clusters())
    }

    /// The games of pairs alone.
    pub(super) fn pairs_by_seats(&self) -> BTreeMap<(usize, usize), [f64; 3]> {
        add_up(self.clusters().filter(|(_, cluster, _)| matches!(cluster, Cluster::Pair(..))))
    }

    /// The games that belong to no pair.
    pub(super) fn singles_by_seats(&self) -> BTreeMap<(usize, usize), [f64; 3]> {
        add_up(self.clusters().filter(|(_, cluster, _)| matches!(cluster, Cluster::Game(_))))
    }

    /// All clusters that occurred, and how often.
    pub(super) fn clusters(&self) -> impl Iterator<Item = (Seats, Cluster, f64)> {
        let pairs = self.pairs.iter().flat_map(|(&(first, second), table)| {
            let cells = SCORES.into_iter().flat_map(|a| SCORES.map(|b| (a, b)));
            cells.map(move |(a, b)| {
                let n = table[a as usize][b as usize];
                (Seats { first, second }, Cluster::Pair(a, b), n)
            })
        });
        let games = self.games.iter().flat_map(|(&(first, second), games)| {
            let counts = games.ascending();
            SCORES.map(move |s| (Seats { first, second }, Cluster::Game(s), counts[s as usize]))
        });
        pairs.chain(games).filter(|(_, _, n)| *n > 0).map(|(seats, cluster, n)| (seats, cluster, n as f64))
    }
}

fn add_up(clusters: impl Iterator<Item = (Seats, Cluster, f64)>) -> BTreeMap<(usize, usize), [f64; 3]> {
    let mut all: BTreeMap<(usize, usize), [f64; 3]> = BTreeMap::new();
    for (Seats { first, second }, cluster, n) in clusters {
        match cluster {
            Cluster::Game(score) => {
                all.entry((first, second)).or_default()[score as usize] += n;
            }
            Cluster::Pair(one, two) => {
                all.entry((first, second)).or_default()[one as usize] += n;
                all.entry((second, first)).or_default()[two.mirror() as usize] += n;
            }
        }
    }
    all
}
