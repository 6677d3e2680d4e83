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
    let start = Instant::now();
    let nodes = engine::bench(&engine::EngineConfig::default(), BENCH_DEPTH).nodes;
    let nanoseconds = start.elapsed().as_nanos().max(1);
    let speed = u128::from(nodes) * 1_000_000_000 / nanoseconds;
    format!("{nodes} nodes {speed} nps")
}
