//! The driver: has an experiment propose pairs, an executor play them, the journal keep them, the experiment absorb
//! them.
//!
//! One thread runs it, and that thread alone owns the experiment, the journal and the decision to stop. The
//! interleaving of proposing and absorbing is fixed: pair `i` is proposed after exactly `required_absorbed(i)` pairs
//! have been absorbed. So what is played and decided depends neither on which game finishes first, nor on the number of
//! workers, nor on a crash in between.

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

/// Results wait at most this long to be committed: what a crash may cost.
const COMMIT_EVERY: Duration = Duration::from_millis(80);

/// How long the driver sleeps at most before it looks at the stop flag again.
const TICK: Duration = Duration::from_millis(20);

/// The same pair may be lost so often before the run is given up.
const MOST_LOSSES: u32 = 3;

/// An entrant whose process must be restarted in more consecutive games than this is broken, and stops the run.
const MOST_RESTARTS: u64 = 100;

/// What the driver reports while it works.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Where the experiment stands.
    pub standing: Standing,
    /// Pairs absorbed in this session a second; `None` before there is any.
    pub pairs_per_second: Option<f64>,
    /// How long this session has been playing.
    pub elapsed: Duration,
    /// Faults seen in this session, and the latest.
    pub faults: u64,
    /// Who made the latest fault, and what it was.
    pub last_fault: Option<(String, Fault)>,
    /// Pairs that were void in this session because the host starved them.
    pub voided: u64,
    /// How many pairs can be played at a time.
    pub workers: usize,
    /// How many are: fewer while the host starves players again and again.
    pub at_a_time: usize,
    /// Whether no further pair is begun until it is asked to continue.
    pub paused: bool,
}

