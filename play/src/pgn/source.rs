//! Opens a file of games, openings or positions: plain, gzip or zstd. The content tells the format of text; the name
//! tells that of records, which can begin with any bytes.
//!
//! Text is UTF-8, or an older encoding that includes ASCII. Its lines may end with LF, CR LF or CR; readers of a
//! [`Source`] see only LF, and no byte order mark.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The number of bytes that tell the format.
const MAGIC: usize = 4;
const BUFFER: usize = 1 << 17;

/// Why a file could not be opened.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The file system returned an error.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An unsupported format.
    #[error("{path} is {format}: expected text in UTF-8, plain or compressed by gzip or zstd{}", advice(format))]
    Format {
        /// The file.
        path: PathBuf,
        /// The apparent format.
        format: &'static str,
    },
}

/// The advice added to the message if the file can be converted.
fn advice(format: &str) -> &'static str {
    if format == UTF_16 { " (to convert it: `iconv -f UTF-16 -t UTF-8`)" } else { "" }
}

/// The name for text with two bytes a character.
const UTF_16: &str = "UTF-16 text";

/// The content of a file as a stream, decompressed if needed.
pub struct Source {
    /// The name for messages: the path as given, or `standard input`.
    pub name: String,
    /// The content.
    pub reader: Box<dyn BufRead>,
}

impl Source {
    /// Opens a file of text; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError`] if the file cannot be read or is in an unknown format.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Io { path: path.to_owned(), source };
        let Self { name, reader } = Self::open_bytes(path)?;
        let (head, whole) = peek(reader).map_err(failed)?;
        check_text(path, &head)?;
        Ok(Self { name, reader: Box::new(TextReader::new(whole)) })
    }

    /// Opens a file for its unchanged bytes, decompressed if its content is compressed; `-` is standard input.
    ///
    /// # Errors
    /// [`SourceError::Io`]
    pub fn open_bytes(path: &Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Io { path: path.to_owned(), source };
        let (name, raw): (String, Box<dyn Read>) = if path.as_os_str() == "-" {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            (path.display().to_string(), Box::new(File::open(path).map_err(failed)?))
        };
        let (head, whole) = peek(raw).map_err(failed)?;
        Ok(Self { name, reader: Packing::of_content(&head).unpacked(whole).map_err(failed)? })
    }

    /// Opens a file whose content can begin with any bytes. Decompresses it if its name ends with `.gz` or `.zst`.
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

/// The file's name without a `.gz` or `.zst` at its end.
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
    /// The packing that the first bytes tell.
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
fn peek(mut raw: impl Read + 'static) -> io::Result<(Vec<u8>, impl BufRead + 'static)> {
    let mut head = Vec::with_capacity(MAGIC);
    raw.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(raw);
    Ok((head, BufReader::with_capacity(BUFFER, whole)))
}

/// Refuses content that is not text.
///
/// # Errors
/// [`SourceError::Format`], which names the format.
pub(crate) fn check_text(path: &Path, content: &[u8]) -> Result<(), SourceError> {
    let format = foreign(&content[..content.len().min(MAGIC)]);
    format.map_or(Ok(()), |format| Err(SourceError::Format { path: path.to_owned(), format }))
}

