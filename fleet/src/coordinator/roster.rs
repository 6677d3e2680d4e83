//! Who plays what: the workers that were heard of, the pairs that each was given, those that wait for one, and who is given none. Pure:
//! time comes from outside, and nothing is sent from here.
//!
//! A worker is given little more than it plays at a time, and what it has lost goes to the others. What was lost on the way is known
//! by what workers say they hold: so no message needs to arrive for sure, and nobody's word is needed that one has.

use crate::message::{Hello, WorkerNews, mark};
use crate::names::WorkerName;
use arena::run::PairIndex;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A worker that is silent for so long has gone, and its pairs are for others.
pub(crate) const GONE: Duration = Duration::from_secs(10);

/// What a worker was given is on its way for so long at most. Then it holds it, or it was lost.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

/// A worker is given ahead what it plays in this time, so that it never waits for the next message.
const AHEAD: Duration = Duration::from_millis(400);

/// A worker that has been another process so often is said to be two; and again after so many changes more.
const TWICE: u32 = 20;

/// So many pairs at most for each game that a worker plays at a time.
const MOST_PER_GAME: usize = 256;

/// How much the latest measurement of a worker's speed counts.
const LATEST: f64 = 0.5;

/// A pair on its way: its number, and the bytes that travel.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) pair: PairIndex,
    pub(crate) spec: Arc<[u8]>,
    /// Who has played it, if somebody else is to play it once more.
    pub(crate) check_of: Option<WorkerName>,
}

/// Why a worker is given no pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aside {
    /// In words.
    pub(crate) why: String,
    /// Which process could not play; another one under the same name is given another chance. `None`: the worker is not believed, and
    /// what it says does not count.
    pub(crate) process: Option<u64>,
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
    heard: Instant,
    /// Which process it is.
    process: u64,
    /// How often that has been another one than before.
    changes: u32,
    at_a_time: usize,
    leaving: bool,
    /// Whether it does something first, such as building a program. What it is given until then is for others.
    preparing: bool,
    given: BTreeMap<PairIndex, Given>,
    /// Pairs that it has played, and those of them when its speed was measured last.
    played: u64,
    measured: (Instant, u64),
    /// Pairs a second.
    rate: f64,
    /// Pairs that it may have beyond those that it plays.
    ahead: usize,
    /// Pairs that it has lost since it played one.
    losses: u32,
}

impl Seat {
    fn new(now: Instant) -> Self {
        Self {
            heard: now,
            process: 0,
            changes: 0,
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

    /// How many pairs it may have.
    fn window(&self) -> usize {
        if self.leaving || self.preparing {
            return 0;
        }
        self.at_a_time + self.ahead.clamp(self.at_a_time, self.at_a_time * MOST_PER_GAME)
    }

    /// One that has run dry may have twice as many ahead: quick games are over before their speed is known.
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
            // What it needs and half as much again: it may be let grow a little beyond.
            self.ahead = self.ahead.min((1.5 * self.rate * AHEAD.as_secs_f64()).ceil() as usize);
        }
    }
}

/// The workers of a run, and its pairs.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The cores that a game takes.
    threads: usize,
    seats: BTreeMap<WorkerName, Seat>,
    waiting: VecDeque<Job>,
    /// Those that somebody else is to play once more.
    checks: VecDeque<Job>,
    /// Who is given nothing, however often it goes and comes.
    aside: BTreeMap<WorkerName, Aside>,
}

/// Pairs for each game at a time, in thousandths: whole numbers have an order.
fn load(seat: &Seat) -> usize {
    seat.given.len() * 1000 / seat.at_a_time.max(1)
}

fn has_room(seat: &Seat) -> bool {
    seat.given.len() < seat.window()
}

/// What is to be said of a worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It was not known before.
    Came,
    /// It says that it takes no further pairs.
    Leaves,
    /// Its name is that of two processes at once.
    Twice,
}

impl Roster {
    /// Of a run each of whose games takes so many cores.
    pub(crate) fn new(threads: NonZeroUsize) -> Self {
        Self {
            threads: threads.get(),
            seats: BTreeMap::new(),
            waiting: VecDeque::new(),
            checks: VecDeque::new(),
            aside: BTreeMap::new(),
        }
    }

    /// Takes in a pair to be played.
    pub(crate) fn submit(&mut self, job: Job) {
        if job.check_of.is_some() { &mut self.checks } else { &mut self.waiting }.push_back(job);
    }

