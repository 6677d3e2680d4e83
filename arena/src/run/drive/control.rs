//! What steers a drive from outside, at any moment and from any thread.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a drive is asked to do. It looks several times a second; none of it changes what is played or decided, only
/// when.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    paused: AtomicBool,
    /// 0: as many as the executor has.
    workers: AtomicUsize,
}

impl Control {
    /// Nothing is asked for.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks it to end. What was finished is committed; the pairs being played are given up.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// The flag that [`stop`](Self::stop) raises, for those who wait elsewhere.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Asks it to begin no further pair, or to begin them again. Pairs that are being played are played to their end.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
    }

    /// Whether it was asked to begin no further pair.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Asks it to play this many pairs at a time from now on.
    pub fn set_workers(&self, workers: NonZeroUsize) {
        self.workers.store(workers.get(), Ordering::SeqCst);
    }

    /// How many pairs it was asked to play at a time, if it was.
    pub fn workers(&self) -> Option<NonZeroUsize> {
        NonZeroUsize::new(self.workers.load(Ordering::SeqCst))
    }
}
