//! Assigns pairs to workers. Keeps the known workers, the pairs that each was given, the waiting pairs, and the
//! excluded workers. Pure: the caller passes the time and sends the messages.
//!
//! A worker gets little more than it plays at a time, and the pairs that it loses go to others. Workers report which
//! pairs they hold, which shows what was lost on the way. So no message needs guaranteed delivery or an
//! acknowledgement.

use crate::message::{Heartbeat, WorkerNews, mark};
use crate::names::WorkerName;
use arena::run::PairIndex;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A worker that is silent for this long has gone, and its pairs go to others.
pub(crate) const GONE: Duration = Duration::from_secs(10);

/// The longest time that a pair travels to a worker. If the worker does not hold the pair then, it was lost.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

/// A worker gets, in advance, the pairs that it plays in this time, so that it never waits for the next message.
const AHEAD: Duration = Duration::from_millis(400);

/// How many times in a row a worker may become another process, and the time after which it may do so once more. More
/// changes mean two workers with one name: the later one is ignored until the first falls silent.
const MOST_CHANGES: u32 = 20;
const ONE_MORE: Duration = Duration::from_secs(5);

/// A worker that was set aside this many times gets another chance at once when it comes as another process. After that
/// it has to wait, for this long at first, and twice as long each time, up to a bound.
const CHANCES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_mins(1);
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// A pair is given up after this many workers have lost it. With fewer workers, it is given up after all have lost it,
/// and at least this many times in total.
const MOST_LOSERS: usize = 5;
const LEAST_LOSSES: usize = 3;

/// The maximum number of known workers: on an open server, any client may use any name.
const MOST_WORKERS: usize = 50_000;

/// The maximum number of pairs for each game that a worker plays at a time.
const MOST_PER_GAME: usize = 256;

/// The weight of the latest measurement of a worker's speed.
const LATEST: f64 = 0.5;

/// A pair to send: its number, and its encoded bytes.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) pair: PairIndex,
    pub(crate) spec: Arc<[u8]>,
    /// The worker that played the pair, if another worker is to play it again.
    pub(crate) check_of: Option<WorkerName>,
    /// The workers that lost the pair, each as often as it lost it.
    pub(crate) lost_by: Vec<WorkerName>,
}

impl Job {
    /// Returns a job that any worker may play.
    pub(crate) fn new(pair: PairIndex, spec: Arc<[u8]>) -> Self {
        Self { pair, spec, check_of: None, lost_by: Vec::new() }
    }

    /// Returns a job that a worker other than `of` is to play again.
    pub(crate) fn check(pair: PairIndex, spec: Arc<[u8]>, of: WorkerName) -> Self {
        Self { check_of: Some(of), ..Self::new(pair, spec) }
    }
}

/// A pair that a worker had and did not play.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The number of pairs that the worker has lost in a row.
    pub(crate) on_end: u32,
    pub(crate) then: AfterLoss,
}

/// What happens to a pair that a worker had and did not play.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AfterLoss {
    /// Other workers play it.
    Others,
    /// It was a check: the caller must have it played in another way.
    WasCheck,
    /// It is given up: these workers have lost it, each as often as it is listed.
    Hopeless(Vec<WorkerName>),
}

/// Why a worker is given no pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exclusion {
    /// In words.
    pub(crate) why: String,
    /// The process that could not play; another process under the same name gets another chance. `None`: the worker is
    /// not trusted, and its messages do not count.
    pub(crate) process: Option<u64>,
    /// The earliest time of that chance.
    until: Instant,
}

/// The history of a worker, which outlives its absence.
#[derive(Debug)]
struct WorkerHistory {
    /// How many more times the worker may become another process, and since when that is counted.
    changes: u32,
    since: Instant,
    /// The number of times that the worker was set aside.
    asides: u32,
}

impl WorkerHistory {
    fn new(now: Instant) -> Self {
        Self { changes: MOST_CHANGES, since: now, asides: 0 }
    }

    /// Whether the worker may be another process now.
    fn may_change(&mut self, now: Instant) -> bool {
        let more = now.saturating_duration_since(self.since).as_secs() / ONE_MORE.as_secs();
        if more > 0 {
            self.changes = MOST_CHANGES.min(self.changes.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)));
            self.since = now;
        }
        let may = self.changes > 0;
        self.changes -= u32::from(may);
        may
    }

    /// Returns how long the worker waits for its next chance.
    fn wait(&self) -> Duration {
        match self.asides.checked_sub(CHANCES + 1) {
            None => Duration::ZERO,
            Some(doublings) => LONGEST_WAIT.min(FIRST_WAIT * 2_u32.saturating_pow(doublings.min(10))),
        }
    }
}

/// A pair that a worker has.
#[derive(Debug)]
struct Given {
    job: Job,
    at: Instant,
}

