//! The display of a match whose pairings depend on results: a table, and the same data as JSON. The caller formats
//! numbers.

use serde::{Serialize, Serializer};
use stats::Estimate;

/// A table or bracket with entrant names in place of numbers. It serialises as `numbers`.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentTable {
    /// The schedule and its progress, in a few words.
    pub title: String,
    /// The leader, if the title does not name one.
    pub leader: Option<String>,
    /// The column heads.
    pub heads: &'static [Head],
    /// The rows, in order: the best entrant first, or the first match first.
    pub rows: Vec<Vec<Cell>>,
    /// The table as JSON, under the name of the schedule.
    pub numbers: serde_json::Value,
}

impl TournamentTable {
    /// Describes the progress and the leader in a few words.
    pub fn in_short(&self) -> String {
        match &self.leader {
            Some(leader) => format!("{}, {leader}", self.title),
            None => self.title.clone(),
        }
    }
}

impl Serialize for TournamentTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.numbers.serialize(serializer)
    }
}

/// A column head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its text.
    pub text: &'static str,
    /// Whether the cells below are text rather than numbers.
    pub is_text: bool,
}

impl Head {
    /// Returns the head of a text column.
    pub(super) const fn text(text: &'static str) -> Self {
        Self { text, is_text: true }
    }

    /// Returns the head of a number column.
    pub(super) const fn number(text: &'static str) -> Self {
        Self { text, is_text: false }
    }
}

/// A table cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, which may be empty.
    Text(String),
    /// A count.
    Count(u64),
    /// A rating with its interval.
    Elo(Estimate),
}

impl Cell {
    /// Returns an empty cell.
    pub(super) fn empty() -> Self {
        Self::Text(String::new())
    }
}

/// Formats half points as points: `2.5`, `3`.
pub(super) fn points(half_points: u64) -> String {
    if half_points.is_multiple_of(2) { (half_points / 2).to_string() } else { format!("{}.5", half_points / 2) }
}
