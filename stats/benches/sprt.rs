//! The cost of one more pair in a running sequential test (the goal: under 2 microseconds), and of a cold start.

use divan::{Bencher, black_box};
use stats::sprt::llr_of_counts;
use stats::{Model, PairCounts, PairOutcome, Sprt, SprtConfig};

const MODELS: [Model; 3] = [Model::Logistic, Model::Normalized, Model::Bayesian];

fn main() {
    divan::main();
}

/// Outcomes in about the proportions of a real match, in a fixed scattered order.
fn outcomes() -> impl Iterator<Item = PairOutcome> {
    let bag = [
        PairOutcome::DD,
        PairOutcome::WL,
        PairOutcome::LD,
        PairOutcome::WD,
        PairOutcome::DD,
        PairOutcome::WD,
        PairOutcome::LL,
        PairOutcome::WL,
        PairOutcome::LD,
        PairOutcome::WW,
        PairOutcome::DD,
    ];
    (0_usize..).map(move |i| bag[i * i % 11])
}

fn config(model: Model) -> SprtConfig {
    SprtConfig { model, ..SprtConfig::default() }
}

#[divan::bench(args = MODELS, sample_size = 1000)]
fn update(bencher: Bencher, model: Model) {
    let mut sprt = Sprt::new(config(model)).expect("the default makes a test");
    let mut pairs = outcomes();
    for outcome in pairs.by_ref().take(10_000) {
        sprt.update(outcome);
    }
    bencher.bench_local(move || pairs.next().map(|outcome| sprt.update(black_box(outcome))));
}

#[divan::bench(args = MODELS)]
fn cold(bencher: Bencher, model: Model) {
    let counts = PairCounts([1187, 7410, 6000, 7475, 7378, 1164]);
    bencher.bench_local(|| llr_of_counts(&config(model), black_box(&counts)));
}

/// Distant bounds, for which the likelihood has to be scanned.
#[divan::bench]
fn cold_wide(bencher: Bencher) {
    let counts = PairCounts([3, 0, 0, 0, 0, 4]);
    let wide = SprtConfig { elo1: 800.0, ..SprtConfig::default() };
    bencher.bench_local(|| llr_of_counts(&wide, black_box(&counts)));
}
