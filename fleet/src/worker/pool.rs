//! The playing threads and their queue. Runs share the threads by weight, and a game starts when enough cores are free.

use super::GLANCE;
use arena::run::{PairIndex, PairResult, PairSpec, Worker};
use play::NotPlayed;
use play::players::process::Starter;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// A pair of a run.
pub(super) type Key = (Arc<str>, PairIndex);

/// The outcome of a pair, with the mark of its request.
pub(super) type Done = (Key, u64, Result<PairResult, NotPlayed>);

/// A pair to play.
pub(super) struct Job {
    pub(super) run: Arc<str>,
    pub(super) spec: PairSpec,
    /// Distinguishes the request from others with the same number.
    pub(super) mark: u64,
    /// The number of cores that its games need.
    pub(super) cores: usize,
}

/// The waiting pairs of a run, and its share of the machine.
#[derive(Default)]
struct Line {
    weight: u32,
    /// The core time that its pairs have had, divided by its weight.
    used: Duration,
    jobs: VecDeque<Job>,
}

/// The queue.
#[derive(Default)]
struct State {
    /// The total number of cores, and the number of busy cores.
    cores: usize,
    busy: usize,
    lines: BTreeMap<Arc<str>, Line>,
    /// The `used` of the line that was served last: a new line starts there, without credit for the past.
    clock: Duration,
    playing: BTreeMap<Key, Arc<AtomicBool>>,
    /// Whether no pair may begin for now.
    is_held: bool,
    is_closed: bool,
}

impl State {
    /// Returns the next pair, if it may begin and there are cores for it. The run that has had least comes next, even
    /// if it has to wait for cores: otherwise runs with many threads would wait for ever.
    fn next(&mut self) -> Option<Job> {
        if self.is_held {
            return None;
        }
        let lines = self.lines.values_mut().filter(|line| !line.jobs.is_empty());
        let line = lines.min_by_key(|line| line.used)?;
        let wanted = line.jobs.front()?.cores.min(self.cores);
        if self.busy > 0 && self.busy + wanted > self.cores {
            return None;
        }
        self.clock = self.clock.max(line.used);
        line.jobs.pop_front()
    }

