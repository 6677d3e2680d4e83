//! Opening a file of games, openings or positions: plain, gzip or zstd. Text is told from them by content and not by name; records, which can
//! begin with any bytes, by name.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes that tell the format.
const MAGIC: usize = 4;
const BUFFER: usize = 1 << 17;

/// Why a file could not be opened.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The file system says no.
    #[error("cannot read {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A format that is not read.
    #[error("{path} is {format}: expected text, plain or compressed by gzip or zstd")]
    Format {
        /// Which file.
        path: PathBuf,
        /// What it seems to be.
        format: &'static str,
    },
}

/// A stream of what a file holds, decompressed if need be.
pub struct Source {
    /// Name for messages: the path as given, or `standard input`.
    pub name: String,
    /// The content.
    pub reader: Box<dyn BufRead>,
}

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError`] if it cannot be read or is in a format that is not known.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Io { path: path.to_owned(), source };
        let (name, raw): (String, Box<dyn Read>) = if path.as_os_str() == "-" {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            (path.display().to_string(), Box::new(File::open(path).map_err(failed)?))
        };
        let (head, whole) = peek(raw).map_err(failed)?;
        let packing = Packing::of_content(&head);
        if let (Packing::None, Some(format)) = (packing, foreign(&head)) {
            return Err(SourceError::Format { path: path.to_owned(), format });
        }
        Ok(Self { name, reader: packing.unpacked(whole).map_err(failed)? })
    }

    /// Opens a file whose content can begin with any bytes. It is compressed if it is called `.gz` or `.zst`.
    ///
    /// # Errors
    /// [`SourceError::Io`]
    pub fn open_binary(path: &Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Io { path: path.to_owned(), source };
        let whole = BufReader::with_capacity(BUFFER, File::open(path).map_err(failed)?);
        let reader = Packing::of_name(path).unpacked(whole).map_err(failed)?;
        Ok(Self { name: path.display().to_string(), reader })
    }
}

/// The name that a file would have uncompressed: without the `.gz` or `.zst` at its end, if there is one.
pub fn unpacked_name(path: &Path) -> PathBuf {
    if Packing::of_name(path) == Packing::None { path.to_owned() } else { path.with_extension("") }
}

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// By its first bytes.
    fn of_content(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Self::Zstd,
            _ => Self::None,
        }
    }

    fn of_name(path: &Path) -> Self {
        let is = |ending| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
        match (is("gz"), is("zst")) {
            (true, _) => Self::Gzip,
            (_, true) => Self::Zstd,
            _ => Self::None,
        }
    }

    fn unpacked(self, whole: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
        Ok(match self {
            Self::None => Box::new(whole),
            Self::Gzip => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(whole))),
            Self::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(whole)?;
                Box::new(BufReader::with_capacity(BUFFER, decoder))
            }
        })
    }
}

/// The first bytes of a stream, and the whole of it.
fn peek(mut raw: Box<dyn Read>) -> io::Result<(Vec<u8>, impl BufRead)> {
    let mut head = Vec::with_capacity(MAGIC);
    raw.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(raw);
    Ok((head, BufReader::with_capacity(BUFFER, whole)))
}

/// What a file is that people might take for one that can be read.
fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'B', b'Z', b'h', ..] => Some("a bzip2 file"),
        [0xfd, b'7', b'z', b'X'] => Some("an xz file"),
        [b'7', b'z', 0xbc, 0xaf] => Some("a 7-Zip file"),
        [b'P', b'K', 3, 4] => Some("a zip file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16 text"),
        _ => None,
    }
}
