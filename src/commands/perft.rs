//! `spar perft`: counts move sequences, to compare the rules with other programs.

use super::{position, print, print_json};
use crate::args::Perft;
use crate::failure::{Exit, Failure};
use reports::text::grouped;
use serde_json::json;
use std::time::Instant;

/// Deeper counts would run for years and overflow 64 bits.
const MOST_DEPTH: u32 = 12;

pub(crate) fn perft(perft: &Perft) -> Result<Exit, Failure> {
    if perft.depth > MOST_DEPTH {
        return Err(Failure::usage(format!("cannot count to depth {}: expected 0 to {MOST_DEPTH}", perft.depth)));
    }
    let position = position(&perft.position)?;
    let started = Instant::now();
    let counts = engine::perft(&position, perft.depth);
    let seconds = started.elapsed().as_secs_f64();
    let engine::PerftCounts { nodes, captures, drops, wins, draws } = counts;
    if perft.json {
        print_json(&json!({
            "depth": perft.depth, "nodes": nodes, "captures": captures, "drops": drops, "wins": wins, "draws": draws,
        }))?;
    } else {
        let rows = [("nodes", nodes), ("captures", captures), ("drops", drops), ("wins", wins), ("draws", draws)];
        for (name, count) in rows {
            print(format_args!("{name:<9}{:>20}", grouped(count)))?;
        }
        say!("{seconds:.2} s, {:.0} M nodes/s", nodes as f64 / seconds.max(1e-9) / 1e6);
    }
    Ok(Exit::Done)
}
