//! Why a book cannot be used: always with the file, and where it has lines with the line and what stands there.
//!
//! Each message is complete, its cause included, since it is shown on one line of a configuration: so none has a
//! `source`.

use super::format::extensions_in_words;
use crate::games::GameKind;
use crate::pgn::SourceError;
use std::io;

/// Longer texts are cut in messages.
const MOST_SHOWN: usize = 100;

/// Reasons may quote a text; none of our own is longer.
const LONGEST_REASON: usize = 400;

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It cannot be opened.
    #[error("{}", in_words(.0))]
    Open(SourceError),
    /// It broke off while it was read.
    #[error("cannot read {file}: {cause}")]
    Read {
        /// Which file.
        file: String,
        /// What the system or the decompressor says.
        cause: io::Error,
    },
    /// The file's name does not tell the format.
    #[error("cannot tell the format of {file} from its name: expected {}", extensions_in_words())]
    UnknownFormat {
        /// Which file.
        file: String,
    },
    /// A line holds no opening.
    #[error("{file}:{line}: {why}{}", quoted(text))]
    Line {
        /// Which file.
        file: String,
        /// Which line, counted from 1; of a PGN file, that where the game starts.
        line: u64,
        /// What is wrong, and what was expected.
        why: String,
        /// What stands there; blank if that tells nothing.
        text: String,
    },
    /// A book of a game whose rules only the program knows that plays it.
    #[error("{file} cannot be read as openings of {game}: its rules are not known here")]
    UnknownRules {
        /// Which file.
        file: String,
        /// The game.
        game: GameKind,
    },
    /// There is no opening.
    #[error("{file} contains no opening: expected {expected}")]
    Empty {
        /// Which file.
        file: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// It is not a Polyglot book.
    #[error("{file} is not a Polyglot book: {why}")]
    NoPolyglot {
        /// Which file.
        file: String,
        /// Why.
        why: String,
    },
    /// The game has no such books.
    #[error("{file} is a Polyglot book, and those are for chess and chess960: expected EPD, PGN or moves for {game}")]
    PolyglotGame {
        /// Which file.
        file: String,
        /// The game.
        game: String,
    },
    /// The first opening to be played is none of the book's.
    #[error("opening {start} is beyond the {openings} of {file}: expected 1 to {openings}")]
    Start {
        /// Which file.
        file: String,
        /// Which opening was to be the first, counted from 1.
        start: u64,
        /// How many there are.
        openings: u64,
    },
    /// The game begins from one position alone.
    #[error("{game} has no numbered starts: expected chess960 or crazyhouse960")]
    Numbered {
        /// The game.
        game: GameKind,
    },
    /// It is not what it was.
    #[error("{file} has changed: its SHA-256 was {then}, and is {now}")]
    Changed {
        /// Which file.
        file: String,
        /// Its hash then.
        then: String,
        /// Its hash now.
        now: String,
    },
}

/// What stands there, on a line of its own.
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
    /// A line that holds no opening.
    pub(super) fn line(file: &str, line: u64, why: impl Into<String>, text: &str) -> Self {
        Self::Line { file: file.to_owned(), line, why: cut(&why.into(), LONGEST_REASON), text: shown(text) }
    }
}

/// A text as messages show it: its beginning, on one line.
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
