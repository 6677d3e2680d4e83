//! `spar bench`: the engine's signature and speed.

use super::{print, print_json};
use crate::args::Bench;
use crate::failure::{Exit, Failure};
use engine::{Budget, EngineConfig, ParseSearchError, SearchKind};
use reports::text::grouped;
use serde_json::json;
use std::time::Instant;

/// Deeper searches of these positions would take hours.
const MOST_DEPTH: u8 = 16;

pub(crate) fn bench(bench: &Bench) -> Result<Exit, Failure> {
    let search = bench.search.as_ref().map_or(Ok(SearchKind::default()), |name| name.parse());
    let search = search.map_err(|unknown: ParseSearchError| Failure::usage(unknown.to_string()))?;
    let budget = match bench.depth {
        Some(depth) if !(1..=MOST_DEPTH).contains(&depth) => {
            return Err(Failure::usage(format!("cannot search to depth {depth}: expected 1 to {MOST_DEPTH}")));
        }
        Some(depth) => Budget::Depth(depth),
        None => search.bench_budget(),
    };
    let started = Instant::now();
    let nodes = engine::bench(&EngineConfig { search, ..EngineConfig::default() }, budget).nodes;
    let seconds = started.elapsed().as_secs_f64();
    let per_second = (nodes as f64 / seconds.max(1e-9)) as u64;
    if bench.json {
        print_json(&json!({ "nodes": nodes, "seconds": seconds, "nodes_per_second": per_second }))?;
    } else {
        print(format_args!("{nodes} nodes {per_second} nodes/s"))?;
        let what = if budget == search.bench_budget() {
            "signature".to_owned()
        } else {
            format!("not the signature, which is at {}:", spelt(search.bench_budget()))
        };
        say!("{what} {}, {} nodes/s over {seconds:.2} s", grouped(nodes), grouped(per_second));
    }
    Ok(Exit::Done)
}

/// What the bench does in each position, in words.
fn spelt(budget: Budget) -> String {
    match budget {
        Budget::Depth(depth) => format!("depth {depth}"),
        Budget::Nodes(nodes) => format!("{} nodes a position", grouped(nodes)),
        Budget::MoveTime(time) => format!("{time:?} a position"),
        Budget::Clock(left) => format!("{:?} for the game", left.remaining),
    }
}
