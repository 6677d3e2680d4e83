//! Simulates thousands of workers in one process, to see how many a coordinator and its server can handle. They use the
//! protocol of real workers and answer with real results, but wait where workers would play. Use pairs of random
//! movers, which take no time.

use crate::access::Access;
use crate::error::FleetError;
use crate::link::{Link, words};
use crate::message::{Answer, Heartbeat, Order, Report, SPAR, WIRE, mark, pack, unpack};
use crate::names::{self, WorkerName};
use crate::runtime;
use arena::run::{PAIR_VERSION, PairIndex, PairResult, PairSpec, Worker, wire};
use async_nats::Message;
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;
use futures_util::StreamExt;
use play::random::Stream;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often pairs end and answers are sent.
const STEP: Duration = Duration::from_millis(20);

/// The interval between a worker's heartbeats.
const HELLO: Duration = Duration::from_secs(1);

/// The settings of a crowd.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server.
    pub access: Access,
    /// The number of workers.
    pub workers: usize,
    /// The number of pairs that each worker plays at a time.
    pub at_a_time: usize,
    /// The mean duration of a pair: durations range from half of this to half as much again.
    pub pair: Duration,
    /// The seed of these times.
    pub seed: u64,
    /// The prefix of the workers' names.
    pub called: &'static str,
    /// How the workers treat their results.
    pub manner: Manner,
}

/// How a worker treats its results.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// It sends its results.
    Honest,
    /// It sends forged results.
    Forges(fn(&mut PairResult)),
    /// The last worker reports every second pair as lost, once the first worker is at work: alone it would end the run.
    Loses,
    /// It sends each message twice, late and in any order; the server cannot know that the second is a copy.
    Repeats,
}

/// How many messages are held back to reorder them.
const HELD_BACK: usize = 12;

/// Held messages are sent when no message has come after them for this long.
const HELD_FOR: Duration = Duration::from_millis(400);

/// Counts of what was sent and received.
#[derive(Debug, Default)]
pub struct Counts {
    /// The number of answered pairs.
    pub pairs: AtomicU64,
    /// The number of messages with answers, and of those that the server did not accept.
    pub reports: [AtomicU64; 2],
    /// The number of heartbeats.
    pub heartbeats: AtomicU64,
    /// The number of received orders.
    pub orders: AtomicU64,
}

/// A simulated worker.
struct Member {
    name: WorkerName,
    waiting: VecDeque<Job>,
    playing: usize,
    holds: BTreeMap<Arc<str>, BTreeSet<PairIndex>>,
    answers: BTreeMap<Arc<str>, Vec<Answer>>,
    done: u64,
}

struct Job {
    run: Arc<str>,
    pair: PairIndex,
    bytes: Vec<u8>,
}

/// Works until `stop` is set.
///
/// # Errors
/// [`FleetError`] if the server is unavailable, or is lost.
pub fn work(settings: &Settings, counts: &Arc<Counts>, stop: &AtomicBool) -> Result<(), FleetError> {
    runtime::on_this_thread()?.block_on(async {
        let link = Link::connect(&settings.access, "crowd").await?;
        let subscribed = link.client.subscribe("spar.work.*").await;
        let mut orders = subscribed.map_err(|error| FleetError::Server { what: "give work", why: words(&error) })?;
        let mut crowd = Crowd::new(settings, link, Arc::clone(counts))?;
        let mut step = tokio::time::interval(STEP);
        while !stop.load(Ordering::SeqCst) {
            tokio::select! {
                Some(order) = orders.next() => crowd.obey(&order),
                _ = step.tick() => crowd.step().await,
            }
        }
        Ok(())
    })
}

struct Crowd<'a> {
    settings: &'a Settings,
    link: Link,
    members: Vec<Member>,
    index: BTreeMap<String, usize>,
    /// When each pair being played ends, and its number in `jobs`.
    ends: BinaryHeap<Reverse<(Instant, u64)>>,
    jobs: BTreeMap<u64, (usize, Job)>,
    number: u64,
    /// The next worker to send a heartbeat, and when.
    next_hello: (usize, Instant),
    stream: Stream,
    /// Messages that are held back, and since when.
    held: Vec<(String, Bytes)>,
    held_since: Instant,
    sent: u64,
    player: Worker,
    counts: Arc<Counts>,
}

