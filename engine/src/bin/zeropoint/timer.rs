//! The wall clock, for searches and for the bench.

use engine::{Timer, BENCH_DEPTH};
use std::time::{Duration, Instant};

/// The wall-clock time since an instant.
pub(crate) struct WallClock {
    pub(crate) since: Instant,
}

impl Timer for WallClock {
    fn elapsed(&self, _nodes: u64) -> Duration {
        self.since.elapsed()
    }
}

/// The bench's signature in the default configuration, and the speed on this machine.
pub(crate) fn bench() -> String {
    let config = engine::EngineConfig::default();
    // Weights are decoded when they are needed first, which is no search.
    engine::bench(&config, 1);
    let start = Instant::now();
    let nodes = engine::bench(&config, BENCH_DEPTH).nodes;
    let nanoseconds = start.elapsed().as_nanos().max(1);
    let speed = u128::from(nodes) * 1_000_000_000 / nanoseconds;
    format!("{nodes} nodes {speed} nps")
}
