//! Measures how well ratings find strength if openings are biased: the slope of the ratings over the truth, and the
//! share of the 95% intervals that hold it, from points and with each opening's bias removed. Seeded: the same figures
//! on every machine.
//!
//! `openings [pools]` prints the rows of a Markdown table, which is in `docs/measurements/statistics.md`.

#[path = "../tests/integration/biased/pools.rs"]
mod pools;

use pools::{Pool, quality};
use stats::rating::Openings;

fn main() -> Result<(), std::num::ParseIntError> {
    let pools = std::env::args().nth(1).map_or(Ok(1000), |n| n.parse())?;
    for pairs in [30, 100, 300, 1000] {
        for bias in [0.0, 30.0, 100.0, 250.0] {
            for draws in [0.2, 0.8] {
                let pool = Pool { pairs, bias, draws };
                let cell = |openings| {
                    let (slope, held) = quality(pools, openings, &pool);
                    format!("{slope:.2}, {:.1}%", 100.0 * held)
                };
                let (fair, biased) = (cell(Openings::Fair), cell(Openings::Biased));
                println!("| {pairs} | {bias} | {:.0}% | {fair} | {biased} |", 100.0 * draws);
            }
        }
    }
    Ok(())
}
