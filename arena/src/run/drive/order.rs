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

/// The most proposals that wait although they need not have been made yet.
pub(super) const MOST_WAITING: usize = 1024;

/// What the experiment absorbs of a finished pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    /// The games that each seat lost by its own faults.
    pub(super) own_faults: [u64; 2],
}

/// Orders proposals and outcomes for an experiment, which is borrowed or owned.
pub(super) struct Order<E> {
    pub(super) experiment: E,
    pub(super) absorbed: u64,
    pub(super) next: PairIndex,
    pub(super) exhausted: bool,
    /// Pairs proposed and not yet absorbed.
    pub(super) proposed: BTreeMap<PairIndex, Proposal>,
    /// Pairs finished (committed) and not yet absorbed.
    pub(super) finished: BTreeMap<PairIndex, Finished>,
    /// Pairs proposed, to be played, and not yet submitted.
    pub(super) waiting: BTreeSet<PairIndex>,
    /// Pairs read from the journal before the experiment proposed them.
    pub(super) stored: BTreeMap<PairIndex, StoredPair>,
    /// Whether pairs of the journal were withdrawn. Later pairs may then have been proposed in a state that the run did
    /// not have.
    pub(super) is_mended: bool,
    /// Journal pairs that were proposed in such a state and must be played again.
    pub(super) astray: Vec<PairIndex>,
    /// The games and faults of the absorbed pairs.
    pub(super) faults: FaultTally,
}

impl<E: DerefMut<Target: Experiment>> Order<E> {
    /// Returns the order before the first pair of a run. `is_mended` is whether the journal has withdrawn pairs.
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

    /// Proposes all pairs that the experiment currently allows, or, if proposals can be made later, as many as are
    /// needed soon.
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

    /// Accepts a stored pair in place of playing it, if it matches the proposal. Otherwise it is an error, except in a
    /// mended run, where the pair is played again.
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

    /// Handles a pair from the journal.
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

    /// Absorbs the gapless prefix of finished pairs, and proposes in between.
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

    /// Whether no further pair will be absorbed.
    pub(super) fn is_over(&self) -> bool {
        self.finish().is_some()
    }

    /// Returns how the run ends, once no further pair will be absorbed.
    pub(super) fn finish(&self) -> Option<Finish> {
        let faulty = self.faults.exceeded().map(Finish::Faulty);
        faulty.or_else(|| self.experiment.verdict().map(Finish::Verdict))
    }

    /// Whether the pair has been proposed and has no result yet.
    pub(super) fn wants(&self, pair: PairIndex) -> bool {
        self.proposed.contains_key(&pair) && !self.finished.contains_key(&pair)
    }
}

/// Handles all pairs of a journal.
pub(super) fn restore<E: DerefMut<Target: Experiment>>(
    order: &mut Order<E>,
    journal: &JournalReader,
) -> Result<(), RunError> {
    journal.replay(|stored| {
        order.restore(stored)?;
        Ok::<_, RunError>(!order.is_over())
    })
}
