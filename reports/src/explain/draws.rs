//! Draws of games in which one side once stood much better.

use super::views::View;
use std::collections::BTreeMap;

/// A side that expects this much of the points stands better.
pub const BETTER: f64 = 0.75;

/// Draws by how they came about.
#[derive(Clone, Debug, Default)]
pub(super) struct Draws(BTreeMap<&'static str, DrawRow>);

/// Draws of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct DrawRow {
    /// How they came about.
    pub ending: String,
    /// How many there are.
    pub draws: u64,
    /// In how many of them each entrant stood better at some ply, by both entrants' mean view.
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
