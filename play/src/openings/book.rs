//! Openings from a file: which of them are played, and when.

use super::source::{ChosenBy, KeyError, KeyValue, OpeningsRequest, Source, SourceInfo, Supply};
use super::{BookOrder, OpeningSource, Openings};
use crate::book::polyglot::{Polyglot, castling};
use crate::book::{Book, BookError, BookFile, BookFormat, Content, Lines};
use crate::conventions::Conventions;
use crate::games::GameKind;
use crate::spelling::nearest;
use crate::{OpeningLine, PairOpening};
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use std::num::NonZeroU64;

const FILE: &str = "file";
const PLIES: &str = "plies";

pub(super) const SOURCE: SourceInfo = SourceInfo {
    chosen_by: ChosenBy::Key(FILE),
    noun: "books",
    keys: &[FILE, "format", "order", "start", PLIES, "strict"],
    resolve,
};

/// A file of openings, and the order in which they are played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookSource {
    /// The file.
    pub file: BookFile,
    /// The order in which the openings are played.
    pub order: BookOrder,
    /// The first place of that order to play, counted from 1.
    pub start: NonZeroU64,
    /// SHA-256 of the file's content (decompressed), in hexadecimal: a changed book makes a different run.
    pub hash: String,
}

fn resolve(request: &OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError> {
    let path = request.text(FILE).unwrap_or_default().to_owned();
    let file = BookFile { format: format(request, &path)?, path, plies: plies(request)? };
    check_keys(request, &file)?;
    let unusable = |error: BookError| KeyError::of_book(&error, FILE, request);
    let is_strict = request.value("strict") == Some(&KeyValue::Switch(true));
    let book = if is_strict { file.read_strictly(request.game) } else { file.read(request.game) };
    let book = book.map_err(unusable)?;
    let start = match (request.start()?, book.openings().and_then(NonZeroU64::new)) {
        // A start past the end wraps around: a caller that counts through many runs need not know the length of the
        // book.
        (start, Some(openings)) if request.conventions == Conventions::Fastchess => {
            NonZeroU64::MIN.saturating_add((start.get() - 1) % openings)
        }
        (start, _) => start,
    };
    let source = BookSource { file, order: BookOrder::resolve(request)?, start, hash: book.hash().to_owned() };
    let openings = Openings::of_book(&source, book, request.game).map_err(unusable)?;
    Ok((OpeningSource::Book(source), openings))
}

fn format(request: &OpeningsRequest, path: &str) -> Result<BookFormat, KeyError> {
    let Some(name) = request.text("format") else {
        return BookFormat::of_name(path)
            .map_err(|error| KeyError::new(FILE, error.to_string(), "expected `format`, too"));
    };
    name.parse().map_err(|_| {
        let advice = match nearest(name, BookFormat::names()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => format!("expected {}", BookFormat::names_in_words()),
        };
        KeyError::new("format", format!("`{name}` is not a book format"), advice)
    })
}

/// The number of plies to take, which cannot be a range.
fn plies(request: &OpeningsRequest) -> Result<Option<u32>, KeyError> {
    match request.value(PLIES) {
        None => Ok(None),
        Some(KeyValue::Whole(plies)) => Ok(Some(u32::try_from(*plies).unwrap_or(u32::MAX))),
        Some(KeyValue::Text(_) | KeyValue::Real(_) | KeyValue::Switch(_)) => {
            Err(KeyError::new(PLIES, "only random openings have a range of plies", "expected a number"))
        }
    }
}

/// Refuses keys that mean nothing to the format, and demands those that it needs.
fn check_keys(request: &OpeningsRequest, file: &BookFile) -> Result<(), KeyError> {
    let refused = request.given.iter().find_map(|(key, _)| Some((*key, file.format.refuses(key)?)));
    if let Some((key, why)) = refused {
        return Err(KeyError::new(key, format!("`{key}` {why}"), "leave it out"));
    }
    match (file.plies, file.format.needs_plies()) {
        (None, Some(why)) => Err(KeyError::new(FILE, why, "expected `plies`, too, e.g. `plies = 12`")),
        (Some(0), _) => Err(KeyError::new(PLIES, "`plies` cannot be 0", "expected 1 or more")),
        (None, None) | (Some(_), _) => Ok(()),
    }
}

impl Source for BookSource {
    fn load(&self, game: GameKind) -> Result<Openings, BookError> {
        Openings::of_book(self, self.file.read(game)?, game)
    }

    fn conditions(&self, grouped: fn(u64) -> String) -> Vec<(&'static str, String)> {
        let plies = self.file.plies.map_or_else(String::new, |plies| {
            let noun = if plies == 1 { "ply" } else { "plies" };
            format!(", {} {noun} of each", grouped(plies.into()))
        });
        let from = format!("{} order from opening {}{plies}", self.order.name(), grouped(self.start.get()));
        let BookFile { path, format, .. } = &self.file;
        vec![("book", format!("{path} ({format}), {from}")), ("book's SHA-256", self.hash.clone())]
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file.path)
    }

    fn finite_name(&self) -> Option<String> {
        Some(self.file.path.clone())
    }
}

impl Openings {
    /// The openings of a book that has been read.
    ///
    /// # Errors
    /// [`BookError`] if the book is not the one that the source names, or has no such start.
    pub fn of_book(source: &BookSource, book: Book, game: GameKind) -> Result<Self, BookError> {
        let file = source.file.path.clone();
        if source.hash != book.hash() {
            return Err(BookError::Changed { file, then: source.hash.clone(), now: book.hash().to_owned() });
        }
        match book.into_content() {
            Content::Lines(lines) => {
                let (start, openings) = (source.start, lines.count());
                let Some(count) = NonZeroU64::new(openings).filter(|count| start <= *count) else {
                    return Err(BookError::Start { file, start: start.get(), openings });
                };
                Ok(Self::new(Listed { lines, order: source.order, start, count }))
            }
            Content::Polyglot(book) => {
                let castling = castling(&source.file, game)?;
                Ok(Self::new(Walks { book, plies: source.file.plies.unwrap_or(u32::MAX), castling }))
            }
        }
    }
}

/// Lines or games in an order.
#[derive(Debug)]
struct Listed {
    lines: Lines,
    order: BookOrder,
    start: NonZeroU64,
    count: NonZeroU64,
}

impl Supply for Listed {
    fn opening(&self, run_seed: u64, number: u64) -> PairOpening {
        let place = number.wrapping_add(self.start.get() - 1);
        PairOpening::Line(self.lines.get(self.order.at(run_seed, place, self.count)).unwrap_or_default())
    }

    fn count(&self) -> Option<NonZeroU64> {
        Some(self.count)
    }

    fn lines(&self) -> Option<&Lines> {
        Some(&self.lines)
    }
}

/// Walks through a table of moves.
#[derive(Debug)]
struct Walks {
    book: Polyglot,
    plies: u32,
    castling: CastlingMode,
}

impl Supply for Walks {
    fn opening(&self, run_seed: u64, number: u64) -> PairOpening {
        let moves = self.book.walk(run_seed, number, self.plies, self.castling);
        PairOpening::Line(OpeningLine { start: None, moves })
    }
}