/// A worker.
#[derive(Debug)]
struct Seat {
    last_heartbeat: Instant,
    /// Which process it is.
    process: u64,
    at_a_time: usize,
    leaving: bool,
    /// Whether the worker is preparing, such as by building a program. Until it is done, others get its pairs.
    preparing: bool,
    given: BTreeMap<PairIndex, Given>,
    /// The number of pairs that the worker has played, and that number when its speed was last measured.
    played: u64,
    measured: (Instant, u64),
    /// In pairs per second.
    rate: f64,
    /// The number of pairs that the worker may have beyond those that it plays.
    ahead: usize,
    /// The number of pairs that the worker has lost since it played one.
    losses: u32,
}

impl Seat {
    fn new(now: Instant) -> Self {
        Self {
            last_heartbeat: now,
            process: 0,
            at_a_time: 0,
            leaving: false,
            preparing: false,
            given: BTreeMap::new(),
            played: 0,
            measured: (now, 0),
            rate: 0.0,
            ahead: 0,
            losses: 0,
        }
    }

    /// Returns how many pairs the worker may have.
    fn window(&self) -> usize {
        if self.leaving || self.preparing {
            return 0;
        }
        self.at_a_time + self.ahead.clamp(self.at_a_time, self.at_a_time * MOST_PER_GAME)
    }

    /// Doubles the pairs ahead of a worker that has run dry: quick games are over before their speed is known.
    fn hurry(&mut self) {
        if self.given.is_empty() {
            self.ahead = (self.ahead.max(self.at_a_time) * 2).min(self.at_a_time * MOST_PER_GAME);
        }
    }

    fn measure(&mut self, now: Instant) {
        let (since, before) = self.measured;
        let seconds = now.saturating_duration_since(since).as_secs_f64();
        if seconds >= 0.5 {
            let rate = (self.played - before) as f64 / seconds;
            self.rate = if before == 0 { rate } else { LATEST * rate + (1.0 - LATEST) * self.rate };
            self.measured = (now, self.played);
            // The pairs that the worker needs and half as many again, so that it can grow a little.
            self.ahead = self.ahead.min((1.5 * self.rate * AHEAD.as_secs_f64()).ceil() as usize);
        }
    }
}

/// The workers of a run, and its pairs.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The number of cores that a game takes.
    threads: usize,
    seats: BTreeMap<WorkerName, Seat>,
    waiting: VecDeque<Job>,
    /// Pairs that a worker has lost: others are to play them.
    unlucky: VecDeque<Job>,
    /// Pairs that a second worker is to play again.
    checks: VecDeque<Job>,
    /// Workers that get no pairs, even after they reconnect.
    aside: BTreeMap<WorkerName, Exclusion>,
    /// Workers that are paused on request, whether they are present or not.
    paused: BTreeSet<WorkerName>,
    past: BTreeMap<WorkerName, WorkerHistory>,
}

/// Returns the pairs for each game at a time, in thousandths: integers have a total order.
fn load(seat: &Seat) -> usize {
    seat.given.len() * 1000 / seat.at_a_time.max(1)
}

fn has_room(seat: &Seat) -> bool {
    seat.given.len() < seat.window()
}

/// A change in the state of a worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The worker was not known before.
    Came,
    /// The worker reports that it takes no further pairs.
    Leaves,
    /// The worker has been another process too often: probably two workers use its name. Its heartbeats are ignored for
    /// now.
    Twice,
    /// There are too many known workers to add this one.
    TooMany,
}

impl Roster {
    /// Returns the roster of a run whose games take `threads` cores each.
    pub(crate) fn new(threads: NonZeroUsize) -> Self {
        Self {
            threads: threads.get(),
            seats: BTreeMap::new(),
            waiting: VecDeque::new(),
            unlucky: VecDeque::new(),
            checks: VecDeque::new(),
            aside: BTreeMap::new(),
            paused: BTreeSet::new(),
            past: BTreeMap::new(),
        }
    }

    /// Adds a pair to play.
    pub(crate) fn submit(&mut self, job: Job) {
        self.line_of(&job).push_back(job);
    }

    /// Returns the queue of a pair.
    fn line_of(&mut self, job: &Job) -> &mut VecDeque<Job> {
        match job {
            Job { check_of: Some(_), .. } => &mut self.checks,
            job if job.lost_by.is_empty() => &mut self.waiting,
            _ => &mut self.unlucky,
        }
    }

