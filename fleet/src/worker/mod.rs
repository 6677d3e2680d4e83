//! The worker's side: takes pairs from coordinators, plays them on the cores of this machine, and sends results back.
//!
//! It only makes outgoing connections. Every second it reports the pairs that it holds and has not safely answered, so
//! that the coordinator never waits for a lost pair. It sends a result again until the server has it.

mod cache;
mod pool;
mod readiness;

use crate::access::Access;
use crate::content::FetchError;
use crate::error::FleetError;
use crate::link::{Link, News, words};
use crate::message::{Answer, FULL, Heartbeat, Order, Report, SPAR, WIRE, mark, pack, unpack};
use crate::names::{self, WorkerName};
use crate::runtime;
use arena::run::{PAIR_VERSION, Pace, PairIndex, PairResult, PairSpec, Starvation, wire};
use async_nats::Message;
use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use cache::Cache;
use futures_util::StreamExt;
use play::child::{Launcher, Spawner};
use play::platform::Machine;
use play::players::process::{StandbyPlayers, Starter};
use play::{Ending, Fault, NotPlayed};
use pool::{Done, Job, Key, Pool};
use readiness::{Next, PreparationReport, Readiness, Ready, Site, Step, prepare};
use session::Busy;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The interval between heartbeats.
const HELLO: Duration = Duration::from_secs(1);

/// How often the worker checks whether it must exit.
const GLANCE: Duration = Duration::from_millis(50);

/// How long the result of a game with a crashed engine waits: the engine may have been killed together with this
/// worker, whose own signal can arrive later on a busy machine.
const IN_DOUBT: Duration = Duration::from_secs(1);

/// How long results of quick games wait for others, to be sent together.
const TOGETHER: Duration = Duration::from_millis(20);

/// How long results wait while this machine has enough pairs to play: then they are not urgent, and each message costs
/// all machines work.
const AT_LEISURE: Duration = Duration::from_millis(100);

/// This many results do not wait.
const ENOUGH: usize = 32;

/// How long the worker retries to fetch the files that a pair names.
const FILES_WITHIN: Duration = Duration::from_secs(30);

/// The server's deadline to acknowledge a result; after it the result is sent again.
const SAFE_WITHIN: Duration = Duration::from_secs(5);

/// The message for a server that does not acknowledge results. nats-server 2.9 hangs when it cannot write, and its log
/// shows nothing.
const SILENT: &str = "it does not say that it has them; if its disk is full, it wants room, and to be started again";

/// How long to retry a server that rejects the connection: its keys may be fixed meanwhile.
const REFUSED_FOR: Duration = Duration::from_secs(15);

/// The default time that running games may take after a request to exit.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// The deadline for the last results to become safe.
const LAST: Duration = Duration::from_secs(5);

/// The part of the server's maximum message size that is reserved for headers, in bytes.
const HEADERS: usize = 1 << 10;

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server's address and the credentials.
    pub access: Access,
    /// The worker's name: that of its credentials, if it has any.
    pub name: WorkerName,
    /// The number of cores for games.
    pub cores: NonZeroUsize,
    /// The folder for programs and weights.
    pub cache: PathBuf,
    /// How long running games may take after a request to exit.
    pub grace: Duration,
    /// Starts engine processes.
    pub launcher: Option<Launcher>,
}