    fn add(&mut self, job: Job, weight: u32) {
        let line = self.lines.entry(Arc::clone(&job.run)).or_default();
        if line.jobs.is_empty() {
            line.used = line.used.max(self.clock);
        }
        line.weight = weight.max(1);
        line.jobs.push_back(job);
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn busy(&self) -> usize {
        self.lock().busy
    }
}

/// Frees the machine from games for a while. At most one caller at a time may hold it.
pub(super) struct Holder(Arc<Shared>);

impl Holder {
    /// Lets no further pair begin, and waits until none is being played; `None` if `stop` is set before.
    pub(super) async fn hold(&self, stop: &AtomicBool) -> Option<Held> {
        let held = Held::of(&self.0);
        while self.0.busy() > 0 {
            if stop.load(Ordering::SeqCst) {
                return None;
            }
            tokio::time::sleep(GLANCE).await;
        }
        Some(held)
    }
}

/// Lets no pair begin until it is dropped.
pub(super) struct Held(Arc<Shared>);

impl Held {
    fn of(shared: &Arc<Shared>) -> Self {
        shared.lock().is_held = true;
        Self(Arc::clone(shared))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.lock().is_held = false;
        self.0.changed.notify_all();
    }
}

/// The playing threads.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts a thread for each core.
    ///
    /// # Errors
    /// The operating system's error if it grants no thread.
    pub(super) fn start(
        cores: usize,
        starter: impl Fn() -> Starter,
        done: &UnboundedSender<Done>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().cores = cores;
        let mut pool = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for index in 0..cores {
            let (shared, worker, done) = (Arc::clone(&shared), Worker::new(Some(starter())), done.clone());
            let thread = Builder::new().name(format!("worker-{index}")).spawn(move || work(&shared, worker, &done))?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Queues a pair.
    pub(super) fn add(&self, job: Job, weight: u32) {
        self.shared.lock().add(job, weight);
        self.shared.changed.notify_one();
    }

    /// Gives up the pairs of a run from this number on: forgets those that wait, and stops those being played.
    pub(super) fn revoke(&self, run: &str, from: PairIndex) {
        let mut state = self.shared.lock();
        if let Some(line) = state.lines.get_mut(run) {
            line.jobs.retain(|job| job.spec.pair < from);
        }
        for (_, stop) in state.playing.iter().filter(|((of, pair), _)| **of == *run && *pair >= from) {
            stop.store(true, Ordering::SeqCst);
        }
    }

    /// Uses at most this many cores from now on; running games continue.
    pub(super) fn set_cores(&self, cores: usize) {
        self.shared.lock().cores = cores;
        self.shared.changed.notify_all();
    }

    /// Forgets all waiting pairs, and returns them.
    pub(super) fn forget_waiting(&self) -> Vec<Key> {
        let mut state = self.shared.lock();
        let jobs = state.lines.values_mut().flat_map(|line| line.jobs.drain(..));
        jobs.map(|job| (job.run, job.spec.pair)).collect()
    }

    /// Stops all pairs that are being played.
    pub(super) fn stop_playing(&self) {
        self.shared.lock().playing.values().for_each(|stop| stop.store(true, Ordering::SeqCst));
    }

    /// Whether a pair waits or is being played.
    pub(super) fn has(&self, key: &Key) -> bool {
        let state = self.shared.lock();
        let waits = state.lines.get(&key.0).is_some_and(|line| line.jobs.iter().any(|job| job.spec.pair == key.1));
        waits || state.playing.contains_key(key)
    }

    /// Returns how many pairs wait.
    pub(super) fn waiting(&self) -> usize {
        self.shared.lock().lines.values().map(|line| line.jobs.len()).sum()
    }

    /// Returns the pairs that are being played.
    pub(super) fn playing(&self) -> Vec<Key> {
        self.shared.lock().playing.keys().cloned().collect()
    }

    /// Returns how many cores are busy.
    pub(super) fn busy(&self) -> usize {
        self.shared.busy()
    }

    /// Returns what can free the machine from games.
    pub(super) fn holder(&self) -> Holder {
        Holder(Arc::clone(&self.shared))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop_playing();
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            let _a_panic_was_reported_as_lost = thread.join();
        }
    }
}

/// The loop of a thread, until the pool is closed.
fn work(shared: &Shared, mut worker: Worker, done: &UnboundedSender<Done>) {
    loop {
        let Some((job, stop, cores)) = take(shared) else { return };
        let started = Instant::now();
        let result = worker.play(&job.spec, &stop);
        let key = (job.run, job.spec.pair);
        let mut state = shared.lock();
        state.busy -= cores;
        // The pair may have been requested again meanwhile, and that copy be in play.
        if state.playing.get(&key).is_some_and(|playing| Arc::ptr_eq(playing, &stop)) {
            state.playing.remove(&key);
        }
        if let Some(line) = state.lines.get_mut(&key.0) {
            line.used += started.elapsed() * cores as u32 / line.weight.max(1);
        }
        drop(state);
        shared.changed.notify_all();
        if done.send((key, job.mark, result)).is_err() {
            return;
        }
    }
}

/// Waits for the next pair; `None` if the pool is closed.
fn take(shared: &Shared) -> Option<(Job, Arc<AtomicBool>, usize)> {
    let mut state = shared.lock();
    while !state.is_closed {
        if let Some(job) = state.next() {
            let cores = job.cores.min(state.cores);
            state.busy += cores;
            let stop = Arc::new(AtomicBool::new(false));
            state.playing.insert((Arc::clone(&job.run), job.spec.pair), Arc::clone(&stop));
            return Some((job, stop, cores));
        }
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::run::{BuildId, Sides};
    use play::entrant::{Entrant, PlayerSpec};
    use play::games::GameKind;
    use play::{OpeningLine, PairOpening, TableRules};

    fn job(pair: PairIndex) -> Job {
        let random = || Arc::new(Entrant { name: "a".to_owned(), player: PlayerSpec::Random });
        let spec = PairSpec {
            pair,
            run_seed: 1,
            game: GameKind::Chess,
            seats: [random(), random()],
            builds: [BuildId::Random, BuildId::Random].map(Arc::new),
            sides: Sides::Swapped,
            opening: PairOpening::Line(OpeningLine { start: None, moves: Vec::new() }),
            rules: TableRules::default(),
        };
        Job { run: "run".into(), spec, mark: 0, cores: 1 }
    }

    #[test]
    fn the_machine_is_held_once_no_pair_is_played_and_none_begins_until_it_is_released() {
        let shared = Arc::new(Shared::default());
        shared.lock().cores = 2;
        for pair in 0..2 {
            shared.lock().add(job(pair), 1);
        }
        assert!(take(&shared).is_some());
        let (holder, runtime) = (Holder(Arc::clone(&shared)), crate::runtime::on_this_thread().unwrap());
        let hold = |is_stopped| runtime.block_on(holder.hold(&AtomicBool::new(is_stopped)));
        assert!(hold(true).is_none(), "a pair is being played");
        assert!(!shared.lock().is_held);
        shared.lock().busy = 0;
        let held = hold(false).unwrap();
        assert!(shared.lock().next().is_none());
        drop(held);
        assert!(shared.lock().next().is_some());
    }
}
