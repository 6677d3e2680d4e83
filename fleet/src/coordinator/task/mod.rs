//! The background task of a session whose run is played on other machines: gives pairs to workers, processes their
//! heartbeats and results, and has some results checked.

mod answers;
mod early;
mod heartbeats;
mod trust;

use self::early::{Arrived, Early};
use super::arbiter::{Arbiter, Verdict};
use super::artifacts::Artifacts;
use super::checks::{Check, Checks};
use super::results::{PendingResults, acknowledge, collect, forget};
use super::roster::{Job, Roster};
use super::watch::Watch;
use super::{Prepared, Ready, Shared};
use crate::error::FleetError;
use crate::link::{Link, News};
use crate::message::{self, FULL, RunNews, pack};
use crate::names::{self, CALL, HEARTBEATS, WorkerName};
use crate::orders;
use arena::config::HostScale;
use arena::run::{Event, Executables, Notice, PairIndex, PairResult, PairSpec, wire};
use async_nats::Subscriber;
use crossbeam_channel::Sender;
use futures_util::StreamExt;
use play::child::Launcher;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How often to check for silent workers.
const TICK: Duration = Duration::from_millis(250);

/// The deadline for sending a message; a message that takes longer, since the server is away, is dropped.
const SEND: Duration = Duration::from_secs(1);

/// How often the status of the run is published.
const TELL: Duration = Duration::from_secs(1);

/// Giving out pairs takes at most a fifth of the time: with thousands of workers, a message from one must not cause a
/// scan of all of them.
const ROUND_SHARE: u32 = 5;

/// The maximum number of workers in a status message.
const WORKERS_A_MESSAGE: usize = 1000;

/// How long pairs are withheld while results that waited on the server are still arriving.
const MOST_WAIT: Duration = Duration::from_secs(3);

/// While this many pairs are being checked, only checks are given out.
const MOST_CHECKS: usize = 4096;

/// A notice is printed after this long without workers.
const NO_WORKERS: Duration = Duration::from_secs(5);

/// An order of the session.
pub(super) enum Order {
    /// Have this pair played.
    Play(Box<PairSpec>),
    /// These pairs are in the journal.
    Settled(Vec<PairIndex>),
    /// Give up all pairs from this one on.
    Revoke(PairIndex),
    /// Give a worker no more pairs.
    SetAside {
        /// The worker's name.
        worker: String,
        /// The reason.
        why: String,
    },
    /// The run continues from the journal, which has these results of workers' pairs.
    Begin(Watch),
    /// Have a pair of the journal played again.
    Check {
        /// The requested pair.
        spec: Box<PairSpec>,
        /// The pair's result.
        result: Box<PairResult>,
        /// The worker that played it.
        by: Arc<str>,
    },
    /// Stop giving out pairs, or resume.
    Pause(bool),
    /// Forget all requests and their results; then acknowledge.
    StartOver(Sender<()>),
}

/// A pair that the session has requested.
struct Asked {
    mark: u64,
    pair: Box<PairSpec>,
    /// The pair's encoded bytes.
    spec: Arc<[u8]>,
    /// Whether the session has its result.
    is_answered: bool,
}

/// Whether pairs are given out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// Pairs are given out.
    None,
    /// Pairs are not given out; workers still play some.
    Emptying,
    /// Pairs are not given out, and all that were are played.
    Still,
}

