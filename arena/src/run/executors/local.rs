//! The local executor: N workers, each a thread with players and tables of its own, fed by a bounded channel.

use super::worker::Worker;
use crate::run::executor::{Event, Executor};
use crate::run::pair::{PairIndex, PairSpec};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use play::NotPlayed;
use play::child::{Spawner, Trace};
use play::players::process::{Programs, Starter};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// Pairs waiting for each worker, so that it never waits for the driver: pairs of fast games take well under a
/// millisecond, and the driver is away for several while it commits.
const QUEUED_PER_WORKER: usize = 64;

/// A pair number that no worker is playing.
const IDLE: u64 = u64::MAX;

/// Plays pairs on threads of this process.
pub struct Local {
    workers: Vec<Handle>,
    queue: Option<Sender<PairSpec>>,
    events: Receiver<Event>,
    revoked_from: Arc<AtomicU64>,
}

struct Handle {
    thread: Option<JoinHandle<()>>,
    /// The pair it plays, or [`IDLE`].
    playing: Arc<AtomicU64>,
    /// Raised to have it give that pair up.
    stop: Arc<AtomicBool>,
}

impl Local {
    /// Starts the workers. Without `processes` they play in-process players alone.
    ///
    /// # Errors
    /// The operating system's, if it grants no thread.
    pub fn start(workers: NonZeroUsize, processes: Option<&Processes>) -> std::io::Result<Self> {
        let (queue, specs) = bounded(workers.get() * QUEUED_PER_WORKER);
        let (sender, events) = unbounded();
        let revoked_from = Arc::new(AtomicU64::new(u64::MAX));
        let workers = (0..workers.get())
            .map(|index| {
                let worker = Worker::new(processes.map(|processes| processes.starter(index)));
                Handle::start(index, worker, specs.clone(), sender.clone(), Arc::clone(&revoked_from))
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self { workers, queue: Some(queue), events, revoked_from })
    }
}

/// What workers need to play engine processes.
#[derive(Clone)]
pub struct Processes {
    /// Where processes are born.
    pub spawner: Spawner,
    /// Finds their programs.
    pub programs: Arc<dyn Programs>,
    /// The processors of each worker's engines, by worker; a worker beyond the end has any.
    pub cpus: Vec<Vec<usize>>,
    /// Gets every line to and from them, if anybody wants that.
    pub trace: Option<Trace>,
}

impl Processes {
    /// What starts the processes of one worker.
    pub fn starter(&self, worker: usize) -> Starter {
        Starter {
            spawner: self.spawner.clone(),
            cpus: self.cpus.get(worker).cloned().unwrap_or_default(),
            trace: self.trace.clone(),
            programs: Arc::clone(&self.programs),
        }
    }
}

impl Handle {
    fn start(
        index: usize,
        worker: Worker,
        specs: Receiver<PairSpec>,
        events: Sender<Event>,
        revoked_from: Arc<AtomicU64>,
    ) -> std::io::Result<Self> {
        let playing = Arc::new(AtomicU64::new(IDLE));
        let stop = Arc::new(AtomicBool::new(false));
        let duty = Duty { worker, specs, events, revoked_from, playing: Arc::clone(&playing), stop: Arc::clone(&stop) };
        let thread = Builder::new().name(format!("worker-{index}")).spawn(move || duty.run())?;
        Ok(Self { thread: Some(thread), playing, stop })
    }
}

/// What a worker's thread does until the queue is closed.
struct Duty {
    worker: Worker,
    specs: Receiver<PairSpec>,
    events: Sender<Event>,
    revoked_from: Arc<AtomicU64>,
    playing: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Duty {
    fn run(self) {
        let Self { mut worker, specs, .. } = self;
        for spec in &specs {
            let pair = spec.pair;
            // Order matters: first say what is being played, then look whether it is still wanted. The other side
            // first revokes, then looks at what is being played; so one of the two always sees the other.
            self.stop.store(false, Ordering::SeqCst);
            self.playing.store(pair, Ordering::SeqCst);
            let wanted = pair < self.revoked_from.load(Ordering::SeqCst);
            let result = if wanted { worker.play(&spec, &self.stop) } else { Err(NotPlayed::Stopped) };
            self.playing.store(IDLE, Ordering::SeqCst);
            let event = match result {
                Ok(result) => Event::Done(Box::new(result)),
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
        self.workers.len()
    }

    fn capacity(&self) -> usize {
        self.workers.len() * QUEUED_PER_WORKER
    }

    fn submit(&mut self, spec: PairSpec) {
        if let Some(queue) = &self.queue {
            // The workers live as long as the queue is open, and capacity() leaves room: this neither fails nor blocks.
            let _sent = queue.send(spec);
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
        self.queue = None;
        for worker in &mut self.workers {
            if let Some(thread) = worker.thread.take() {
                let _a_panic_was_reported_as_lost = thread.join();
            }
        }
    }
}
