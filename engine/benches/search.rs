//! Measures the search: nodes per second in the bench positions, and the fixed cost of a small search.

#![allow(clippy::incompatible_msrv)] // Expanded from divan's macros; benches are not part of the bundle.

use divan::counter::ItemsCount;
use divan::Bencher;
use engine::{bench, bench_positions, Budget, Engine, EngineConfig, EvaluationKind, NeverStop, NoClock};

fn main() {
    divan::main();
}

/// Items are nodes, including those of quiescence search.
#[divan::bench(args = EvaluationKind::ALL)]
fn nodes(bencher: Bencher, evaluation: EvaluationKind) {
    let config = EngineConfig { evaluation: evaluation.into(), table_bytes: 1 << 20, ..EngineConfig::default() };
    let nodes = bench(&config, Budget::Depth(5)).nodes;
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| bench(&config, Budget::Depth(5)));
}

/// Whole searches of a middlegame position: the cost of a move apart from its nodes.
#[divan::bench(args = [0, 100, 1_000])]
fn whole_search(bencher: Bencher, nodes: u64) {
    let mut engine = Engine::new(&EngineConfig { table_bytes: 1 << 20, ..EngineConfig::default() });
    let position = bench_positions().nth(4);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        engine.new_game();
        position.map(|position| engine.search(&position, &[], &Budget::Nodes(nodes), &NeverStop, &NoClock))
    });
}