    /// Processes a worker's heartbeat for this run, and queues the pairs that it lost.
    pub(crate) fn on_heartbeat(
        &mut self,
        worker: &WorkerName,
        heartbeat: &Heartbeat,
        run: &str,
        now: Instant,
    ) -> Option<Change> {
        let is_new = !self.seats.contains_key(worker);
        if is_new && !self.past.contains_key(worker) && self.past.len() >= MOST_WORKERS {
            return Some(Change::TooMany);
        }
        let is_another = self.seats.get(worker).is_some_and(|seat| seat.process != heartbeat.process);
        let past = self.past.entry(worker.clone()).or_insert_with(|| WorkerHistory::new(now));
        if is_another && !past.may_change(now) {
            return Some(Change::Twice);
        }
        let seat = self.seats.entry(worker.clone()).or_insert_with(|| Seat::new(now));
        let leaves = heartbeat.leaving && !seat.leaving;
        seat.process = heartbeat.process;
        let is_better =
            |aside: &Exclusion| now >= aside.until && aside.process.is_some_and(|process| process != heartbeat.process);
        if self.aside.get(worker).is_some_and(is_better) {
            self.aside.remove(worker);
        }
        (seat.last_heartbeat, seat.leaving) = (now, heartbeat.leaving);
        seat.preparing = heartbeat.preparing.contains_key(run);
        seat.at_a_time = (heartbeat.at_a_time / self.threads).max(1);
        seat.measure(now);
        let holds = heartbeat.holds.get(run).map_or(&[][..], Vec::as_slice);
        if is_new && !holds.is_empty() && !self.aside.contains_key(worker) {
            // Pairs from a coordinator that died need not be given again, unless others are to play them.
            let (has, waiting): (VecDeque<Job>, _) =
                std::mem::take(&mut self.waiting).into_iter().partition(|job| holds.binary_search(&job.pair).is_ok());
            seat.given.extend(has.into_iter().map(|job| (job.pair, Given { job, at: now })));
            self.waiting = waiting;
        }
        // The results of pairs that the worker held until now may be on their way back.
        let held = |pair: &PairIndex| holds.binary_search(pair).is_ok();
        seat.given.iter_mut().filter(|(pair, _)| held(pair)).for_each(|(_, given)| given.at = now);
        // A worker that leaves or prepares accepts no pairs, and one that has just started never got them.
        let patience = if heartbeat.leaving || seat.preparing || is_another { Duration::ZERO } else { ON_ITS_WAY };
        let lost = |given: &Given| !held(&given.job.pair) && now.saturating_duration_since(given.at) >= patience;
        let lost: Vec<PairIndex> = seat.given.iter().filter(|(_, given)| lost(given)).map(|(pair, _)| *pair).collect();
        let jobs: Vec<Job> = lost.iter().filter_map(|pair| seat.given.remove(pair)).map(|given| given.job).collect();
        self.again(jobs);
        match (is_new, leaves) {
            (true, _) => Some(Change::Came),
            (false, true) => Some(Change::Leaves),
            (false, false) => None,
        }
    }

    /// Queues, at the front, pairs that were given to a worker that does not play them.
    fn again(&mut self, jobs: Vec<Job>) {
        for job in jobs.into_iter().rev() {
            self.line_of(&job).push_front(job);
        }
    }

    /// Removes the workers that have been silent for too long, and queues their pairs for others. Returns them, except
    /// for those that have left.
    pub(crate) fn gone(&mut self, now: Instant) -> Vec<WorkerName> {
        let silent = |seat: &Seat| now.saturating_duration_since(seat.last_heartbeat) >= GONE;
        let mut gone: Vec<(WorkerName, bool)> = Vec::new();
        for (worker, seat) in self.seats.iter().filter(|(_, seat)| silent(seat)) {
            gone.push((worker.clone(), seat.leaving));
        }
        for (worker, _) in &gone {
            if let Some(seat) = self.seats.remove(worker) {
                self.again(seat.given.into_values().map(|given| given.job).collect());
            }
        }
        gone.into_iter().filter(|(_, has_left)| !has_left).map(|(worker, _)| worker).collect()
    }

    /// Restarts the time limits after the server was unreachable: the silence of workers does not count, nor does the
    /// delay of pairs on their way.
    pub(crate) fn excuse(&mut self, now: Instant) {
        for seat in self.seats.values_mut() {
            seat.last_heartbeat = now;
            seat.given.values_mut().for_each(|given| given.at = now);
        }
    }

    /// Notes that a worker has played a pair. No other worker gets it any more; those that have it may finish.
    pub(crate) fn played(&mut self, worker: &WorkerName, pair: PairIndex) {
        let seat = self.seats.get_mut(worker);
        let had_it = seat.is_some_and(|seat| {
            (seat.played, seat.losses) = (seat.played + 1, 0);
            let had_it = seat.given.remove(&pair).is_some();
            if had_it {
                seat.hurry();
            }
            had_it
        });
        if !had_it {
            self.waiting.retain(|job| job.pair != pair);
            self.unlucky.retain(|job| job.pair != pair);
        }
    }

    /// Notes that a worker has played a pair that another worker had played before; returns whether it was given this
    /// very spec.
    pub(crate) fn played_too(&mut self, worker: &WorkerName, pair: PairIndex, mark_of: u64) -> bool {
        let Some(seat) = self.seats.get_mut(worker) else { return false };
        if seat.given.get(&pair).is_none_or(|given| mark(&given.job.spec) != mark_of) {
            return false;
        }
        (seat.played, seat.losses) = (seat.played + 1, 0);
        seat.given.remove(&pair);
        seat.hurry();
        true
    }

