//! Why a book cannot be used. Errors always name the file, and in files of lines also the line and its text.
//!
//! Each message is complete and includes its cause, since it is shown on one line of a configuration; so no error has a
//! `source`.

use super::format::extensions_in_words;
use crate::games::GameKind;
use crate::pgn::SourceError;
use std::io;

/// The maximum length of a quoted text; longer texts are cut.
const MOST_SHOWN: usize = 100;

/// The maximum length of a reason, which may quote a text; none of spar's own is longer.
const LONGEST_REASON: usize = 400;

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be opened.
    #[error("{}", in_words(.0))]
    Open(SourceError),
    /// Reading the file failed midway.
    #[error("cannot read {file}: {cause}")]
    Read {
        /// The file.
        file: String,
        /// The error of the system or the decompressor.
        cause: io::Error,
    },
    /// The file's name does not tell the format.
    #[error("cannot tell the format of {file} from its name: expected {}", extensions_in_words())]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// A line holds no opening.
    #[error("{file}:{line}: {why}{}", quoted(text))]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1; in a PGN file, the line where the game starts.
        line: u64,
        /// What is wrong, and what was expected.
        why: String,
        /// The line's text; blank if it is no help.
        text: String,
    },
    /// A book for a game whose rules only the program that plays it knows.
    #[error("{file} cannot be read as openings of {game}: its rules are not known here")]
    UnknownRules {
        /// The file.
        file: String,
        /// The game.
        game: GameKind,
    },
    /// The book has no opening.
    #[error("{file} contains no opening: expected {expected}")]
    Empty {
        /// The file.
        file: String,
        /// What the file should hold.
        expected: &'static str,
    },
    /// The file is not a Polyglot book.
    #[error("{file} is not a Polyglot book: {why}")]
    NoPolyglot {
        /// The file.
        file: String,
        /// Why not.
        why: String,
    },
    /// There are no Polyglot books for the game.
    #[error("{file} is a Polyglot book, and those are for chess and chess960: expected EPD, PGN or moves for {game}")]
    PolyglotGame {
        /// The file.
        file: String,
        /// The game.
        game: String,
    },
    /// The first opening to play is beyond the end of the book.
    #[error("opening {start} is beyond the {openings} of {file}: expected 1 to {openings}")]
    Start {
        /// The file.
        file: String,
        /// The number of the first opening to play, counted from 1.
        start: u64,
        /// The number of openings in the book.
        openings: u64,
    },
    /// The game has only one start position.
    #[error("{game} has no numbered starts: expected chess960 or crazyhouse960")]
    Numbered {
        /// The game.
        game: GameKind,
    },
    /// The file has changed.
    #[error("{file} has changed: its SHA-256 was {then}, and is {now}")]
    Changed {
        /// The file.
        file: String,
        /// The hash before the change.
        then: String,
        /// The hash now.
        now: String,
    },
}

/// The text of a line, on a line of its own.
fn quoted(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("\n  {text}") }
}

fn in_words(error: &SourceError) -> String {
    match error {
        SourceError::Io { source, .. } => format!("{error}: {source}"),
        SourceError::Format { .. } => error.to_string(),
    }
}

impl BookError {
    /// The error for a line that holds no opening.
    pub(super) fn line(file: &str, line: u64, why: impl Into<String>, text: &str) -> Self {
        Self::Line { file: file.to_owned(), line, why: cut(&why.into(), LONGEST_REASON), text: shown(text) }
    }
}

/// The beginning of a text, on one line, for messages.
pub(super) fn shown(text: &str) -> String {
    cut(text, MOST_SHOWN)
}

fn cut(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect();
    if text.chars().nth(most).is_some() {
        shown.push_str("...");
    }
    shown
}
