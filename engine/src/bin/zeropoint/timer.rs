//! The wall clock, as searches read it and as the bench does.

use engine::{Timer, BENCH_DEPTH};
use std::time::{Duration, Instant};

/// The wall clock since some instant.
pub(crate) struct WallTimer {
    pub(crate) since: Instant,
}

impl Timer for WallTimer {
    fn elapsed(&self, _work: u64) -> Duration {
        self.since.elapsed()
    }
}

/// The signature of the search in its default configuration, and its speed here and now.
pub(crate) fn bench() -> String {
    let start = Instant::now();
    let nodes = engine::bench(&engine::EngineConfig::default(), BENCH_DEPTH).nodes;
    let nanoseconds = start.elapsed().as_nanos().max(1);
    let speed = u128::from(nodes) * 1_000_000_000 / nanoseconds;
    format!("{nodes} nodes {speed} nps")
}