/// Works until `stop` is set; `say` gets the messages for a person.
///
/// # Errors
/// [`FleetError`] if the server is unavailable at the start, or does not let the worker work.
pub fn work(settings: &Settings, stop: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<(), FleetError> {
    runtime::on_this_thread()?.block_on(async {
        let link = Link::connect(&settings.access, &settings.name.to_string()).await?;
        Shift::begin(settings, link)?.work(stop, say).await
    })
}

fn cores(number: usize) -> String {
    if number == 1 { "1 core".to_owned() } else { format!("{number} cores") }
}

/// A worker at work.
struct Shift<'a> {
    settings: &'a Settings,
    link: Link,
    pool: Pool,
    cache: Arc<Cache>,
    done: UnboundedReceiver<Done>,
    /// Results of games in which an engine crashed, and since when they wait.
    doubted: Vec<(Instant, Key, u64, PairResult)>,
    /// Pairs whose programs have been fetched, or why they could not be.
    provided: (UnboundedSender<Provided>, UnboundedReceiver<Provided>),
    /// The progress with runs that need preparation before their pairs are played.
    readiness: Readiness,
    steps: (UnboundedSender<Step>, UnboundedReceiver<Step>),
    /// Messages that the server has stored, or why it does not accept one.
    safe: (UnboundedSender<Sent>, UnboundedReceiver<Sent>),
    /// Pairs whose files are being fetched.
    fetching: BTreeSet<Key>,
    /// The pairs that the worker was given and has not safely answered.
    holds: BTreeMap<Arc<str>, BTreeSet<PairIndex>>,
    /// The answers that have not been sent, by run.
    answers: BTreeMap<Arc<str>, Vec<Answer>>,
    answers_since: Option<Instant>,
    /// The number of the engines' messages that each run has received.
    said_to: BTreeMap<Arc<str>, usize>,
    /// How many cores the worker uses: fewer while the host starves players of CPU time.
    pace: Pace,
    played: u64,
    sent: u64,
    /// Since when the worker is about to exit.
    leaving: Option<Instant>,
    reported: BTreeSet<String>,
    is_lost: bool,
    /// Since when the server has rejected the connection, if it does.
    refused_since: Option<Instant>,
    /// Why the server does not accept results, if it does not.
    trouble: Option<String>,
    process: u64,
}

type Sent = Result<Vec<Key>, String>;
type Provided = (Result<Job, (Key, FetchError)>, u32);

impl<'a> Shift<'a> {
    fn begin(settings: &'a Settings, link: Link) -> Result<Self, FleetError> {
        let spawner = Spawner::start(settings.launcher.clone());
        let spawner = spawner.map_err(|cause| FleetError::io("cannot watch over engine processes", cause))?;
        let cache = Arc::new(Cache::new(settings.cache.clone()));
        let starter = || Starter {
            spawner: spawner.clone(),
            cpus: Vec::new(),
            trace: None,
            programs: Arc::clone(&cache) as _,
            standby: StandbyPlayers::default(),
            pause: Duration::ZERO,
        };
        let (sender, done) = unbounded_channel();
        let pool = Pool::start(settings.cores.get(), starter, &sender);
        let pool = pool.map_err(|cause| FleetError::io("cannot start workers", cause))?;
        Ok(Self {
            settings,
            link,
            pool,
            cache,
            done,
            doubted: Vec::new(),
            provided: unbounded_channel(),
            readiness: Readiness::default(),
            steps: unbounded_channel(),
            safe: unbounded_channel(),
            fetching: BTreeSet::new(),
            holds: BTreeMap::new(),
            answers: BTreeMap::new(),
            answers_since: None,
            said_to: BTreeMap::new(),
            pace: Pace::new(settings.cores.get(), true),
            played: 0,
            sent: 0,
            leaving: None,
            reported: BTreeSet::new(),
            is_lost: false,
            refused_since: None,
            trouble: None,
            process: process_number(),
        })
    }