/// What the driver tells while it works, in the order in which it happens.
#[derive(Debug)]
pub enum News<'a> {
    /// These pairs are in the journal now, by rising number.
    Committed(&'a [(PairIndex, Outcome)]),
    /// A player made a fault in a game that was committed.
    Fault {
        /// The pair.
        pair: PairIndex,
        /// Its game, 0 or 1.
        game: usize,
        /// Who made it.
        entrant: &'a str,
        /// What it was.
        fault: &'a Fault,
    },
    /// The pair is void since the host starved a player, and will be played again.
    Voided(PairIndex),
    /// There is a message about the machines that it is played on.
    Notice(&'a Notice),
    /// The standing of the run: after every commit, and at intervals while nothing happens.
    Standing(&'a Snapshot),
}

/// Absorbs a journal's pairs into `experiment` without playing any, and returns how far that went.
///
/// # Errors
/// [`RunError`] if the journal cannot be read or was not made by this experiment.
pub fn replay(experiment: &mut dyn Experiment, journal: &JournalReader) -> Result<Replayed, RunError> {
    replay_as(experiment, &journal.header()?.config, journal)
}

/// [`replay`] as another configuration would have it: of the same run, but with other limits.
///
/// # Errors
/// [`RunError`] as [`replay`].
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
/// The journal's pairs are absorbed first; missing ones are played. `observe` gets all [`News`] and must be quick. If
/// pairs that were absorbed are [withdrawn](Driven::Withdrawn), drive a new experiment over the same journal.
///
/// # Errors
/// [`RunError`]: the harness's own failures. What was committed stays committed.
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

/// What the executor had to say.
enum Received {
    /// Nothing, for a while.
    Nothing,
    /// Something, which is taken in.
    News,
    /// That pairs do not count.
    Withdrawn(Withdrawn),
}

/// The result of a pair, and the worker of another machine that it is from, if it is.
type Arrived = (PairResult, Option<Arc<str>>);

/// One process's work on a run.
struct Drive<'a, 'e> {
    maker: Maker,
    order: Order<&'e mut dyn Experiment>,
    journal: &'a mut Journal,
    executor: &'a mut dyn Executor,
    reproducible: bool,
    pace: Pace,
    /// Begin no further pair; `None` before the first result of this drive.
    paused: Option<bool>,
    /// The run has come to its end, and what it rests on is being checked.
    is_awaiting: bool,
    /// Given out and not yet answered.
    outstanding: BTreeSet<PairIndex>,
    losses: BTreeMap<PairIndex, u32>,
    /// Played, to be committed.
    batch: BTreeMap<PairIndex, Arrived>,
    oldest: Option<Instant>,
    started: Instant,
    absorbed_before: u64,
    faults: u64,
    last_fault: Option<(String, Fault)>,
    /// Consecutive games that each entrant lost because its process had to be restarted.
    broken: BTreeMap<u32, u64>,
    /// Pairs to be played again because the host starved them.
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

    /// Has pairs of the journal played once more whose checks an earlier coordinator has not brought to their end.
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
                // What was played before the trouble counts.
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

    /// The end stands if what it rests on does: no further pair is played, but for those that show it.
    fn await_checks(&mut self, observe: &mut dyn FnMut(News<'_>)) -> Result<Received, RunError> {
        if !self.is_awaiting {
            self.is_awaiting = true;
            self.executor.revoke_from(self.order.absorbed);
            observe(News::Standing(&self.snapshot()));
        }
        self.receive(observe)
    }

    /// Withdraws the unchecked pairs of a worker, if there are any.
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
        let text = format!("{pairs} pairs that worker {worker} played are withdrawn, and played again");
        observe(News::Notice(&Notice { text, is_serious: true }));
        self.executor.start_over();
        Ok(Some(Withdrawn { worker, pairs }))
    }

    /// Sets the executor's number of concurrent pairs as requested.
    fn obey(&mut self, control: &Control) {
        let paused = control.is_paused();
        if self.executor.paces_itself() {
            // It may have been paused while another drive played on it.
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

    /// How many pairs may be given out now.
    fn most(&self) -> usize {
        match self.executor.capacity() {
            _ if self.is_paused() => 0,
            capacity if self.executor.paces_itself() => capacity,
            capacity => self.pace.most(capacity, self.executor.workers()),
        }
    }

    /// How many pairs are played at a time, and how many it is unless the host starves players.
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

    /// Waits for news, then takes in all that there is; whether there was any.
    fn receive(&mut self, observe: &mut dyn FnMut(News<'_>)) -> Result<Received, RunError> {
        let mut deadline = Instant::now() + TICK;
        let mut received = Received::Nothing;
        while let Some(event) = self.executor.next_event(deadline) {
            received = Received::News;
            // A second answer takes no place: the first one freed it.
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
        // One that was to be played again, or that a session before this one has had played, need not be.
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

    /// What one machine alone cannot play others can: it is given no more, and the pair is played again.
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

    /// Between two entrants one that does not start leaves nothing to be learned: the run stops, and the pair is not
    /// counted. Among more, it forfeits its games.
    fn refuse_unready(&mut self, result: &PairResult) -> Result<(), RunError> {
        let Some(proposal) = self.order.proposed.get(&result.pair) else { return Ok(()) };
        for (game, side_of_first) in result.seated_games() {
            let seats = [side_of_first, !side_of_first].into_iter().zip(&proposal.seats);
            for (side, seat) in seats {
                let broken = self.broken.entry(seat.entrant).or_default();
                match game.ending.fault() {
                    Some((loser, fault)) if loser == side && fault.needs_restart() => *broken += 1,
                    _ => *broken = 0,
                }
                let entrants = &self.maker.entrants;
                let name = || entrants[seat.entrant as usize].name.clone();
                match game.ending.fault() {
                    Some((loser, Fault::Startup(why))) if loser == side && entrants.len() <= 2 => {
                        return Err(RunError::NotReady { entrant: name(), why: why.clone() });
                    }
                    Some((_, fault)) if *broken > MOST_RESTARTS => {
                        return Err(RunError::Broken { entrant: name(), games: *broken, last: fault.to_string() });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether the pair is to be played again because the host starved it. The attempt is kept.
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

    /// Now, if the oldest result has waited long enough or if the executor is idle because results are not absorbed
    /// yet.
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
            // What is to be checked of the others is being checked already.
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
