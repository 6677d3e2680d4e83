//! The knowledge of a bisection, and its next step: a pure function of the stored state.
//!
//! Consecutive versions that are known to play alike are one version of the model: no commit between them can be
//! guilty. Two versions that play alike with others between them count as an exactly measured match.

use super::record::{BisectJob, Engine};
use stats::bisect::{Bisection, Costs, Measured, PairSpread, Posterior, Prior};
use stats::{Estimate, PairCounts};
use std::collections::BTreeMap;

/// The variance of a difference that is known to be zero, in squared Elo.
const EXACT: f64 = 1e-4;
/// The least size of a batch, as a fraction of all pairs so far; it limits the number of batches.
const PART_OF_PAIRS: u64 = 8;

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Build this version.
    Build(u32),
    /// Play this many more pairs between two versions.
    Play { earlier: u32, later: u32, pairs: u64 },
    /// Name these commits.
    Name(Vec<u32>),
    /// Nothing is left to do.
    Over(Ending),
}

/// Why a bisection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The requested number of commits was found.
    Found,
    /// No other commit lost enough to count.
    Nothing,
    /// The budget of pairs is used.
    Budget,
}

/// The model of a range.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// The number in the model of each version.
    of_version: Vec<u32>,
    /// The first version of each version of the model.
    first: Vec<u32>,
    bisection: Bisection,
    spread: PairSpread,
}

/// The knowledge about the commits of a range, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    /// The probability of each commit, from the first, that it is the largest loss.
    pub(super) guilt: Vec<f64>,
    /// The probability that no commit lost enough to count.
    pub(super) none: f64,
    /// The versions that played, and their Elo above the good end.
    pub(super) path: Vec<(u32, Estimate)>,
    /// The Elo of all commits between each of these versions and the next.
    pub(super) steps: Vec<Estimate>,
}

impl Knowledge {
    /// Returns the fewest commits that contain the loss with this probability if there is one, the most probable first.
    pub(super) fn suspects(&self, confidence: f64) -> Vec<u32> {
        let guilt = &self.guilt;
        let mut order: Vec<u32> =
            (1..).zip(guilt).filter(|(_, share)| **share > 0.0).map(|(commit, _)| commit).collect();
        order.sort_by(|&a, &b| guilt[b as usize - 1].total_cmp(&guilt[a as usize - 1]).then(a.cmp(&b)));
        let confidence = confidence * guilt.iter().sum::<f64>();
        let mut held = 0.0;
        let is_needed = |commit: &u32| {
            let is_needed = held < confidence;
            held += guilt[*commit as usize - 1];
            is_needed
        };
        order.into_iter().take_while(is_needed).collect()
    }
}

impl BisectJob {
    /// Returns the model of everything that was built and played, with the first `found` findings set aside.
    pub(super) fn model(&self, found: usize) -> Model {
        let engines = &self.record.engines;
        let is_same = |one: u32, other: u32| {
            engines.get(&one).zip(engines.get(&other)).is_some_and(|(one, other)| one.is_same(other).is_some())
        };
        let (mut of_version, mut first) = (vec![0], vec![0]);
        for version in 1..=self.last() {
            if !is_same(version - 1, version) {
                first.push(version);
            }
            of_version.push(first.len() as u32 - 1);
        }
        let mut bisection = Bisection::new(first.len() as u32 - 1, self.prior());
        let played = self.played(&of_version);
        let spread = PairSpread::of(&played.values().copied().collect::<Vec<_>>());
        for (&(earlier, later), counts) in &played {
            bisection.measure(earlier, later, spread.measured(counts));
        }
        let built: Vec<u32> = engines.keys().copied().collect();
        for (at, &one) in built.iter().enumerate() {
            for &other in built[at + 1..].iter().filter(|&&other| is_same(one, other)) {
                let exact = Measured { elo: 0.0, variance: EXACT };
                bisection.measure(of_version[one as usize], of_version[other as usize], exact);
            }
        }
        for &commit in self.record.found.iter().take(found).flat_map(|found| &found.commits) {
            bisection.set_aside(of_version[commit as usize]);
        }
        Model { of_version, first, bisection, spread }
    }

    fn prior(&self) -> Prior {
        Prior { least_loss: self.bisecting.least_loss, ..Prior::default() }
    }

    /// Returns the pairs between versions of the model, from the later one's view.
    fn played(&self, of_version: &[u32]) -> BTreeMap<(u32, u32), PairCounts> {
        let mut played: BTreeMap<(u32, u32), PairCounts> = BTreeMap::new();
        for of in self.record.matches.iter().filter(|of| of.counts.total() > 0) {
            let (earlier, later) = (of_version[of.earlier as usize], of_version[of.later as usize]);
            if earlier < later {
                let sum = played.entry((earlier, later)).or_default();
                *sum = sum.merge(&of.counts).unwrap_or(*sum);
            }
        }
        played
    }

