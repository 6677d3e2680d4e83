//! The local executor: N worker threads, each with its own players and tables, fed by one queue.

use super::worker::{PlayPairs, Worker};
use crate::run::executor::{Event, Executor};
use crate::run::live::LiveTables;
use crate::run::pair::PairSpec;
use crossbeam_channel::{Receiver, Sender, unbounded};
use play::NotPlayed;
use play::child::{Spawner, Trace};
use play::players::process::{Programs, StandbyPlayers, Starter};
use record::PairIndex;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The number of pairs queued per worker, so that workers never wait for the driver: pairs of fast games take well
/// under a millisecond, and the driver is busy for several while it commits.
const QUEUED_PER_WORKER: usize = 64;

/// Marks a worker that plays no pair.
const IDLE: u64 = u64::MAX;

/// Creates the worker with this index.
pub type Make = Box<dyn Fn(usize) -> Box<dyn PlayPairs> + Send>;

/// Plays pairs on threads of this process.
pub struct Local {
    /// All workers started so far; those beyond the active ones wait.
    workers: Vec<Handle>,
    make: Make,
    live: Arc<LiveTables>,
    queue: Arc<Queue>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    revoked_from: Arc<AtomicU64>,
}

struct Handle {
    thread: Option<JoinHandle<()>>,
    /// The pair that the worker plays, or [`IDLE`].
    playing: Arc<AtomicU64>,
    /// Raised to make the worker give up that pair.
    stop: Arc<AtomicBool>,
}

impl Local {
    /// Starts the workers. Without `processes` they play only in-process players.
    ///
    /// # Errors
    /// The operating system's error if it grants no thread.
    pub fn start(workers: NonZeroUsize, processes: Option<&Processes>) -> std::io::Result<Self> {
        let processes = processes.cloned();
        let worker = move |index| Worker::new(processes.as_ref().map(|processes| processes.starter(index)));
        Self::start_with(workers, Box::new(move |index| Box::new(worker(index))))
    }

    /// Starts workers of another kind; `make` creates the worker of each index.
    ///
    /// # Errors
    /// The operating system's error if it grants no thread.
    pub fn start_with(workers: NonZeroUsize, make: Make) -> std::io::Result<Self> {
        let (sender, events) = unbounded();
        let mut local = Self {
            workers: Vec::new(),
            make,
            live: Arc::default(),
            queue: Arc::new(Queue::default()),
            sender,
            events,
            revoked_from: Arc::new(AtomicU64::new(u64::MAX)),
        };
        local.have(workers.get())?;
        local.queue.lock().active = workers.get();
        Ok(local)
    }

    /// Ensures that there are at least this many workers.
    fn have(&mut self, workers: usize) -> std::io::Result<()> {
        for index in self.workers.len()..workers {
            let mut worker = (self.make)(index);
            worker.show_on(self.live.add());
            let (queue, revoked_from) = (Arc::clone(&self.queue), Arc::clone(&self.revoked_from));
            let handle = Handle::start(index, worker, queue, self.sender.clone(), revoked_from)?;
            self.workers.push(handle);
        }
        Ok(())
    }
}