impl<'a> Crowd<'a> {
    fn new(settings: &'a Settings, link: Link, counts: Arc<Counts>) -> Result<Self, FleetError> {
        let member = |number: usize| {
            let name = format!("{}-{number:05}", settings.called).parse().map_err(FleetError::Missing)?;
            let (waiting, holds, answers) = Default::default();
            Ok(Member { name, waiting, playing: 0, holds, answers, done: 0 })
        };
        let members = (0..settings.workers).map(member).collect::<Result<Vec<_>, FleetError>>()?;
        let index = members.iter().enumerate().map(|(number, member)| (member.name.to_string(), number)).collect();
        let stream = Stream::from_seed(settings.seed);
        let (ends, jobs) = Default::default();
        let next_hello = (0, Instant::now());
        let player = Worker::new(None);
        let (held, held_since, sent) = (Vec::new(), Instant::now(), 0);
        let number = 0;
        Ok(Self {
            settings,
            link,
            members,
            index,
            ends,
            jobs,
            number,
            next_hello,
            stream,
            held,
            held_since,
            sent,
            player,
            counts,
        })
    }

    fn obey(&mut self, message: &Message) {
        let name = message.subject.rsplit('.').next().unwrap_or_default();
        let Some(&who) = self.index.get(name) else { return };
        self.counts.orders.fetch_add(1, Ordering::Relaxed);
        match unpack::<Order>(&message.payload) {
            Ok(Order::Play { run, specs, .. }) => {
                let run: Arc<str> = run.into();
                for bytes in specs {
                    let Ok(pair) = wire::from_bytes::<PairSpec>(&bytes).map(|spec| spec.pair) else { continue };
                    let member = &mut self.members[who];
                    if member.holds.entry(Arc::clone(&run)).or_default().insert(pair) {
                        member.waiting.push_back(Job { run: Arc::clone(&run), pair, bytes });
                    }
                }
                self.begin(who);
            }
            Ok(Order::Revoke { run, from }) => {
                let member = &mut self.members[who];
                member.waiting.retain(|job| *job.run != *run || job.pair < from);
                if let Some(holds) = member.holds.get_mut(run.as_str()) {
                    let _revoked = holds.split_off(&from);
                }
            }
            Ok(Order::Refused { .. }) | Err(_) => {}
        }
    }

    /// Starts pairs of a worker, up to the number that it plays at a time.
    fn begin(&mut self, who: usize) {
        let member = &mut self.members[who];
        while member.playing < self.settings.at_a_time {
            let Some(job) = member.waiting.pop_front() else { break };
            member.playing += 1;
            self.number += 1;
            let share = f64::from(self.stream.below(1 << 20)) / f64::from(1 << 20);
            let end = Instant::now() + self.settings.pair.mul_f64(0.5 + share);
            self.ends.push(Reverse((end, self.number)));
            self.jobs.insert(self.number, (who, job));
        }
    }

    async fn step(&mut self) {
        let now = Instant::now();
        let mut answered = BTreeSet::new();
        while self.ends.peek().is_some_and(|Reverse((end, _))| *end <= now) {
            let Some(Reverse((_, number))) = self.ends.pop() else { break };
            let Some((who, job)) = self.jobs.remove(&number) else { continue };
            self.finish(who, job);
            self.begin(who);
            answered.insert(who);
        }
        for who in answered {
            self.send(who);
        }
        self.let_go();
        while self.next_hello.1 <= now {
            let who = self.next_hello.0;
            self.say_hello(who).await;
            let every = HELLO.div_f64(self.members.len() as f64);
            self.next_hello = ((who + 1) % self.members.len(), self.next_hello.1 + every);
        }
    }

