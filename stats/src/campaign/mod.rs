//! Many patches against one base under one error budget: which of them gain, and which should play next.
//!
//! Each patch has an e-value, which may be looked at after each pair; [`Bets`] says what it is and which patches
//! are discoveries. The budget is shared by ideas. A second try of the same idea, a *take*, spends from its idea's
//! share, so that trying again costs its author and no other. Pairs go to the patch that promises most discoveries a
//! pair; each patch gets a least number first, and is dropped when a gain that matters has become improbable. Patches
//! of a higher priority come before all others. Neither the order of play nor priorities touch the error budget: an
//! e-value may be looked at whenever one likes, and shares are fixed when a patch is added.

mod evidence;
#[cfg(test)]
mod tests;

pub use evidence::Bets;

use crate::law::Moments;
use crate::{PairCounts, PairOutcome, Tally, elo, normal};

/// The share of the error budget that is kept for ideas that join a campaign while it runs, and the share of an idea's
/// part that is kept for its takes after the first.
const KEPT: f64 = 0.1;

/// What the n-th of those spends of the share that is kept for them, divided by n squared: all together spend 1.
const FIRST_SHARE: f64 = 6.0 / (std::f64::consts::PI * std::f64::consts::PI);

/// A patch that is nearly a discovery counts as this far from one, in units of the logarithm of its e-value.
const LEAST_WAY: f64 = 0.5;

/// What a campaign promises, and what it assumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The most of the discoveries that are false, in expectation; above 0 and below 1.
    pub false_discoveries: f64,
    /// A patch that gains no more than this is a false discovery, in Elo.
    pub elo0: f64,
    /// Each patch plays at least this many pairs.
    pub least_pairs: u64,
    /// The least gain that matters, in Elo above `elo0`.
    pub least_gain: f64,
    /// A patch is dropped when the probability that its gain matters is less.
    pub futility: f64,
    /// The standard deviation of the gains of patches before they play, in Elo.
    pub prior: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { false_discoveries: 0.05, elo0: 0.0, least_pairs: 128, least_gain: 0.5, futility: 0.05, prior: 4.0 }
    }
}

/// What has become of a patch.
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
    /// The number of its idea, in the order in which ideas came.
    pub idea: u32,
    /// The number of its take of this idea, from 1.
    pub take: u32,
    /// Its share of the error budget, above 0 and below 1.
    pub share: f64,
    /// It plays before all patches with a lower one. 0 if it was not set.
    pub priority: i32,
    /// Its pairs against the base.
    pub pairs: PairCounts,
    /// The logarithm of its e-value.
    pub ln_e_value: f64,
    /// What has become of it.
    pub state: State,
}

/// The patches of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    rules: Rules,
    bets: Bets,
    /// Elo of a unit of score, between equals.
    slope: f64,
    /// How many ideas it began with.
    planned: u32,
    ideas: u32,
    patches: Vec<Patch>,
}

impl Campaign {
    /// A campaign that begins with this many ideas, at least 1; it has no patches yet.
    pub fn new(rules: Rules, planned: u32) -> Self {
        let (bets, planned) = (Bets::new(rules.elo0), planned.max(1));
        Self { rules, bets, slope: slope(), planned, ideas: 0, patches: Vec::new() }
    }

    /// Adds the first take of a new idea, and returns its number.
    pub fn add_idea(&mut self) -> usize {
        self.ideas += 1;
        self.add(self.ideas - 1, 1)
    }

    /// Adds a take of the idea of another patch, and returns its number; `None` if there is no such patch.
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

    /// Sets the priority of a patch. Nothing that is known of any patch changes.
    pub fn prefer(&mut self, patch: usize, priority: i32) {
        if let Some(patch) = self.patches.get_mut(patch) {
            patch.priority = priority;
        }
    }

    /// The patches, in the order in which they were added.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// Counts a pair of a patch against the base. A pair of a patch that has been accepted or dropped is not counted:
    /// its e-value stays what it was.
    pub fn record(&mut self, patch: usize, outcome: PairOutcome) {
        if let Some(mut pairs) = self.patches.get(patch).map(|patch| patch.pairs) {
            pairs.add(outcome);
            self.count(patch, pairs);
        }
    }

