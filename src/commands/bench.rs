//! `spar bench`: the engine's signature, and its speed.

use super::{print, print_json};
use crate::args::Bench;
use crate::failure::{Exit, Failure};
use reports::text::grouped;
use serde_json::json;
use std::time::Instant;

/// Deeper searches of these positions would take hours.
const MOST_DEPTH: u8 = 16;

pub(crate) fn bench(bench: &Bench) -> Result<Exit, Failure> {
    if !(1..=MOST_DEPTH).contains(&bench.depth) {
        return Err(Failure::usage(format!("cannot search to depth {}: expected 1 to {MOST_DEPTH}", bench.depth)));
    }
    let started = Instant::now();
    let nodes = engine::bench(&engine::EngineConfig::default(), bench.depth).nodes;
    let seconds = started.elapsed().as_secs_f64();
    let per_second = (nodes as f64 / seconds.max(1e-9)) as u64;
    if bench.json {
        print_json(&json!({ "nodes": nodes, "seconds": seconds, "nodes_per_second": per_second }))?;
    } else {
        print(format_args!("{nodes} nodes {per_second} nodes/s"))?;
        let usual = engine::BENCH_DEPTH;
        let what = if bench.depth == usual {
            "signature".to_owned()
        } else {
            format!("not the signature, which is at depth {usual}:")
        };
        say!("{what} {}, {} nodes/s over {seconds:.2} s", grouped(nodes), grouped(per_second));
    }
    Ok(Exit::Done)
}
