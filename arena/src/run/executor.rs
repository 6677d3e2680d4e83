//! The executor: plays pairs somewhere. It may answer in any order, twice, late or never; the driver copes.

use super::pair::{PairIndex, PairResult, PairSpec};
use std::time::Instant;

/// News from an executor.
#[derive(Debug)]
pub enum Event {
    /// A pair was played.
    Done(Box<PairResult>),
    /// A pair will not be played by whoever had it.
    Lost {
        /// Which.
        pair: PairIndex,
        /// Why: the harness's own failure, or its being revoked.
        why: String,
    },
    /// A pair cannot be played by anybody: the run must stop.
    Failed {
        /// Which.
        pair: PairIndex,
        /// Why.
        why: String,
    },
}

/// Plays pairs.
pub trait Executor {
    /// How many pairs it begins at the same time, at most.
    fn workers(&self) -> usize;

    /// How many pairs it can have at a time without letting any of its workers wait.
    fn capacity(&self) -> usize;

    /// Begins at most so many pairs at a time from now on; 0 begins none. Those being played go on. Whoever cannot change it
    /// leaves it: the driver then gives out no more than are wanted.
    fn set_workers(&mut self, _workers: usize) {}

    /// Takes a pair. Never more than [`capacity`](Self::capacity) are outstanding, so this does not block.
    fn submit(&mut self, spec: PairSpec);

    /// The next news; `None` if there is none by `deadline`.
    fn next_event(&mut self, deadline: Instant) -> Option<Event>;

    /// How often the same pair may be lost before the run is given up, 1 or more. Where machines come and go a pair may be lost
    /// often through nobody's fault; in one process it hardly is.
    fn most_losses(&self) -> u32 {
        3
    }

    /// Gives up all pairs from this number on, the ones being played included. They end as lost, or not at all.
    fn revoke_from(&mut self, pair: PairIndex);
}
