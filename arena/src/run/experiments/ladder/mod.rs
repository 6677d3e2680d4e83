//! The ladder rates many entrants together. Each pair goes to the pairing that most reduces the uncertainty of the
//! wanted differences, given everything played so far, including earlier runs.
//!
//! Pairs are proposed in batches. The ratings are refitted for each batch from all results except those of the batch
//! before it. That batch is still being played, so its pairs count as promised. So the proposals of a batch do not
//! depend on which of its games end first.

use super::trace::Trace;
use crate::config::{Compare, KnownResult, LadderConfig};
use crate::run::experiment::{Experiment, Point, Series, Standing, StandingOf, Verdict};
use crate::schedules::PairingStanding;
use record::{PairIndex, Proposal};
use stats::rating::{Design, Pairing, RatingError, RatingSettings, Ratings, Results, rate};
use stats::{PairCounts, PairOutcome};
use std::collections::{BTreeMap, VecDeque};

/// The fewest pairs of each entrant before the wanted precision can end a ladder. The scatter of fewer pairs may be
/// small by luck.
const LEAST_PAIRS: u64 = 50;

/// Rates entrants by playing the most informative pairs.
#[derive(Clone, Debug)]
pub struct Ladder {
    config: LadderConfig,
    wanted: Vec<Pairing>,
    /// The results of this run and earlier ones, by entrant and opponent, the lower number first.
    played: BTreeMap<Pairing, PairCounts>,
    /// The results of this run alone.
    own: BTreeMap<Pairing, PairCounts>,
    /// Pairs proposed and not yet absorbed.
    promised: VecDeque<Pairing>,
    /// The basis for choosing the pairs of the current batch; `None` before the first batch.
    design: Option<Design>,
    proposed: u64,
    absorbed: u64,
    ended: bool,
    uncertainty: Trace,
}

impl Ladder {
    /// Creates a ladder between entrants 0, 1, ... as configured.
    ///
    /// # Errors
    /// [`RatingError`] if the earlier results cannot be rated.
    pub fn new(config: LadderConfig) -> Result<Self, RatingError> {
        let played = added_up(config.known.iter().copied())?;
        let ladder = Self {
            wanted: wanted(&config),
            config,
            played,
            own: BTreeMap::new(),
            promised: VecDeque::new(),
            design: None,
            proposed: 0,
            absorbed: 0,
            ended: false,
            uncertainty: Trace::default(),
        };
        let _can_be_rated = ladder.ratings()?;
        Ok(ladder)
    }

    /// Returns the ratings from all results so far, with the anchor's rating as configured.
    ///
    /// # Errors
    /// [`RatingError`] if there are too many games to count.
    pub fn ratings(&self) -> Result<Ratings, RatingError> {
        rated(&self.config, &self.played)
    }

    /// Returns half the width of the widest 95% interval of the wanted differences, in Elo, estimated from the scatter.
    fn widest(&self, ratings: &Ratings) -> f64 {
        let half = |&(one, two): &Pairing| ratings.by_scatter(one, two).map_or(0.0, |d| (d.high - d.low) / 2.0);
        self.wanted.iter().map(half).fold(0.0, f64::max)
    }

    fn is_precise(&self, ratings: &Ratings) -> bool {
        let Some(precision) = self.config.precision else { return false };
        let mut pairs = vec![0; self.config.entrants as usize];
        for (&(one, two), counts) in &self.played {
            for entrant in [one, two] {
                // Entrants that have left need no minimum.
                if let Some(pairs) = pairs.get_mut(entrant) {
                    *pairs += counts.total();
                }
            }
        }
        pairs.into_iter().all(|pairs| pairs >= LEAST_PAIRS) && self.widest(ratings) <= precision
    }

    /// Refits the ratings for a new batch. Returns whether a batch begins.
    fn begin_batch(&mut self) -> bool {
        let Ok(ratings) = self.ratings() else { return false };
        if self.is_precise(&ratings) {
            return false;
        }
        let played: Vec<(Pairing, u64)> =
            self.played.iter().map(|(&pairing, counts)| (pairing, counts.total())).collect();
        let prior = RatingSettings::default().prior_draws;
        self.design = Design::new(&ratings, &played, prior).map(|mut design| {
            self.promised.iter().for_each(|&pairing| design.promise(pairing));
            design
        });
        let (x, widest) = (self.absorbed as f64, self.widest(&ratings));
        self.uncertainty.push(|| Point { x, y: widest, low: None, high: None });
        true
    }

    /// Returns no estimate for a running league: its limit only ensures that there are enough openings, and is not
    /// expected to be reached.
    fn pairs_left(&self) -> Option<u64> {
        match (self.ended, self.config.compare) {
            (true, _) => Some(self.proposed - self.absorbed),
            (false, Compare::All) => None,
            (false, _) => Some(self.config.pairs.get() - self.absorbed),
        }
    }

