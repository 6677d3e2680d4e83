//! Lines and games of a book that cannot be used: their number, and details of the first few.

use super::error::{BookError, shown};

/// The maximum number of skipped openings with details.
const MOST_NAMED: usize = 10;

/// Openings of a book that cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// The number of skipped openings.
    pub count: u64,
    /// The first skipped openings, in the order of the file.
    pub first: Vec<SkippedOpening>,
}

/// An opening that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedOpening {
    /// The line, counted from 1; in a PGN file, the line where the game starts.
    pub line: u64,
    /// What is wrong, and what was expected.
    pub why: String,
    /// The line's text, cut if it is long; blank if it is no help.
    pub text: String,
}

impl Skipped {
    /// Adds an opening that comes later in the file than all so far.
    pub(super) fn add(&mut self, line: u64, why: &str, text: &str) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(SkippedOpening { line, why: why.to_owned(), text: shown(text) });
        }
    }

    /// Adds the openings that another part of the reading has skipped.
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort_by_key(|opening| opening.line);
        self.first.truncate(MOST_NAMED);
    }

    /// The first skipped opening as an error; `None` if there is none.
    pub fn first_error(&self, file: &str) -> Option<BookError> {
        let SkippedOpening { line, why, text } = self.first.first()?;
        Some(BookError::line(file, *line, why.as_str(), text))
    }
}