/// The state of the task.
pub(super) struct Task {
    link: Link,
    run: String,
    name: String,
    weight: u32,
    programs: Arc<Executables>,
    artifacts: Artifacts,
    events: Sender<Event>,
    shared: Arc<Shared>,
    roster: Roster,
    /// The requested pairs that are not in the journal.
    asked: BTreeMap<PairIndex, Asked>,
    /// Results that waited on the server, of pairs that the session has not requested yet.
    early: Early,
    in_hand: PendingResults,
    checks: Checks,
    /// Plays pairs on this machine, once one is needed.
    arbiter: Option<Arbiter>,
    verdicts: (UnboundedSender<Verdict>, UnboundedReceiver<Verdict>),
    launcher: Option<Launcher>,
    watch: Watch,
    /// Whether the session wants no more pairs.
    is_over: bool,
    /// The number of messages that waited on the server and have not arrived yet, and the time when the last one
    /// arrived.
    waiting: Option<(u64, Instant)>,
    is_connected: bool,
    /// Since when the server has rejected the connection, if it does.
    refused_since: Option<Instant>,
    /// Whether something has happened since pairs were last given out, and when they may be given out next.
    is_due: bool,
    next_round: Instant,
    /// Since when no worker can play; `None` once that was reported.
    without_workers_since: Option<Instant>,
    pause: Pause,
    /// The factor by which each worker scales time controls, and how often it has changed.
    scales: BTreeMap<WorkerName, (HostScale, u32)>,
    /// The notices that were printed about each worker.
    shown: BTreeMap<WorkerName, BTreeSet<String>>,
    /// The number of engines' messages from each worker.
    notices: BTreeMap<WorkerName, usize>,
    look_up: LookUp,
    /// Outcomes of uploads of files that the server had lost.
    put: (UnboundedSender<Put>, UnboundedReceiver<Put>),
}

/// The state of the look-ups of the run's files on the server.
#[derive(Clone, Copy)]
enum LookUp {
    /// The next look-up may start at once.
    Due,
    /// A look-up is in progress, with uploads of lost files.
    GoesOn,
    /// The last look-up ended at this time.
    Done(Instant),
}

/// The number of uploaded files, or why the upload failed; `Err(())` if it timed out.
type Put = Result<Result<usize, FleetError>, ()>;

impl Task {
    /// Returns the task of a run that is about to start.
    pub(super) fn new(prepared: Prepared, events: Sender<Event>, shared: Arc<Shared>) -> Self {
        let Prepared { ready, token: run, settings, watch, disbelieved, sample } = prepared;
        let Ready { link, programs, artifacts, name, threads, sure } = ready;
        let now = Instant::now();
        let mut roster = Roster::new(threads);
        for (worker, why) in &disbelieved {
            if let Ok(worker) = worker.parse() {
                let _is_new = roster.set_aside(&worker, why, true, now);
            }
        }
        Self {
            link,
            run,
            name,
            weight: settings.weight,
            programs,
            artifacts,
            events,
            shared,
            roster,
            asked: BTreeMap::new(),
            early: Early::default(),
            in_hand: PendingResults::default(),
            checks: Checks::new(sure, sample),
            arbiter: None,
            verdicts: unbounded_channel(),
            launcher: settings.launcher,
            watch,
            is_over: false,
            waiting: Some((u64::MAX, now)),
            is_connected: true,
            refused_since: None,
            is_due: false,
            next_round: now,
            without_workers_since: Some(now),
            pause: Pause::None,
            scales: BTreeMap::new(),
            shown: BTreeMap::new(),
            notices: BTreeMap::new(),
            look_up: LookUp::Due,
            put: unbounded_channel(),
        }
    }

