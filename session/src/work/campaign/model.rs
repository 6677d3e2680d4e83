//! The knowledge of a campaign, and its next step: a pure function of the stored state.

use super::record::{CampaignJob, Fitness, Together};
use stats::campaign::{Campaign, State};
use stats::{Estimate, PairCounts, Summary};

/// The least size of a batch, as a fraction of a patch's pairs so far; it limits the number of batches.
const PART_OF_PAIRS: u64 = 8;

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Build this patch.
    Build(u32),
    /// Play this many more pairs of this patch.
    Play { patch: u32, pairs: u64 },
    /// Merge these accepted patches.
    Merge(Vec<u32>),
    /// Build the last merge.
    BuildTogether,
    /// Play the last merge until it has this many pairs.
    PlayTogether(u64),
    /// Nothing is left to do.
    Over(CampaignEnding),
}

/// Why a campaign is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CampaignEnding {
    /// Each patch was accepted or dropped.
    Settled,
    /// The budget of pairs is used.
    Budget,
}

/// The knowledge about the patches.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) campaign: Campaign,
    /// The accepted patches, in the order in which they were accepted.
    pub(super) accepted: Vec<u32>,
}

impl CampaignJob {
    /// Returns the knowledge from all batches.
    pub(super) fn known(&self) -> Known {
        let record = &self.record;
        let mut campaign = Campaign::new(self.campaigning.rules, record.planned);
        for (number, patch) in record.patches.iter().enumerate() {
            let is_its_idea = |other: &super::record::Entry| patch.idea.is_some() && other.idea == patch.idea;
            let first = record.patches[..number].iter().position(is_its_idea);
            if first.and_then(|first| campaign.add_take(first)).is_none() {
                let _number = campaign.add_idea();
            }
            campaign.prefer(number, patch.priority);
        }
        for (number, patch) in record.patches.iter().enumerate() {
            if matches!(patch.fitness, Fitness::Unfit(_)) {
                campaign.leave_out(number);
            }
        }
        let mut accepted: Vec<u32> = Vec::new();
        for step in &record.steps {
            campaign.count(step.patch as usize, step.pairs);
            for (number, patch) in (0..).zip(campaign.patches()) {
                if patch.state == State::Accepted && !accepted.contains(&number) {
                    accepted.push(number);
                }
            }
        }
        Known { campaign, accepted }
    }

    /// The pairs of all patches.
    pub fn pairs(&self) -> u64 {
        (0..self.record.patches.len()).map(|patch| self.pairs_of(patch as u32).total()).sum()
    }

    /// Returns all pairs of a patch.
    pub(super) fn pairs_of(&self, patch: u32) -> PairCounts {
        let last = self.record.steps.iter().rev().find(|step| step.patch == patch);
        last.map_or_else(PairCounts::default, |step| step.pairs)
    }

    /// Returns the next step.
    pub(super) fn next(&self) -> Next {
        let is_new = |patch: &super::record::Entry| patch.fitness == Fitness::New;
        if let Some(new) = self.record.patches.iter().position(is_new) {
            return Next::Build(new as u32);
        }
        let known = self.known();
        let left = self.campaigning.max_pairs.get().saturating_sub(self.pairs());
        let playing = known.campaign.next();
        if let Some(patch) = playing.filter(|_| left > 0) {
            let own = known.campaign.patches()[patch].pairs.total();
            let pairs = self.campaigning.batch.get().max(own / PART_OF_PAIRS).min(left);
            return Next::Play { patch: patch as u32, pairs };
        }
        let ending = if playing.is_none() { CampaignEnding::Settled } else { CampaignEnding::Budget };
        self.next_together(known.accepted).unwrap_or(Next::Over(ending))
    }

    /// Returns the next step with the accepted patches together, if there is one.
    fn next_together(&self, accepted: Vec<u32>) -> Option<Next> {
        let usual = || accepted.iter().map(|&patch| self.pairs_of(patch).total()).max().unwrap_or(0);
        let wanted = self.campaigning.together_pairs.unwrap_or_else(usual);
        if accepted.len() < 2 || wanted == 0 {
            return None;
        }
        match self.record.together.last().filter(|together| together.of == accepted) {
            None => Some(Next::Merge(accepted)),
            Some(together) if together.fitness == Fitness::New => Some(Next::BuildTogether),
            Some(together) if together.fitness == Fitness::Ready && together.pairs.total() < wanted => {
                Some(Next::PlayTogether(wanted))
            }
            Some(_) => None,
        }
    }

    /// Returns the merge of the currently accepted patches.
    pub(super) fn together(&self, accepted: &[u32]) -> Option<&Together> {
        self.record.together.last().filter(|together| together.of == accepted)
    }

    /// Returns the sum of the gains of the patches in a merge, each from its own match.
    pub(super) fn sum_of_gains(&self, together: &Together) -> Option<Estimate> {
        let gains: Option<Vec<Estimate>> = together.merged().map(|patch| elo(&self.pairs_of(patch))).collect();
        let gains = gains?;
        let value = gains.iter().map(|gain| gain.value).sum::<f64>();
        // The matches are independent, so the squared widths add up.
        let together =
            |width: fn(&Estimate) -> f64| gains.iter().map(width).map(|width| width * width).sum::<f64>().sqrt();
        let (below, above) = (together(|gain| gain.value - gain.low), together(|gain| gain.high - gain.value));
        Some(Estimate { value, low: value - below, high: value + above })
    }
}

impl Together {
    /// The patches that the merge contains.
    pub(super) fn merged(&self) -> impl Iterator<Item = u32> {
        self.of.iter().copied().filter(|patch| !self.left_out.iter().any(|(out, _)| out == patch))
    }
}

/// Returns the Elo of pairs; `None` without pairs.
pub(super) fn elo(pairs: &PairCounts) -> Option<Estimate> {
    if pairs.total() == 0 { None } else { Summary::of_pairs(pairs).elo }
}
