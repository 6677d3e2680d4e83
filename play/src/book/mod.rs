//! Files of openings: their formats, each a module, and their contents.
//!
//! [`crate::openings`] decides which openings a run plays, and [`crate`] plays their moves.

mod epd;
mod error;
mod format;
mod lines;
mod moves;
pub mod opponent;
mod pgn;
pub mod pick;
pub mod polyglot;
mod skipped;
mod text;

pub use error::BookError;
pub use format::{BookFormat, ParseBookFormatError};
pub use lines::{Duplicates, Lines};
pub use skipped::{Skipped, SkippedOpening};

use crate::child::ContentHash;
use crate::games::{GameKind, Rules};
use crate::pgn::Source;
use polyglot::Polyglot;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use text::Written;

/// A file of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookFile {
    /// The path as given, relative to the working directory.
    pub path: String,
    /// The file's format.
    pub format: BookFormat,
    /// The number of plies to take from each line or game, or to walk through a Polyglot book; `None` takes all.
    pub plies: Option<u32>,
}

/// The content of a file of openings.
#[derive(Clone, Debug)]
pub struct Book {
    hash: String,
    content: Content,
}

/// The openings of a file, by the kind of its format.
#[derive(Clone, Debug)]
pub enum Content {
    /// Lines or games, one opening each.
    Lines(Lines),
    /// A table of moves.
    Polyglot(Polyglot),
}

impl BookFile {
    /// Reads the file and plays every line through by the rules of `game`. [Skips](Book::skipped) lines and games that
    /// hold no opening.
    ///
    /// # Errors
    /// [`BookError`] if the file cannot be read; that of the first line if none holds an opening.
    pub fn read(&self, game: GameKind) -> Result<Book, BookError> {
        let path = Path::new(&self.path);
        let mut source = Source::open_bytes(path).map_err(BookError::Open)?;
        let mut bytes = Vec::new();
        let read = source.reader.read_to_end(&mut bytes).and_then(|_count| ContentHash::of(bytes.as_slice()));
        let hash = read.map_err(|cause| BookError::Read { file: self.path.clone(), cause })?.to_string();
        let content = (self.format.info().read)(self, &bytes, game)?;
        Ok(Book { hash, content })
    }

    /// Like [`read`](Self::read), but treats a line or a game without an opening as an error.
    ///
    /// # Errors
    /// [`BookError`], of the first such line.
    pub fn read_strictly(&self, game: GameKind) -> Result<Book, BookError> {
        let book = self.read(game)?;
        match book.skipped().and_then(|skipped| skipped.first_error(&self.path)) {
            Some(error) => Err(error),
            None => Ok(book),
        }
    }
}

/// The openings that a file lists, played through by the rules of the game.
fn played(file: &BookFile, game: GameKind, written: &[Written<'_>], skipped: Skipped) -> Result<Content, BookError> {
    let lines = match game.rules() {
        Rules::ZeroPointOne(rules) => Lines::play(&rules, &file.path, written, skipped, file.plies),
        Rules::Chess(rules) => Lines::play(&rules, &file.path, written, skipped, file.plies),
        Rules::Custom => Err(BookError::UnknownRules { file: file.path.clone(), game }),
    };
    lines.map(Content::Lines)
}

impl Book {
    /// The number of openings in the file; `None` for a table of moves, from which openings are drawn.
    pub fn openings(&self) -> Option<u64> {
        match &self.content {
            Content::Lines(lines) => Some(lines.count()),
            Content::Polyglot(_) => None,
        }
    }

    /// SHA-256 of the file's content, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The lines and games that hold no opening; `None` for a table of moves.
    pub fn skipped(&self) -> Option<&Skipped> {
        match &self.content {
            Content::Lines(lines) => Some(lines.skipped()),
            Content::Polyglot(_) => None,
        }
    }

    /// The openings of the file.
    pub(crate) fn into_content(self) -> Content {
        self.content
    }

    /// The openings of the file.
    pub fn content(&self) -> &Content {
        &self.content
    }
}