    /// Takes in what a worker says of itself in this run, and gives up what it lost.
    pub(crate) fn hear(&mut self, worker: &WorkerName, hello: &Hello, run: &str, now: Instant) -> Option<Change> {
        let is_new = !self.seats.contains_key(worker);
        let seat = self.seats.entry(worker.clone()).or_insert_with(|| Seat::new(now));
        let leaves = hello.leaving && !seat.leaving;
        let is_another = !is_new && seat.process != hello.process;
        seat.changes += u32::from(is_another);
        seat.process = hello.process;
        if self.aside.get(worker).is_some_and(|aside| aside.process.is_some_and(|process| process != hello.process)) {
            self.aside.remove(worker);
        }
        (seat.heard, seat.leaving) = (now, hello.leaving);
        seat.preparing = hello.preparing.contains_key(run);
        seat.at_a_time = (hello.at_a_time / self.threads).max(1);
        seat.measure(now);
        let holds = hello.holds.get(run).map_or(&[][..], Vec::as_slice);
        if is_new && !holds.is_empty() {
            // What it was given by a coordinator that died, it need not be given again.
            let (has, waiting): (VecDeque<Job>, _) =
                std::mem::take(&mut self.waiting).into_iter().partition(|job| holds.binary_search(&job.pair).is_ok());
            seat.given.extend(has.into_iter().map(|job| (job.pair, Given { job, at: now })));
            self.waiting = waiting;
        }
        // What it held until now may be on its way back.
        let held = |pair: &PairIndex| holds.binary_search(pair).is_ok();
        seat.given.iter_mut().filter(|(pair, _)| held(pair)).for_each(|(_, given)| given.at = now);
        // One that leaves or prepares takes nothing in, and one that has just started never got it.
        let patience = if hello.leaving || seat.preparing || is_another { Duration::ZERO } else { ON_ITS_WAY };
        let lost = |given: &Given| !held(&given.job.pair) && now.saturating_duration_since(given.at) >= patience;
        let lost: Vec<PairIndex> = seat.given.iter().filter(|(_, given)| lost(given)).map(|(pair, _)| *pair).collect();
        let jobs: Vec<Job> = lost.iter().filter_map(|pair| seat.given.remove(pair)).map(|given| given.job).collect();
        self.again(jobs);
        match (is_new, leaves) {
            _ if is_another && self.seats.get(worker).is_some_and(|seat| seat.changes % TWICE == 0) => {
                Some(Change::Twice)
            }
            (true, _) => Some(Change::Came),
            (false, true) => Some(Change::Leaves),
            (false, false) => None,
        }
    }

    /// What was given to somebody who does not play it comes next.
    fn again(&mut self, jobs: Vec<Job>) {
        for job in jobs.into_iter().rev() {
            if job.check_of.is_some() { &mut self.checks } else { &mut self.waiting }.push_front(job);
        }
    }

