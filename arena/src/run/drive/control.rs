//! Controls a drive from outside, at any time and from any thread.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Requests to a drive, which checks them several times a second. They change only when pairs are played, never what is
/// played or decided.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    paused: AtomicBool,
    /// 0 means as many as the executor has.
    workers: AtomicUsize,
}

impl Control {
    /// Creates a control without requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the drive to end. Finished pairs are committed; pairs being played are given up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether the drive was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Returns the flag that [`stop`](Self::stop) raises, for code that waits elsewhere.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Asks the drive to begin no further pair, or to continue. Pairs being played are finished.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
    }

    /// Whether the drive was asked to begin no further pair.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Asks the drive to play this many pairs at a time from now on.
    pub fn set_workers(&self, workers: NonZeroUsize) {
        self.workers.store(workers.get(), Ordering::SeqCst);
    }

    /// Returns the requested number of pairs at a time, if any.
    pub fn workers(&self) -> Option<NonZeroUsize> {
        NonZeroUsize::new(self.workers.load(Ordering::SeqCst))
    }
}