    /// Notes that a worker does not play a pair that it has; `None` if it does not have it.
    pub(crate) fn not_played(&mut self, worker: &WorkerName, pair: PairIndex) -> Option<Loss> {
        let seat = self.seats.get_mut(worker)?;
        let Given { mut job, .. } = seat.given.remove(&pair)?;
        seat.losses += 1;
        let on_end = seat.losses;
        if job.check_of.is_some() {
            return Some(Loss { on_end, then: AfterLoss::WasCheck });
        }
        job.lost_by.push(worker.clone());
        let losers: BTreeSet<&WorkerName> = job.lost_by.iter().collect();
        let are_all = self
            .seats
            .iter()
            .all(|(worker, seat)| seat.leaving || self.aside.contains_key(worker) || losers.contains(worker));
        let is_hopeless = losers.len() >= MOST_LOSERS || are_all && job.lost_by.len() >= LEAST_LOSSES;
        if is_hopeless {
            return Some(Loss { on_end, then: AfterLoss::Hopeless(job.lost_by) });
        }
        self.unlucky.push_back(job);
        Some(Loss { on_end, then: AfterLoss::Others })
    }

    /// Excludes a worker from now on; its pairs go to others. `None` if it was excluded before. A worker that
    /// `is_disbelieved` stays out. Otherwise its next process gets another chance: returns how long that process has to
    /// wait, and how many times the worker was set aside.
    pub(crate) fn set_aside(
        &mut self,
        worker: &WorkerName,
        why: &str,
        is_disbelieved: bool,
        now: Instant,
    ) -> Option<(Duration, u32)> {
        let known = self.aside.get(worker);
        if known.is_some_and(|aside| aside.process.is_none() || !is_disbelieved) {
            return None;
        }
        let past = self.past.entry(worker.clone()).or_insert_with(|| WorkerHistory::new(now));
        past.asides += 1;
        let (wait, asides) = (past.wait(), past.asides);
        let seat = self.seats.get_mut(worker);
        let process = seat.as_ref().map_or(0, |seat| seat.process);
        let process = (!is_disbelieved).then_some(process);
        self.aside.insert(worker.clone(), Exclusion { why: why.to_owned(), process, until: now + wait });
        let given = seat.map(|seat| std::mem::take(&mut seat.given)).unwrap_or_default();
        self.again(given.into_values().map(|given| given.job).collect());
        Some((wait, asides))
    }

    /// Pauses a worker, or ends its pause. It plays the pairs that it has. Returns whether that is a change.
    pub(crate) fn pause(&mut self, worker: &WorkerName, is_paused: bool) -> bool {
        if is_paused { self.paused.insert(worker.clone()) } else { self.paused.remove(worker) }
    }

    /// Gives pairs again to a worker that was set aside, and counts its messages again. Returns whether it was set
    /// aside.
    pub(crate) fn take_back(&mut self, worker: &WorkerName) -> bool {
        if let Some(past) = self.past.get_mut(worker) {
            past.asides = 0;
        }
        self.aside.remove(worker).is_some()
    }

    /// Whether a worker has ever sent a heartbeat or been set aside, even if it is silent now.
    pub(crate) fn knows(&self, worker: &WorkerName) -> bool {
        self.past.contains_key(worker)
    }

    /// Whether a worker's messages count.
    pub(crate) fn believes(&self, worker: &WorkerName) -> bool {
        self.aside.get(worker).is_none_or(|aside| aside.process.is_some())
    }

    /// Forgets all pairs from this number on.
    pub(crate) fn revoke_from(&mut self, pair: PairIndex) {
        for line in [&mut self.waiting, &mut self.unlucky, &mut self.checks] {
            line.retain(|job| job.pair < pair);
        }
        for seat in self.seats.values_mut() {
            let _revoked = seat.given.split_off(&pair);
        }
    }

    /// Cancels the check of a pair.
    pub(crate) fn drop_check(&mut self, pair: PairIndex) {
        self.checks.retain(|job| job.pair != pair);
        for seat in self.seats.values_mut() {
            if seat.given.get(&pair).is_some_and(|given| given.job.check_of.is_some()) {
                seat.given.remove(&pair);
            }
        }
    }

    /// Whether there are usable workers other than this one.
    pub(crate) fn has_others(&self, than: &WorkerName) -> bool {
        self.usable().any(|(worker, _)| worker != than)
    }

    /// Gives checks and lost pairs to workers other than those that had them.
    fn assign_to_others(&mut self, jobs: VecDeque<Job>, now: Instant, given: &mut BTreeMap<WorkerName, Vec<Job>>) {
        for job in jobs {
            let is_other = |worker: &WorkerName| Some(worker) != job.check_of.as_ref() && !job.lost_by.contains(worker);
            // A worker that has lost the pair may play it after all if there is no other worker.
            let are_none = job.check_of.is_none() && !self.usable().any(|(worker, _)| is_other(worker));
            let may = |(worker, seat): &(&WorkerName, &Seat)| {
                (is_other(worker) || are_none) && has_room(seat) && !seat.given.contains_key(&job.pair)
            };
            let least = self.usable().filter(may).min_by_key(|(_, seat)| load(seat)).map(|(worker, _)| worker.clone());
            match least.and_then(|worker| Some((self.seats.get_mut(&worker)?, worker))) {
                Some((seat, worker)) => {
                    seat.given.insert(job.pair, Given { job: job.clone(), at: now });
                    given.entry(worker).or_default().push(job);
                }
                None => self.line_of(&job).push_back(job),
            }
        }
    }