/// The name of a format that users might mistake for a supported one.
fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'B', b'Z', b'h', ..] => Some("a bzip2 file"),
        [0xfd, b'7', b'z', b'X'] => Some("an xz file"),
        [b'7', b'z', 0xbc, 0xaf] => Some("a 7-Zip file"),
        [b'P', b'K', 3, 4] => Some("a zip file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(UTF_16),
        // In UTF-16 without a byte order mark, every second byte of Latin letters is 0.
        &[a, b, c, d] if (a == 0) != (b == 0) && (a == 0) == (c == 0) && (b == 0) == (d == 0) => Some(UTF_16),
        _ => None,
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Converts text to line ends with LF, whatever the file has, and removes a byte order mark. Copies nothing.
pub(crate) struct TextReader<R> {
    inner: R,
    /// Whether nothing has been read yet.
    is_at_start: bool,
    /// Whether the last byte was a CR, returned as LF: a following LF belongs to it.
    after_cr: bool,
    /// Whether the next byte is a CR, to be returned as LF.
    at_cr: bool,
    /// The number of bytes from here on without a CR. Without this count each line would search everything that has
    /// been read.
    plain: usize,
}

impl<R: BufRead> TextReader<R> {
    /// Reads the text of these bytes.
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, is_at_start: true, after_cr: false, at_cr: false, plain: 0 }
    }

    /// Skips bytes that are not shown: a byte order mark at the start, a LF after a CR.
    fn pass_over(&mut self) -> io::Result<()> {
        let chunk = self.inner.fill_buf()?;
        let hidden = if self.is_at_start && chunk.starts_with(MARK) {
            MARK.len()
        } else {
            usize::from(self.after_cr && chunk.first() == Some(&b'\n'))
        };
        self.inner.consume(hidden);
        (self.is_at_start, self.after_cr) = (false, false);
        Ok(())
    }
}

impl TextReader<&[u8]> {
    /// The whole text, with replacement characters for bytes that are not UTF-8.
    pub(crate) fn into_string_lossy(mut self) -> String {
        let mut bytes = Vec::with_capacity(self.inner.len());
        // Reading from memory does not fail.
        let _read = self.read_to_end(&mut bytes);
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl<R: BufRead> BufRead for TextReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_at_start || self.after_cr {
            self.pass_over()?;
        }
        let chunk = self.inner.fill_buf()?;
        if self.plain == 0 {
            self.plain = memchr::memchr(b'\r', chunk).unwrap_or(chunk.len());
        }
        self.at_cr = self.plain == 0 && !chunk.is_empty();
        Ok(if self.at_cr { b"\n" } else { &chunk[..self.plain.min(chunk.len())] })
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
        self.after_cr = self.at_cr && amount > 0;
        self.plain = self.plain.saturating_sub(amount);
    }
}

impl<R: BufRead> Read for TextReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut chunk = self.fill_buf()?;
        let count = chunk.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn text(bytes: &[u8], capacity: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let inner = BufReader::with_capacity(capacity, bytes);
        TextReader::new(inner).read_to_end(&mut out).expect("bytes can be read");
        out
    }

    #[test]
    fn lines_end_alike_whatever_they_end_with() {
        for bytes in ["\u{feff}a\rb\r\rc", "a\r\nb\r\n\r\nc", "a\nb\n\nc", "a\rb\r\n\nc", "a\nb\n\rc"] {
            for capacity in [3, 4, 100] {
                assert_eq!(text(bytes.as_bytes(), capacity), b"a\nb\n\nc", "{bytes:?} by {capacity}");
            }
        }
        assert_eq!(text(b"", 8), b"");
        assert_eq!(text(b"\r", 8), b"\n");
    }

    #[test]
    fn two_bytes_a_character_are_refused_with_the_remedy() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.epd");
        let little: Vec<u8> = "7k/8".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "7k/8".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&little).expect("memory takes it");
        let packed = packed.finish().expect("memory takes it");
        for bytes in [[b"\xff\xfe".as_slice(), &little].concat(), little, big, packed] {
            std::fs::write(&path, bytes).expect("a file");
            let Err(error) = Source::open(&path) else { panic!("it was opened") };
            let text = error.to_string();
            assert!(text.contains("a.epd is UTF-16 text") && text.contains("iconv -f UTF-16"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_byte_of_a_line_is_lost(bytes in "[ab\r\n]{0,20}", capacity in 3_usize..9) {
            let expected = bytes.replace("\r\n", "\n").replace('\r', "\n");
            prop_assert_eq!(text(bytes.as_bytes(), capacity), expected.as_bytes());
        }
    }
}
