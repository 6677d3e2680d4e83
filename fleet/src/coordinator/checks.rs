//! Decides which pairs a second worker plays again, and which worker reported a wrong result if the two differ. Pure;
//! [`Sample`] draws the pairs.
//!
//! Pairs with node limits give the same result on every machine. A second worker plays a sample of them. If the results
//! differ, the coordinator plays the pair itself, and no longer trusts a worker whose result differs from its own.

use super::sample::Sample;
use crate::names::WorkerName;
use arena::run::{PairIndex, PairResult};
use play::entrant::{Entrant, PlayerSpec};
use session::Busy;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After this time without a second worker, the coordinator plays the check itself.
const ALONE: Duration = Duration::from_secs(1);

/// The coordinator plays a check that takes longer than this, and three times as long as any before: its worker may
/// never answer.
const LATE: Duration = Duration::from_mins(1);

/// A check that takes this long is late in any case: a verdict may wait for it.
const LATEST: Duration = Duration::from_mins(30);

/// The parts of a pair's result that are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure {
    /// All but times: the players play in process.
    All,
    /// The games: engine processes also report data such as their speed.
    Games,
    /// Nothing: results depend on time, or several threads think together.
    Nothing,
}

impl Sure {
    /// Returns what is reproducible in a run of these entrants.
    pub(crate) fn of(entrants: &[Entrant]) -> Self {
        let is_sure = |Entrant { player, .. }: &Entrant| match player {
            PlayerSpec::Process(_) => player.is_reproducible() || !player.limit().0.reads_time(),
            PlayerSpec::Native(_) | PlayerSpec::Random | PlayerSpec::Custom(_) => player.is_reproducible(),
        };
        match entrants {
            _ if !entrants.iter().all(is_sure) || Busy::of(entrants).threads.get() > 1 => Self::Nothing,
            _ if entrants.iter().any(|entrant| entrant.player.process().is_some()) => Self::Games,
            _ => Self::All,
        }
    }

    fn agree(self, one: &PairResult, other: &PairResult) -> bool {
        let games = |result: &PairResult| {
            let games = result.games.iter().map(|game| (game.moves.clone(), game.ending.clone()));
            (result.start.clone(), result.opening.clone(), games.collect::<Vec<_>>())
        };
        match self {
            Self::All => one.agrees_with(other),
            Self::Games | Self::Nothing => games(one) == games(other),
        }
    }
}

/// A pair to play again.
#[derive(Debug)]
pub(crate) struct Check {
    /// The worker that played the pair.
    pub(crate) by: WorkerName,
    /// Distinguishes the request from others with the same number.
    pub(crate) mark: u64,
    /// The requested pair.
    pub(crate) spec: Arc<[u8]>,
    /// The first result.
    pub(crate) result: Box<PairResult>,
    since: Instant,
    /// The worker that played the pair again with another result, and that result.
    other: Option<(WorkerName, Box<PairResult>)>,
    /// Whether the coordinator plays the pair.
    is_here: bool,
}

impl Check {
    pub(crate) fn new(by: WorkerName, mark: u64, spec: Arc<[u8]>, result: Box<PairResult>, now: Instant) -> Self {
        Self { by, mark, spec, result, since: now, other: None, is_here: false }
    }
}

/// The outcome of a check, or its next step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The result is the same.
    Same,
    /// The coordinator must play the pair this many times.
    PlayHere {
        /// The requested pair.
        spec: Arc<[u8]>,
        /// The number of plays.
        times: usize,
    },
    /// These workers must not be trusted.
    Liars(Vec<WorkerName>),
    /// These workers and the coordinator got three different results: the engine may be the cause.
    ThreeWays(Vec<WorkerName>),
    /// The pair has another result each time, which is no evidence against a worker. Nothing is checked from now on.
    Unsteady,
}

/// The pairs that are being checked.
pub(crate) struct Checks {
    sure: Sure,
    sample: Sample,
    /// Workers that had a pair checked: each worker's first pair is checked.
    seen: BTreeSet<WorkerName>,
    open: BTreeMap<PairIndex, Check>,
    /// The longest time that a check has taken.
    usual: Duration,
}

/// Whether no process had to be restarted. When and how a process dies also depends on the machine.
fn is_sound(result: &PairResult) -> bool {
    let faults = result.games.iter().filter_map(|game| game.ending.fault());
    faults.map(|(_, fault)| fault).all(|fault| !fault.needs_restart())
}

impl Checks {
    pub(crate) fn new(sure: Sure, sample: Sample) -> Self {
        Self { sure, sample, seen: BTreeSet::new(), open: BTreeMap::new(), usual: Duration::ZERO }
    }

    /// Whether to check a pair that a worker has played.
    pub(crate) fn wants(&mut self, result: &PairResult, by: &WorkerName) -> bool {
        self.may_check(result) && (self.seen.insert(by.clone()) || self.sample.draws(result.pair))
    }

    /// Whether a pair may be checked: its check is conclusive, and is not in progress.
    pub(crate) fn may_check(&self, result: &PairResult) -> bool {
        self.sure != Sure::Nothing && self.sample.is_any() && !self.has(result.pair) && is_sound(result)
    }