    /// Gives the waiting pairs to the least busy workers, as many as each may have; `only_checks` restricts this to
    /// checks.
    pub(crate) fn assign(&mut self, now: Instant, only_checks: bool) -> Vec<(WorkerName, Vec<Job>)> {
        let mut given: BTreeMap<WorkerName, Vec<Job>> = BTreeMap::new();
        let checks = std::mem::take(&mut self.checks);
        self.assign_to_others(checks, now, &mut given);
        if only_checks {
            return given.into_iter().collect();
        }
        let unlucky = std::mem::take(&mut self.unlucky);
        self.assign_to_others(unlucky, now, &mut given);
        if self.waiting.is_empty() {
            return given.into_iter().collect();
        }
        let mut order: BinaryHeap<_> = self
            .usable()
            .filter(|(_, seat)| has_room(seat))
            .map(|(worker, seat)| (Reverse(load(seat)), Reverse(worker.clone())))
            .collect();
        while let Some((_, Reverse(worker))) = order.pop() {
            let Some(job) = self.waiting.pop_front() else { break };
            let Some(seat) = self.seats.get_mut(&worker) else { continue };
            seat.given.insert(job.pair, Given { job: job.clone(), at: now });
            given.entry(worker.clone()).or_default().push(job);
            if has_room(seat) {
                order.push((Reverse(load(seat)), Reverse(worker)));
            }
        }
        given.into_iter().collect()
    }

    /// Returns how many pairs the usable workers play at a time.
    pub(crate) fn at_a_time(&self) -> usize {
        self.usable().map(|(_, seat)| seat.at_a_time).sum()
    }

    /// Returns how many pairs the workers can take at once.
    pub(crate) fn capacity(&self) -> usize {
        self.usable().map(|(_, seat)| seat.window() + seat.at_a_time).sum()
    }

    /// Whether a worker that may play is preparing.
    pub(crate) fn is_preparing(&self) -> bool {
        let may_play = |worker| !self.aside.contains_key(worker) && !self.paused.contains(worker);
        self.seats.iter().any(|(worker, seat)| seat.preparing && may_play(worker))
    }

    /// Returns the present workers that are excluded, and why.
    pub(crate) fn asides(&self) -> impl Iterator<Item = (&WorkerName, &str)> {
        self.seats.keys().filter_map(|worker| Some((worker, self.aside.get(worker)?.why.as_str())))
    }

    /// Returns the present workers that are paused.
    pub(crate) fn paused(&self) -> impl Iterator<Item = &WorkerName> {
        self.seats.keys().filter(|worker| self.paused.contains(*worker))
    }

    fn usable(&self) -> impl Iterator<Item = (&WorkerName, &Seat)> {
        let is_barred = |worker| self.aside.contains_key(worker) || self.paused.contains(worker);
        self.seats.iter().filter(move |(worker, seat)| seat.window() > 0 && !is_barred(*worker))
    }

