//! Where points were won and lost: the expected result of a game changes from ply to ply, and ends as the actual
//! result.
//!
//! Each change is counted under the kind of its ply, such as the move number. So the changes of a table add up exactly
//! to what the first entrant scored beyond half of the points. Errors are computed between pairs, whose games share an
//! opening.

use super::views::View;
use stats::Estimate;
use std::collections::BTreeMap;

/// Changes of the expected result, by the kind of their ply.
#[derive(Clone, Debug)]
pub(super) struct Flow<K> {
    games: u64,
    pairs: u64,
    by: BTreeMap<K, Sum>,
    /// The changes of the pair that is being added.
    of_pair: BTreeMap<K, f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    games: u64,
    points: f64,
    squares: f64,
}

/// The points that the first entrant won at plies of one kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FlowRow {
    /// The kind of ply.
    pub label: String,
    /// The number of games with such plies.
    pub games: u64,
    /// Points per hundred games, counting all games.
    pub points: Estimate,
}

impl<K> Default for Flow<K> {
    fn default() -> Self {
        Self { games: 0, pairs: 0, by: BTreeMap::new(), of_pair: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Flow<K> {
    /// Adds a game. `points` is its result for the first entrant, 0 to 1, and `kind` returns the kind of the ply with
    /// an index; without an index, the kind that applies at the beginning of the game.
    pub(super) fn add(&mut self, views: &[View], points: f64, kind: impl Fn(Option<usize>) -> K) {
        let mut own: BTreeMap<K, f64> = BTreeMap::new();
        let (mut at, mut expected) = (None, 0.5);
        for (index, view) in views.iter().enumerate() {
            let Some(now) = view.mean() else { continue };
            *own.entry(kind(at)).or_default() += now - expected;
            (at, expected) = (Some(index), now);
        }
        *own.entry(kind(at)).or_default() += points - expected;
        self.games += 1;
        for (kind, change) in own {
            self.by.entry(kind).or_default().games += 1;
            *self.of_pair.entry(kind).or_default() += change;
        }
    }

    /// Ends a pair, which consists of the games that were added since the last one.
    pub(super) fn end_pair(&mut self) {
        let of_pair = std::mem::take(&mut self.of_pair);
        self.pairs += u64::from(!of_pair.is_empty());
        for (kind, change) in of_pair {
            let sum = self.by.entry(kind).or_default();
            sum.points += change;
            sum.squares += change * change;
        }
    }

    /// A row for each kind, in order.
    pub(super) fn rows(&self, label: impl Fn(K) -> String) -> Vec<FlowRow> {
        let (games, pairs) = (self.games as f64, self.pairs as f64);
        let row = |(&kind, sum): (&K, &Sum)| {
            // Pairs without such plies count as 0.
            let spread = (sum.squares - sum.points * sum.points / pairs).max(0.0) / (pairs - 1.0).max(1.0);
            let error = (spread * pairs).sqrt();
            let points = Estimate::normal(100.0 * sum.points / games, 100.0 * error / games);
            FlowRow { label: label(kind), games: sum.games, points }
        };
        self.by.iter().map(row).collect()
    }
}
