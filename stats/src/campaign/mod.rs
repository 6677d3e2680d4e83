//! Tests many patches against one base under one error budget: which of them gain, and which should play next.
//!
//! Each patch has an e-value, which may be inspected after each pair; [`Bets`] defines it and the discoveries. The
//! budget is shared by ideas. A second try of the same idea, a *take*, spends from its idea's share, so that trying
//! again costs its author and no other. Pairs go to the patch that promises most discoveries per pair; each patch gets
//! a least number first, and is dropped when a gain that matters has become improbable. Patches of a higher priority
//! come before all others. Neither the order of play nor priorities affect the error budget: an e-value may be
//! inspected at any time, and shares are fixed when a patch is added.

mod evidence;
#[cfg(test)]
mod tests;

pub use evidence::Bets;

use crate::law::Moments;
use crate::{PairCounts, PairOutcome, Tally, elo, normal};

/// The share of the error budget that is reserved for ideas that join a campaign while it runs, and the share of an
/// idea's part that is reserved for its takes after the first.
const KEPT: f64 = 0.1;

/// The n-th later idea or take spends this divided by n squared of the reserved share: all together spend 1.
const FIRST_SHARE: f64 = 6.0 / (std::f64::consts::PI * std::f64::consts::PI);

/// The least distance of a patch from a discovery, in units of the logarithm of its e-value.
const LEAST_WAY: f64 = 0.5;

/// The guarantees of a campaign, and its assumptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The largest expected share of false discoveries; above 0 and below 1.
    pub false_discoveries: f64,
    /// A patch that gains at most this many Elo is a false discovery.
    pub elo0: f64,
    /// The least number of pairs that each patch plays.
    pub least_pairs: u64,
    /// The least gain that matters, in Elo above `elo0`.
    pub least_gain: f64,
    /// A patch is dropped when the probability that its gain matters falls below this.
    pub futility: f64,
    /// The prior standard deviation of the gains of patches, in Elo.
    pub prior: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { false_discoveries: 0.05, elo0: 0.0, least_pairs: 128, least_gain: 0.5, futility: 0.05, prior: 4.0 }
    }
}

/// The state of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It plays.
    Playing,
    /// It is a discovery: it gains.
    Accepted,
    /// A gain that matters is improbable.
    Dropped,
}

/// A patch, and its pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// The number of its idea, in order of arrival.
    pub idea: u32,
    /// The number of its take of this idea, from 1.
    pub take: u32,
    /// Its share of the error budget, above 0 and below 1.
    pub share: f64,
    /// It plays before all patches with a lower priority. 0 by default.
    pub priority: i32,
    /// Its pairs against the base.
    pub pairs: PairCounts,
    /// The logarithm of its e-value.
    pub ln_e_value: f64,
    /// Its state.
    pub state: State,
}

/// The patches of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    rules: Rules,
    bets: Bets,
    /// Elo per unit of score, between equals.
    slope: f64,
    /// The number of ideas at the start.
    planned: u32,
    ideas: u32,
    patches: Vec<Patch>,
}

impl Campaign {
    /// Makes a campaign without patches that starts with this many ideas, at least 1.
    pub fn new(rules: Rules, planned: u32) -> Self {
        let (bets, planned) = (Bets::new(rules.elo0), planned.max(1));
        Self { rules, bets, slope: slope(), planned, ideas: 0, patches: Vec::new() }
    }

    /// Adds the first take of a new idea, and returns the patch's number.
    pub fn add_idea(&mut self) -> usize {
        self.ideas += 1;
        self.add(self.ideas - 1, 1)
    }

    /// Adds a take of another patch's idea, and returns the patch's number; `None` if the other patch does not exist.
    pub fn add_take(&mut self, of: usize) -> Option<usize> {
        let idea = self.patches.get(of)?.idea;
        let before = self.patches.iter().filter(|patch| patch.idea == idea).count();
        Some(self.add(idea, before as u32 + 1))
    }

    fn add(&mut self, idea: u32, take: u32) -> usize {
        let late = (idea + 1).saturating_sub(self.planned);
        let share = part(late, self.planned) * part(take - 1, 1);
        let (pairs, ln_e_value, state) = (PairCounts::default(), 0.0, State::Playing);
        self.patches.push(Patch { idea, take, share, priority: 0, pairs, ln_e_value, state });
        self.patches.len() - 1
    }

    /// Sets the priority of a patch. Does not change the evidence about any patch.
    pub fn prefer(&mut self, patch: usize, priority: i32) {
        if let Some(patch) = self.patches.get_mut(patch) {
            patch.priority = priority;
        }
    }

    /// The patches, in the order in which they were added.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// Counts a pair of a patch against the base. Ignores pairs of accepted and dropped patches, so that their e-values
    /// stay fixed.
    pub fn record(&mut self, patch: usize, outcome: PairOutcome) {
        if let Some(mut pairs) = self.patches.get(patch).map(|patch| patch.pairs) {
            pairs.add(outcome);
            self.count(patch, pairs);
        }
    }