    async fn work(mut self, stop: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<(), FleetError> {
        let subject = names::work(&self.settings.name);
        let subscribed = self.link.client.subscribe(subject).await;
        let mut orders = subscribed.map_err(|error| FleetError::Server { what: "give work", why: words(&error) })?;
        let called = self.link.client.subscribe(names::CALL).await;
        let mut calls = called.map_err(|error| FleetError::Server { what: "call workers", why: words(&error) })?;
        self.say_hello().await;
        // Fails now if a permission is missing.
        self.link.refusal().await.map_or(Ok(()), Err)?;
        let Settings { name, cores: number, .. } = self.settings;
        say(&format!("worker {name}: {} at {}", cores(number.get()), self.link.url));
        let mut heartbeat = tokio::time::interval(HELLO);
        let mut glance = tokio::time::interval(GLANCE);
        let mut together = tokio::time::interval(TOGETHER);
        loop {
            tokio::select! {
                Some(done) = self.done.recv() => self.finish(done, say),
                Some(order) = orders.next() => self.obey(&order, say).await,
                Some(step) = self.steps.1.recv() => self.advance(step, say).await,
                Some(provided) = self.provided.1.recv() => self.begin_pair(provided, say),
                Some(sent) = self.safe.1.recv() => self.mind_sent(sent, say),
                Some(news) = self.link.next_news() => self.mind(&news, say)?,
                Some(_) = calls.next() => self.say_hello().await,
                _ = heartbeat.tick() => self.say_hello().await,
                _ = together.tick(), if self.answers_since.is_some() => {}
                _ = glance.tick() => {
                    if self.refused_since.is_some_and(|since| since.elapsed() >= REFUSED_FOR) {
                        return Err(self.link.refused());
                    }
                    if stop.load(Ordering::SeqCst) && self.leaving.is_none() {
                        say("Ending: the games that are being played have a while to end; the others are handed back.");
                        self.leave().await;
                    }
                    self.settle(stop.load(Ordering::SeqCst), say);
                    if self.has_left() {
                        break;
                    }
                }
            }
            self.send_answers();
        }
        self.holds.clear();
        self.say_hello().await;
        let _gone = tokio::time::timeout(Duration::from_secs(1), self.link.client.flush()).await;
        say(&format!("Ended; {} pairs played.", self.played));
        Ok(())
    }

    async fn obey(&mut self, message: &Message, say: &mut dyn FnMut(&str)) {
        match unpack::<Order>(&message.payload) {
            Ok(Order::Play { run, weight, worker_setup, specs }) if self.leaving.is_none() => {
                let run: Arc<str> = run.into();
                if !self.holds.contains_key(&run) {
                    let _none_yet = self.holds.insert(Arc::clone(&run), BTreeSet::new());
                    say(&format!("run {run}: pairs to play"));
                }
                let ready = match &worker_setup {
                    None => {
                        // The run may have had a setup before it was resumed.
                        self.readiness.give_up(&run);
                        None
                    }
                    Some(worker_setup) => match self.ready(&run, worker_setup, &specs).await {
                        Some(ready) => Some(ready),
                        None => return,
                    },
                };
                for spec in specs {
                    self.provide(&run, weight, &spec, ready.as_deref(), say);
                }
            }
            Ok(Order::Play { .. }) => {}
            Ok(Order::Revoke { run, from }) => self.revoke(&run, from),
            Ok(Order::Refused { run, why }) => {
                self.tell_once(&format!("run {run} has no use for this worker: {why}"), say);
            }
            Err(error) => self.tell_once(&format!("an order cannot be read: {error}"), say),
        }
    }

    fn tell_once(&mut self, text: &str, say: &mut dyn FnMut(&str)) {
        if self.reported.insert(text.to_owned()) {
            say(text);
        }
    }

    /// Returns how to play the pairs of a run, if its preparation is done. Otherwise the pairs go to others, and this
    /// worker gets pairs again later.
    async fn ready(&mut self, run: &Arc<str>, worker_setup: &str, specs: &[Vec<u8>]) -> Option<Arc<Ready>> {
        let pair = specs.iter().find_map(|spec| wire::from_bytes::<PairSpec>(spec).ok())?.pair;
        let key = (Arc::clone(run), pair);
        match self.readiness.next(run, worker_setup) {
            Next::Play(ready) => return Some(ready),
            Next::Wait => {}
            Next::Prepare(stop) => {
                let (cache, jetstream) = (Arc::clone(&self.cache), self.link.jetstream.clone());
                let (cores, holder) = (self.settings.cores, self.pool.holder());
                let site = Site { cache, jetstream, cores, holder, stop };
                tokio::spawn(prepare(key, worker_setup.to_owned(), site, self.steps.0.clone()));
                self.say_hello().await;
            }
            Next::Refuse(why) => self.refuse(key, why),
        }
        None
    }

    /// Handles progress with the preparation of a run.
    async fn advance(&mut self, step: Step, say: &mut dyn FnMut(&str)) {
        match self.readiness.advance(step) {
            Some(PreparationReport::InProgress(text)) => say(&text),
            Some(PreparationReport::Ready(messages)) => messages.iter().for_each(|message| say(message)),
            Some(PreparationReport::Failed(key, why)) => {
                say(&why);
                self.refuse(key, why);
            }
            None => return,
        }
        self.say_hello().await;
    }

    /// Reports that the pairs of a run cannot be played here. The worker holds none of them.
    fn refuse(&mut self, (run, pair): Key, why: String) {
        self.answers.entry(run).or_default().push(Answer::Unable { pair, why });
        let _since = self.answers_since.get_or_insert_with(Instant::now);
    }

    /// Has a pair's programs fetched, and then the pair played.
    fn provide(&mut self, run: &Arc<str>, weight: u32, bytes: &[u8], ready: Option<&Ready>, say: &mut dyn FnMut(&str)) {
        // An unreadable pair has no number for an answer; a coordinator of another version was rejected before.
        let Ok(mut spec) = wire::from_bytes::<PairSpec>(bytes) else { return };
        if let Some(ready) = ready {
            ready.adapt(&mut spec);
        }
        let key = (Arc::clone(run), spec.pair);
        // A pair that arrives twice is played once.
        if !self.holds.entry(Arc::clone(run)).or_default().insert(spec.pair) {
            return;
        }
        if let Some(why) = unplayable(&spec) {
            return self.give_up(key, why, say);
        }
        let (cores, run) = (Busy::of(&spec.seats).threads.get(), Arc::clone(run));
        let job = Job { run, spec, mark: mark(bytes), cores };
        let (cache, jetstream) = (Arc::clone(&self.cache), self.link.jetstream.clone());
        if cache.has(&job.spec) {
            return self.begin_pair((Ok(job), weight), say);
        }
        self.fetching.insert(key.clone());
        let sender = self.provided.0.clone();
        tokio::spawn(async move {
            let mut provided = cache.provide(&job.spec, &jetstream).await;
            // The server may have lost the files, and get them again.
            let until = Instant::now() + FILES_WITHIN;
            while matches!(provided, Err(FetchError::Yet(_))) && Instant::now() < until {
                tokio::time::sleep(HELLO).await;
                provided = cache.provide(&job.spec, &jetstream).await;
            }
            // If the worker exits, no receiver is left.
            let _gone = sender.send((provided.map(|()| job).map_err(|why| (key, why)), weight));
        });
    }

    fn begin_pair(&mut self, (provided, weight): Provided, say: &mut dyn FnMut(&str)) {
        let key = provided.as_ref().map_or_else(|(key, _)| key.clone(), |job| (Arc::clone(&job.run), job.spec.pair));
        self.fetching.remove(&key);
        match provided {
            // The pair may have been revoked while its programs were fetched.
            Ok(job) if self.has(&job.run, job.spec.pair) => self.pool.add(job, weight),
            Ok(_) => {}
            Err((key, FetchError::Yet(why))) => self.answer(key, |pair| Answer::Lost { pair, why }),
            Err((key, FetchError::Here(why))) => self.give_up(key, why, say),
        }
    }

    /// Reports that this machine cannot play the pairs of a run.
    fn give_up(&mut self, key: Key, why: String, say: &mut dyn FnMut(&str)) {
        self.tell_once(&format!("run {} cannot be played here: {why}", key.0), say);
        self.answer(key, |pair| Answer::Unable { pair, why });
    }

    fn has(&self, run: &Arc<str>, pair: PairIndex) -> bool {
        self.holds.get(run).is_some_and(|pairs| pairs.contains(&pair))
    }

    fn revoke(&mut self, run: &str, from: PairIndex) {
        self.pool.revoke(run, from);
        if from == 0 {
            self.readiness.give_up(run);
        }
        if let Some(pairs) = self.holds.get_mut(run) {
            let _revoked = pairs.split_off(&from);
        }
    }

    fn finish(&mut self, (key, mark, result): Done, say: &mut dyn FnMut(&str)) {
        match result {
            // The pair was requested again since then, perhaps with another spec.
            Ok(_) | Err(NotPlayed::Stopped) if self.pool.has(&key) => {}
            Ok(result) if has_crashed(&result) => self.doubted.push((Instant::now(), key, mark, result)),
            Ok(result) => self.deliver(key, mark, &result, say),
            Err(NotPlayed::Stopped) => self.forget(&[key]),
            Err(NotPlayed::Failed(why)) => self.give_up(key, why, say),
            Err(why) => self.answer(key, |pair| Answer::Lost { pair, why: why.to_string() }),
        }
    }

    /// Hands back games whose engines ended together with this worker, and delivers the other results that waited in
    /// doubt.
    fn settle(&mut self, is_to_end: bool, say: &mut dyn FnMut(&str)) {
        for (since, key, mark, result) in std::mem::take(&mut self.doubted) {
            if self.pool.has(&key) {
                continue;
            }
            if is_to_end {
                self.tell_once("Engines have ended together with this worker: their games are handed back.", say);
                self.forget(&[key]);
            } else if since.elapsed() >= IN_DOUBT {
                self.deliver(key, mark, &result, say);
            } else {
                self.doubted.push((since, key, mark, result));
            }
        }
    }

    fn deliver(&mut self, key: Key, mark: u64, result: &PairResult, say: &mut dyn FnMut(&str)) {
        self.played += 1;
        self.mind_the_host(result, say);
        if let Ok(result) = wire::to_bytes(result) {
            self.answer(key, |pair| Answer::Played { pair, mark, result });
        }
    }

    /// Plays fewer games at a time while the host starves players whose time counts.
    fn mind_the_host(&mut self, result: &PairResult, say: &mut dyn FnMut(&str)) {
        let before = self.pace.at_a_time();
        self.pace.note(Starvation::default().games(result) > 0, self.pool.playing().len());
        let now = self.pace.at_a_time();
        if now != before {
            self.pool.set_cores(now);
            let why = if now < before { "the host keeps engines waiting" } else { "the host is quieter" };
            say(&format!("From now on {now} of {}: {why}.", cores(self.settings.cores.get())));
        }
    }

    /// Sends an answer soon, unless the pair was revoked.
    fn answer(&mut self, (run, pair): Key, answer: impl FnOnce(PairIndex) -> Answer) {
        if self.has(&run, pair) {
            self.answers.entry(run).or_default().push(answer(pair));
            let _since = self.answers_since.get_or_insert_with(Instant::now);
        }
    }

    /// Sends the answers that have waited long enough.
    fn send_answers(&mut self) {
        let are_many = || self.answers.values().map(Vec::len).sum::<usize>() >= ENOUGH;
        let has_plenty = || self.leaving.is_none() && self.pool.waiting() >= self.settings.cores.get();
        let wait = || if has_plenty() { AT_LEISURE } else { TOGETHER };
        let may_wait = |since: Instant| since.elapsed() < TOGETHER || since.elapsed() < wait();
        if self.answers_since.is_none_or(|since| may_wait(since) && !are_many()) {
            return;
        }
        self.answers_since = None;
        for (run, answers) in std::mem::take(&mut self.answers) {
            // Each run gets all messages: an engine may play for several runs, and is started once.
            let sent = self.said_to.entry(Arc::clone(&run)).or_default();
            let notices = self.cache.notices_after(*sent);
            *sent += notices.len();
            let mut portion = Report { answers: Vec::new(), notices };
            let mut bytes = 0;
            for answer in answers {
                bytes += if let Answer::Played { result, .. } = &answer { result.len() } else { 100 };
                portion.answers.push(answer);
                if bytes >= FULL {
                    self.send(&run, &std::mem::take(&mut portion));
                    bytes = 0;
                }
            }
            if !portion.answers.is_empty() {
                self.send(&run, &portion);
            }
        }
    }

    /// Sends a message until the server has it.
    fn send(&mut self, run: &Arc<str>, report: &Report) {
        let keys: Vec<Key> = report.answers.iter().map(|answer| (Arc::clone(run), number(answer))).collect();
        let (bytes, most) = (pack(report), self.link.client.server_info().max_payload.saturating_sub(HEADERS));
        match &report.answers[..] {
            _ if bytes.len() <= most => {}
            [Answer::TooLarge { .. }] | [] => {}
            [only] => {
                let too_large = Answer::TooLarge { pair: number(only), bytes: [bytes.len(), most] };
                return self.send(run, &Report { answers: vec![too_large], notices: Vec::new() });
            }
            answers => {
                let (some, others) = answers.split_at(answers.len() / 2);
                self.send(run, &Report { answers: some.to_vec(), notices: report.notices.clone() });
                return self.send(run, &Report { answers: others.to_vec(), notices: Vec::new() });
            }
        }
        self.sent += 1;
        let subject = names::result(&self.settings.name, run);
        let id = format!("{}-{:x}-{}", self.settings.name, self.process, self.sent);
        let (jetstream, safe) = (self.link.jetstream.clone(), self.safe.0.clone());
        tokio::spawn(async move {
            make_safe(&jetstream, subject, &id, bytes.into(), &safe).await;
            let _gone = safe.send(Ok(keys));
        });
    }

    /// Handles the server's confirmation of a message, or its reason for not accepting it.
    fn mind_sent(&mut self, sent: Sent, say: &mut dyn FnMut(&str)) {
        match sent {
            Ok(keys) => {
                self.trouble = None;
                self.forget(&keys);
            }
            Err(why) => {
                let text = format!("the server does not take results: {why}");
                self.tell_once(&text, say);
                self.trouble = Some(text);
            }
        }
    }

    fn forget(&mut self, keys: &[Key]) {
        for (run, pair) in keys {
            if let Some(pairs) = self.holds.get_mut(run) {
                pairs.remove(pair);
            }
        }
    }

    fn mind(&mut self, news: &News, say: &mut dyn FnMut(&str)) -> Result<(), FleetError> {
        match news {
            News::Connected if self.is_lost => say("The server is there again."),
            News::Disconnected if !self.is_lost => {
                say("The server is lost; trying again. Running games continue.");
            }
            News::Connected | News::Disconnected => {}
            News::Refused => {
                if self.refused_since.is_none() {
                    let seconds = REFUSED_FOR.as_secs();
                    say(&format!("{}; trying for {seconds} s.", self.link.refused()));
                    self.refused_since = Some(Instant::now());
                }
                return Ok(());
            }
            News::NotAllowed(what) => {
                return Err(FleetError::NotAllowed { who: self.link.who.clone(), what: what.clone() });
            }
        }
        if *news == News::Connected {
            self.refused_since = None;
        }
        self.is_lost = *news == News::Disconnected;
        Ok(())
    }

    async fn say_hello(&self) {
        if self.is_lost {
            return;
        }
        let holds = self.holds.iter().filter(|(_, pairs)| !pairs.is_empty());
        let heartbeat = Heartbeat {
            spar: SPAR.to_owned(),
            wire: WIRE,
            pair: PAIR_VERSION,
            host: host(),
            process: self.process,
            cores: self.settings.cores.get(),
            at_a_time: self.pace.at_a_time(),
            busy: self.pool.busy(),
            done: self.played,
            holds: holds.map(|(run, pairs)| (run.to_string(), pairs.iter().copied().collect())).collect(),
            preparing: self.readiness.preparing(),
            scales: self.readiness.scales(),
            trouble: self.trouble.clone(),
            misses: self.cache.missed(),
            leaving: self.leaving.is_some(),
        };
        let text = serde_json::to_vec(&heartbeat).unwrap_or_default();
        // While the server is away, nothing is sent: waiting messages would fill the client's buffer, and all other
        // sends would block.
        let sent = self.link.client.publish(names::heartbeat(&self.settings.name), text.into());
        let _lost = tokio::time::timeout(GLANCE, sent).await;
    }

    /// Accepts no further pairs, and hands back those that were not begun.
    async fn leave(&mut self) {
        self.leaving = Some(Instant::now());
        self.readiness.give_up_all();
        let waiting = self.pool.forget_waiting();
        self.forget(&waiting);
        let fetching: Vec<Key> = std::mem::take(&mut self.fetching).into_iter().collect();
        self.forget(&fetching);
        self.say_hello().await;
    }

    /// Whether the worker may exit: nothing would be lost, or it has waited long enough.
    fn has_left(&mut self) -> bool {
        let Some(since) = self.leaving else { return false };
        let waited = since.elapsed();
        if waited >= self.settings.grace {
            self.pool.stop_playing();
        }
        let is_empty = self.holds.values().all(BTreeSet::is_empty);
        is_empty || waited >= self.settings.grace + LAST
    }
}

/// Returns why a pair cannot be played on this machine, if that is known beforehand.
fn unplayable(spec: &PairSpec) -> Option<String> {
    spec.seats.iter().find_map(|entrant| {
        let directory = entrant.player.process()?.directory.as_ref()?;
        let missing = !directory.is_dir();
        missing.then(|| {
            format!("entrant \"{}\" works in {}, which is not on this machine", entrant.name, directory.display())
        })
    })
}

/// Whether an engine ended in the middle of a game, or did not start. Programs that kill a machine's processes do not
/// spare engines, and an engine that was killed has not lost its game.
fn has_crashed(result: &PairResult) -> bool {
    let fault = |ending: &Ending| matches!(ending, Ending::Forfeit { fault: Fault::Crash(_) | Fault::Startup(_), .. });
    result.games.iter().any(|game| fault(&game.ending))
}

/// The number of the pair that an answer is about.
fn number(answer: &Answer) -> PairIndex {
    match answer {
        Answer::Played { pair, .. }
        | Answer::Lost { pair, .. }
        | Answer::TooLarge { pair, .. }
        | Answer::Unable { pair, .. } => *pair,
    }
}

/// Sends a message until the server has it; the server drops a second one with the same id. Reports why a message was
/// not accepted.
async fn make_safe(
    jetstream: &Context,
    subject: String,
    id: &str,
    bytes: bytes::Bytes,
    trouble: &UnboundedSender<Sent>,
) {
    loop {
        if jetstream.client().connection_state() == State::Connected {
            let message = PublishMessage::build().payload(bytes.clone()).message_id(id);
            let sent = async { jetstream.send_publish(subject.clone(), message).await?.await };
            match tokio::time::timeout(SAFE_WITHIN, sent).await {
                Ok(Ok(_)) => return,
                Ok(Err(error)) => {
                    let is_silent = error.kind() == PublishErrorKind::TimedOut;
                    drop(trouble.send(Err(if is_silent { SILENT.to_owned() } else { words(&error) })));
                }
                // The server is away.
                Err(_) => {}
            }
        }
        tokio::time::sleep(GLANCE * 4).await;
    }
}

/// Returns a number that tells this process from others that had its name before.
fn process_number() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()) << 40
}

/// Returns this machine's name, or "unknown".
fn host() -> String {
    Machine::this().host_name().unwrap_or_else(|| "unknown".to_owned())
}