    fn finish(&mut self, who: usize, job: Job) {
        let may_lose = who + 1 == self.members.len() && self.members[0].done > 0;
        let member = &mut self.members[who];
        member.playing -= 1;
        if !member.holds.get(&job.run).is_some_and(|pairs| pairs.contains(&job.pair)) {
            return;
        }
        let played = wire::from_bytes::<PairSpec>(&job.bytes).map_err(|error| error.to_string()).and_then(|spec| {
            let mut result = self.player.play(&spec, &AtomicBool::new(false)).map_err(|why| why.to_string())?;
            if let Manner::Forges(forge) = self.settings.manner {
                forge(&mut result);
            }
            wire::to_bytes(&result).map_err(|error| error.to_string())
        });
        let is_lost = matches!(self.settings.manner, Manner::Loses) && may_lose && member.done % 2 == 1;
        let answer = match played {
            Ok(_) if is_lost => Answer::Lost { pair: job.pair, why: "the dog ate it".to_owned() },
            Ok(result) => Answer::Played { pair: job.pair, mark: mark(&job.bytes), result },
            Err(why) => Answer::Unable { pair: job.pair, why },
        };
        member.done += 1;
        member.answers.entry(job.run).or_default().push(answer);
        self.counts.pairs.fetch_add(1, Ordering::Relaxed);
    }

    fn send(&mut self, who: usize) {
        let member = &mut self.members[who];
        for (run, answers) in std::mem::take(&mut member.answers) {
            if let Some(holds) = member.holds.get_mut(&run) {
                // Pairs whose answers the server does not accept are given again.
                for answer in &answers {
                    if let Answer::Played { pair, .. } | Answer::Lost { pair, .. } = answer {
                        holds.remove(pair);
                    }
                }
            }
            let bytes = pack(&Report { answers, notices: Vec::new() });
            let copies = if matches!(self.settings.manner, Manner::Repeats) { 2 } else { 1 };
            let message = (names::result(&member.name, &run), Bytes::from(bytes));
            self.held.extend(std::iter::repeat_n(message, copies));
            self.held_since = Instant::now();
        }
        self.let_go();
    }

    /// Sends the messages that are not held back.
    fn let_go(&mut self) {
        let is_orderly = !matches!(self.settings.manner, Manner::Repeats);
        let held_back = if is_orderly || self.held_since.elapsed() >= HELD_FOR { 0 } else { HELD_BACK };
        while self.held.len() > held_back {
            let which = if is_orderly { 0 } else { self.stream.below(self.held.len() as u32) as usize };
            let (subject, bytes) = self.held.remove(which);
            self.sent += 1;
            let id = format!("{}-{}", self.settings.called, self.sent);
            let (counts, jetstream) = (Arc::clone(&self.counts), self.link.jetstream.clone());
            counts.reports[0].fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let message = PublishMessage::build().payload(bytes).message_id(id);
                let sent = async { jetstream.send_publish(subject, message).await?.await };
                if sent.await.is_err() {
                    counts.reports[1].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }

    async fn say_hello(&self, who: usize) {
        let member = &self.members[who];
        let holds = member.holds.iter().filter(|(_, pairs)| !pairs.is_empty());
        let heartbeat = Heartbeat {
            spar: SPAR.to_owned(),
            wire: WIRE,
            pair: PAIR_VERSION,
            host: "crowd".to_owned(),
            process: 1,
            cores: self.settings.at_a_time,
            at_a_time: self.settings.at_a_time,
            busy: member.playing,
            done: member.done,
            holds: holds.map(|(run, pairs)| (run.to_string(), pairs.iter().copied().collect())).collect(),
            preparing: BTreeMap::new(),
            scales: BTreeMap::new(),
            trouble: None,
            misses: Vec::new(),
            leaving: false,
        };
        let text = serde_json::to_vec(&heartbeat).unwrap_or_default();
        let _lost = self.link.client.publish(names::heartbeat(&member.name), text.into()).await;
        self.counts.heartbeats.fetch_add(1, Ordering::Relaxed);
    }
}
