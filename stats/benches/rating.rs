//! The cost of ratings: ten engines and a million pairs (the goal: under a second), 500 engines in a full round robin
//! (under ten seconds).

use divan::{Bencher, black_box};
use stats::rating::{PairTable, RatingSettings, Results, rate};

fn main() {
    divan::main();
}

/// A round robin in which engines with a lower number are better.
fn round_robin(entrants: usize, scale: u64) -> Results {
    let mut results = Results::new(entrants);
    for one in 0..entrants {
        for two in one + 1..entrants {
            let ahead = ((two - one) * 20 / entrants) as u64;
            let table: PairTable = [[30, 40, 20], [40, 60, 50 + ahead], [30 + ahead, 50, 40 + ahead]];
            let table = table.map(|row| row.map(|n| n * scale));
            results.add_pairs(one, two, &table).expect("both exist");
        }
    }
    results
}

#[divan::bench]
fn ten_engines_a_million_pairs(bencher: Bencher) {
    let results = round_robin(10, 61);
    bencher.bench_local(|| rate(black_box(&results), &RatingSettings::default()));
}

#[divan::bench(sample_count = 3)]
fn five_hundred_engines(bencher: Bencher) {
    let results = round_robin(500, 1);
    bencher.bench_local(|| rate(black_box(&results), &RatingSettings::default()));
}