    /// Works until the session gives no more orders.
    pub(super) async fn work(mut self, mut orders: UnboundedReceiver<Order>) {
        let (sender, mut results) = unbounded_channel();
        let collector = tokio::spawn(collect(self.link.jetstream.clone(), self.run.clone(), sender));
        let mut heartbeats = match self.link.client.subscribe(HEARTBEATS).await {
            Ok(heartbeats) => heartbeats,
            Err(error) => return self.notice(true, format!("cannot receive from the workers: {error}")),
        };
        let mut requests = match self.link.client.subscribe(names::requests(&self.run)).await {
            Ok(requests) => requests,
            Err(error) => return self.notice(true, format!("cannot receive requests: {error}")),
        };
        // Standing orders hold from the first pair on. If they cannot be read now, the follower brings them later.
        for (worker, order) in orders::read(&self.link.jetstream).await.unwrap_or_default() {
            if let Ok(worker) = worker.parse() {
                self.steer(orders::Arrived { worker, order, is_new: false });
            }
        }
        let (sender, mut given) = unbounded_channel();
        let follower = tokio::spawn(orders::follow(self.link.jetstream.clone(), sender));
        // Calls the workers that are already present, so that the task need not wait for their heartbeats.
        let _they_speak_soon = self.link.client.publish(CALL, "".into()).await;
        let mut tick = tokio::time::interval(TICK);
        let mut tell = tokio::time::interval(TELL);
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some(order) => {
                        self.obey(order).await;
                        while let Ok(order) = orders.try_recv() {
                            self.obey(order).await;
                        }
                    }
                    None => break,
                },
                Some(incoming) = results.recv() => self.take(incoming).await,
                Some(heartbeat) = heartbeats.next() => self.on_heartbeat(&heartbeat).await,
                Some(request) = requests.next() => self.grant(&request).await,
                Some(order) = given.recv() => self.steer(order),
                Some((pair, mark, plays)) = self.verdicts.1.recv() => self.judge(pair, mark, plays),
                Some(put) = self.put.1.recv() => self.has_put(put),
                Some(news) = self.link.next_news() => self.mind(news),
                _ = tick.tick() => self.look(),
                _ = tell.tick() => self.tell().await,
                () = tokio::time::sleep_until(self.next_round.into()), if self.is_due => {}
            }
            self.is_due = true;
            let now = Instant::now();
            if now >= self.next_round {
                self.is_due = false;
                self.give_out().await;
                self.next_round = now + now.elapsed() * ROUND_SHARE;
            }
        }
        collector.abort();
        follower.abort();
        self.part(heartbeats).await;
    }

    fn notice(&self, is_serious: bool, text: String) {
        self.tell_session(Event::Notice(Notice { text, is_serious }));
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Play(spec) => match wire::to_bytes(&*spec) {
                Ok(bytes) => self.ask(spec, bytes),
                Err(error) => self.tell_session(Event::Failed { pair: spec.pair, why: error.to_string() }),
            },
            Order::Settled(pairs) => {
                for pair in &pairs {
                    let _was_asked_for = self.asked.remove(pair);
                }
                acknowledge(self.in_hand.settle(&pairs)).await;
            }
            Order::SetAside { worker, why } => {
                if let Ok(worker) = worker.parse() {
                    self.set_aside(&worker, &why);
                }
            }
            Order::Revoke(from) => {
                self.is_over |= from == 0;
                self.revoke_from(from).await;
            }
            Order::Begin(watch) => self.watch.begin(watch),
            Order::Check { spec, result, by } => {
                self.check_again(&spec, result, &by);
                self.shared.coming.fetch_sub(1, Ordering::SeqCst);
            }
            Order::Pause(is_paused) => self.pause(is_paused),
            Order::StartOver(done) => {
                self.revoke_from(0).await;
                let _nobody_waits = done.send(());
            }
        }
    }

    async fn revoke_from(&mut self, from: PairIndex) {
        self.roster.revoke_from(from);
        self.checks.revoke_from(from);
        self.forget_cases();
        self.count_checks();
        let _revoked = self.asked.split_off(&from);
        let workers: Vec<WorkerName> = self.roster.workers().cloned().collect();
        let order = message::Order::Revoke { run: self.run.clone(), from };
        for worker in workers {
            self.send(&worker, &order).await;
        }
    }

    fn tell_session(&self, event: Event) {
        let _session_is_over = self.events.send(event);
    }

    /// Stops giving out pairs, or resumes. Workers play the pairs that they have.
    fn pause(&mut self, is_paused: bool) {
        let (pairs, workers) = self.roster.given();
        if !is_paused && self.pause != Pause::None {
            self.checks.excuse(Instant::now());
        }
        self.pause = match (is_paused, pairs) {
            (false, _) => Pause::None,
            (true, 0) => Pause::Still,
            (true, _) => Pause::Emptying,
        };
        if self.pause == Pause::Emptying {
            let text = format!("no further pairs are given out; {pairs} that {workers} workers have are still played");
            self.notice(false, text);
        }
    }

    /// Has a pair played, unless its result has waited on the server.
    fn ask(&mut self, asked: Box<PairSpec>, spec: Vec<u8>) {
        let pair = asked.pair;
        let (mark, spec): (_, Arc<[u8]>) = (message::mark(&spec), spec.into());
        let asked = Asked { mark, pair: asked, spec: Arc::clone(&spec), is_answered: false };
        let is_asked_again = self.asked.insert(pair, asked).is_some_and(|before| before.mark == mark);
        for Arrived { result, by, .. } in self.early.take(pair).into_iter().filter(|arrived| arrived.mark == mark) {
            if self.roster.believes(&by) && self.accept(&by, result) {
                return;
            }
        }
        // Otherwise its result is on its way into the journal.
        if !(is_asked_again && self.in_hand.has(pair)) {
            self.roster.submit(Job::new(pair, spec));
        }
    }

    /// Gives the session the result of a pair that it has requested, and has some pairs played again.
    fn pass_on(&mut self, by: &WorkerName, result: Box<PairResult>) {
        let pair = result.pair;
        let Some(asked) = self.asked.get_mut(&pair) else { return };
        asked.is_answered = true;
        self.watch.note(by, &result);
        if self.checks.wants(&result, by) {
            let (mark, spec) = (asked.mark, Arc::clone(&asked.spec));
            self.roster.submit(Job::check(pair, Arc::clone(&spec), by.clone()));
            self.checks.begin(pair, Check::new(by.clone(), mark, spec, result.clone(), Instant::now()));
            self.count_checks();
        }
        self.tell_session(Event::Done { result, by: Some(Arc::clone(by.shared())) });
    }

    async fn send(&self, worker: &WorkerName, order: &message::Order) {
        // Heartbeats show which messages did not arrive.
        let sent = self.link.client.publish(names::work(worker), pack(order).into());
        let _lost = tokio::time::timeout(SEND, sent).await;
    }

    async fn give_out(&mut self) {
        if !self.is_over && self.pause == Pause::None && self.is_connected && self.is_caught_up() {
            let are_many = self.checks.open() >= MOST_CHECKS;
            for (worker, jobs) in self.roster.assign(Instant::now(), are_many) {
                self.give(&worker, jobs).await;
            }
        }
        self.shared.workers.store(self.roster.at_a_time(), Ordering::Relaxed);
        self.shared.capacity.store(self.roster.capacity(), Ordering::Relaxed);
    }

    /// Sends pairs to a worker in messages that the server accepts.
    async fn give(&self, worker: &WorkerName, jobs: Vec<Job>) {
        let (mut specs, mut bytes) = (Vec::new(), 0);
        let mut jobs = jobs.into_iter().peekable();
        while let Some(job) = jobs.next() {
            bytes += job.spec.len();
            specs.push(job.spec.to_vec());
            if bytes >= FULL || jobs.peek().is_none() {
                let (run, worker_setup, specs) =
                    (self.run.clone(), self.artifacts.worker_setup.clone(), std::mem::take(&mut specs));
                self.send(worker, &message::Order::Play { run, weight: self.weight, worker_setup, specs }).await;
                bytes = 0;
            }
        }
    }

    /// Whether the results that waited on the server have been read: pairs that were already played need not be played
    /// again.
    fn is_caught_up(&mut self) -> bool {
        match self.waiting {
            Some((left, since)) if left > 0 && since.elapsed() < MOST_WAIT => false,
            _ => {
                self.waiting = None;
                true
            }
        }
    }

    fn mind(&mut self, news: News) {
        match news {
            News::Connected => {
                if !self.is_connected {
                    self.notice(false, "The server is there again.".to_owned());
                    self.is_connected = true;
                    // The server may have lost its data directory.
                    self.look_up = LookUp::Due;
                    self.put_back(self.artifacts.files.clone());
                }
                (self.is_connected, self.refused_since) = (true, None);
                self.roster.excuse(Instant::now());
            }
            News::Disconnected => {
                self.is_connected = false;
                self.notice(true, format!("the NATS server at {} is lost; trying again", self.link.url));
            }
            News::Refused => {
                let text = self.link.refused().to_string();
                if self.refused_since.is_none() {
                    self.notice(true, text);
                }
                let _first = self.refused_since.get_or_insert_with(Instant::now);
            }
            News::NotAllowed(what) => {
                self.notice(true, format!("the NATS server does not let {} do this: {what}", self.link.who));
            }
        }
    }

    /// Checks for silent workers.
    fn look(&mut self) {
        let now = Instant::now();
        if !self.is_connected {
            return;
        }
        if self.pause == Pause::None {
            self.check_alone(now);
        }
        if self.pause == Pause::Emptying && self.roster.given().0 == 0 {
            self.pause = Pause::Still;
            self.notice(false, "all pairs that workers had are played".to_owned());
        }
        for worker in self.roster.gone(now) {
            self.notice(true, format!("worker {worker} has been silent for long: its pairs go to the others"));
        }
        if self.roster.at_a_time() > 0 || self.roster.is_preparing() || self.is_over || self.pause != Pause::None {
            self.without_workers_since = Some(now);
        } else if self.without_workers_since.is_some_and(|since| now.saturating_duration_since(since) >= NO_WORKERS) {
            self.without_workers_since = None;
            let aside = |(worker, why): (&WorkerName, &str)| format!("{worker} is set aside: {why}");
            let paused = self.roster.paused().map(|worker| format!("{worker} is paused"));
            let asides: Vec<String> = self.roster.asides().map(aside).chain(paused).collect();
            let text = if asides.is_empty() {
                "no worker is there to play; the run waits for one (`spar worker`)".to_owned()
            } else {
                format!("no worker can play ({}); the run waits for another worker (`spar worker`)", asides.join("; "))
            };
            self.notice(true, text);
        }
    }

    async fn tell(&mut self) {
        for (worker, text) in self.watch.look(&self.name) {
            self.notice(true, format!("worker {worker} {text}"));
        }
        let (mut residuals, homogeneity) = self.watch.residuals();
        let mut workers = self.roster.news();
        for (worker, news) in &mut workers {
            news.residuals = residuals.remove(worker);
            news.faults = self.watch.faults(worker);
        }
        let (name, waiting) = (self.name.clone(), self.roster.waiting());
        let (weight, checking) = (self.weight, self.checks.open());
        let mut news = RunNews { name, weight, waiting, checking, homogeneity, workers: BTreeMap::new() };
        loop {
            let others = workers.keys().nth(WORKERS_A_MESSAGE).cloned().map(|first| workers.split_off(&first));
            news.workers = std::mem::replace(&mut workers, others.unwrap_or_default());
            let text = serde_json::to_vec(&news).unwrap_or_default();
            let published = self.link.client.publish(names::run(&self.run), text.into());
            if tokio::time::timeout(SEND, published).await.is_err() || workers.is_empty() {
                return;
            }
        }
    }

    /// Ends the task. The last results have been acknowledged; if the run is over, too, its data on the server are
    /// removed.
    async fn part(self, mut heartbeats: Subscriber) {
        let _gone = heartbeats.unsubscribe().await;
        if self.is_over {
            let _it_ages = forget(&self.link.jetstream, &self.run).await;
        }
        let _gone = self.link.client.flush().await;
    }
}