    fn choose(&mut self, pair: PairIndex) -> Option<Pairing> {
        if pair >= self.config.pairs.get() || pair.is_multiple_of(self.config.lookahead.get()) && !self.begin_batch() {
            return None;
        }
        let design = self.design.as_mut()?;
        let pairing = design.best(&self.wanted, self.config.entrants as usize)?;
        design.promise(pairing);
        Some(pairing)
    }
}

impl Experiment for Ladder {
    fn required_absorbed(&self, pair: PairIndex) -> u64 {
        let batch = self.config.lookahead.get();
        (pair / batch).saturating_sub(1) * batch
    }

    fn propose(&mut self, pair: PairIndex) -> Option<Proposal> {
        let Some((one, two)) = self.choose(pair) else {
            self.ended = true;
            return None;
        };
        self.promised.push_back((one, two));
        self.proposed = pair + 1;
        Some(Proposal::of(one as u32, two as u32, self.config.first_opening.saturating_add(pair)))
    }

    fn absorb(&mut self, pair: PairIndex, proposal: &Proposal, outcome: PairOutcome) {
        self.absorbed = pair + 1;
        let _kept_now = self.promised.pop_front();
        let [one, two] = [0, 1].map(|seat| proposal.seats[seat].entrant as usize);
        self.played.entry((one, two)).or_default().add(outcome);
        self.own.entry((one, two)).or_default().add(outcome);
    }

    fn verdict(&self) -> Option<Verdict> {
        (self.ended && self.absorbed == self.proposed).then_some(Verdict::Complete)
    }

    fn standing(&self) -> Standing {
        let pairing = |(&(one, two), &counts): (&Pairing, &PairCounts)| PairingStanding {
            entrant: one as u32,
            opponent: two as u32,
            counts: counts.into(),
        };
        let mut of_first = PairCounts::default();
        for (_, counts) in self.own.iter().filter(|((one, _), _)| *one == 0) {
            of_first = of_first.merge(counts).unwrap_or(of_first);
        }
        Standing {
            pairs: self.absorbed,
            counts: of_first.into(),
            pairs_left: self.pairs_left(),
            of: StandingOf::Ladder { pairings: self.own.iter().map(pairing).collect() },
        }
    }

    fn series(&self) -> Vec<Series> {
        vec![Series { name: "uncertainty".to_owned(), points: self.uncertainty.points().to_vec() }]
    }

    fn copied(&self) -> Box<dyn Experiment> {
        Box::new(self.clone())
    }
}

/// Returns the wanted differences.
fn wanted(config: &LadderConfig) -> Vec<Pairing> {
    let (entrants, anchor) = (config.entrants as usize, config.anchor as usize);
    match config.compare {
        Compare::Neighbours => (1..entrants).map(|k| (k - 1, k)).collect(),
        Compare::All => (0..entrants).flat_map(|one| (one + 1..entrants).map(move |two| (one, two))).collect(),
        Compare::Anchor => (0..entrants).filter(|&k| k != anchor).map(|k| (anchor, k)).collect(),
    }
}

/// Returns a ladder's ratings from the pairs played in its run and the results known before.
///
/// # Errors
/// [`RatingError`] if there are too many games to count.
pub fn ladder_ratings(config: &LadderConfig, played: &[PairingStanding]) -> Result<Ratings, RatingError> {
    // A ladder counts only pairs.
    let played = played.iter().filter_map(|&PairingStanding { entrant, opponent, counts }| {
        Some(KnownResult { entrant, opponent, counts: *counts.pairs()? })
    });
    rated(config, &added_up(config.known.iter().copied().chain(played))?)
}

fn rated(config: &LadderConfig, played: &BTreeMap<Pairing, PairCounts>) -> Result<Ratings, RatingError> {
    let mut results = Results::new(config.entrants as usize + config.gone.len());
    for (&(one, two), counts) in played {
        results.add_counts(one, two, counts)?;
    }
    // The seats of earlier results are unknown, and would change no rating.
    let anchors = vec![(config.anchor as usize, config.anchor_elo)];
    rate(&results, &RatingSettings { anchors, first_mover: false, ..RatingSettings::default() })
}

fn added_up(pairings: impl IntoIterator<Item = KnownResult>) -> Result<BTreeMap<Pairing, PairCounts>, RatingError> {
    let mut all = BTreeMap::<Pairing, PairCounts>::new();
    for KnownResult { entrant, opponent, counts } in pairings {
        let (pairing, counts) = seen_from_lower(entrant, opponent, counts);
        let sum = all.entry(pairing).or_default();
        *sum = sum.merge(&counts)?;
    }
    Ok(all)
}

/// Returns a result from the view of the entrant with the lower number.
fn seen_from_lower(entrant: u32, opponent: u32, counts: PairCounts) -> (Pairing, PairCounts) {
    let (one, two) = (entrant as usize, opponent as usize);
    if one < two { ((one, two), counts) } else { ((two, one), counts.mirror()) }
}

#[cfg(test)]
mod tests;
