//! The formats of books, found by name or by the extension of a file. Each is a module with its names, its extensions,
//! the keys that it refuses, and its reader.

use super::error::BookError;
use super::{BookFile, Content, epd, moves, pgn, polyglot};
use crate::games::GameKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The formats.
const FORMATS: [BookFormat; 4] = [BookFormat::Epd, BookFormat::Pgn, BookFormat::Polyglot, BookFormat::Moves];

/// The format of a book's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookFormat {
    /// One position a line: EPD or FEN.
    Epd,
    /// Games, whose first plies are the openings.
    Pgn,
    /// A Polyglot book: a table of weighted moves by position.
    Polyglot,
    /// The moves of one opening a line, in the notation of the game's players.
    Moves,
}

/// What the rest of spar knows about a format.
pub(super) struct BookFormatInfo {
    /// The format's names, of which the first is written.
    pub(super) names: &'static [&'static str],
    /// The extensions of the format's files.
    pub(super) extensions: &'static [&'static str],
    /// Keys of `[openings]` that the format refuses, each with the reason: the text that follows the key's name in the
    /// error.
    pub(super) refused_keys: &'static [(&'static str, &'static str)],
    /// Why the format needs the key `plies`, if it does: the error without the key.
    pub(super) needs_plies: Option<&'static str>,
    /// Reads the content of a file.
    pub(super) read: fn(&BookFile, &[u8], GameKind) -> Result<Content, BookError>,
}

impl BookFormat {
    pub(super) fn info(self) -> &'static BookFormatInfo {
        match self {
            Self::Epd => &epd::FORMAT,
            Self::Pgn => &pgn::FORMAT,
            Self::Polyglot => &polyglot::FORMAT,
            Self::Moves => &moves::FORMAT,
        }
    }

    /// The format that a file's name tells, without the extension of a compressed file.
    ///
    /// # Errors
    /// [`BookError::UnknownFormat`] if the name tells none.
    pub fn of_name(file: &str) -> Result<Self, BookError> {
        let path = Path::new(file);
        let ending = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let name = match ending(path).as_deref() {
            Some("gz" | "zst" | "zstd") => ending(Path::new(path.file_stem().unwrap_or_default())),
            _ => ending(path),
        };
        let name = name.as_deref().unwrap_or_default();
        let found = FORMATS.into_iter().find(|format| format.info().extensions.contains(&name));
        found.ok_or_else(|| BookError::UnknownFormat { file: file.to_owned() })
    }

    /// The names of the formats in configurations.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.into_iter().flat_map(|format| format.info().names).copied()
    }

    /// The names in words: `a, b or c`.
    pub fn names_in_words() -> String {
        or(&Self::names().map(str::to_owned).collect::<Vec<_>>())
    }

    /// Why the format refuses this key of `[openings]`, if it does: the text that follows the key's name in the error.
    pub fn refuses(self, key: &str) -> Option<&'static str> {
        self.info().refused_keys.iter().find(|(refused, _)| *refused == key).map(|(_, why)| *why)
    }

    /// Why the format needs the key `plies`, if it does: the error without the key.
    pub fn needs_plies(self) -> Option<&'static str> {
        self.info().needs_plies
    }
}

/// The extensions that tell a format, in words; each with the format if its name differs.
pub(super) fn extensions_in_words() -> String {
    let shown = |info: &BookFormatInfo, extension: &str| match info.names.first() {
        Some(name) if !info.names.contains(&extension) => format!(".{extension} ({name})"),
        _ => format!(".{extension}"),
    };
    let all = FORMATS.map(BookFormat::info).into_iter();
    let all = all.flat_map(|info| info.extensions.iter().map(move |extension| shown(info, extension)));
    or(&all.collect::<Vec<_>>())
}

fn or(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        all => all.concat(),
    }
}

/// The error for an unknown name of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}", BookFormat::names_in_words())]
pub struct ParseBookFormatError;

impl FromStr for BookFormat {
    type Err = ParseBookFormatError;

    fn from_str(name: &str) -> Result<Self, ParseBookFormatError> {
        let found = FORMATS.into_iter().find(|format| format.info().names.contains(&name));
        found.ok_or(ParseBookFormatError)
    }
}

impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().names[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        let of = |name| BookFormat::of_name(name).ok();
        assert_eq!(of("a/b.epd"), Some(BookFormat::Epd));
        assert_eq!(of("b.FEN.gz"), Some(BookFormat::Epd));
        assert_eq!(of("b.pgn.zst"), Some(BookFormat::Pgn));
        assert_eq!(of("b.bin"), Some(BookFormat::Polyglot));
        assert_eq!(of("b.txt"), Some(BookFormat::Moves));
        assert_eq!([of("b.gz"), of("b"), of("b.zip"), of("")], [None; 4]);
        for name in BookFormat::names() {
            let format: BookFormat = name.parse().unwrap();
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(serde_json::to_string(&format).unwrap(), format!("\"{format}\""));
        }
    }
}
