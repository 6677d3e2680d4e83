//! Threads that the system may refuse. They are requested before they are relied on, so that a refusal is an error
//! instead of a panic.

use crossbeam_channel::bounded;
use rayon::ThreadPoolBuilder;
use std::error::Error;
use std::io;
use std::sync::OnceLock;
use std::thread::{Builder, available_parallelism};

/// Checks that the system currently grants this many threads at once. They end before this returns.
///
/// # Errors
/// The system's refusal.
pub fn threads_granted(count: usize) -> io::Result<()> {
    // Each thread waits until all are there: nothing is ever sent, and dropping the sender ends the wait.
    let (all_there, waiting) = bounded::<()>(0);
    let wait = || {
        let waiting = waiting.clone();
        Builder::new().name("asked for".to_owned()).spawn(move || {
            let _all_are_there = waiting.recv();
        })
    };
    let mut granted = Vec::new();
    let refused = (0..count).find_map(|_| wait().map(|thread| granted.push(thread)).err());
    drop(all_there);
    for thread in granted {
        let _ended = thread.join();
    }
    refused.map_or(Ok(()), Err)
}

/// Starts the process-wide thread pool for parallel work: one thread per processor, or fewer if the system refuses that
/// many. Must be called before that work begins; further calls do nothing.
///
/// # Errors
/// The system grants no thread.
pub fn start_pool() -> io::Result<()> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let started = STARTED.get_or_init(|| {
        let processors = available_parallelism().map_or(1, std::num::NonZero::get);
        let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
        let mut count = asked.filter(|count| *count > 0).unwrap_or(processors);
        // The pool can be built only once; after a refusal there would be none.
        while let Err(refused) = threads_granted(count) {
            if count == 1 {
                return Err(refused.to_string());
            }
            count = count.div_ceil(2);
        }
        match ThreadPoolBuilder::new().num_threads(count).build_global() {
            Err(refused) if refused.source().is_some() => Err(refused.to_string()),
            // The host program may have started the pool already.
            _ => Ok(()),
        }
    });
    started.clone().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_granted_and_the_pool_is_started_once() {
        threads_granted(0).expect("none is always granted");
        threads_granted(5).expect("five threads");
        start_pool().expect("a pool");
        start_pool().expect("the same pool");
        assert!(rayon::current_num_threads() >= 1);
    }
}
