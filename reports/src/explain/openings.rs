//! Openings in which the first entrant scored differently than in all others, by more than chance explains.
//!
//! Each opening that occurred often enough is tested against the mean of all, at 5% for all of them together
//! (Bonferroni).

use crate::gather::openings::fingerprint;
use arena::run::StoredResult;
use stats::normal;
use std::collections::BTreeMap;

/// The maximum number of openings that are kept apart; pairs of later ones are ignored.
pub const MOST_TESTED: usize = 1 << 16;
/// The minimum number of pairs for testing an opening: a normal law of their mean needs some.
const LEAST_PAIRS: u64 = 8;
/// The maximum number of openings listed.
const MOST_LISTED: usize = 5;
/// The probability of listing any opening if all are alike.
const ALPHA: f64 = 0.05;

/// Results by opening. A source gives an opening another number each time that it comes again.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings {
    by_line: BTreeMap<u64, Sum>,
    all: Sum,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    pairs: u64,
    /// Sums over pairs of the share of the points, and of its square.
    points: f64,
    squares: f64,
    /// The opening's number at its first pair, and that pair, from 1.
    number: u64,
    pair: u64,
}

/// An opening that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct OpeningRow {
    /// The opening's number in the run's openings at its first pair, from 1.
    pub opening: u64,
    /// The first pair with the opening, from 1.
    pub pair: u64,
    /// The number of pairs.
    pub pairs: u64,
    /// The first entrant's share of the points in these pairs.
    pub scored: f64,
    /// The probability of such a difference or a larger one by chance, for this opening alone.
    pub p: f64,
}

impl Openings {
    /// Adds a pair with the scores of its games for the first entrant, 0 to 1.
    pub(super) fn add(&mut self, stored: &StoredResult, scores: &[f64]) {
        if scores.is_empty() {
            return;
        }
        let share = scores.iter().sum::<f64>() / scores.len() as f64;
        self.all.add(share);
        let line = fingerprint(&stored.result);
        if self.by_line.len() < MOST_TESTED || self.by_line.contains_key(&line) {
            let (number, pair) = (stored.proposal.opening + 1, stored.result.pair + 1);
            self.by_line.entry(line).or_insert(Sum { number, pair, ..Sum::default() }).add(share);
        }
    }

    /// The number of openings tested, and those that differ from the others, the worst for the first entrant first.
    pub(super) fn rows(&self) -> (u64, Vec<OpeningRow>) {
        let (mean, variance) = (self.all.mean(), self.all.variance());
        let often = || self.by_line.values().filter(|sum| sum.pairs >= LEAST_PAIRS);
        let tested = often().count();
        let row = |sum: &Sum| {
            let error = (variance / sum.pairs as f64).sqrt();
            let z = (sum.mean() - mean).abs() / error;
            let p = if error > 0.0 { 2.0 * normal::cdf(-z) } else { 1.0 };
            OpeningRow { opening: sum.number, pair: sum.pair, pairs: sum.pairs, scored: sum.mean(), p }
        };
        let mut rows: Vec<OpeningRow> = often().map(row).filter(|row| row.p * tested as f64 <= ALPHA).collect();
        rows.sort_by(|one, two| one.scored.total_cmp(&two.scored));
        rows.truncate(MOST_LISTED);
        (tested as u64, rows)
    }
}

impl Sum {
    fn add(&mut self, share: f64) {
        self.pairs += 1;
        self.points += share;
        self.squares += share * share;
    }

    fn mean(&self) -> f64 {
        self.points / self.pairs as f64
    }

    /// The variance between pairs.
    fn variance(&self) -> f64 {
        let mean = self.mean();
        (self.squares / self.pairs as f64 - mean * mean).max(0.0)
    }
}
