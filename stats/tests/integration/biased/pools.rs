//! Pools of entrants of known strength that play from openings of known bias, and how well ratings find the strength.

use stats::plan::simulate::generator;
use stats::random::Stream;
use stats::rating::{Openings, PairTable, RatingSettings, Ratings, Results, rate};
use stats::{Score, elo};

/// Strengths from fair openings, in Elo.
const TRUTH: [f64; 4] = [-120.0, -30.0, 30.0, 120.0];

/// A game with this expected score, drawn with the probability `draws` between equals and a lower one between others.
fn game(generator: &mut Stream, score: f64, draws: f64) -> Score {
    let half = draws * score.min(1.0 - score);
    match generator.uniform() {
        x if x < score - half => Score::Win,
        x if x < score + half => Score::Draw,
        _ => Score::Loss,
    }
}

/// A round robin from openings that favour one seat by 1/4 to 1 of `bias`, and the first mover by 20 Elo more.
pub(crate) struct Pool {
    /// Pairs in each pairing.
    pub(crate) pairs: usize,
    /// In Elo.
    pub(crate) bias: f64,
    /// Draws per game between equals, 0 to 1.
    pub(crate) draws: f64,
}

impl Pool {
    /// The results of the pool, different for each seed.
    pub(crate) fn results(&self, seed: u64) -> Results {
        let mut generator = generator(seed, 0);
        let mut results = Results::new(TRUTH.len());
        for (one, strength) in TRUTH.iter().enumerate() {
            for (two, other) in TRUTH.iter().enumerate().skip(one + 1) {
                let table = self.table(&mut generator, strength - other);
                results.add_pairs(one, two, &table).expect("two entrants that there are");
            }
        }
        results
    }

    /// The pairs of a pairing in which the first entrant is better by `difference`.
    fn table(&self, generator: &mut Stream, difference: f64) -> PairTable {
        let mut table = PairTable::default();
        for _ in 0..self.pairs {
            let size = self.bias * (0.25 + 0.75 * generator.uniform());
            let opening = 20.0 + if generator.uniform() < 0.5 { size } else { -size };
            let [first, second] =
                [opening, -opening].map(|favour| game(generator, elo::expected_score(difference + favour), self.draws));
            table[first as usize][second as usize] += 1;
        }
        table
    }
}

/// The ratings of these results.
pub(crate) fn rated(results: &Results, openings: Openings) -> Ratings {
    rate(results, &RatingSettings { openings, ..RatingSettings::default() }).expect("valid settings")
}

/// Slope of the ratings over the truth, and the share of intervals that hold the truth, in this many pools.
pub(crate) fn quality(pools: u64, openings: Openings, pool: &Pool) -> (f64, f64) {
    let square: f64 = TRUTH.iter().map(|truth| truth * truth).sum();
    let (mut slope, mut held) = (0.0, 0.0);
    for seed in 0..pools {
        for (rating, truth) in rated(&pool.results(seed), openings).entrants.iter().zip(TRUTH) {
            slope += rating.elo.value * truth / square;
            held += f64::from(u8::from((rating.elo.low..=rating.elo.high).contains(&truth)));
        }
    }
    (slope / pools as f64, held / (pools as usize * TRUTH.len()) as f64)
}
