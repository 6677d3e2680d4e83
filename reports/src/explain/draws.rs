//! Draws of games in which one side once had a much better position.

use super::views::View;
use std::collections::BTreeMap;

/// The share of the points from which a side's position counts as better.
pub const BETTER: f64 = 0.75;

/// Draws by kind of ending.
#[derive(Clone, Debug, Default)]
pub(super) struct Draws(BTreeMap<&'static str, DrawRow>);

/// Draws with one kind of ending.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct DrawRow {
    /// The kind of ending.
    pub ending: String,
    /// The number of draws.
    pub draws: u64,
    /// For each entrant, the number of draws in which it had the better position at some ply, by both entrants' mean
    /// view.
    pub stood_better: [u64; 2],
}

impl Draws {
    /// Adds a drawn game.
    pub(super) fn add(&mut self, ending: &'static str, views: &[View]) {
        let row = self.0.entry(ending).or_insert_with(|| DrawRow { ending: ending.to_owned(), ..DrawRow::default() });
        row.draws += 1;
        let stood = |is_better: fn(f64) -> bool| views.iter().filter_map(View::mean).any(is_better);
        row.stood_better[0] += u64::from(stood(|mean| mean >= BETTER));
        row.stood_better[1] += u64::from(stood(|mean| mean <= 1.0 - BETTER));
    }

    /// The most frequent first.
    pub(super) fn rows(&self) -> Vec<DrawRow> {
        let mut rows: Vec<DrawRow> = self.0.values().cloned().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.draws));
        rows
    }
}
