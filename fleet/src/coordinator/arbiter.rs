//! Threads of the coordinator that play single pairs to decide which worker is right.

use crate::message::mark;
use arena::run::{PairIndex, PairResult, PairSpec, Worker, wire};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use play::players::process::Starter;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use tokio::sync::mpsc::UnboundedSender;

/// The maximum number of threads: few pairs are played here.
const MOST_THREADS: usize = 8;

/// A pair that was played here, the mark of its request, and the result of each play, or the reason why it was not
/// played.
pub(super) type Verdict = (PairIndex, u64, Result<Vec<PairResult>, String>);

/// A pair to play.
struct Case {
    pair: PairIndex,
    spec: Arc<[u8]>,
    times: usize,
}

/// The threads, and the pairs that wait for one of them. The caller cancels pairs that it no longer needs.
pub(super) struct Arbiter {
    cases: Option<Sender<Case>>,
    waiting: VecDeque<Case>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Arbiter {
    /// Starts the threads, on half of the processors: other programs run on this machine.
    ///
    /// # Errors
    /// The operating system's error if it grants no thread.
    pub(super) fn start(starter: impl Fn() -> Starter, to: &UnboundedSender<Verdict>) -> std::io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let number = (processors / 2).clamp(1, MOST_THREADS);
        let (cases, taken) = bounded(number);
        let stop = Arc::new(AtomicBool::new(false));
        let mut arbiter = Self { cases: Some(cases), waiting: VecDeque::new(), stop, threads: Vec::new() };
        for index in 0..number {
            let (starter, taken, stop, to) = (starter(), taken.clone(), Arc::clone(&arbiter.stop), to.clone());
            let thread = Builder::new().name(format!("arbiter-{index}"));
            arbiter.threads.push(thread.spawn(move || judge(starter, &taken, &stop, &to))?);
        }
        Ok(arbiter)
    }

    /// Queues a pair, to be played this many times.
    pub(super) fn play(&mut self, pair: PairIndex, spec: Arc<[u8]>, times: usize) {
        self.waiting.push_back(Case { pair, spec, times });
        self.go_on();
    }

    /// Gives the threads as many pairs as they accept.
    pub(super) fn go_on(&mut self) {
        while let (Some(case), Some(cases)) = (self.waiting.pop_front(), &self.cases) {
            match cases.try_send(case) {
                Ok(()) => {}
                Err(TrySendError::Full(case)) => return self.waiting.push_front(case),
                // The threads outlive this.
                Err(TrySendError::Disconnected(_)) => return,
            }
        }
    }

    /// Drops the waiting pairs that are no longer needed.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(PairIndex) -> bool) {
        self.waiting.retain(|case| is_wanted(case.pair));
    }
}

impl Drop for Arbiter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.cases = None;
        for thread in self.threads.drain(..) {
            let _a_panic_is_reported = thread.join();
        }
    }
}

fn judge(starter: Starter, cases: &Receiver<Case>, stop: &AtomicBool, to: &UnboundedSender<Verdict>) {
    let mut worker = Worker::new(Some(starter));
    while let Ok(Case { pair, spec, times }) = cases.recv() {
        let asked = mark(&spec);
        let mut play = || {
            let spec = wire::from_bytes::<PairSpec>(&spec).map_err(|error| error.to_string())?;
            worker.play(&spec, stop).map_err(|why| why.to_string())
        };
        let plays = (0..times).map(|_| play()).collect();
        if to.send((pair, asked, plays)).is_err() {
            return;
        }
    }
}
