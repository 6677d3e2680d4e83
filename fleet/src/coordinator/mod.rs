//! The coordinator's side: an executor whose pairs are played by workers on other machines.
//!
//! It decides nothing about the run: the run's decisions and the journal stay with the session. The coordinator assigns
//! pairs to workers ([`roster`]), sends them ([`task`]), and keeps results on the server until they are in the journal
//! ([`results`]). It also decides whether to trust workers: it has pairs played again ([`checks`], [`arbiter`]), and
//! finds machines whose pairs differ from the others' ([`watch`]).

mod arbiter;
mod artifacts;
mod checks;
mod results;
mod roster;
mod sample;
mod task;
mod watch;

use crate::access::Access;
use crate::content;
use crate::error::FleetError;
use crate::link::Link;
use crate::runtime;
use arena::run::{
    Event, Executables, Executor, Journal, JournalError, JournalReader, PairIndex, PairResult, PairSpec, Processes,
};
use artifacts::Artifacts;
use checks::Sure;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded, unbounded};
use play::child::{Launcher, Spawner};
use sample::Sample;
use session::{Busy, Call, Executors, SessionError};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use task::{Order, Task};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use watch::Watch;

/// How long to wait for the end of a run's task.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum number of a journal's pairs that are checked again.
const MOST_AGAIN: usize = 10_000;

/// The number of pairs that may be requested before any worker is known.
const FIRST: usize = 64;

/// How to play a session's runs on other machines.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server's address and the credentials.
    pub access: Access,
    /// Each run's share of the machines, relative to the shares of other runs.
    pub weight: u32,
    /// The share of reproducible pairs, 0 to 1, that a second worker plays, too, to verify their results.
    pub checked: f64,
    /// Whether to send workers the programs that were built from git, instead of their sources.
    pub send_programs: bool,
    /// Starts engine processes, when a new run is rehearsed on this machine, or when this machine plays a pair to
    /// decide which worker is right.
    pub launcher: Option<Launcher>,
}

/// An executor that has workers on other machines play the runs of a session.
pub struct Fleet {
    settings: Settings,
    runtime: Option<Runtime>,
    prepared: Option<Ready>,
    playing: Option<Playing>,
}

/// A run that is about to start.
struct Ready {
    link: Link,
    programs: Arc<Executables>,
    artifacts: Artifacts,
    name: String,
    /// The number of cores that a game takes.
    threads: NonZeroUsize,
    sure: Sure,
}

/// A run that is about to start, with the data of its journal.
struct Prepared {
    ready: Ready,
    /// The token that identifies the run.
    token: String,
    settings: Settings,
    watch: Watch,
    /// The workers that are not trusted in this run, and why.
    disbelieved: BTreeMap<String, String>,
    sample: Sample,
}

impl Fleet {
    /// Does nothing before the first run.
    pub fn new(settings: Settings) -> Self {
        Self { settings, runtime: None, prepared: None, playing: None }
    }

    fn runtime(&mut self) -> Result<&Runtime, FleetError> {
        if self.runtime.is_none() {
            self.runtime = Some(runtime::on_its_own_thread()?);
        }
        self.runtime.as_ref().ok_or_else(|| FleetError::Missing("there is no runtime".to_owned()))
    }
}

/// Adds a journal's data to a run.
fn known(journal: &mut Journal, ready: Ready, settings: Settings) -> Result<Prepared, JournalError> {
    let (token, watch, disbelieved) = (journal.token()?, Watch::of(journal)?, journal.set_aside()?);
    let sample = Sample::new(journal.salt()?, settings.checked);
    Ok(Prepared { ready, token, settings, watch, disbelieved, sample })
}

/// Connects, ensures that the stream of results exists, and uploads programs, sources and weights.
async fn connect(access: &Access, artifacts: &Artifacts) -> Result<Link, FleetError> {
    let mut link = Link::connect(access, &access.name("coordinator")).await?;
    link.needs_jetstream().await?;
    let jetstream = link.jetstream.clone();
    link.allowed("keep results", jetstream.get_or_create_stream(results::stream())).await?;
    let _put = content::publish(&mut link, artifacts.files.iter()).await?;
    Ok(link)
}

impl Executors for Fleet {
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError> {
        let entrants = &call.run.run.entrants;
        if entrants.iter().any(|entrant| entrant.player.process().is_some()) {
            let spawner = Spawner::start(self.settings.launcher.clone());
            let spawner = spawner.map_err(|cause| FleetError::io("cannot watch over engine processes", cause))?;
            call.rehearse(Some(&Processes::new(spawner, Arc::clone(call.programs) as _)))?;
        } else {
            call.rehearse(None)?;
        }
        let (access, programs) = (self.settings.access.clone(), Arc::clone(call.programs));
        let artifacts = Artifacts::pack(call, self.settings.send_programs)?;
        let link = self.runtime()?.block_on(connect(&access, &artifacts))?;
        let threads = Busy::of(entrants).threads;
        let (name, sure) = (call.run.run.name.clone(), Sure::of(entrants));
        self.prepared = Some(Ready { link, programs, artifacts, name, threads, sure });
        Ok(())
    }

