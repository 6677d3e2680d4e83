//! Turns at the processors, for threads that sometimes wait for something else.

use std::sync::{Condvar, Mutex, PoisonError};

/// Limits the number of threads that work at a time; the others wait.
#[derive(Debug)]
pub(super) struct Turns {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Turns {
    pub(super) fn new(places: usize) -> Self {
        Self { free: Mutex::new(places), given_back: Condvar::new() }
    }

    /// Waits for a turn, which ends when the returned value is dropped.
    pub(super) fn take(&self) -> Turn<'_> {
        self.begin();
        Turn(self)
    }

    fn begin(&self) {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        *self.given_back.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner) -= 1;
    }

    fn end(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.given_back.notify_one();
    }
}

/// A thread's turn.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Turns);

impl Turn<'_> {
    /// Gives up the turn while this thread waits for something.
    pub(super) fn wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.0.end();
        let answer = wait();
        self.0.begin();
        answer
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
