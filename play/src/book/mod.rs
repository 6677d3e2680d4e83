//! Where a run's openings come from: its settings, which are part of the run's identity, and the lines read from files.
//!
//! Playing an opening's moves is left to [`crate`].

mod error;
mod format;
mod lines;
mod numbered;
pub mod pick;
pub mod polyglot;
mod skipped;
mod text;

pub use error::BookError;
pub use format::{BookFormat, BookOrder, ParseBookFormatError};
pub use lines::{Duplicates, Lines};
pub use numbered::{NUMBERS_FORM, NumberedStarts, Numbers};
pub use skipped::{Skipped, SkippedOpening};

use crate::child::ContentHash;
use crate::games::{Chess, GameKind, Rules};
use crate::pgn::{Source, TextReader, check_text};
use crate::{Game, OpeningLine, PairOpening, RandomOpenings};
use polyglot::Polyglot;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

/// Where a run's openings come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// Every game starts from the game's start.
    Start,
    /// Random legal plies.
    Random(RandomOpenings),
    /// A file of openings.
    Book(BookSource),
    /// Starts of Chess960 by their numbers.
    Numbered(NumberedStarts),
}

/// A file of openings, and which of them are played when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookSource {
    /// The file.
    pub file: BookFile,
    /// In which order they are played.
    pub order: BookOrder,
    /// Which place of that order is the first to be played, counted from 1.
    pub start: NonZeroU64,
    /// SHA-256 of the file's content (decompressed), in hexadecimal: a changed book makes another run.
    pub hash: String,
}

/// A file of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookFile {
    /// Its path as given, from the working directory.
    pub path: String,
    /// What it is written in.
    pub format: BookFormat,
    /// How many plies to take from each line or game, or to walk through a Polyglot book; `None` takes all.
    pub plies: Option<u32>,
}

/// A file of openings, read.
#[derive(Clone, Debug)]
pub struct Book {
    hash: String,
    content: Content,
}

/// What a file of openings holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// Lines or games, one opening each.
    Lines(Lines),
    /// A table of moves.
    Polyglot(Polyglot),
}

impl BookFile {
    /// Reads the file and plays every line through by the rules of `game`. Lines and games that hold no opening are
    /// [skipped](Book::skipped).
    ///
    /// # Errors
    /// [`BookError`]: of a file that cannot be read, and of the first line if none holds an opening.
    pub fn read(&self, game: GameKind) -> Result<Book, BookError> {
        if self.format == BookFormat::Polyglot {
            let _played = castling(self, game)?;
        }
        let path = Path::new(&self.path);
        let mut source = Source::open_bytes(path).map_err(BookError::Open)?;
        let mut bytes = Vec::new();
        let read = source.reader.read_to_end(&mut bytes).and_then(|_count| ContentHash::of(bytes.as_slice()));
        let hash = read.map_err(|cause| BookError::Read { file: self.path.clone(), cause })?.to_string();
        let content = if self.format == BookFormat::Polyglot {
            Content::Polyglot(Polyglot::new(&self.path, bytes)?)
        } else {
            check_text(path, &bytes).map_err(BookError::Open)?;
            Content::Lines(self.lines(&bytes, game)?)
        };
        Ok(Book { hash, content })
    }

    /// Like [`read`](Self::read), but a line or a game without an opening is an error.
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

    fn lines(&self, bytes: &[u8], game: GameKind) -> Result<Lines, BookError> {
        match game.rules() {
            Rules::ZeroPointOne(rules) => self.lines_of(bytes, game, &rules),
            Rules::Chess(rules) => self.lines_of(bytes, game, &rules),
            Rules::Custom => Err(BookError::UnknownRules { file: self.path.clone(), game }),
        }
    }

    fn lines_of<G: Game>(&self, bytes: &[u8], kind: GameKind, game: &G) -> Result<Lines, BookError> {
        let (file, text) = (self.path.as_str(), TextReader::new(bytes));
        if self.format == BookFormat::Pgn {
            let (written, skipped) = text::games(file, text, kind, self.plies.unwrap_or(u32::MAX))?;
            return Lines::play(game, file, &written, skipped, self.plies);
        }
        // Names in comments may be in any old encoding.
        let text = text.into_string_lossy();
        let (written, skipped) = match self.format {
            BookFormat::Epd => text::positions(&text),
            BookFormat::Moves | BookFormat::Pgn | BookFormat::Polyglot => (text::move_lines(&text), Skipped::default()),
        };
        Lines::play(game, file, &written, skipped, self.plies)
    }
}