    /// Whether a pair is being checked.
    pub(crate) fn has(&self, pair: PairIndex) -> bool {
        self.open.contains_key(&pair)
    }

    /// Returns the requested spec of a pair that is being checked.
    pub(crate) fn asked(&self, pair: PairIndex, mark: u64) -> Option<&Arc<[u8]>> {
        self.open.get(&pair).filter(|check| check.mark == mark).map(|check| &check.spec)
    }

    /// Returns the spec of a pair that the coordinator must play instead of a worker; `None` if it plays it already.
    pub(crate) fn take(&mut self, pair: PairIndex) -> Option<Arc<[u8]>> {
        let check = self.open.get_mut(&pair).filter(|check| !check.is_here)?;
        check.is_here = true;
        Some(Arc::clone(&check.spec))
    }

    pub(crate) fn begin(&mut self, pair: PairIndex, check: Check) {
        self.open.insert(pair, check);
    }

    /// Returns the number of open checks.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Processes the result of a check; `None` if nothing follows.
    pub(crate) fn second(
        &mut self,
        pair: PairIndex,
        mark: u64,
        by: &WorkerName,
        result: Box<PairResult>,
        now: Instant,
    ) -> Option<Finding> {
        let check = self.open.get_mut(&pair)?;
        if check.mark != mark || check.by == *by || check.is_here {
            return None;
        }
        self.usual = self.usual.max(now.saturating_duration_since(check.since));
        if self.sure.agree(&check.result, &result) {
            self.open.remove(&pair);
            return Some(Finding::Same);
        }
        // A process that died during the check is no evidence against a worker.
        check.other = is_sound(&result).then(|| (by.clone(), result));
        check.is_here = true;
        Some(Finding::PlayHere { spec: Arc::clone(&check.spec), times: 2 })
    }

    /// Returns the pairs that lack a second worker: the coordinator must play them.
    pub(crate) fn alone(
        &mut self,
        now: Instant,
        has_others: impl Fn(&WorkerName) -> bool,
    ) -> Vec<(PairIndex, Arc<[u8]>)> {
        let late = LATE.max(self.usual.saturating_mul(3)).min(LATEST);
        let alone = self.open.iter_mut().filter(|(_, check)| {
            let waited = now.saturating_duration_since(check.since);
            !check.is_here && (waited >= late || waited >= ALONE && !has_others(&check.by))
        });
        alone
            .map(|(pair, check)| {
                check.is_here = true;
                (*pair, Arc::clone(&check.spec))
            })
            .collect()
    }

    /// Restarts the time of open checks after a period in which no worker could answer.
    pub(crate) fn excuse(&mut self, now: Instant) {
        self.open.values_mut().for_each(|check| check.since = now);
    }

    /// Processes the coordinator's plays of a pair, one or two; an engine process that has played before may differ
    /// from a new one.
    pub(crate) fn here(&mut self, pair: PairIndex, mark: u64, plays: &[PairResult]) -> Option<Finding> {
        let check = self.open.get(&pair).filter(|check| check.is_here && check.mark == mark)?;
        let sure = self.sure;
        if !plays.iter().all(is_sound) {
            self.open.remove(&pair);
            return None;
        }
        let truth = plays.first()?;
        if plays.iter().any(|play| !sure.agree(play, truth)) {
            return Some(self.unsteady());
        }
        let first = (&check.by, &check.result);
        let others = check.other.as_ref().map(|(by, result)| (by, result));
        let results: Vec<_> = std::iter::once(first).chain(others).collect();
        let liars: Vec<WorkerName> =
            results.iter().filter(|(_, result)| !sure.agree(truth, result)).map(|(by, _)| (*by).clone()).collect();
        match (liars.len(), results.len()) {
            (0, _) => {
                self.open.remove(&pair);
                Some(Finding::Same)
            }
            (1, 1) if plays.len() < 2 => Some(Finding::PlayHere { spec: Arc::clone(&check.spec), times: 2 }),
            // The cause may be the engine, which should be deterministic but may not be.
            (2, _) if sure == Sure::Games && !sure.agree(results[0].1, results[1].1) => {
                self.open.remove(&pair);
                Some(Finding::ThreeWays(liars))
            }
            _ => {
                self.open.remove(&pair);
                Some(Finding::Liars(liars))
            }
        }
    }

    fn unsteady(&mut self) -> Finding {
        self.sure = Sure::Nothing;
        self.open.clear();
        Finding::Unsteady
    }

    /// Cancels the checks of pairs from this number on.
    pub(crate) fn revoke_from(&mut self, pair: PairIndex) {
        let _revoked = self.open.split_off(&pair);
    }

    /// Drops a check that cannot be completed.
    pub(crate) fn give_up(&mut self, pair: PairIndex) {
        self.open.remove(&pair);
    }

    /// Cancels the checks of a worker whose results no longer count. Returns the pairs.
    pub(crate) fn forget(&mut self, worker: &WorkerName) -> Vec<PairIndex> {
        let theirs = self.open.extract_if(.., |_, check| check.by == *worker && !check.is_here);
        theirs.map(|(pair, _)| pair).collect()
    }
}

#[cfg(test)]
pub(super) mod tests;
