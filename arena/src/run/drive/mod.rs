//! The driver: the experiment proposes pairs, the executor plays them, the journal stores them, and the experiment
//! absorbs them.
//!
//! A single thread runs the driver and owns the experiment, the journal and the decision to stop. The interleaving of
//! proposing and absorbing is fixed: pair `i` is proposed after exactly `required_absorbed(i)` pairs have been
//! absorbed. So what is played and decided depends neither on which game finishes first, nor on the number of workers,
//! nor on a crash in between.

mod control;
pub(super) mod error;
mod finish;
mod maker;
mod order;
mod pace;
mod replay;

pub use error::RunError;
pub use finish::{Driven, Finish, Replayed, Withdrawn};

use super::by_host::ByHost;
use super::executor::{Event, Executor, Notice};
use super::experiment::{Experiment, Standing};
use super::journal::{Journal, JournalReader, Played};
use crate::config::RunConfig;
pub use control::Control;
pub(super) use maker::Maker;
use order::{Finished, MOST_WAITING, Order, restore};
pub use pace::Pace;
use play::Fault;
use play::openings::Openings;
use record::{MOST_REPLAYS, OnStarvation, PairIndex, PairResult, Proposal};
pub use replay::{Check, Replay};
use stats::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest time that a result waits to be committed, i.e. what a crash may cost.
const COMMIT_EVERY: Duration = Duration::from_millis(80);

/// The longest time that the driver sleeps before it checks the stop flag again.
const TICK: Duration = Duration::from_millis(20);

/// The number of losses of the same pair after which the run is given up.
const MOST_LOSSES: u32 = 3;

/// An entrant whose process must be restarted in more consecutive games than this is broken and stops the run, unless
/// any share of faults is allowed.
const MOST_RESTARTS: u64 = 100;

/// The driver's progress report.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The standing of the experiment.
    pub standing: Standing,
    /// Pairs per second absorbed in this session; `None` before the first.
    pub pairs_per_second: Option<f64>,
    /// How long this session has been playing.
    pub elapsed: Duration,
    /// The number of faults seen in this session.
    pub faults: u64,
    /// The entrant of the latest fault, and the fault.
    pub last_fault: Option<(String, Fault)>,
    /// The number of pairs that were void in this session because the host starved them.
    pub voided: u64,
    /// How many pairs can be played at a time.
    pub workers: usize,
    /// How many pairs are played at a time: fewer than `workers` while the host repeatedly starves players.
    pub at_a_time: usize,
    /// Whether the drive is paused, so that no further pair begins.
    pub paused: bool,
}

