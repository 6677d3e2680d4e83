//! A thread of the coordinator that plays single pairs itself, to see who is right.

use crate::message::mark;
use arena::run::{PairIndex, PairResult, PairSpec, Worker, wire};
use play::players::process::Starter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use tokio::sync::mpsc::UnboundedSender;

/// What came of a pair here, as often as it was played, or why it was not, and the mark of what was asked for.
pub(super) type Verdict = (PairIndex, u64, Result<Vec<PairResult>, String>);

/// A pair to be played.
struct Case {
    pair: PairIndex,
    spec: Arc<[u8]>,
    times: usize,
}

/// The thread.
pub(super) struct Arbiter {
    cases: Option<Sender<Case>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Arbiter {
    /// Waits for cases.
    ///
    /// # Errors
    /// The operating system's, if it grants no thread.
    pub(super) fn start(starter: Starter, to: UnboundedSender<Verdict>) -> std::io::Result<Self> {
        let (cases, taken) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = Builder::new().name("arbiter".to_owned()).spawn(move || judge(starter, &taken, &flag, &to))?;
        Ok(Self { cases: Some(cases), stop, thread: Some(thread) })
    }

    /// Has a pair played so many times.
    pub(super) fn play(&self, pair: PairIndex, spec: Arc<[u8]>, times: usize) {
        // The thread ends after this does.
        let _gone = self.cases.as_ref().map(|cases| cases.send(Case { pair, spec, times }));
    }
}

impl Drop for Arbiter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.cases = None;
        let _a_panic_is_reported = self.thread.take().map(JoinHandle::join);
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
