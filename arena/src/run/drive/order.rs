//! The fixed interleaving of proposing and absorbing, over the gapless prefix of finished pairs.

use super::error::RunError;
use super::finish::Finish;
use crate::config::RunConfig;
use crate::run::experiment::Experiment;
use crate::run::fault_share::FaultTally;
use crate::run::journal::{JournalReader, StoredPair};
use record::{PairIndex, Proposal};
use stats::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::DerefMut;

/// This many proposals wait at most that need not be made yet.
pub(super) const MOST_WAITING: usize = 1024;

/// What is absorbed of a finished pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    /// Games that each seat lost by faults of its own.
    pub(super) own_faults: [u64; 2],
}

/// Proposals and outcomes on their way into an experiment, which is borrowed or owned.
pub(super) struct Order<E> {
    pub(super) experiment: E,
    pub(super) absorbed: u64,
    pub(super) next: PairIndex,
    pub(super) exhausted: bool,
    /// Proposed and not yet absorbed.
    pub(super) proposed: BTreeMap<PairIndex, Proposal>,
    /// Finished (committed) and not yet absorbed.
    pub(super) finished: BTreeMap<PairIndex, Finished>,
    /// Proposed, to be played, not yet given out.
    pub(super) waiting: BTreeSet<PairIndex>,
    /// Read from the journal before the experiment proposed them.
    pub(super) stored: BTreeMap<PairIndex, StoredPair>,
    /// Whether pairs of the journal were withdrawn: what comes after them may have been proposed in another state than
    /// the run's own.
    pub(super) is_mended: bool,
    /// Pairs of the journal that were, and are to be played again.
    pub(super) astray: Vec<PairIndex>,
    /// Games and faults of the absorbed pairs.
    faults: FaultTally,
}

impl<E: DerefMut<Target: Experiment>> Order<E> {
    /// Before the first pair of a run. `is_mended`: whether the journal that it is for has pairs that were withdrawn.
    pub(super) fn new(experiment: E, config: &RunConfig, is_mended: bool) -> Result<Self, RunError> {
        let mut order = Self {
            experiment,
            absorbed: 0,
            next: 0,
            exhausted: false,
            proposed: BTreeMap::new(),
            finished: BTreeMap::new(),
            waiting: BTreeSet::new(),
            stored: BTreeMap::new(),
            is_mended,
            astray: Vec::new(),
            faults: FaultTally::new(config),
        };
        order.propose()?;
        Ok(order)
    }

    /// Proposes all that the experiment allows just now; of one whose proposals may be made later, as much as is soon
    /// needed.
    pub(super) fn propose(&mut self) -> Result<(), RunError> {
        let most = if self.experiment.is_free() { MOST_WAITING } else { usize::MAX };
        while !self.exhausted
            && self.waiting.len() < most
            && self.experiment.required_absorbed(self.next) <= self.absorbed
        {
            let pair = self.next;
            let Some(proposal) = self.experiment.propose(pair) else {
                self.exhausted = true;
                break;
            };
            self.next += 1;
            match self.stored.remove(&pair) {
                Some(stored) => self.check(&stored, &proposal)?,
                None => drop(self.waiting.insert(pair)),
            }
            self.proposed.insert(pair, proposal);
        }
        Ok(())
    }

    /// Takes a stored pair in place of playing it, if it is the one proposed. In a run that is mended, one that is not
    /// is played again.
    pub(super) fn check(&mut self, stored: &StoredPair, proposal: &Proposal) -> Result<(), RunError> {
        if stored.proposal != *proposal {
            if !self.is_mended {
                return Err(RunError::OtherProposal { pair: stored.pair });
            }
            self.waiting.insert(stored.pair);
            self.astray.push(stored.pair);
            return Ok(());
        }
        let StoredPair { outcome, own_faults, .. } = *stored;
        self.finished.insert(stored.pair, Finished { outcome, own_faults });
        Ok(())
    }

    /// Takes in a pair of the journal.
    pub(super) fn restore(&mut self, stored: StoredPair) -> Result<(), RunError> {
        match self.proposed.get(&stored.pair).cloned() {
            Some(proposal) => {
                self.waiting.remove(&stored.pair);
                self.check(&stored, &proposal)?;
            }
            None => drop(self.stored.insert(stored.pair, stored)),
        }
        self.absorb()
    }

    /// Absorbs the gapless prefix of finished pairs, proposing in between.
    pub(super) fn absorb(&mut self) -> Result<(), RunError> {
        while !self.is_over() {
            let pair = self.absorbed;
            let Some(Finished { outcome, own_faults }) = self.finished.remove(&pair) else { break };
            let Some(proposal) = self.proposed.remove(&pair) else { break };
            self.experiment.absorb_outcome(pair, &proposal, outcome);
            self.faults.add(&proposal, own_faults);
            self.absorbed += 1;
            self.propose()?;
        }
        Ok(())
    }

    /// Whether no further pair is absorbed.
    pub(super) fn is_over(&self) -> bool {
        self.finish().is_some()
    }

    /// How the run ends, once no further pair is absorbed.
    pub(super) fn finish(&self) -> Option<Finish> {
        let faulty = self.faults.exceeded().map(Finish::Faulty);
        faulty.or_else(|| self.experiment.verdict().map(Finish::Verdict))
    }

    /// Whether the pair is proposed and has no result yet.
    pub(super) fn wants(&self, pair: PairIndex) -> bool {
        self.proposed.contains_key(&pair) && !self.finished.contains_key(&pair)
    }
}

/// Takes in all pairs of a journal.
pub(super) fn restore<E: DerefMut<Target: Experiment>>(
    order: &mut Order<E>,
    journal: &JournalReader,
) -> Result<(), RunError> {
    journal.replay(|stored| {
        order.restore(stored)?;
        Ok::<_, RunError>(!order.is_over())
    })
}