/// How castling is written in a game that Polyglot books are for.
fn castling(file: &BookFile, game: GameKind) -> Result<CastlingMode, BookError> {
    match game {
        GameKind::Chess => Ok(CastlingMode::Standard),
        GameKind::Chess960 => Ok(CastlingMode::Chess960),
        GameKind::ZeroPointOne
        | GameKind::Crazyhouse
        | GameKind::Crazyhouse960
        | GameKind::ThreeCheck
        | GameKind::KingOfTheHill
        | GameKind::Atomic
        | GameKind::Antichess
        | GameKind::Horde
        | GameKind::RacingKings
        | GameKind::Custom(_) => Err(BookError::PolyglotGame { file: file.path.clone(), game: game.to_string() }),
    }
}

impl Book {
    /// How many openings it lists; `None` for a table of moves, from which they are drawn.
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

    /// What the file holds.
    pub fn content(&self) -> &Content {
        &self.content
    }
}

/// The openings of a run, ready to be handed out. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Openings(Arc<Kind>);

#[derive(Debug)]
enum Kind {
    Start,
    Random(RandomOpenings),
    Lines { lines: Lines, order: BookOrder, start: NonZeroU64, count: NonZeroU64 },
    Polyglot { book: Polyglot, plies: u32, castling: CastlingMode },
    Numbered { starts: NumberedStarts, chess: Chess, count: NonZeroU64 },
}

impl Openings {
    /// Reads what the source needs.
    ///
    /// # Errors
    /// [`BookError`] if a book cannot be read, or is not the one that the source speaks of.
    pub fn load(source: &OpeningSource, game: GameKind) -> Result<Self, BookError> {
        match source {
            OpeningSource::Start => Ok(Self(Arc::new(Kind::Start))),
            OpeningSource::Random(source) => Ok(Self(Arc::new(Kind::Random(*source)))),
            OpeningSource::Numbered(starts) => {
                let (chess, count) = starts.check(game)?;
                Ok(Self(Arc::new(Kind::Numbered { starts: starts.clone(), chess, count })))
            }
            OpeningSource::Book(source) => Self::of_book(source, source.file.read(game)?, game),
        }
    }

    /// The openings of a book that has been read.
    ///
    /// # Errors
    /// [`BookError`] if it is not the one that the source speaks of, or has no such start.
    pub fn of_book(source: &BookSource, book: Book, game: GameKind) -> Result<Self, BookError> {
        let file = source.file.path.clone();
        if source.hash != book.hash {
            return Err(BookError::Changed { file, then: source.hash.clone(), now: book.hash });
        }
        let kind = match book.content {
            Content::Lines(lines) => {
                let (start, openings) = (source.start, lines.count());
                let Some(count) = NonZeroU64::new(openings).filter(|count| start <= *count) else {
                    return Err(BookError::Start { file, start: start.get(), openings });
                };
                Kind::Lines { lines, order: source.order, start, count }
            }
            Content::Polyglot(book) => {
                let castling = castling(&source.file, game)?;
                Kind::Polyglot { book, plies: source.file.plies.unwrap_or(u32::MAX), castling }
            }
        };
        Ok(Self(Arc::new(kind)))
    }

    /// Opening `number` of the run with this seed.
    pub fn opening(&self, run_seed: u64, number: u64) -> PairOpening {
        match self.0.as_ref() {
            Kind::Start => PairOpening::Line(OpeningLine::default()),
            Kind::Random(source) => PairOpening::Random { source: *source, number },
            Kind::Lines { lines, order, start, count } => {
                let place = number.wrapping_add(start.get() - 1);
                PairOpening::Line(lines.get(order.at(run_seed, place, *count)).unwrap_or_default())
            }
            Kind::Numbered { starts, chess, count } => {
                let place = number.wrapping_add(starts.start.get() - 1);
                PairOpening::Line(starts.line(*chess, starts.order.at(run_seed, place, *count)))
            }
            Kind::Polyglot { book, plies, castling } => {
                let moves = book.walk(run_seed, number, *plies, *castling);
                PairOpening::Line(OpeningLine { start: None, moves })
            }
        }
    }

    /// How many there are before one comes again, if that is known.
    pub fn count(&self) -> Option<NonZeroU64> {
        match self.0.as_ref() {
            Kind::Lines { count, .. } | Kind::Numbered { count, .. } => Some(*count),
            Kind::Start | Kind::Random(_) | Kind::Polyglot { .. } => None,
        }
    }

    /// The lines of a book, if they come from one.
    pub fn lines(&self) -> Option<&Lines> {
        match self.0.as_ref() {
            Kind::Lines { lines, .. } => Some(lines),
            Kind::Start | Kind::Random(_) | Kind::Numbered { .. } | Kind::Polyglot { .. } => None,
        }
    }
}
