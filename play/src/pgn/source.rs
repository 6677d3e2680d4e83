//! Opening a file of games or openings: plain, gzip or zstd, told apart by content and not by name.

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
        let reader: Box<dyn BufRead> = match head.as_slice() {
            [0x1f, 0x8b, ..] => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(whole))),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                let decoder = zstd::stream::read::Decoder::with_buffer(whole).map_err(failed)?;
                Box::new(BufReader::with_capacity(BUFFER, decoder))
            }
            head => match foreign(head) {
                Some(format) => return Err(SourceError::Format { path: path.to_owned(), format }),
                None => Box::new(whole),
            },
        };
        Ok(Self { name, reader })
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
