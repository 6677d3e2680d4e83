//! What goes on beside a session while its run is played elsewhere: gives pairs to workers, hears of them, takes results in, and has some
//! of them checked.

mod trust;

use super::arbiter::{Arbiter, Verdict};
use super::checks::{Check, Checks};
use super::luggage::Luggage;
use super::results::{InHand, Incoming, acknowledge, collect, forget};
use super::roster::{Change, Job, Roster};
use super::watch::Watch;
use super::{Prepared, Ready, Shared};
use crate::content;
use crate::link::{Link, News};
use crate::message::{self, Answer, FULL, GETTING_READY, Hello, Report, RunNews, Said, pack, unpack};
use crate::names::{self, CALL, HELLOS, WorkerName};
use arena::config::HostScale;
use arena::run::{Event, Executables, Notice, PairIndex, PairResult, PairSpec, pair_number, wire};
use async_nats::{Message, Subscriber};
use crossbeam_channel::Sender;
use futures_util::StreamExt;
use play::child::Launcher;
use play::entrant::ProcessSpec;
use play::players::process::Programs;
use reports::text::grouped;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How often silence is looked for.
const TICK: Duration = Duration::from_millis(250);

/// What cannot be sent in this time, as the server is away, is not sent.
const SEND: Duration = Duration::from_secs(1);

/// How often the run is told of.
const TELL: Duration = Duration::from_secs(1);

/// Of all time, giving pairs out takes at most a fifth: where there are thousands of workers, what each of them says is no reason to look at
/// all of them again.
const ROUND_SHARE: u32 = 5;

/// So many workers are told of in a message.
const TOLD_AT_ONCE: usize = 1000;

/// Results that waited on the server are taken in before pairs are given out, unless they are this long in coming.
const MOST_WAIT: Duration = Duration::from_secs(3);

/// A worker that loses so many pairs on end is given no more.
const MOST_LOSSES: u32 = 5;

/// Whoever waits for workers is told after so long that there are none.
const NOBODY: Duration = Duration::from_secs(5);

/// What the session wants.
pub(super) enum Order {
    /// Have it played.
    Play(Box<PairSpec>),
    /// These are in the journal.
    Settled(Vec<PairIndex>),
    /// Give up all from this one on.
    Revoke(PairIndex),
    /// Give a worker no more pairs.
    SetAside {
        /// Its name.
        worker: String,
        /// Why.
        why: String,
    },
    /// Forget all that was asked for, and what has come of it; then say so.
    StartOver(Sender<()>),
}

/// A pair that the session wants.
struct Asked {
    mark: u64,
    spec: Arc<[u8]>,
    /// Whether the session has what came of it.
    is_answered: bool,
}

/// A result of a pair that nobody has asked for yet.
struct Early {
    mark: u64,
    result: Box<PairResult>,
    by: WorkerName,
}

/// The work on one run.
pub(super) struct Task {
    link: Link,
    run: String,
    name: String,
    weight: u32,
    programs: Arc<Executables>,
    luggage: Luggage,
    events: Sender<Event>,
    shared: Arc<Shared>,
    roster: Roster,
    /// What is asked for: the pairs that are not in the journal.
    asked: BTreeMap<PairIndex, Asked>,
    /// Results that waited on the server, of pairs that the session has not asked for yet.
    early: BTreeMap<PairIndex, Vec<Early>>,
    in_hand: InHand,
    checks: Checks,
    /// Plays pairs here, once one is to be.
    arbiter: Option<Arbiter>,
    verdicts: (UnboundedSender<Verdict>, UnboundedReceiver<Verdict>),
    launcher: Option<Launcher>,
    watch: Watch,
    /// Whether the session wants no pairs any more.
    is_over: bool,
    /// Messages that waited on the server and have not come yet, and when the last one came.
    waiting: Option<(u64, Instant)>,
    is_connected: bool,
    /// Whether something has happened since pairs were given out, and when they are next.
    is_due: bool,
    next_round: Instant,
    /// Since when there has been nobody to play; `None` once that was told.
    nobody_since: Option<Instant>,
    refused: BTreeSet<WorkerName>,
    /// By how much workers scale time controls.
    scales: BTreeMap<WorkerName, HostScale>,
    /// Troubles of workers that were told.
    told: BTreeSet<(WorkerName, String)>,
}