    /// Returns the known workers.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &WorkerName> {
        self.seats.keys()
    }

    /// Returns how many pairs wait for a worker.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len() + self.unlucky.len()
    }

    /// Returns how many pairs the workers have, and how many workers have any.
    pub(crate) fn given(&self) -> (usize, usize) {
        let given = || self.seats.values().map(|seat| seat.given.len()).filter(|&given| given > 0);
        (given().sum(), given().count())
    }

    /// Returns the status of each worker.
    pub(crate) fn news(&self) -> BTreeMap<String, WorkerNews> {
        let news = |(worker, seat): (&WorkerName, &Seat)| WorkerNews {
            given: seat.given.len(),
            played: seat.played,
            rate: seat.rate,
            set_aside: self.aside.get(worker).map(|aside| aside.why.clone()),
            paused: self.paused.contains(worker),
            ..WorkerNews::default()
        };
        self.seats.iter().map(|seat| (seat.0.to_string(), news(seat))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{SPAR, WIRE};
    use arena::run::PAIR_VERSION;

    const RUN: &str = "run";

    fn name(name: &str) -> WorkerName {
        name.parse().unwrap()
    }

    fn heartbeat(cores: usize, holds: &[PairIndex]) -> Heartbeat {
        Heartbeat {
            spar: SPAR.to_owned(),
            wire: WIRE,
            pair: PAIR_VERSION,
            host: "here".to_owned(),
            process: 1,
            cores,
            at_a_time: cores,
            busy: 0,
            done: 0,
            holds: [(RUN.to_owned(), holds.to_vec())].into(),
            preparing: BTreeMap::new(),
            scales: BTreeMap::new(),
            trouble: None,
            misses: Vec::new(),
            leaving: false,
        }
    }

    fn roster(pairs: u64) -> Roster {
        let mut roster = Roster::new(NonZeroUsize::MIN);
        for pair in 0..pairs {
            roster.submit(Job::new(pair, Arc::from([pair as u8])));
        }
        roster
    }

    fn pairs(given: &[(WorkerName, Vec<Job>)]) -> Vec<(String, Vec<PairIndex>)> {
        given.iter().map(|(worker, jobs)| (worker.to_string(), jobs.iter().map(|job| job.pair).collect())).collect()
    }

    #[test]
    fn pairs_are_spread_by_what_each_plays_at_a_time() {
        let now = Instant::now();
        let mut roster = roster(20);
        assert!(roster.assign(now, false).is_empty(), "no worker is there");
        assert_eq!(roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now), Some(Change::Came));
        roster.on_heartbeat(&name("b"), &heartbeat(4, &[]), RUN, now);
        let given = roster.assign(now, false);
        let counts: Vec<usize> = given.iter().map(|(_, jobs)| jobs.len()).collect();
        assert_eq!(counts, [2, 8], "{:?}", pairs(&given));
        assert_eq!((roster.waiting(), roster.at_a_time()), (10, 5));
        assert!(roster.assign(now, false).is_empty(), "all have what they may have");
        roster.played(&name("a"), pairs(&given)[0].1[0]);
        assert_eq!(roster.assign(now, false).len(), 1);
    }

    #[test]
    fn games_of_many_threads_take_as_many_cores() {
        let now = Instant::now();
        let mut roster = Roster::new(NonZeroUsize::new(4).unwrap());
        roster.on_heartbeat(&name("a"), &heartbeat(8, &[]), RUN, now);
        roster.on_heartbeat(&name("b"), &heartbeat(2, &[]), RUN, now);
        assert_eq!(roster.at_a_time(), 3, "one is begun even where there are too few");
    }

    #[test]
    fn a_few_pairs_go_to_those_who_have_nothing_to_do() {
        let now = Instant::now();
        let mut roster = roster(3);
        for worker in ["a", "b", "c"] {
            roster.on_heartbeat(&name(worker), &heartbeat(1, &[]), RUN, now);
        }
        assert!(roster.assign(now, false).iter().all(|(_, jobs)| jobs.len() == 1));
    }

    #[test]
    fn what_a_worker_does_not_hold_is_given_again() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("a".to_owned(), vec![0, 1])]);
        // The pair may be on its way.
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now + Duration::from_secs(1));
        assert_eq!(roster.waiting(), 0);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[1]), RUN, now + ON_ITS_WAY);
        assert_eq!(pairs(&roster.assign(now, false)), [("a".to_owned(), vec![0])]);
    }

    #[test]
    fn a_preparing_worker_gets_nothing_and_delays_no_other() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("a".to_owned(), vec![0, 1])]);
        let preparing = Heartbeat { preparing: [(RUN.to_owned(), "Building".to_owned())].into(), ..heartbeat(1, &[]) };
        roster.on_heartbeat(&name("a"), &preparing, RUN, now);
        assert!(roster.is_preparing() && roster.at_a_time() == 0 && roster.waiting() == 4);
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("b".to_owned(), vec![0, 1])]);
        // Preparation for another run does not matter to this one.
        let elsewhere =
            Heartbeat { preparing: [("another".to_owned(), "Building".to_owned())].into(), ..heartbeat(1, &[]) };
        roster.on_heartbeat(&name("a"), &elsewhere, RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("a".to_owned(), vec![2, 3])]);
    }

    #[test]
    fn one_that_was_started_again_gets_its_pairs_again_at_once_and_two_of_a_name_are_noticed() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        roster.assign(now, false);
        let other = Heartbeat { process: 2, ..heartbeat(1, &[]) };
        assert_eq!(roster.on_heartbeat(&name("a"), &other, RUN, now), None);
        assert_eq!(roster.waiting(), 2);
        let both = [heartbeat(1, &[]), other];
        let changes: Vec<_> =
            (0..40).filter_map(|turn| roster.on_heartbeat(&name("a"), &both[turn % 2], RUN, now)).collect();
        assert!(changes.iter().all(|change| *change == Change::Twice) && changes.len() > 5, "{changes:?}");
        // Heartbeats of the first worker count as before. Those of the others count again after a while, or once the
        // first is silent.
        let accepted =
            both.iter().filter(|heartbeat| roster.on_heartbeat(&name("a"), heartbeat, RUN, now).is_none()).count();
        assert_eq!(accepted, 1);
        let changes = both
            .iter()
            .filter(|heartbeat| roster.on_heartbeat(&name("a"), heartbeat, RUN, now + ONE_MORE).is_none())
            .count();
        assert_eq!(changes, 2);
        assert_eq!(roster.gone(now + ONE_MORE + GONE), [name("a")]);
        for heartbeat in &both {
            let _change = roster.on_heartbeat(&name("a"), heartbeat, RUN, now + ONE_MORE + GONE);
        }
        assert_eq!(roster.given().0 + roster.waiting(), 2, "no pair is lost");
    }

    #[test]
    fn a_pair_that_one_has_lost_is_for_others_and_is_given_up_when_many_or_all_have_lost_it() {
        let now = Instant::now();
        let mut roster = roster(1);
        let lose = |roster: &mut Roster, worker: &str| {
            let given = roster.assign(now, false);
            assert_eq!(pairs(&given), [(worker.to_owned(), vec![0])]);
            roster.not_played(&name(worker), 0).unwrap().then
        };
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(lose(&mut roster, "a"), AfterLoss::Others);
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(lose(&mut roster, "b"), AfterLoss::Others, "a has had it");
        roster.on_heartbeat(&name("c"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(lose(&mut roster, "c"), AfterLoss::Hopeless(["a", "b", "c"].map(name).to_vec()), "all there are");
        // A worker that is preparing may still play it.
        roster.submit(Job { lost_by: ["a", "b"].map(name).to_vec(), ..Job::new(0, Arc::from([0])) });
        let preparing = Heartbeat { preparing: [(RUN.to_owned(), "Building".to_owned())].into(), ..heartbeat(1, &[]) };
        roster.on_heartbeat(&name("d"), &preparing, RUN, now);
        assert_eq!(lose(&mut roster, "c"), AfterLoss::Others);
        for worker in ["d", "e"] {
            roster.on_heartbeat(&name(worker), &heartbeat(1, &[]), RUN, now);
        }
        assert_eq!(lose(&mut roster, "d"), AfterLoss::Others);
        roster.on_heartbeat(&name("f"), &heartbeat(1, &[]), RUN, now);
        assert!(matches!(lose(&mut roster, "e"), AfterLoss::Hopeless(losers) if losers.len() == MOST_LOSERS), "many");
    }

    #[test]
    fn a_worker_that_is_excluded_again_waits_longer_each_time() {
        let now = Instant::now();
        let mut roster = roster(1);
        let a = name("a");
        let mut waits = Vec::new();
        let mut later = now;
        for process in 0..12 {
            roster.on_heartbeat(&a, &Heartbeat { process, ..heartbeat(1, &[]) }, RUN, later);
            assert_eq!(roster.assign(later, false).len(), 1, "process {process}");
            let (wait, asides) = roster.set_aside(&a, "it cannot", false, later).unwrap();
            assert_eq!(u64::from(asides), process + 1);
            if wait > Duration::ZERO {
                roster.on_heartbeat(&a, &Heartbeat { process: process + 100, ..heartbeat(1, &[]) }, RUN, later);
                assert!(roster.assign(later, false).is_empty(), "it waits");
            }
            waits.push(wait.as_secs() / 60);
            later += wait + GONE;
            let _silent = roster.gone(later);
        }
        assert_eq!(waits, [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn the_pairs_of_one_that_falls_silent_are_played_by_the_others() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        roster.assign(now, false);
        let later = now + GONE;
        roster.on_heartbeat(&name("b"), &heartbeat(2, &[1, 3]), RUN, later);
        assert_eq!(roster.gone(later), [name("a")]);
        assert_eq!(pairs(&roster.assign(later, false)), [("b".to_owned(), vec![0, 2])]);
        assert!(roster.knows(&name("a")) && !roster.knows(&name("c")), "a person may still set it aside");
        // The server was unreachable: no worker counts as gone.
        roster.excuse(later + GONE);
        assert!(roster.gone(later + GONE).is_empty());
    }

    #[test]
    fn one_that_leaves_or_is_set_aside_gets_nothing_and_hands_back_at_once() {
        let now = Instant::now();
        let mut roster = roster(6);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        roster.assign(now, false);
        let leaving = Heartbeat { leaving: true, ..heartbeat(1, &[0]) };
        assert_eq!(roster.on_heartbeat(&name("a"), &leaving, RUN, now), Some(Change::Leaves));
        assert_eq!(roster.waiting(), 3, "one of its two comes back");
        assert!(roster.set_aside(&name("b"), "it lies", true, now).is_some());
        assert!(roster.set_aside(&name("b"), "it lies", true, now).is_none());
        assert_eq!((roster.waiting(), roster.at_a_time(), roster.capacity()), (5, 0, 0));
        assert!(roster.assign(now, false).is_empty());
        assert_eq!(roster.news()["b"].set_aside.as_deref(), Some("it lies"));
        assert_eq!(roster.gone(now + GONE), [name("b")], "a worker that has left is not waited for");
    }

    #[test]
    fn one_that_pauses_plays_what_it_has_and_is_given_no_more_however_often_it_comes() {
        let now = Instant::now();
        let mut roster = roster(6);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        roster.assign(now, false);
        assert!(roster.pause(&name("a"), true) && !roster.pause(&name("a"), true));
        assert_eq!((roster.waiting(), roster.news()["a"].given, roster.at_a_time()), (4, 2, 0));
        roster.played(&name("a"), 0);
        assert!(roster.assign(now, false).is_empty() && roster.news()["a"].paused);
        assert_eq!(roster.paused().collect::<Vec<_>>(), [&name("a")]);
        // The worker is killed, and comes back.
        let later = now + GONE;
        assert_eq!(roster.gone(later), [name("a")]);
        roster.on_heartbeat(&name("a"), &Heartbeat { process: 2, ..heartbeat(1, &[]) }, RUN, later);
        assert!(roster.assign(later, false).is_empty());
        assert!(roster.pause(&name("a"), false) && !roster.pause(&name("a"), false));
        assert_eq!(pairs(&roster.assign(later, false)), [("a".to_owned(), vec![1, 2])]);
    }

    #[test]
    fn one_that_is_taken_back_is_believed_and_given_pairs_again() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert!(!roster.take_back(&name("a")), "it was not set aside");
        assert!(roster.set_aside(&name("a"), "it lies", true, now).is_some() && roster.assign(now, false).is_empty());
        assert!(roster.take_back(&name("a")) && roster.believes(&name("a")));
        assert_eq!(pairs(&roster.assign(now, false)), [("a".to_owned(), vec![0, 1])]);
        assert_eq!(roster.set_aside(&name("a"), "it lies", true, now), Some((Duration::ZERO, 1)), "counted from new");
    }

    #[test]
    fn what_a_worker_holds_from_before_is_not_given_to_anybody() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[1, 2, 9]), RUN, now);
        assert_eq!((roster.waiting(), roster.news()["a"].given), (2, 2));
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("b".to_owned(), vec![0, 3])]);
    }

    #[test]
    fn one_that_is_set_aside_keeps_no_pairs_from_others_by_saying_that_it_holds_them() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert!(roster.set_aside(&name("a"), "it lies", true, now).is_some());
        let later = now + GONE;
        assert_eq!(roster.gone(later), [name("a")]);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[0, 1]), RUN, later);
        assert_eq!((roster.waiting(), roster.news()["a"].given), (2, 0));
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, later);
        assert_eq!(pairs(&roster.assign(later, false)), [("b".to_owned(), vec![0, 1])]);
    }

    #[test]
    fn a_result_from_any_worker_frees_its_pair() {
        let now = Instant::now();
        let mut roster = roster(1);
        roster.played(&name("left-over"), 0);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert!(roster.assign(now, false).is_empty());
    }

    #[test]
    fn the_fast_get_more_ahead() {
        let now = Instant::now();
        let mut roster = roster(2000);
        let a = name("a");
        roster.on_heartbeat(&a, &heartbeat(1, &[]), RUN, now);
        let mut counts = Vec::new();
        for _ in 0..10 {
            let given = roster.assign(now, false);
            counts.push(given[0].1.len());
            given[0].1.iter().for_each(|job| roster.played(&a, job.pair));
        }
        assert_eq!(counts, [2, 3, 5, 9, 17, 33, 65, 129, 257, 257]);
        // Once the worker is known to be slow, it gets few pairs.
        let played = roster.news()["a"].played;
        roster.on_heartbeat(&a, &heartbeat(1, &[]), RUN, now + Duration::from_secs(1000));
        assert_eq!(roster.assign(now, false)[0].1.len(), 2, "{played} in a thousand seconds");
        roster.revoke_from(played + 1);
        assert_eq!((roster.waiting(), roster.news()["a"].given), (0, 1));
    }

    #[test]
    fn a_pair_that_is_to_be_played_once_more_goes_to_somebody_else_until_it_is() {
        let now = Instant::now();
        let mut roster = roster(0);
        let check = || Job::check(7, Arc::from([7]), name("a"));
        roster.on_heartbeat(&name("a"), &heartbeat(4, &[]), RUN, now);
        roster.submit(check());
        assert!(roster.assign(now, false).is_empty() && !roster.has_others(&name("a")), "no other worker is there");
        roster.on_heartbeat(&name("b"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("b".to_owned(), vec![7])]);
        assert_eq!(roster.not_played(&name("b"), 7), Some(Loss { on_end: 1, then: AfterLoss::WasCheck }));
        assert!(roster.assign(now, false).is_empty());
        roster.submit(check());
        assert_eq!(pairs(&roster.assign(now, false)), [("b".to_owned(), vec![7])]);
        assert!(roster.set_aside(&name("b"), "it cannot", false, now).is_some());
        roster.on_heartbeat(&name("c"), &heartbeat(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now, false)), [("c".to_owned(), vec![7])]);
        roster.drop_check(7);
        assert_eq!((roster.news()["c"].given, roster.assign(now, false).len()), (0, 0));
        roster.submit(check());
        roster.revoke_from(7);
        assert!(roster.assign(now, false).is_empty());
    }

    #[test]
    fn one_that_could_not_play_gets_another_chance_and_one_that_lies_does_not() {
        let now = Instant::now();
        let mut roster = roster(1);
        let another = |process| Heartbeat { process, ..heartbeat(1, &[]) };
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, now);
        assert!(roster.set_aside(&name("a"), "it has no endgame tables", false, now).is_some());
        let who = name("a");
        assert_eq!(roster.asides().collect::<Vec<_>>(), [(&who, "it has no endgame tables")]);
        let later = now + GONE;
        assert_eq!(roster.gone(later), [name("a")]);
        roster.on_heartbeat(&name("a"), &heartbeat(1, &[]), RUN, later);
        assert!(roster.assign(later, false).is_empty() && roster.believes(&name("a")), "it is the same");
        roster.on_heartbeat(&name("a"), &another(2), RUN, later);
        assert_eq!(roster.assign(later, false).len(), 1);
        assert!(roster.set_aside(&name("a"), "it lies", true, now).is_some() && !roster.believes(&name("a")));
        roster.on_heartbeat(&name("a"), &another(3), RUN, later);
        assert!(roster.assign(later, false).is_empty());
    }
}
