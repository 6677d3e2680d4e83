//! A file that an option names.
//!
//! Owns the time of reading: once, when the content is first needed. The library interprets the bytes.

use engine::protocol::uci::{EngineOption, EMPTY};
use std::fmt;
use std::io;

/// A file, or none, and its content.
pub(crate) struct NamedFile<T> {
    option: EngineOption,
    /// Empty for none.
    path: String,
    content: Option<T>,
}

impl<T: Clone> NamedFile<T> {
    /// No file yet.
    pub(crate) fn new(option: EngineOption) -> Self {
        Self { option, path: String::new(), content: None }
    }

    /// Names another file; the file is read again even if the name is the same.
    pub(crate) fn set(&mut self, path: &str) {
        let path = if path == EMPTY { "" } else { path };
        *self = Self { path: path.to_owned(), ..Self::new(self.option) };
    }

    /// The content of the file, if one is named.
    ///
    /// # Errors
    /// The file cannot be read or has an invalid content.
    pub(crate) fn read<E: fmt::Display>(
        &mut self,
        parse: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<Option<T>, UnusableFile> {
        if self.content.is_none() && !self.path.is_empty() {
            let unusable = |why| UnusableFile { option: self.option, path: self.path.clone(), why };
            let bytes = bytes_of(&self.path).map_err(|error| unusable(error.to_string()))?;
            self.content = Some(parse(&bytes).map_err(|error| unusable(error.to_string()))?);
        }
        Ok(self.content.clone())
    }
}

/// Reads the bytes of a regular file. A pipe would block the program, and a device might never end.
pub(crate) fn bytes_of(path: &str) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
    }
}

/// The file cannot be used.
#[derive(Debug)]
pub(crate) struct UnusableFile {
    option: EngineOption,
    path: String,
    why: String,
}

impl fmt::Display for UnusableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {}: {}: {}", self.option.name(), self.path.escape_debug(), self.why)
    }
}