impl Task {
    /// Of a run that is about to start.
    pub(super) fn new(prepared: Prepared, events: Sender<Event>, shared: Arc<Shared>) -> Self {
        let Prepared { ready, token: run, settings, watch, disbelieved } = prepared;
        let Ready { link, programs, luggage, name, threads, sure } = ready;
        let now = Instant::now();
        let mut roster = Roster::new(threads);
        for (worker, why) in &disbelieved {
            if let Ok(worker) = worker.parse() {
                let _is_new = roster.set_aside(&worker, why, true);
            }
        }
        Self {
            link,
            run,
            name,
            weight: settings.weight,
            programs,
            luggage,
            events,
            shared,
            roster,
            asked: BTreeMap::new(),
            early: BTreeMap::new(),
            in_hand: InHand::default(),
            checks: Checks::new(sure, settings.checked),
            arbiter: None,
            verdicts: unbounded_channel(),
            launcher: settings.launcher,
            watch,
            is_over: false,
            waiting: Some((u64::MAX, now)),
            is_connected: true,
            is_due: false,
            next_round: now,
            nobody_since: Some(now),
            refused: BTreeSet::new(),
            scales: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }

    /// Until the session gives no more orders.
    pub(super) async fn work(mut self, mut orders: UnboundedReceiver<Order>) {
        let (sender, mut results) = unbounded_channel();
        let collector = tokio::spawn(collect(self.link.jetstream.clone(), self.run.clone(), sender));
        let mut hellos = match self.link.client.subscribe(HELLOS).await {
            Ok(hellos) => hellos,
            Err(error) => return self.notice(true, format!("the workers cannot be heard: {error}")),
        };
        let mut requests = match self.link.client.subscribe(names::requests(&self.run)).await {
            Ok(requests) => requests,
            Err(error) => return self.notice(true, format!("requests cannot be heard: {error}")),
        };
        // Whoever is there already need not be waited for.
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
                Some(hello) = hellos.next() => self.hear(&hello).await,
                Some(request) = requests.next() => self.grant(&request).await,
                Some((pair, mark, plays)) = self.verdicts.1.recv() => self.judge(pair, mark, plays),
                Some(news) = self.link.next_news() => self.mind(news).await,
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
        self.part(hellos).await;
    }

    fn notice(&self, is_serious: bool, text: String) {
        self.tell_session(Event::Notice(Notice { text, is_serious }));
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Play(spec) => match wire::to_bytes(&*spec) {
                Ok(bytes) => self.ask(spec.pair, bytes),
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
            Order::StartOver(done) => {
                self.revoke_from(0).await;
                let _nobody_waits = done.send(());
            }
        }
    }

    async fn revoke_from(&mut self, from: PairIndex) {
        self.roster.revoke_from(from);
        self.checks.revoke_from(from);
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

    /// Has a pair played, unless it was, and its result has waited on the server.
    fn ask(&mut self, pair: PairIndex, spec: Vec<u8>) {
        let (mark, spec): (_, Arc<[u8]>) = (message::mark(&spec), spec.into());
        let asked = Asked { mark, spec: Arc::clone(&spec), is_answered: false };
        let is_asked_again = self.asked.insert(pair, asked).is_some_and(|before| before.mark == mark);
        let early = self.early.remove(&pair).unwrap_or_default();
        match early.into_iter().find(|early| early.mark == mark && self.roster.believes(&early.by)) {
            Some(Early { result, by, .. }) => self.pass_on(&by, result),
            // Its result is on its way into the journal.
            None if is_asked_again && self.in_hand.has(pair) => {}
            None => self.roster.submit(Job { pair, spec, check_of: None }),
        }
    }

    /// Gives the session what came of a pair that it has asked for, and has some of them played once more.
    fn pass_on(&mut self, by: &WorkerName, result: Box<PairResult>) {
        let pair = result.pair;
        let Some(asked) = self.asked.get_mut(&pair) else { return };
        asked.is_answered = true;
        self.watch.note(by, &result);
        if self.checks.wants(&result, by) {
            let (mark, spec) = (asked.mark, Arc::clone(&asked.spec));
            self.roster.submit(Job { pair, spec: Arc::clone(&spec), check_of: Some(by.clone()) });
            self.checks.begin(pair, Check::new(by.clone(), mark, spec, result.clone(), Instant::now()));
            self.count_checks();
        }
        self.tell_session(Event::Done { result, by: Some(Arc::clone(by.shared())) });
    }

    async fn send(&self, worker: &WorkerName, order: &message::Order) {
        // What does not arrive is seen by what the worker says it holds.
        let sent = self.link.client.publish(names::work(worker), pack(order).into());
        let _lost = tokio::time::timeout(SEND, sent).await;
    }

    async fn give_out(&mut self) {
        if !self.is_over && self.is_connected && self.is_caught_up() {
            for (worker, jobs) in self.roster.assign(Instant::now()) {
                self.give(&worker, jobs).await;
            }
        }
        self.shared.workers.store(self.roster.at_a_time(), Ordering::Relaxed);
        self.shared.capacity.store(self.roster.capacity(), Ordering::Relaxed);
    }

    /// In messages that a server takes.
    async fn give(&self, worker: &WorkerName, jobs: Vec<Job>) {
        let (mut specs, mut bytes) = (Vec::new(), 0);
        let mut jobs = jobs.into_iter().peekable();
        while let Some(job) = jobs.next() {
            bytes += job.spec.len();
            specs.push(job.spec.to_vec());
            if bytes >= FULL || jobs.peek().is_none() {
                let (run, terms, specs) = (self.run.clone(), self.luggage.terms.clone(), std::mem::take(&mut specs));
                self.send(worker, &message::Order::Play { run, weight: self.weight, terms, specs }).await;
                bytes = 0;
            }
        }
    }

    /// Whether the results that have waited on the server are taken in: what was played already need not be played again.
    fn is_caught_up(&mut self) -> bool {
        match self.waiting {
            Some((left, since)) if left > 0 && since.elapsed() < MOST_WAIT => false,
            _ => {
                self.waiting = None;
                true
            }
        }
    }

    async fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Waiting(messages) => {
                if let Some((left, since)) = &mut self.waiting {
                    (*left, *since) = (messages, Instant::now());
                }
            }
            Incoming::Trouble(why) if self.is_connected => {
                self.notice(true, format!("results cannot be taken from the server: {why}"));
            }
            Incoming::Trouble(_) => {}
            Incoming::Message(message) => {
                let (message, acker) = *message;
                if let Some((left, since)) = &mut self.waiting {
                    (*left, *since) = (left.saturating_sub(1), Instant::now());
                }
                let acker = Arc::new(acker);
                let pairs = self.read(&message);
                self.in_hand.take(&pairs, &acker);
                // One that holds no result has been read, and that is all.
                acknowledge(Arc::into_inner(acker).into_iter().collect()).await;
            }
        }
    }