/// The pairs waiting for a worker, and which workers may take them.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    specs: VecDeque<PairSpec>,
    /// Workers with an index below this take pairs.
    active: usize,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Returns the next pair for this worker, waiting for it; `None` once the queue is closed.
    fn take(&self, index: usize) -> Option<PairSpec> {
        let mut waiting = self.lock();
        while !waiting.closed {
            if index < waiting.active
                && let Some(spec) = waiting.specs.pop_front()
            {
                return Some(spec);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

/// What workers need for playing engine processes.
#[derive(Clone)]
pub struct Processes {
    /// Starts the processes.
    pub spawner: Spawner,
    /// Finds their programs.
    pub programs: Arc<dyn Programs>,
    /// The processors of each worker's engines, by worker; a worker beyond the end may use any.
    pub cpus: Vec<Vec<usize>>,
    /// Receives every line to and from the processes, if set.
    pub trace: Option<Trace>,
    /// Players that got ready before the run and wait for their first game, on the first worker's processors.
    pub standby: StandbyPlayers,
    /// The pause of a worker's engines between two games.
    pub pause: Duration,
}

impl Processes {
    /// Returns processes on any processors, without a trace and without pauses.
    pub fn new(spawner: Spawner, programs: Arc<dyn Programs>) -> Self {
        let standby = StandbyPlayers::default();
        Self { spawner, programs, cpus: Vec::new(), trace: None, standby, pause: Duration::ZERO }
    }

    /// Returns the starter of one worker's processes.
    pub fn starter(&self, worker: usize) -> Starter {
        let of = |worker: usize| self.cpus.get(worker).cloned().unwrap_or_default();
        let cpus = of(worker);
        Starter {
            spawner: self.spawner.clone(),
            trace: self.trace.clone(),
            programs: Arc::clone(&self.programs),
            standby: if cpus == of(0) { self.standby.clone() } else { StandbyPlayers::default() },
            cpus,
            pause: self.pause,
        }
    }
}

impl Handle {
    fn start(
        index: usize,
        worker: Box<dyn PlayPairs>,
        queue: Arc<Queue>,
        events: Sender<Event>,
        revoked_from: Arc<AtomicU64>,
    ) -> std::io::Result<Self> {
        let playing = Arc::new(AtomicU64::new(IDLE));
        let stop = Arc::new(AtomicBool::new(false));
        let (playing_now, stop_now) = (Arc::clone(&playing), Arc::clone(&stop));
        let duty = Duty { index, worker, queue, events, revoked_from, playing: playing_now, stop: stop_now };
        let thread = Builder::new().name(format!("worker-{index}")).spawn(move || duty.run())?;
        Ok(Self { thread: Some(thread), playing, stop })
    }
}

/// The work of a worker's thread until the queue is closed.
struct Duty {
    index: usize,
    worker: Box<dyn PlayPairs>,
    queue: Arc<Queue>,
    events: Sender<Event>,
    revoked_from: Arc<AtomicU64>,
    playing: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Duty {
    fn run(mut self) {
        while let Some(spec) = self.queue.take(self.index) {
            let pair = spec.pair;
            // Order matters: this thread first publishes the pair it plays, then checks whether the pair is still
            // wanted. The other thread first revokes, then checks what is being played. So one of the two always sees
            // the other's write.
            self.stop.store(false, Ordering::SeqCst);
            self.playing.store(pair, Ordering::SeqCst);
            let wanted = pair < self.revoked_from.load(Ordering::SeqCst);
            let result = if wanted { self.worker.play(&spec, &self.stop) } else { Err(NotPlayed::Stopped) };
            self.playing.store(IDLE, Ordering::SeqCst);
            let event = match result {
                Ok(result) => Event::done(result),
                Err(NotPlayed::Failed(why)) => Event::Failed { pair, why },
                Err(why) => Event::Lost { pair, why: why.to_string() },
            };
            if self.events.send(event).is_err() {
                return;
            }
        }
    }
}

impl Executor for Local {
    fn workers(&self) -> usize {
        self.queue.lock().active
    }

    fn capacity(&self) -> usize {
        self.workers() * QUEUED_PER_WORKER
    }

    fn live(&self) -> Option<Arc<LiveTables>> {
        Some(Arc::clone(&self.live))
    }

    fn set_workers(&mut self, workers: usize) {
        // If the system grants no further thread, the existing workers play.
        let _granted = self.have(workers);
        let active = workers.min(self.workers.len());
        self.queue.change(|waiting| waiting.active = active);
    }

    fn submit(&mut self, spec: PairSpec) {
        let mut waiting = self.queue.lock();
        waiting.specs.push_back(spec);
        let all_are_active = waiting.active >= self.workers.len();
        drop(waiting);
        // The pair may be taken by active workers only, so waking a single inactive worker would not be enough.
        if all_are_active {
            self.queue.changed.notify_one();
        } else {
            self.queue.changed.notify_all();
        }
    }

    fn next_event(&mut self, deadline: Instant) -> Option<Event> {
        self.events.recv_deadline(deadline).ok()
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        let _before = self.revoked_from.fetch_min(pair, Ordering::SeqCst);
        for worker in &self.workers {
            let playing = worker.playing.load(Ordering::SeqCst);
            if playing >= pair && playing != IDLE {
                worker.stop.store(true, Ordering::SeqCst);
            }
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.revoke_from(0);
        self.queue.change(|waiting| waiting.closed = true);
        for worker in &mut self.workers {
            if let Some(thread) = worker.thread.take() {
                let _a_panic_was_reported_as_lost = thread.join();
            }
        }
    }
}
