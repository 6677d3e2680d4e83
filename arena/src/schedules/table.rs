//! What people see of a match whose pairings depend on results: a table, and the same as numbers for machines. How
//! numbers look is left to the caller.

use serde::{Serialize, Serializer};
use stats::Estimate;

/// A table or a bracket, with names in place of numbers. It is serialised as its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentTable {
    /// What it is and how far, in a few words.
    pub title: String,
    /// Who leads, if the title does not say so.
    pub leader: Option<String>,
    /// The heads of the columns.
    pub heads: &'static [Head],
    /// The rows, the best or the first first.
    pub rows: Vec<Vec<Cell>>,
    /// All of it for machines, under the name of the schedule.
    pub numbers: serde_json::Value,
}

impl TournamentTable {
    /// How far it is and who leads, in a few words.
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

/// The head of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What it says.
    pub text: &'static str,
    /// Whether its cells are text, and not numbers.
    pub is_text: bool,
}

impl Head {
    /// Above text.
    pub(super) const fn text(text: &'static str) -> Self {
        Self { text, is_text: true }
    }

    /// Above numbers.
    pub(super) const fn number(text: &'static str) -> Self {
        Self { text, is_text: false }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, which may be empty.
    Text(String),
    /// A number of things.
    Count(u64),
    /// A rating with its interval.
    Elo(Estimate),
}

impl Cell {
    /// A cell that says nothing.
    pub(super) fn empty() -> Self {
        Self::Text(String::new())
    }
}

/// Half points as points: `2.5`, `3`.
pub(super) fn points(half_points: u64) -> String {
    if half_points.is_multiple_of(2) { (half_points / 2).to_string() } else { format!("{}.5", half_points / 2) }
}