/// A report from the driver, in the order in which things happen.
#[derive(Debug)]
pub enum News<'a> {
    /// These pairs, in rising order, are in the journal now.
    Committed(&'a [(PairIndex, Outcome)]),
    /// A player made a fault in a committed game.
    Fault {
        /// The pair.
        pair: PairIndex,
        /// The game in the pair, 0 or 1.
        game: usize,
        /// The entrant that made the fault.
        entrant: &'a str,
        /// The fault.
        fault: &'a Fault,
    },
    /// The pair is void because the host starved a player, and will be played again.
    Voided(PairIndex),
    /// A notice about the machines of the run.
    Notice(&'a Notice),
    /// The standing of the run: after every commit, and regularly while nothing happens.
    Standing(&'a Snapshot),
}

/// Absorbs a journal's pairs into `experiment` without playing any, and returns how far it got.
///
/// # Errors
/// [`RunError`] if the journal cannot be read or was not made by this experiment.
pub fn replay(experiment: &mut dyn Experiment, journal: &JournalReader) -> Result<Replayed, RunError> {
    replay_as(experiment, &journal.header()?.config, journal)
}

/// Like [`replay`], but with another configuration of the same run, whose limits may differ.
///
/// # Errors
/// [`RunError`] as for [`replay`].
pub fn replay_as(
    experiment: &mut dyn Experiment,
    config: &RunConfig,
    journal: &JournalReader,
) -> Result<Replayed, RunError> {
    let mut order = Order::new(experiment, config, journal.withdrawals()? > 0)?;
    restore(&mut order, journal)?;
    Ok(Replayed { pairs: order.absorbed, finish: order.finish().unwrap_or(Finish::Stopped) })
}

/// Runs an experiment to its verdict, until `control` stops it, or until an entrant has lost too many games by faults.
/// `openings` are those that the configuration names.
///
/// The journal's pairs are absorbed first; missing pairs are played. `observe` receives all [`News`] and must be quick.
/// If absorbed pairs are [withdrawn](Driven::Withdrawn), drive a new experiment over the same journal.
///
/// # Errors
/// [`RunError`] for failures of the harness itself. Committed pairs stay committed.
pub fn drive(
    config: &RunConfig,
    openings: &Openings,
    experiment: &mut dyn Experiment,
    journal: &mut Journal,
    executor: &mut dyn Executor,
    control: &Control,
    observe: &mut dyn FnMut(News<'_>),
) -> Result<Driven, RunError> {
    let mut order = Order::new(experiment, config, journal.withdrawals()? > 0)?;
    restore(&mut order, journal)?;
    journal.withdraw_pairs(&std::mem::take(&mut order.astray))?;
    let reproducible = config.entrants.iter().all(|entrant| entrant.player.is_reproducible());
    let maker = Maker::new(config, &journal.header()?.builds, openings);
    let measured = config.entrants.iter().any(|entrant| entrant.player.is_timed_by_the_wall());
    let pace = Pace::new(executor.workers(), measured);
    let session = Drive::new(maker, order, journal, executor, reproducible, pace);
    session.run(control, observe)
}

/// What the driver received from the executor.
enum Received {
    /// Nothing for a while.
    Nothing,
    /// Events, which have been handled.
    News,
    /// Pairs no longer count.
    Withdrawn(Withdrawn),
}

/// A pair's result, and the worker that played it if that worker is on another machine.
type Arrived = (PairResult, Option<Arc<str>>);

/// One process's work on a run.
struct Drive<'a, 'e> {
    maker: Maker,
    order: Order<&'e mut dyn Experiment>,
    journal: &'a mut Journal,
    executor: &'a mut dyn Executor,
    reproducible: bool,
    pace: Pace,
    /// Whether no further pair begins; `None` before it was first set.
    paused: Option<bool>,
    /// Whether the run has come to its end, and the pairs that it rests on are being checked.
    is_awaiting: bool,
    /// Pairs submitted and not yet answered.
    outstanding: BTreeSet<PairIndex>,
    losses: BTreeMap<PairIndex, u32>,
    /// Pairs played and not yet committed.
    batch: BTreeMap<PairIndex, Arrived>,
    oldest: Option<Instant>,
    started: Instant,
    absorbed_before: u64,
    faults: u64,
    last_fault: Option<(String, Fault)>,
    /// The number of consecutive games that each entrant lost because its process had to be restarted.
    broken: BTreeMap<u32, u64>,
    /// The number of pairs to be played again because the host starved them.
    voided: u64,
}

impl<'a, 'e> Drive<'a, 'e> {
    fn new(
        maker: Maker,
        order: Order<&'e mut dyn Experiment>,
        journal: &'a mut Journal,
        executor: &'a mut dyn Executor,
        reproducible: bool,
        pace: Pace,
    ) -> Self {
        Self {
            maker,
            absorbed_before: order.absorbed,
            order,
            journal,
            executor,
            reproducible,
            pace,
            paused: None,
            is_awaiting: false,
            outstanding: BTreeSet::new(),
            losses: BTreeMap::new(),
            batch: BTreeMap::new(),
            oldest: None,
            started: Instant::now(),
            faults: 0,
            last_fault: None,
            broken: BTreeMap::new(),
            voided: 0,
        }
    }

    /// Restarts the checks of journal pairs that an earlier coordinator has not finished.
    fn check_again(&mut self) -> Result<(), RunError> {
        for pair in self.executor.begin(self.journal)? {
            let (Some(stored), Some(by)) = (self.journal.result(pair)?, self.journal.worker(pair)?) else { continue };
            let spec = self.maker.spec(pair, &stored.proposal, self.order.experiment.varied())?;
            self.executor.check(spec, stored.result, &by.into());
        }
        Ok(())
    }

    fn run(mut self, control: &Control, observe: &mut dyn FnMut(News<'_>)) -> Result<Driven, RunError> {
        self.check_again()?;
        loop {
            if let Some(finish) = self.order.finish() {
                if !self.executor.is_checking() {
                    self.journal.keep_news()?;
                    self.executor.revoke_from(0);
                    observe(News::Standing(&self.snapshot()));
                    return Ok(Driven::Finished(finish));
                }
                if !control.is_stopped() {
                    self.obey(control);
                    if let Received::Withdrawn(pairs) = self.await_checks(observe)? {
                        return Ok(Driven::Withdrawn(pairs));
                    }
                    continue;
                }
            }
            if control.is_stopped() {
                self.executor.revoke_from(0);
                self.commit(observe)?;
                observe(News::Standing(&self.snapshot()));
                return Ok(Driven::Finished(Finish::Stopped));
            }
            self.obey(control);
            self.give_out()?;
            let received = self.receive(observe).or_else(|trouble| {
                // Pairs played before the error count.
                let committed = self.commit(observe);
                self.executor.revoke_from(0);
                committed.and(Err(trouble))
            })?;
            let has_news = match received {
                Received::Withdrawn(pairs) => return Ok(Driven::Withdrawn(pairs)),
                Received::News => true,
                Received::Nothing => false,
            };
            if self.commit_is_due() {
                self.commit(observe)?;
                observe(News::Standing(&self.snapshot()));
            } else if !has_news {
                observe(News::Standing(&self.snapshot()));
            }
        }
    }

    /// Waits for the checks of the pairs that the run's end rests on. Only pairs needed for checks are played.
    fn await_checks(&mut self, observe: &mut dyn FnMut(News<'_>)) -> Result<Received, RunError> {
        if !self.is_awaiting {
            self.is_awaiting = true;
            self.executor.revoke_from(self.order.absorbed);
            observe(News::Standing(&self.snapshot()));
        }
        self.receive(observe)
    }

    /// Withdraws a worker's unchecked pairs, and those of other distrusted workers that it alone has checked, if any.
    fn withdraw(
        &mut self,
        worker: Arc<str>,
        why: &str,
        observe: &mut dyn FnMut(News<'_>),
    ) -> Result<Option<Withdrawn>, RunError> {
        let Self { batch, journal, .. } = self;
        let theirs =
            batch.extract_if(.., |pair, (_, by)| by.as_ref() == Some(&worker) && !journal.is_to_be_checked(*pair));
        let theirs: Vec<PairIndex> = theirs.map(|(pair, _)| pair).collect();
        self.order.waiting.extend(&theirs);
        self.executor.settled(&theirs);
        self.commit(observe)?;
        let pairs = self.journal.withdraw(&worker, why)?;
        if pairs == 0 {
            return Ok(None);
        }
        let text = format!("{pairs} pairs that worker {worker} played or checked are withdrawn, and played again");
        observe(News::Notice(&Notice { text, is_serious: true }));
        self.executor.start_over();
        Ok(Some(Withdrawn { worker, pairs }))
    }

    /// Sets the executor's number of concurrent pairs as requested.
    fn obey(&mut self, control: &Control) {
        let paused = control.is_paused();
        if self.executor.paces_itself() {
            // The executor may have been paused while another drive used it.
            if self.paused != Some(paused) {
                self.executor.set_workers(if paused { 0 } else { usize::MAX });
            }
            self.paused = Some(paused);
            return;
        }
        let workers = control.workers().map_or(self.pace.workers(), NonZeroUsize::get);
        if (paused, workers) == (self.is_paused(), self.pace.workers()) {
            return;
        }
        if workers != self.pace.workers() {
            self.pace.set_workers(workers, self.outstanding.len());
        }
        self.paused = Some(paused);
        self.executor.set_workers(if paused { 0 } else { workers });
    }

    fn is_paused(&self) -> bool {
        self.paused == Some(true)
    }

    /// Returns how many pairs may be outstanding now.
    fn most(&self) -> usize {
        match self.executor.capacity() {
            _ if self.is_paused() => 0,
            capacity if self.executor.paces_itself() => capacity,
            capacity => self.pace.most(capacity, self.executor.workers()),
        }
    }

    /// Returns how many pairs are played at a time, and how many would be if the host starved no players.
    fn at_a_time(&self) -> (usize, usize) {
        if self.executor.paces_itself() {
            (self.executor.workers(), self.executor.workers())
        } else {
            (self.pace.at_a_time(), self.pace.workers())
        }
    }

    fn give_out(&mut self) -> Result<(), RunError> {
        if self.order.waiting.len() < MOST_WAITING / 2 {
            self.order.propose()?;
        }
        while self.outstanding.len() < self.most() {
            if self.order.waiting.is_empty() {
                self.order.propose()?;
            }
            let Some(pair) = self.order.waiting.pop_first() else { break };
            let Some(proposal) = self.order.proposed.get(&pair) else { continue };
            self.executor.submit(self.maker.spec(pair, proposal, self.order.experiment.varied())?);
            self.outstanding.insert(pair);
        }
        Ok(())
    }

    /// Waits for an event, then handles all events available.
    fn receive(&mut self, observe: &mut dyn FnMut(News<'_>)) -> Result<Received, RunError> {
        let mut deadline = Instant::now() + TICK;
        let mut received = Received::Nothing;
        while let Some(event) = self.executor.next_event(deadline) {
            received = Received::News;
            // A second answer frees no place: the first one freed it.
            match event {
                Event::Done { result, by } => {
                    self.outstanding.remove(&result.pair);
                    self.take((*result, by), observe)?;
                }
                Event::Lost { pair, why } => {
                    self.outstanding.remove(&pair);
                    self.lose(pair, why)?;
                }
                Event::Checked { pair, by } => self.journal.checked(pair, by),
                Event::Withdraw { worker, why } => {
                    if let Some(withdrawn) = self.withdraw(worker, &why, observe)? {
                        return Ok(Received::Withdrawn(withdrawn));
                    }
                }
                Event::TakeBack { worker } => self.journal.take_back(&worker)?,
                Event::Scaled { worker, scale } => self.journal.keep_worker_scale(&worker, scale),
                Event::Notice(notice) => observe(News::Notice(&notice)),
                Event::Failed { pair, why } => return Err(RunError::Lost { pair, why }),
            }
            if self.commit_is_due() || self.outstanding.len() * 2 < self.most() && !self.order.waiting.is_empty() {
                break;
            }
            deadline = Instant::now();
        }
        Ok(received)
    }

    fn take(&mut self, arrived: Arrived, observe: &mut dyn FnMut(News<'_>)) -> Result<(), RunError> {
        let (result, by) = arrived;
        let pair = result.pair;
        if let Some((first, _)) = self.batch.get(&pair) {
            return self.compare(first, &result);
        }
        if !self.order.wants(pair) {
            self.executor.settled(&[pair]);
            let first = self.journal.result(pair)?;
            return first.map_or(Ok(()), |first| self.compare(&first.result, &result));
        }
        // A pair that waits to be replayed, or that an earlier session submitted, need not be played again.
        self.order.waiting.remove(&pair);
        let asked = self.order.proposed.get(&pair).map(|proposal| proposal.sides);
        if asked.is_some_and(|sides| sides != result.sides || sides.games() != result.games.len()) {
            self.executor.settled(&[pair]);
            return self.lose(pair, "its result has other games than it was to have".to_owned());
        }
        if let Err(error) = self.refuse_unready(&result) {
            return self.unready(pair, by.as_deref(), error);
        }
        let starved = self.maker.starvation.games(&result) > 0;
        self.pace.note(starved, self.outstanding.len());
        if self.is_void(&result)? {
            observe(News::Voided(pair));
            self.executor.settled(&[pair]);
            self.order.waiting.insert(pair);
            return Ok(());
        }
        let _oldest = self.oldest.get_or_insert_with(Instant::now);
        self.batch.insert(pair, (result, by));
        Ok(())
    }

    /// Handles a pair whose worker could not start an entrant. If the worker is on another machine, it gets no more
    /// pairs, and the pair is played again elsewhere.
    fn unready(&mut self, pair: PairIndex, by: Option<&str>, error: RunError) -> Result<(), RunError> {
        self.executor.settled(&[pair]);
        match by {
            Some(worker) if self.executor.set_aside(worker, &error.to_string()) => {
                self.broken.clear();
                self.order.waiting.insert(pair);
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// With only two entrants, a player that does not start makes the run pointless: the run stops, and the pair does
    /// not count. With more entrants, the player forfeits its games.
    fn refuse_unready(&mut self, result: &PairResult) -> Result<(), RunError> {
        let Some(proposal) = self.order.proposed.get(&result.pair) else { return Ok(()) };
        let entrants = &self.maker.entrants;
        for (game, side_of_first) in result.seated_games() {
            let fault = game.ending.fault().filter(|(_, fault)| fault.needs_restart());
            let seat_of = |side| &proposal.seats[usize::from(side != side_of_first)];
            let broken = fault.map(|(loser, fault)| (seat_of(loser).entrant, fault));
            // Both seats may be of the same entrant.
            for seat in &proposal.seats {
                if broken.is_none_or(|(entrant, _)| entrant != seat.entrant) {
                    self.broken.remove(&seat.entrant);
                }
            }
            let Some((entrant, fault)) = broken else { continue };
            let games = self.broken.entry(entrant).or_default();
            *games += 1;
            let name = || entrants[entrant as usize].name.clone();
            match fault {
                Fault::Startup(why) if entrants.len() <= 2 => {
                    return Err(RunError::NotReady { entrant: name(), why: why.clone() });
                }
                _ if *games > MOST_RESTARTS && self.order.faults.is_limited() => {
                    return Err(RunError::Broken { entrant: name(), games: *games, last: fault.to_string() });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the pair must be played again because the host starved it. The attempt is stored.
    fn is_void(&mut self, result: &PairResult) -> Result<bool, RunError> {
        let replays = self.maker.starvation.action == OnStarvation::Replay;
        if !replays || self.maker.starvation.games(result) == 0 {
            return Ok(false);
        }
        if self.journal.attempts(result.pair)? >= MOST_REPLAYS {
            return Ok(false);
        }
        let _attempts = self.journal.void(result)?;
        self.voided += 1;
        Ok(true)
    }

    fn compare(&self, first: &PairResult, second: &PairResult) -> Result<(), RunError> {
        if self.reproducible && !first.agrees_with(second) {
            return Err(RunError::NotReproducible { pair: first.pair });
        }
        Ok(())
    }

    fn tell_faults(&mut self, result: &PairResult, proposal: &Proposal, observe: &mut dyn FnMut(News<'_>)) {
        for (number, (game, side_of_first)) in result.seated_games().enumerate() {
            if let Some((side, fault)) = game.ending.fault() {
                let seat = usize::from(side != side_of_first);
                let entrant = &self.maker.entrants[proposal.seats[seat].entrant as usize].name;
                self.faults += 1;
                self.last_fault = Some((entrant.clone(), fault.clone()));
                observe(News::Fault { pair: result.pair, game: number, entrant, fault });
            }
        }
    }

    fn lose(&mut self, pair: PairIndex, why: String) -> Result<(), RunError> {
        if !self.order.wants(pair) || self.batch.contains_key(&pair) {
            return Ok(());
        }
        let losses = self.losses.entry(pair).or_default();
        *losses += 1;
        if *losses >= MOST_LOSSES {
            return Err(RunError::Lost { pair, why });
        }
        self.order.waiting.insert(pair);
        Ok(())
    }

    /// Whether to commit now: the oldest result has waited long enough, or the executor is idle because results have
    /// not been absorbed yet.
    fn commit_is_due(&self) -> bool {
        let starving = self.outstanding.len() < self.at_a_time().0 && self.order.waiting.is_empty();
        self.oldest.is_some_and(|oldest| starving || oldest.elapsed() >= COMMIT_EVERY)
    }

    fn commit(&mut self, observe: &mut dyn FnMut(News<'_>)) -> Result<(), RunError> {
        let batch = std::mem::take(&mut self.batch);
        self.oldest = None;
        let played = |(result, by): Arrived| {
            let proposal = self.order.proposed.get(&result.pair)?.clone();
            let by_host = ByHost::of(&self.maker.starvation, &self.maker.entrants, &proposal, &result);
            Some(Played { proposal, result, by_host, by })
        };
        let played: Vec<Played> = batch.into_values().filter_map(played).collect();
        if played.is_empty() {
            return Ok(self.journal.keep_news()?);
        }
        self.journal.commit(&played)?;
        let outcomes: Vec<_> = played.iter().map(|played| (played.result.pair, played.result.outcome())).collect();
        let finished = played.iter().map(|played| {
            let (outcome, own_faults) = (played.result.outcome(), played.own_faults());
            (played.result.pair, Finished { outcome, own_faults })
        });
        self.executor.settled(&outcomes.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
        if !outcomes.is_empty() {
            observe(News::Committed(&outcomes));
        }
        for Played { result, proposal, .. } in &played {
            self.tell_faults(result, proposal, observe);
        }
        self.order.finished.extend(finished);
        self.order.absorb()?;
        if !self.order.astray.is_empty() {
            self.journal.withdraw_pairs(&std::mem::take(&mut self.order.astray))?;
            // Checks of the remaining pairs are running already.
            let _known = self.executor.begin(self.journal)?;
        }
        Ok(())
    }

    fn snapshot(&self) -> Snapshot {
        let elapsed = self.started.elapsed();
        let absorbed = self.order.absorbed - self.absorbed_before;
        let (at_a_time, workers) = self.at_a_time();
        Snapshot {
            standing: self.order.experiment.standing(),
            pairs_per_second: (absorbed > 0).then(|| absorbed as f64 / elapsed.as_secs_f64()),
            elapsed,
            faults: self.faults,
            last_fault: self.last_fault.clone(),
            voided: self.voided,
            workers,
            at_a_time,
            paused: self.is_paused(),
        }
    }
}