    /// Takes in what came of pairs; the numbers of those that were played.
    fn read(&mut self, message: &Message) -> Vec<PairIndex> {
        let Some(worker) = names::worker_of(&message.subject) else { return Vec::new() };
        // Whatever a server was made to answer there is nobody's fault.
        let Ok(report) = unpack::<Report>(&message.payload) else { return Vec::new() };
        for said in &report.said {
            self.note(said);
        }
        let answers = report.answers.into_iter();
        answers.filter_map(|answer| self.answered(&worker, answer)).collect()
    }

    fn answered(&mut self, worker: &WorkerName, answer: Answer) -> Option<PairIndex> {
        if !self.roster.believes(worker) {
            return None;
        }
        match answer {
            Answer::Played { mark, result, .. } => match wire::from_bytes::<PairResult>(&result) {
                Ok(result) => self.played(worker, mark, result),
                Err(error) => {
                    self.set_aside(worker, &error.to_string());
                    None
                }
            },
            Answer::Lost { pair, why } => {
                if let Some((losses, is_check)) = self.roster.not_played(worker, pair) {
                    if losses >= MOST_LOSSES {
                        self.set_aside(worker, &format!("it has lost {losses} pairs on end; the last one: {why}"));
                    }
                    if !is_check {
                        self.tell_session(Event::Lost { pair, why: format!("worker {worker}: {why}") });
                    }
                }
                None
            }
            Answer::TooLarge { pair, bytes: [bytes, most] } => {
                let _losses = self.roster.not_played(worker, pair)?;
                let why = format!(
                    "its result has {bytes} bytes, and the server takes {most}: keep less of each move, or raise `max_payload`"
                );
                self.tell_session(Event::Failed { pair, why });
                None
            }
            Answer::Unable { pair, why } => {
                self.set_aside(worker, &format!("it cannot play pair {}: {why}", pair_number(pair)));
                None
            }
        }
    }

