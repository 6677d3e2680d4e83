//! The wall clock, for searches and for the bench.

use engine::{bench, signature, Budget, EngineConfig, SearchKind, Timer};
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

/// The signature of a search in the default configuration, and the speed on this machine.
pub(crate) fn measured(search: SearchKind) -> String {
    let config = EngineConfig { search, ..EngineConfig::default() };
    // Weights are decoded at their first use, outside a search.
    bench(&config, Budget::Depth(1));
    let start = Instant::now();
    let nodes = signature(&config).nodes;
    let nanoseconds = start.elapsed().as_nanos().max(1);
    let speed = u128::from(nodes) * 1_000_000_000 / nanoseconds;
    format!("{nodes} nodes {speed} nps")
}
