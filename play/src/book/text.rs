//! The common part of text books: openings as they are written, not yet checked against the rules of a game, and the
//! lines that hold them.

use super::BookFile;
use super::error::BookError;
use crate::pgn::{TextReader, check_text};
use std::borrow::Cow;
use std::path::Path;

/// The text of a file.
///
/// # Errors
/// [`BookError::Open`] if the content is not text.
pub(super) fn text_of<'a>(file: &BookFile, bytes: &'a [u8]) -> Result<TextReader<&'a [u8]>, BookError> {
    check_text(Path::new(&file.path), bytes).map_err(BookError::Open)?;
    Ok(TextReader::new(bytes))
}

/// An opening as written in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'a> {
    /// The line where the opening starts, counted from 1.
    pub(super) line: u64,
    /// The position the opening starts from, unless it is the game's start.
    pub(super) start: Option<Cow<'a, str>>,
    /// The moves, separated by spaces.
    pub(super) moves: Cow<'a, str>,
}

/// The lines with content, each with its number: all but blank ones and comments.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let numbered = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';', '%']))
}
