//! Files of labelled positions of chess, as other programs read and write them.
//!
//! Each module owns one format: how to write a position, how to read it back, and what the format leaves out. All
//! formats share [`write()`], [`Positions`], and the recognition of games ([`Games`]). Positions come from
//! [`extract`](super::extract) and from runs.

pub mod bullet;
pub mod plain;
pub mod text;

use super::labelled::{Labelled, Variant};
use arena::config::PositionFormat;
use play::pgn::{Source, SourceError, unpacked_name};
use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;
use shakmaty::{CastlingMode, EnPassantMode};
use stats::Score;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::Path;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file violates its format.
    #[error("{place}: {why}")]
    Wrong {
        /// The place of the error.
        place: Place,
        /// What is wrong there, and what was expected.
        why: String,
    },
}

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file.
    Line(u64),
    /// A position of a file of records.
    Position(u64),
}

impl Place {
    /// The number of the line or the position.
    pub fn number(self) -> u64 {
        match self {
            Self::Line(number) | Self::Position(number) => number,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Position(number) => write!(f, "position {number}"),
        }
    }
}

/// The format that a file's extension names.
pub fn of_path(path: &Path) -> Option<PositionFormat> {
    let extension = path.extension()?;
    PositionFormat::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
}

/// Like [`of_path`], for a file that may be compressed: `.gz` or `.zst` may follow the extension.
pub fn of_packed(path: &Path) -> Option<PositionFormat> {
    of_path(&unpacked_name(path))
}

/// A format: everything that distinguishes it from the others. Each format's module has one.
struct FormatInfo {
    /// Whether the format consists of lines, which places count; otherwise it consists of records.
    is_text: bool,
    /// Whether positions have the ply of their game.
    has_plies: bool,
    write: fn(&Labelled, &mut dyn Write) -> io::Result<()>,
    /// Reads the next position; `None` at the end of the file.
    next: fn(&mut Input<'_>) -> Result<Option<Labelled>, ReadError>,
}

fn info(format: PositionFormat) -> &'static FormatInfo {
    match format {
        PositionFormat::Text => &text::FORMAT,
        PositionFormat::Bullet => &bullet::FORMAT,
        PositionFormat::Plain => &plain::FORMAT,
    }
}

/// Whether positions in this format have the ply of their game.
pub fn has_plies(format: PositionFormat) -> bool {
    info(format).has_plies
}

/// Opens a file in a format, and decompresses it if it is compressed.
///
/// # Errors
/// [`SourceError`] if the file cannot be opened or is of another kind.
pub fn open(format: PositionFormat, path: &Path) -> Result<Positions<Box<dyn BufRead>>, SourceError> {
    let source = if info(format).is_text { Source::open(path)? } else { Source::open_binary(path)? };
    Ok(Positions::new(format, source.reader))
}

/// Opens a file of crazyhouse positions in the format [`plain`], and decompresses it if it is compressed.
///
/// # Errors
/// [`SourceError`] if the file cannot be opened or is of another kind.
pub fn open_crazyhouse(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Labelled<Crazyhouse>, ReadError>>, SourceError> {
    let (mut reader, mut read) = (Source::open(path)?.reader, 0);
    Ok(std::iter::from_fn(move || {
        plain::next(&mut Input { bytes: &mut reader, read: &mut read, is_text: true }).transpose()
    }))
}

/// Writes one position.
///
/// # Errors
/// I/O errors, and an error for [`Plain`](PositionFormat::Plain) if the position has no move.
pub fn write(format: PositionFormat, of: &Labelled, out: &mut dyn Write) -> io::Result<()> {
    (info(format).write)(of, out)
}

/// The positions of a file, in order.
#[derive(Debug)]
pub struct Positions<R> {
    format: PositionFormat,
    input: R,
    /// The number of lines or records read.
    read: u64,
}

impl<R: BufRead> Positions<R> {
    /// Reads positions in this format.
    pub fn new(format: PositionFormat, input: R) -> Self {
        Self { format, input, read: 0 }
    }
}

impl<R: BufRead> Iterator for Positions<R> {
    type Item = Result<Labelled, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let info = info(self.format);
        let mut input = Input { bytes: &mut self.input, read: &mut self.read, is_text: info.is_text };
        (info.next)(&mut input).transpose()
    }
}

/// The input of a format.
struct Input<'a> {
    bytes: &'a mut dyn BufRead,
    /// The number of lines or records read.
    read: &'a mut u64,
    is_text: bool,
}

impl Input<'_> {
    /// Returns the next line without its line ending; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, ReadError> {
        let mut line = String::new();
        if self.bytes.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        *self.read += 1;
        Ok(Some(line.trim_end().to_owned()))
    }

    /// Returns an error about the line or record read last.
    fn wrong(&self, why: String) -> ReadError {
        let number = *self.read;
        ReadError::Wrong { place: if self.is_text { Place::Line(number) } else { Place::Position(number) }, why }
    }
}

/// Recognises the games of a file whose format does not mark them: consecutive positions with rising plies and one
/// result are of one game. Without plies each position is its own game; plies 0 and 1 stand for positions without a
/// move number.
#[derive(Clone, Copy, Debug)]
pub struct Games {
    has_plies: bool,
    /// The ply and the result of the last position.
    last: Option<(u32, Option<Score>)>,
}

impl Games {
    /// Starts before the first position of a file. `has_plies` tells whether positions have plies.
    pub fn new(has_plies: bool) -> Self {
        Self { has_plies, last: None }
    }

    /// Whether the next position, at this ply of its game, is of the same game as the previous one.
    pub fn continues(&mut self, ply: u32, result: Option<Score>) -> bool {
        let before = self.last.replace((ply, result));
        self.has_plies && ply > 1 && before.is_some_and(|(before, of_before)| before < ply && of_before == result)
    }
}

fn fen(position: &impl Variant) -> Fen {
    Fen::from_position(position, EnPassantMode::Legal)
}

/// Parses a position of chess or Chess960, depending on its castling rights, or of crazyhouse.
fn read_fen<P: Variant>(text: &str) -> Result<P, String> {
    let setup = text.parse::<Fen>().map_err(|error| format!("`{text}` is not a FEN: {error}"))?.into_setup();
    if setup.pockets.is_some() && !P::HAS_POCKETS {
        return Err(format!("`{text}` has a pocket, which is for crazyhouse alone"));
    }
    let mode = CastlingMode::detect(&setup);
    P::from_setup(setup, mode).map_err(|error| format!("`{text}` is not a position of {}: {error}", P::NAME))
}

fn read_score(text: &str) -> Result<i16, String> {
    text.parse().map_err(|_| format!("`{text}` is not a score: expected a whole number from -32768 to 32767"))
}

/// Returns the result that `written` writes as `text`.
fn result_of(text: &str, written: impl Fn(Score) -> &'static str) -> Result<Score, String> {
    let names = || Score::ALL.map(&written).join(", ");
    let found = Score::ALL.into_iter().find(|&result| written(result) == text);
    found.ok_or_else(|| format!("`{text}` is not a result: expected one of {}", names()))
}

#[cfg(test)]
mod tests;