    /// Takes a result in, if it is of a pair as it was asked for, or may be; its number, if it was taken.
    fn played(&mut self, worker: &WorkerName, mark: u64, result: PairResult) -> Option<PairIndex> {
        let (pair, result) = (result.pair, Box::new(result));
        match self.asked.get(&pair) {
            Some(asked) if asked.mark == mark && !asked.is_answered => {
                self.roster.played(worker, pair);
                self.pass_on(worker, result);
                Some(pair)
            }
            None if self.waiting.is_some() => {
                self.early.entry(pair).or_default().push(Early { mark, result, by: worker.clone() });
                Some(pair)
            }
            // It is in the journal, or on its way there, or was asked for by a session that went another way.
            Some(_) | None => {
                // Only whoever was given it says anything by it: anybody can say the same as another.
                if self.roster.played_too(worker, pair, mark)
                    && let Some(finding) = self.checks.second(pair, mark, worker, result, Instant::now())
                {
                    self.find(pair, worker.shared(), finding);
                }
                None
            }
        }
    }

    fn set_aside(&mut self, worker: &WorkerName, why: &str) {
        if self.roster.set_aside(worker, why, false) {
            self.notice(true, format!("worker {worker} is given no pairs: {why}"));
        }
    }

    fn note(&self, said: &Said) {
        match said {
            Said::Introduced(process, introduction) => {
                if let Ok(process) = serde_json::from_str::<ProcessSpec>(process) {
                    self.programs.introduced(&process, introduction);
                }
            }
            Said::PassedOver(process, why) => {
                if let Ok(process) = serde_json::from_str::<ProcessSpec>(process) {
                    self.programs.passed_over(&process, why);
                }
            }
        }
    }

    async fn hear(&mut self, message: &Message) {
        let Some(worker) = names::worker_of(&message.subject) else { return };
        let Ok(hello) = serde_json::from_slice::<Hello>(&message.payload) else { return };
        if let Some(why) = hello.unfit() {
            let order = message::Order::Refused { run: self.name.clone(), why: why.clone() };
            self.send(&worker, &order).await;
            if self.refused.insert(worker.clone()) {
                self.notice(true, format!("worker {worker} is given no pairs: {why}"));
            }
            return;
        }
        if let Some(trouble) = &hello.trouble
            && self.told.insert((worker.clone(), trouble.clone()))
        {
            self.notice(true, format!("worker {worker}: {trouble}"));
        }
        if let Some(what) = hello.preparing.get(&self.run)
            && what != GETTING_READY
            && self.told.insert((worker.clone(), what.clone()))
        {
            self.notice(false, format!("worker {worker}: {what}"));
        }
        if let Some(scale) = hello.scales.get(&self.run).filter(|_| self.luggage.is_scaled) {
            self.scaled(&worker, *scale);
        }
        match self.roster.hear(&worker, &hello, &self.run, Instant::now()) {
            Some(Change::Leaves) => self.notice(false, format!("worker {worker} leaves")),
            Some(Change::Twice) => {
                self.notice(
                    true,
                    format!("two workers are called {worker}, and get the same pairs: give each a name of its own"),
                );
            }
            Some(Change::Came) | None => {}
        }
    }

