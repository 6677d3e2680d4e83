//! Absorbs a journal's pairs into an experiment as they arrive, reading each once, for viewers of a running run.
//!
//! The interleaving of proposing and absorbing is that of the driver ([`Order`]), so following a run in steps gives the
//! same standing as reading it at once. Rows after a gap wait in the journal until the gap is filled.

use super::error::RunError;
use super::finish::Finish;
use super::order::Order;
use crate::config::RunConfig;
use crate::run::audit::{self, CHUNK};
use crate::run::experiment::Experiment;
use crate::run::journal::{JournalError, JournalReader, StoredPair, StoredResult};

/// Whether the games of new pairs are replayed by the rules before the pairs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Replay the games: for journals that other processes wrote.
    Audit,
    /// Trust the games: for a process that wrote these pairs itself, or checked them when it opened the run.
    Trust,
}

/// An experiment, and how far a journal has been absorbed into it.
pub struct Replay {
    order: Order<Box<dyn Experiment>>,
}

impl Replay {
    /// Creates a replay before the first pair of a run with this configuration and experiment.
    ///
    /// # Errors
    /// [`RunError`] if the experiment cannot propose.
    pub fn new(experiment: Box<dyn Experiment>, config: &RunConfig) -> Result<Self, RunError> {
        Ok(Self { order: Order::new(experiment, config, false)? })
    }

    /// Absorbs the new part of the journal's gapless prefix, up to the verdict, and calls `visit` with each pair that
    /// counts. Reads no row that was absorbed before. Returns the total number of absorbed pairs.
    ///
    /// # Errors
    /// [`RunError`] if the journal cannot be read or was not made by this experiment. Pairs absorbed before the error
    /// stay absorbed, and the next call reports the error again.
    pub fn catch_up(
        &mut self,
        journal: &JournalReader,
        config: &RunConfig,
        check: Check,
        mut visit: impl FnMut(&StoredResult),
    ) -> Result<u64, RunError> {
        self.order.is_mended = journal.withdrawals()? > 0;
        loop {
            let from = self.absorbed();
            if self.order.is_over() {
                return Ok(from);
            }
            let chunk = gapless(journal, from)?;
            if check == Check::Audit {
                audit::check(journal, config, &chunk)?;
            }
            for stored in &chunk {
                self.take(stored)?;
                if self.absorbed() <= stored.result.pair {
                    break;
                }
                visit(stored);
            }
            if self.absorbed() < from + CHUNK as u64 {
                return Ok(self.absorbed());
            }
        }
    }

    /// Absorbs at most this many new pairs of the journal's gapless prefix, up to the verdict, by their outcomes alone:
    /// their games are neither read nor replayed. Calls `visit` with each pair that counts. Returns the total number of
    /// absorbed pairs.
    ///
    /// # Errors
    /// [`RunError`] as for [`catch_up`](Self::catch_up).
    pub fn catch_up_outcomes(
        &mut self,
        journal: &JournalReader,
        most: u64,
        mut visit: impl FnMut(&StoredPair),
    ) -> Result<u64, RunError> {
        self.order.is_mended = journal.withdrawals()? > 0;
        let end = self.absorbed().saturating_add(most);
        if most > 0 && !self.order.is_over() {
            journal.replay_from(self.absorbed(), |stored| {
                if stored.pair != self.absorbed() {
                    return Ok(false);
                }
                let pair = stored.clone();
                self.order.restore(stored)?;
                if self.absorbed() <= pair.pair {
                    return Ok(false);
                }
                visit(&pair);
                Ok::<_, RunError>(self.absorbed() < end && !self.order.is_over())
            })?;
        }
        Ok(self.absorbed())
    }

    fn take(&mut self, stored: &StoredResult) -> Result<(), RunError> {
        let StoredResult { proposal, result, own_faults } = stored;
        let (pair, proposal, own_faults) = (result.pair, proposal.clone(), *own_faults);
        self.order.restore(StoredPair { pair, proposal, outcome: result.outcome(), own_faults })
    }

    /// Returns the number of absorbed pairs.
    pub fn absorbed(&self) -> u64 {
        self.order.absorbed
    }

    /// Returns how the run ended. A run that was interrupted or is still being played counts as stopped.
    pub fn finish(&self) -> Finish {
        self.order.finish().unwrap_or(Finish::Stopped)
    }

    /// Returns the experiment after the absorbed pairs.
    pub fn experiment(&self) -> &dyn Experiment {
        self.order.experiment.as_ref()
    }
}

/// Returns the next pairs of the journal up to a gap, at most a chunk.
fn gapless(journal: &JournalReader, from: u64) -> Result<Vec<StoredResult>, JournalError> {
    let mut chunk = Vec::new();
    journal.results(from..from.saturating_add(CHUNK as u64), |stored| {
        if stored.result.pair == from + chunk.len() as u64 {
            chunk.push(stored);
        }
        Ok::<_, JournalError>(())
    })?;
    Ok(chunk)
}