    /// Counts the pairs of a batch at once: `pairs` are all pairs of the patch so far, including those before the
    /// batch. Ignores accepted and dropped patches.
    pub fn count(&mut self, patch: usize, pairs: PairCounts) {
        let Some(played) = self.patches.get_mut(patch).filter(|patch| patch.state == State::Playing) else { return };
        played.pairs = pairs;
        played.ln_e_value = self.bets.ln_e_value(&pairs.pentanomial());
        // Without this patch among them, there are no new discoveries.
        if self.weighted(&self.patches[patch]) >= -libm::log(self.patches.len() as f64) {
            self.accept();
        }
        self.drop_if_futile(patch);
    }

    /// Drops a patch that cannot play. Its share of the error budget stays spent. An accepted patch stays accepted.
    pub fn leave_out(&mut self, patch: usize) {
        if let Some(patch) = self.patches.get_mut(patch).filter(|patch| patch.state == State::Playing) {
            patch.state = State::Dropped;
        }
    }

    /// The logarithm of the e-value that suffices to accept a patch, whatever the others reach.
    pub fn ln_e_value_needed(&self, patch: &Patch) -> f64 {
        -libm::log(self.rules.false_discoveries * patch.share)
    }

    /// Accepts all patches that have become discoveries.
    fn accept(&mut self) {
        let candidates = self.patches.iter().enumerate().filter(|(_, patch)| patch.state != State::Dropped);
        let mut standing: Vec<(f64, usize)> =
            candidates.map(|(number, patch)| (self.weighted(patch), number)).collect();
        standing.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
        let weighted: Vec<f64> = standing.iter().map(|&(weighted, _)| weighted).collect();
        for &(_, number) in &standing[..evidence::discoveries(&weighted)] {
            self.patches[number].state = State::Accepted;
        }
    }

    fn drop_if_futile(&mut self, number: usize) {
        let patch = &self.patches[number];
        let is_open = patch.state == State::Playing && patch.pairs.total() >= self.rules.least_pairs;
        if is_open && self.hope(patch) < self.rules.futility {
            self.patches[number].state = State::Dropped;
        }
    }

    /// The logarithm of the patch's e-value times its share of the error budget: from 0 on, the patch is a discovery by
    /// itself.
    fn weighted(&self, patch: &Patch) -> f64 {
        patch.ln_e_value + libm::log(self.rules.false_discoveries * patch.share)
    }

    /// The mean and the standard deviation of the patch's gain above `elo0`, in Elo, and the variance of a pair's Elo.
    fn gain(&self, patch: &Patch) -> (f64, f64, f64) {
        let law = patch.pairs.pentanomial().law();
        let Moments { advantage, variance, .. } = law.moments();
        let slope = self.slope;
        let noise = variance * slope * slope;
        let prior = 1.0 / (self.rules.prior * self.rules.prior);
        let known = patch.pairs.total() as f64 / noise;
        let measured = if known > 0.0 { advantage * slope - self.rules.elo0 } else { 0.0 };
        let precision = prior + known;
        // The prior expects patches to gain nothing.
        ((measured * known - self.rules.elo0 * prior) / precision, precision.sqrt().recip(), noise)
    }

    /// The probability that the patch's gain matters.
    fn hope(&self, patch: &Patch) -> f64 {
        let (mean, deviation, _) = self.gain(patch);
        normal::cdf((mean - self.rules.least_gain) / deviation)
    }

    /// The number of discoveries that a pair of the patch promises: the expected growth of the logarithm of its
    /// e-value, over the growth that it still needs. With gain g and variance v of a pair, the best bet grows by g^2 /
    /// 2v a pair.
    fn promise(&self, patch: &Patch) -> f64 {
        let (mean, deviation, noise) = self.gain(patch);
        let z = mean / deviation;
        let density = libm::exp(-z * z / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        let squared = (mean * mean + deviation * deviation) * normal::cdf(z) + mean * deviation * density;
        let accepted = self.patches.iter().filter(|patch| patch.state == State::Accepted).count() as f64;
        let way = (-libm::log(accepted + 1.0) - self.weighted(patch)).max(LEAST_WAY);
        squared / (2.0 * noise * way)
    }

    /// The patch that should play next, among the undecided ones of the highest priority; `None` if all are accepted or
    /// dropped.
    pub fn next(&self) -> Option<usize> {
        let undecided = |patch: &&Patch| patch.state == State::Playing;
        let first = self.patches.iter().filter(undecided).map(|patch| patch.priority).max()?;
        let is_open = |patch: &Patch| patch.state == State::Playing && patch.priority == first;
        let open = || (0..self.patches.len()).filter(|&number| is_open(&self.patches[number]));
        let pairs = |&number: &usize| self.patches[number].pairs.total();
        let is_new = |number: &usize| pairs(number) < self.rules.least_pairs;
        open().filter(is_new).min_by_key(pairs).or_else(|| {
            let promises = open().map(|number| (self.promise(&self.patches[number]), number));
            promises.max_by(|one, two| one.0.total_cmp(&two.0).then(two.1.cmp(&one.1))).map(|(_, number)| number)
        })
    }
}

/// The share of one idea or take of the budget: equal for the planned ones, and a part of the reserve for the n-th
/// later one.
fn part(later: u32, planned: u32) -> f64 {
    match later {
        0 => (1.0 - KEPT) / f64::from(planned),
        nth => KEPT * FIRST_SHARE / (f64::from(nth) * f64::from(nth)),
    }
}

/// Elo per unit of score, between equals.
fn slope() -> f64 {
    (elo::elo_of_score(0.5 + 1e-6) - elo::elo_of_score(0.5 - 1e-6)) / 2e-6
}