    /// A worker scales time controls to its own speed.
    fn scaled(&mut self, worker: &WorkerName, scale: HostScale) {
        if self.scales.insert(worker.clone(), scale) == Some(scale) {
            return;
        }
        let nps = scale.measured.map_or(0, NonZeroU64::get);
        let said =
            format!("time controls are multiplied by {:.3}: its bench does {} nodes/s", scale.factor, grouped(nps));
        self.notice(false, format!("worker {worker}: {said}"));
        self.tell_session(Event::Scaled { worker: Arc::clone(worker.shared()), scale });
    }

    async fn mind(&mut self, news: News) {
        match news {
            News::Connected => {
                if !self.is_connected {
                    self.notice(false, "The server is there again.".to_owned());
                    self.is_connected = true;
                    // It may have lost its folder.
                    if let Err(error) = content::publish(&mut self.link, self.luggage.files.iter()).await {
                        self.notice(true, error.to_string());
                    }
                }
                self.is_connected = true;
                self.roster.excuse(Instant::now());
            }
            News::Disconnected => {
                self.is_connected = false;
                self.notice(true, format!("the NATS server at {} is lost; trying again", self.link.url));
            }
            News::NotAllowed(what) => {
                self.notice(true, format!("the NATS server does not let {} do this: {what}", self.link.who));
            }
        }
    }

    /// Looks for silence.
    fn look(&mut self) {
        let now = Instant::now();
        if !self.is_connected {
            return;
        }
        self.check_alone(now);
        for worker in self.roster.gone(now) {
            self.notice(true, format!("worker {worker} has been silent for long: its pairs go to the others"));
        }
        if self.roster.at_a_time() > 0 || self.roster.is_preparing() || self.is_over {
            self.nobody_since = Some(now);
        } else if self.nobody_since.is_some_and(|since| now.saturating_duration_since(since) >= NOBODY) {
            self.nobody_since = None;
            self.notice(true, "no worker is there to play; the run waits for one (`spar worker`)".to_owned());
        }
    }

    async fn tell(&mut self) {
        let (mut residuals, homogeneity) = self.watch.residuals();
        for (worker, text) in self.watch.stand_out(&residuals, &self.name) {
            self.notice(true, format!("worker {worker} {text}"));
        }
        let mut workers = self.roster.news();
        for (worker, news) in &mut workers {
            news.residuals = residuals.remove(worker);
        }
        let (name, waiting) = (self.name.clone(), self.roster.waiting());
        let (weight, checking) = (self.weight, self.checks.open());
        let mut news = RunNews { name, weight, waiting, checking, homogeneity, workers: BTreeMap::new() };
        loop {
            let others = workers.keys().nth(TOLD_AT_ONCE).cloned().map(|first| workers.split_off(&first));
            news.workers = std::mem::replace(&mut workers, others.unwrap_or_default());
            let text = serde_json::to_vec(&news).unwrap_or_default();
            let told = self.link.client.publish(names::run(&self.run), text.into());
            if tokio::time::timeout(SEND, told).await.is_err() || workers.is_empty() {
                return;
            }
        }
    }

    /// The session is over. What came last is acknowledged; if the run is over, too, nothing of it is needed on the server.
    async fn part(self, mut hellos: Subscriber) {
        let _gone = hellos.unsubscribe().await;
        if self.is_over {
            let _it_ages = forget(&self.link.jetstream, &self.run).await;
        }
        let _gone = self.link.client.flush().await;
    }
}