    /// Whether a version can play, as far as is known.
    fn is_usable(&self, version: u32) -> bool {
        !matches!(self.record.engines.get(&version), Some(Engine::Skipped(_)))
    }

    pub(super) fn is_built(&self, version: u32) -> bool {
        matches!(self.record.engines.get(&version), Some(Engine::Built { .. }))
    }

    /// Returns the version that plays for a version of the model: the first that was built, or else the first one.
    fn player(&self, model: &Model, number: u32) -> u32 {
        let first = model.first[number as usize];
        let end = model.first.get(number as usize + 1).copied().unwrap_or(self.last() + 1);
        (first..end).find(|&version| self.is_built(version)).unwrap_or(first)
    }

    /// Returns the next step.
    pub(super) fn next(&self) -> Next {
        let found = self.record.found.len();
        if found >= self.bisecting.find.get() as usize {
            return Next::Over(Ending::Found);
        }
        let model = self.model(found);
        let pairs = self.pairs();
        if pairs > 0 {
            let posterior = model.bisection.posterior();
            let suspects = posterior.suspects(self.bisecting.confidence);
            if suspects.is_empty() {
                return Next::Over(Ending::Nothing);
            }
            let is_sure = posterior.held_by(&suspects) >= self.bisecting.confidence;
            if let Some(commits) = self.inseparable(&model, &suspects).filter(|_| is_sure) {
                return Next::Name(commits);
            }
        }
        let left = self.bisecting.max_pairs.get().saturating_sub(pairs);
        if left == 0 {
            return Next::Over(Ending::Budget);
        }
        let batch = self.bisecting.batch.get().max(pairs / PART_OF_PAIRS).min(left);
        let costs = Costs {
            pairs: batch as f64,
            variance: model.spread.variance_of_equals(),
            build: self.bisecting.build_cost,
        };
        let player = |number| self.player(&model, number);
        let (earlier, later) = model.bisection.next_match(
            &costs,
            |number| self.is_built(player(number)),
            |number| self.is_usable(player(number)),
        );
        let (earlier, later) = (player(earlier), player(later));
        match [earlier, later].into_iter().find(|&version| !self.is_built(version)) {
            Some(version) => Next::Build(version),
            None => Next::Play { earlier, later, pairs: batch },
        }
    }

    /// Returns the commits of these suspects, if there is only one, or if the versions between them cannot play.
    fn inseparable(&self, model: &Model, suspects: &[u32]) -> Option<Vec<u32>> {
        let usable = |number: u32| self.is_usable(self.player(model, number));
        let low = suspects.iter().copied().min()?;
        let high = suspects.iter().copied().max()?;
        // The usable versions before the first suspect and after the last one bound the commits that cannot be
        // separated.
        let start = (1..=low).rev().find(|&commit| usable(commit - 1))?;
        let end = (high..=model.bisection.last()).find(|&commit| usable(commit))?;
        let is_one = (start..end).all(|number| !usable(number));
        is_one.then(|| (start..=end).map(|commit| model.first[commit as usize]).collect())
    }

    /// Returns the current knowledge. The last finding is not set aside once the search is over.
    pub(super) fn knowledge(&self) -> Knowledge {
        let found = self.record.found.len();
        let is_over = found > 0 && found >= self.bisecting.find.get() as usize;
        let model = self.model(found - usize::from(is_over));
        let Posterior { guilt, none, path, steps } = model.bisection.posterior();
        let mut of_commits = vec![0.0; self.last() as usize];
        for (commit, share) in model.first.iter().skip(1).zip(guilt) {
            of_commits[*commit as usize - 1] = share;
        }
        let path = path.into_iter().map(|(number, elo)| (self.player(&model, number), elo)).collect();
        Knowledge { guilt: of_commits, none, path, steps }
    }

    /// Returns the Elo of some commits that were found together, from the matches around them.
    pub(super) fn loss_of(&self, commits: &[u32], knowledge: &Knowledge) -> Option<Estimate> {
        let (first, last) = (*commits.first()?, *commits.last()?);
        let model = self.model(0);
        let number = |version: u32| model.of_version[version as usize];
        let ends = [number(first.checked_sub(1)?), number(last)];
        let at = knowledge.path.windows(2).position(|pair| [number(pair[0].0), number(pair[1].0)] == ends)?;
        knowledge.steps.get(at).copied()
    }
}