    /// The workers that have been silent for too long; their pairs are for others. Those that have left are not among them.
    pub(crate) fn gone(&mut self, now: Instant) -> Vec<WorkerName> {
        let silent = |seat: &Seat| now.saturating_duration_since(seat.heard) >= GONE;
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

    /// The server was not to be reached: nobody's silence counts, and what was on its way has so much longer.
    pub(crate) fn excuse(&mut self, now: Instant) {
        for seat in self.seats.values_mut() {
            seat.heard = now;
            seat.given.values_mut().for_each(|given| given.at = now);
        }
    }

    /// A worker has played a pair. Nobody else needs to any more, unless they do already.
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
        }
    }

    /// A worker has played a pair that somebody else had played before; whether it was given that very spec.
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

    /// A worker does not play a pair that it has: how many it has lost on end, if it had it, and whether somebody had played it before.
    pub(crate) fn not_played(&mut self, worker: &WorkerName, pair: PairIndex) -> Option<(u32, bool)> {
        let seat = self.seats.get_mut(worker)?;
        let Given { job, .. } = seat.given.remove(&pair)?;
        seat.losses += 1;
        let (losses, is_check) = (seat.losses, job.check_of.is_some());
        if is_check {
            self.checks.push_back(job);
        }
        Some((losses, is_check))
    }

    /// A worker is given no pairs from now on; its pairs are for others. Whether it was given some until now. One that
    /// `is_disbelieved` stays out; else its next process gets another chance.
    pub(crate) fn set_aside(&mut self, worker: &WorkerName, why: &str, is_disbelieved: bool) -> bool {
        let known = self.aside.get(worker);
        if known.is_some_and(|aside| aside.process.is_none() || !is_disbelieved) {
            return false;
        }
        let seat = self.seats.get_mut(worker);
        let process = seat.as_ref().map_or(0, |seat| seat.process);
        let aside = Aside { why: why.to_owned(), process: (!is_disbelieved).then_some(process) };
        self.aside.insert(worker.clone(), aside);
        let given = seat.map(|seat| std::mem::take(&mut seat.given)).unwrap_or_default();
        self.again(given.into_values().map(|given| given.job).collect());
        true
    }

    /// Whether a worker was heard of.
    pub(crate) fn knows(&self, worker: &WorkerName) -> bool {
        self.seats.contains_key(worker) || self.aside.contains_key(worker)
    }

    /// Whether what a worker says counts.
    pub(crate) fn believes(&self, worker: &WorkerName) -> bool {
        self.aside.get(worker).is_none_or(|aside| aside.process.is_some())
    }

    /// Forgets all pairs from this number on.
    pub(crate) fn revoke_from(&mut self, pair: PairIndex) {
        self.waiting.retain(|job| job.pair < pair);
        self.checks.retain(|job| job.pair < pair);
        for seat in self.seats.values_mut() {
            let _revoked = seat.given.split_off(&pair);
        }
    }

    /// Nobody needs to play a pair once more.
    pub(crate) fn drop_check(&mut self, pair: PairIndex) {
        self.checks.retain(|job| job.pair != pair);
        for seat in self.seats.values_mut() {
            if seat.given.get(&pair).is_some_and(|given| given.job.check_of.is_some()) {
                seat.given.remove(&pair);
            }
        }
    }

    /// Whether anybody but this worker is there to play.
    pub(crate) fn has_others(&self, than: &WorkerName) -> bool {
        self.usable().any(|(worker, _)| worker != than)
    }

    /// Gives those pairs that are to be played once more to somebody else.
    fn assign_checks(&mut self, now: Instant, given: &mut BTreeMap<WorkerName, Vec<Job>>) {
        for job in std::mem::take(&mut self.checks) {
            let may = |(worker, seat): &(&WorkerName, &Seat)| {
                Some(*worker) != job.check_of.as_ref() && has_room(seat) && !seat.given.contains_key(&job.pair)
            };
            let least = self.usable().filter(may).min_by_key(|(_, seat)| load(seat)).map(|(worker, _)| worker.clone());
            match least.and_then(|worker| Some((self.seats.get_mut(&worker)?, worker))) {
                Some((seat, worker)) => {
                    seat.given.insert(job.pair, Given { job: job.clone(), at: now });
                    given.entry(worker).or_default().push(job);
                }
                None => self.checks.push_back(job),
            }
        }
    }

    /// Gives the waiting pairs to those who have least to do, as many as they may have.
    pub(crate) fn assign(&mut self, now: Instant) -> Vec<(WorkerName, Vec<Job>)> {
        let mut given: BTreeMap<WorkerName, Vec<Job>> = BTreeMap::new();
        self.assign_checks(now, &mut given);
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

    /// How many pairs are played at a time by those who may.
    pub(crate) fn at_a_time(&self) -> usize {
        self.usable().map(|(_, seat)| seat.at_a_time).sum()
    }

    /// How many pairs can be had without letting anybody wait.
    pub(crate) fn capacity(&self) -> usize {
        self.usable().map(|(_, seat)| seat.window() + seat.at_a_time).sum()
    }

    /// Whether somebody will play who prepares for it.
    pub(crate) fn is_preparing(&self) -> bool {
        self.seats.iter().any(|(worker, seat)| seat.preparing && !self.aside.contains_key(worker))
    }

    fn usable(&self) -> impl Iterator<Item = (&WorkerName, &Seat)> {
        self.seats.iter().filter(|(worker, seat)| seat.window() > 0 && !self.aside.contains_key(*worker))
    }

    /// The workers that are known.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &WorkerName> {
        self.seats.keys()
    }

    /// How many pairs wait for a worker.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What is told of each worker.
    pub(crate) fn news(&self) -> BTreeMap<String, WorkerNews> {
        let news = |(worker, seat): (&WorkerName, &Seat)| WorkerNews {
            given: seat.given.len(),
            played: seat.played,
            rate: seat.rate,
            set_aside: self.aside.get(worker).map(|aside| aside.why.clone()),
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

    fn hello(cores: usize, holds: &[PairIndex]) -> Hello {
        Hello {
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
            leaving: false,
        }
    }

    fn roster(pairs: u64) -> Roster {
        let mut roster = Roster::new(NonZeroUsize::MIN);
        for pair in 0..pairs {
            roster.submit(Job { pair, spec: Arc::from([pair as u8]), check_of: None });
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
        assert!(roster.assign(now).is_empty(), "nobody is there");
        assert_eq!(roster.hear(&name("a"), &hello(1, &[]), RUN, now), Some(Change::Came));
        roster.hear(&name("b"), &hello(4, &[]), RUN, now);
        let given = roster.assign(now);
        let counts: Vec<usize> = given.iter().map(|(_, jobs)| jobs.len()).collect();
        assert_eq!(counts, [2, 8], "{:?}", pairs(&given));
        assert_eq!((roster.waiting(), roster.at_a_time()), (10, 5));
        assert!(roster.assign(now).is_empty(), "all have what they may have");
        roster.played(&name("a"), pairs(&given)[0].1[0]);
        assert_eq!(roster.assign(now).len(), 1);
    }

    #[test]
    fn games_of_many_threads_take_as_many_cores() {
        let now = Instant::now();
        let mut roster = Roster::new(NonZeroUsize::new(4).unwrap());
        roster.hear(&name("a"), &hello(8, &[]), RUN, now);
        roster.hear(&name("b"), &hello(2, &[]), RUN, now);
        assert_eq!(roster.at_a_time(), 3, "one is begun even where there are too few");
    }

    #[test]
    fn a_few_pairs_go_to_those_who_have_nothing_to_do() {
        let now = Instant::now();
        let mut roster = roster(3);
        for worker in ["a", "b", "c"] {
            roster.hear(&name(worker), &hello(1, &[]), RUN, now);
        }
        assert!(roster.assign(now).iter().all(|(_, jobs)| jobs.len() == 1));
    }

    #[test]
    fn what_a_worker_does_not_hold_is_given_again() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("a".to_owned(), vec![0, 1])]);
        // It may be on its way.
        roster.hear(&name("a"), &hello(1, &[]), RUN, now + Duration::from_secs(1));
        assert_eq!(roster.waiting(), 0);
        roster.hear(&name("a"), &hello(1, &[1]), RUN, now + ON_ITS_WAY);
        assert_eq!(pairs(&roster.assign(now)), [("a".to_owned(), vec![0])]);
    }

    #[test]
    fn whoever_prepares_is_given_nothing_and_holds_nobody_up() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("a".to_owned(), vec![0, 1])]);
        let preparing = Hello { preparing: [(RUN.to_owned(), "Building".to_owned())].into(), ..hello(1, &[]) };
        roster.hear(&name("a"), &preparing, RUN, now);
        assert!(roster.is_preparing() && roster.at_a_time() == 0 && roster.waiting() == 4);
        roster.hear(&name("b"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("b".to_owned(), vec![0, 1])]);
        // What it does for another run is nothing to this one.
        let elsewhere = Hello { preparing: [("another".to_owned(), "Building".to_owned())].into(), ..hello(1, &[]) };
        roster.hear(&name("a"), &elsewhere, RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("a".to_owned(), vec![2, 3])]);
    }

    #[test]
    fn one_that_was_started_again_gets_its_pairs_again_at_once_and_two_of_a_name_are_noticed() {
        let now = Instant::now();
        let mut roster = roster(2);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        roster.assign(now);
        let other = Hello { process: 2, ..hello(1, &[]) };
        assert_eq!(roster.hear(&name("a"), &other, RUN, now), None);
        assert_eq!(roster.waiting(), 2);
        let both = [hello(1, &[]), other];
        let changes: Vec<_> = (0..40).filter_map(|turn| roster.hear(&name("a"), &both[turn % 2], RUN, now)).collect();
        assert_eq!(changes, [Change::Twice, Change::Twice]);
    }

    #[test]
    fn the_pairs_of_one_that_falls_silent_are_played_by_the_others() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        roster.hear(&name("b"), &hello(1, &[]), RUN, now);
        roster.assign(now);
        let later = now + GONE;
        roster.hear(&name("b"), &hello(2, &[1, 3]), RUN, later);
        assert_eq!(roster.gone(later), [name("a")]);
        assert_eq!(pairs(&roster.assign(later)), [("b".to_owned(), vec![0, 2])]);
        // The server was away: nobody has gone.
        roster.excuse(later + GONE);
        assert!(roster.gone(later + GONE).is_empty());
    }

    #[test]
    fn one_that_leaves_or_is_set_aside_gets_nothing_and_hands_back_at_once() {
        let now = Instant::now();
        let mut roster = roster(6);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        roster.hear(&name("b"), &hello(1, &[]), RUN, now);
        roster.assign(now);
        let leaving = Hello { leaving: true, ..hello(1, &[0]) };
        assert_eq!(roster.hear(&name("a"), &leaving, RUN, now), Some(Change::Leaves));
        assert_eq!(roster.waiting(), 3, "one of its two comes back");
        assert!(roster.set_aside(&name("b"), "it lies", true));
        assert!(!roster.set_aside(&name("b"), "it lies", true));
        assert_eq!((roster.waiting(), roster.at_a_time(), roster.capacity()), (5, 0, 0));
        assert!(roster.assign(now).is_empty());
        assert_eq!(roster.news()["b"].set_aside.as_deref(), Some("it lies"));
        assert_eq!(roster.gone(now + GONE), [name("b")], "nobody waits for one that has left");
    }

    #[test]
    fn what_a_worker_holds_from_before_is_not_given_to_anybody() {
        let now = Instant::now();
        let mut roster = roster(4);
        roster.hear(&name("a"), &hello(1, &[1, 2, 9]), RUN, now);
        assert_eq!((roster.waiting(), roster.news()["a"].given), (2, 2));
        roster.hear(&name("b"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("b".to_owned(), vec![0, 3])]);
    }

    #[test]
    fn a_result_frees_its_pair_whoever_it_is_from() {
        let now = Instant::now();
        let mut roster = roster(1);
        roster.played(&name("left-over"), 0);
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        assert!(roster.assign(now).is_empty());
    }

    #[test]
    fn the_fast_get_more_ahead() {
        let now = Instant::now();
        let mut roster = roster(2000);
        let a = name("a");
        roster.hear(&a, &hello(1, &[]), RUN, now);
        let mut counts = Vec::new();
        for _ in 0..10 {
            let given = roster.assign(now);
            counts.push(given[0].1.len());
            given[0].1.iter().for_each(|job| roster.played(&a, job.pair));
        }
        assert_eq!(counts, [2, 3, 5, 9, 17, 33, 65, 129, 257, 257]);
        // Once it is known that it plays few of them, it gets few.
        let played = roster.news()["a"].played;
        roster.hear(&a, &hello(1, &[]), RUN, now + Duration::from_secs(1000));
        assert_eq!(roster.assign(now)[0].1.len(), 2, "{played} in a thousand seconds");
        roster.revoke_from(played + 1);
        assert_eq!((roster.waiting(), roster.news()["a"].given), (0, 1));
    }

    #[test]
    fn a_pair_that_is_to_be_played_once_more_goes_to_somebody_else_until_it_is() {
        let now = Instant::now();
        let mut roster = roster(0);
        let check = || Job { pair: 7, spec: Arc::from([7]), check_of: Some(name("a")) };
        roster.hear(&name("a"), &hello(4, &[]), RUN, now);
        roster.submit(check());
        assert!(roster.assign(now).is_empty() && !roster.has_others(&name("a")), "nobody else is there");
        roster.hear(&name("b"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("b".to_owned(), vec![7])]);
        assert_eq!(roster.not_played(&name("b"), 7), Some((1, true)));
        assert_eq!(pairs(&roster.assign(now)), [("b".to_owned(), vec![7])], "it is still to be known");
        assert!(roster.set_aside(&name("b"), "it cannot", false));
        roster.hear(&name("c"), &hello(1, &[]), RUN, now);
        assert_eq!(pairs(&roster.assign(now)), [("c".to_owned(), vec![7])]);
        roster.drop_check(7);
        assert_eq!((roster.news()["c"].given, roster.assign(now).len()), (0, 0));
        roster.submit(check());
        roster.revoke_from(7);
        assert!(roster.assign(now).is_empty());
    }

    #[test]
    fn one_that_could_not_play_gets_another_chance_and_one_that_lies_does_not() {
        let now = Instant::now();
        let mut roster = roster(1);
        let another = |process| Hello { process, ..hello(1, &[]) };
        roster.hear(&name("a"), &hello(1, &[]), RUN, now);
        assert!(roster.set_aside(&name("a"), "it has no endgame tables", false));
        let later = now + GONE;
        assert_eq!(roster.gone(later), [name("a")]);
        roster.hear(&name("a"), &hello(1, &[]), RUN, later);
        assert!(roster.assign(later).is_empty() && roster.believes(&name("a")), "it is the same");
        roster.hear(&name("a"), &another(2), RUN, later);
        assert_eq!(roster.assign(later).len(), 1);
        assert!(roster.set_aside(&name("a"), "it lies", true) && !roster.believes(&name("a")));
        roster.hear(&name("a"), &another(3), RUN, later);
        assert!(roster.assign(later).is_empty());
    }
}