    /// Counts the pairs of a batch at once: `pairs` are all pairs of the patch so far, those before the batch among
    /// them. Nothing changes if the patch has been accepted or dropped.
    pub fn count(&mut self, patch: usize, pairs: PairCounts) {
        let Some(played) = self.patches.get_mut(patch).filter(|patch| patch.state == State::Playing) else { return };
        played.pairs = pairs;
        played.ln_e_value = self.bets.ln_e_value(&pairs.pentanomial());
        // Only with this patch among them there are more discoveries than before.
        if self.weighted(&self.patches[patch]) >= -libm::log(self.patches.len() as f64) {
            self.accept();
        }
        self.drop_if_futile(patch);
    }

    /// Drops a patch that cannot play. Its share of the error budget stays spent. An accepted one stays accepted.
    pub fn leave_out(&mut self, patch: usize) {
        if let Some(patch) = self.patches.get_mut(patch).filter(|patch| patch.state == State::Playing) {
            patch.state = State::Dropped;
        }
    }

    /// The e-value at which a patch is accepted whatever becomes of the others, as its logarithm.
    pub fn ln_e_value_needed(&self, patch: &Patch) -> f64 {
        -libm::log(self.rules.false_discoveries * patch.share)
    }

    /// Accepts what has become a discovery.
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

    /// The logarithm of its e-value times its share of the error budget: 0 makes it a discovery by itself.
    fn weighted(&self, patch: &Patch) -> f64 {
        patch.ln_e_value + libm::log(self.rules.false_discoveries * patch.share)
    }

    /// The mean and the standard deviation of its gain above `elo0`, in Elo, and the variance of a pair's Elo.
    fn gain(&self, patch: &Patch) -> (f64, f64, f64) {
        let law = patch.pairs.pentanomial().law();
        let Moments { advantage, variance, .. } = law.moments();
        let slope = self.slope;
        let noise = variance * slope * slope;
        let prior = 1.0 / (self.rules.prior * self.rules.prior);
        let known = patch.pairs.total() as f64 / noise;
        let measured = if known > 0.0 { advantage * slope - self.rules.elo0 } else { 0.0 };
        let precision = prior + known;
        // Patches are expected to gain nothing.
        ((measured * known - self.rules.elo0 * prior) / precision, precision.sqrt().recip(), noise)
    }

    /// The probability that its gain matters.
    fn hope(&self, patch: &Patch) -> f64 {
        let (mean, deviation, _) = self.gain(patch);
        normal::cdf((mean - self.rules.least_gain) / deviation)
    }

    /// How many discoveries a pair of it promises: the growth that is expected of the logarithm of its e-value, over
    /// what it lacks. With gain g and variance v of a pair, the best bet grows by g^2 / 2v a pair.
    fn promise(&self, patch: &Patch) -> f64 {
        let (mean, deviation, noise) = self.gain(patch);
        let z = mean / deviation;
        let density = libm::exp(-z * z / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        let squared = (mean * mean + deviation * deviation) * normal::cdf(z) + mean * deviation * density;
        let accepted = self.patches.iter().filter(|patch| patch.state == State::Accepted).count() as f64;
        let way = (-libm::log(accepted + 1.0) - self.weighted(patch)).max(LEAST_WAY);
        squared / (2.0 * noise * way)
    }

    /// The patch that should play next; `None` if each was accepted or dropped. It is one of the highest priority that
    /// an undecided patch has.
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

/// What one of those that share a budget gets: each of the planned ones the same, and the n-th later one what is kept.
fn part(later: u32, planned: u32) -> f64 {
    match later {
        0 => (1.0 - KEPT) / f64::from(planned),
        nth => KEPT * FIRST_SHARE / (f64::from(nth) * f64::from(nth)),
    }
}

/// Elo of a unit of score, between equals.
fn slope() -> f64 {
    (elo::elo_of_score(0.5 + 1e-6) - elo::elo_of_score(0.5 - 1e-6)) / 2e-6
}