    fn start(&mut self, journal: &mut Journal) -> Result<&mut dyn Executor, SessionError> {
        let ready = self.prepared.take().ok_or(SessionError::ExecutorSpent)?;
        let prepared = known(journal, ready, self.settings.clone())
            .map_err(|error| SessionError::Broken { why: Box::new(error.into()), left: session::Left::AsItWas })?;
        let (orders, taken) = unbounded_channel();
        let (sender, events) = unbounded();
        let shared = Arc::new(Shared::default());
        shared.capacity.store(FIRST, Ordering::Relaxed);
        let sample = (prepared.ready.sure != Sure::Nothing).then_some(prepared.sample);
        let task = Task::new(prepared, sender, Arc::clone(&shared));
        let handle = self.runtime()?.spawn(task.work(taken));
        Ok(self.playing.insert(Playing { orders, events, kept: VecDeque::new(), shared, sample, task: Some(handle) }))
    }

    fn end(&mut self) {
        let Some(mut playing) = self.playing.take() else { return };
        let (Some(task), Some(runtime)) = (playing.task.take(), self.runtime.as_ref()) else { return };
        // The task ends when no sender of orders is left.
        drop(playing);
        let _late = runtime.block_on(async { tokio::time::timeout(QUIT_TIMEOUT, task).await });
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.end();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What the task reports about the machines.
#[derive(Debug, Default)]
struct Shared {
    workers: AtomicUsize,
    capacity: AtomicUsize,
    /// The number of pairs that are being checked.
    checking: AtomicUsize,
    /// The number of requested checks that the task has not read yet.
    coming: AtomicUsize,
}

/// The executor of a run.
struct Playing {
    orders: UnboundedSender<Order>,
    events: Receiver<Event>,
    /// Events from before the run was started over.
    kept: VecDeque<Event>,
    shared: Arc<Shared>,
    /// Draws the pairs to check, if any can be checked.
    sample: Option<Sample>,
    task: Option<JoinHandle<()>>,
}

impl Playing {
    fn order(&self, order: Order) {
        // The task outlives this, unless it has panicked: then no events come any more, and Ctrl-C ends the run.
        let _gone = self.orders.send(order);
    }
}

impl Executor for Playing {
    fn workers(&self) -> usize {
        self.shared.workers.load(Ordering::Relaxed)
    }

    fn capacity(&self) -> usize {
        self.shared.capacity.load(Ordering::Relaxed).max(FIRST)
    }

    fn paces_itself(&self) -> bool {
        true
    }

    fn submit(&mut self, spec: PairSpec) {
        self.order(Order::Play(Box::new(spec)));
    }

    fn next_event(&mut self, deadline: Instant) -> Option<Event> {
        if let Some(event) = self.kept.pop_front() {
            return Some(event);
        }
        match self.events.recv_deadline(deadline) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            // The task outlives this, unless it has panicked.
            Err(RecvTimeoutError::Disconnected) => {
                Some(Event::Failed { pair: 0, why: "what talks to the NATS server has ended".to_owned() })
            }
        }
    }

    fn settled(&mut self, pairs: &[PairIndex]) {
        self.order(Order::Settled(pairs.to_vec()));
    }

    fn set_aside(&mut self, worker: &str, why: &str) -> bool {
        self.order(Order::SetAside { worker: worker.to_owned(), why: why.to_owned() });
        true
    }

    fn set_workers(&mut self, workers: usize) {
        self.order(Order::Pause(workers == 0));
    }

    fn begin(&mut self, journal: &JournalReader) -> Result<Vec<PairIndex>, JournalError> {
        self.order(Order::Begin(Watch::of(journal)?));
        let Some(sample) = self.sample.filter(|sample| sample.is_any()) else { return Ok(Vec::new()) };
        let mut pairs = journal.unchecked(|pair| sample.draws(pair))?;
        // The rest is checked when the run is resumed again.
        pairs.truncate(MOST_AGAIN);
        Ok(pairs)
    }

    fn check(&mut self, spec: PairSpec, result: PairResult, by: &Arc<str>) {
        self.shared.coming.fetch_add(1, Ordering::SeqCst);
        self.order(Order::Check { spec: Box::new(spec), result: Box::new(result), by: Arc::clone(by) });
    }

    fn is_checking(&self) -> bool {
        // The finding about the last pair may not have arrived.
        let Shared { coming, checking, .. } = &*self.shared;
        coming.load(Ordering::SeqCst) > 0
            || checking.load(Ordering::SeqCst) > 0
            || !self.events.is_empty()
            || !self.kept.is_empty()
    }

    fn start_over(&mut self) {
        let (done, is_done) = bounded(1);
        self.order(Order::StartOver(done));
        // The task answers after everything that it has sent before. If it has panicked, no answer comes.
        let _panicked = is_done.recv();
        let is_of_pairs =
            |event: &Event| matches!(event, Event::Done { .. } | Event::Lost { .. } | Event::Checked { .. });
        self.kept.extend(self.events.try_iter().filter(|event| !is_of_pairs(event)));
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.order(Order::Revoke(pair));
    }
}
