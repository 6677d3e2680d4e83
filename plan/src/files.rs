//! What plans read of files. Resolving a plan asks for content and names through [`Files`], so that what it comes to
//! depends only on the text and on what was handed in.

use arena::run::{FolderError, JournalError, JournalReader};
use glob::PatternError;
use play::games::{Chess, TableError};
use play::openings::{KeyError, OpeningSource, Openings, OpeningsRequest};
use play::{NetworkError, NetworkFile, PolicyFile};
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a device.
    Other,
}

/// The files that plans name. [`Disk`](crate::Disk) has those of this machine. Paths are from the working directory.
pub trait Files: Debug + Send + Sync {
    /// What is at a path; `None` if nothing is.
    fn find(&self, path: &Path) -> Option<Found>;

    /// The paths that fit a pattern with `*`, `?` and `**`, by name.
    ///
    /// # Errors
    /// [`PatternError`] for a pattern that is none.
    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, PatternError>;

    /// The name of a folder itself, where links and `..` lead to it.
    fn folder_name(&self, path: &Path) -> Option<String>;

    /// The text of a file.
    ///
    /// # Errors
    /// Those of the disk, and for bytes that are not UTF-8.
    fn text(&self, path: &Path) -> io::Result<String>;

    /// The bytes of a file of weights.
    ///
    /// # Errors
    /// [`NetworkError`] if it cannot be read, or is larger than any network.
    fn weights(&self, path: &Path) -> Result<Vec<u8>, NetworkError>;

    /// The openings that a configuration asks for, and their source: a book is read.
    ///
    /// # Errors
    /// [`KeyError`] of the first key that no openings can be made of.
    fn openings(&self, request: &OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError>;

    /// The most men of the endgame tables in these folders, at most `pieces`, which must be complete.
    ///
    /// # Errors
    /// [`TableError`] if there are none.
    fn tables(&self, game: Chess, folders: &str, pieces: Option<u8>) -> Result<u8, TableError>;

    /// The journal of the run in a folder.
    ///
    /// # Errors
    /// [`FolderError`] if there is none, or it cannot be read.
    fn run(&self, folder: &Path) -> Result<JournalReader, FolderError>;

    /// A journal by its own path.
    ///
    /// # Errors
    /// [`JournalError`] if it cannot be read.
    fn journal(&self, path: &Path) -> Result<JournalReader, JournalError>;
}

impl dyn Files + '_ {
    pub(super) fn is_folder(&self, path: &Path) -> bool {
        self.find(path) == Some(Found::Folder)
    }

    pub(super) fn is_file(&self, path: &Path) -> bool {
        self.find(path) == Some(Found::File)
    }

    /// The weights of an evaluation.
    pub(super) fn network(&self, path: &str) -> Result<NetworkFile, NetworkError> {
        let path = Path::new(path);
        NetworkFile::of_bytes(path, &self.weights(path)?)
    }

    /// The weights of a policy.
    pub(super) fn policy(&self, path: &str) -> Result<PolicyFile, NetworkError> {
        let path = Path::new(path);
        PolicyFile::of_bytes(path, &self.weights(path)?)
    }
}

#[cfg(test)]
pub(super) mod memory {
    //! Files in memory, for tests: content by path. There are no journals and no endgame tables.

    use super::*;
    use std::collections::BTreeMap;

    /// Files by their paths.
    #[derive(Debug, Default)]
    pub(crate) struct Memory(BTreeMap<PathBuf, Vec<u8>>);

    impl Memory {
        /// No file at all.
        pub(crate) fn empty() -> Self {
            Self::default()
        }

        /// The same and one more.
        pub(crate) fn with(mut self, path: &str, content: &[u8]) -> Self {
            self.0.insert(path.into(), content.to_vec());
            self
        }

        fn content(&self, path: &Path) -> io::Result<&Vec<u8>> {
            self.0.get(path).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        }
    }

    impl Files for Memory {
        fn find(&self, path: &Path) -> Option<Found> {
            let is_folder = || self.0.keys().any(|file| file.starts_with(path));
            if self.0.contains_key(path) { Some(Found::File) } else { is_folder().then_some(Found::Folder) }
        }

        fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, PatternError> {
            let pattern = glob::Pattern::new(pattern)?;
            let options = glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::default() };
            let paths = self.0.keys().flat_map(|path| path.ancestors());
            let mut found: Vec<PathBuf> =
                paths.filter(|path| pattern.matches_path_with(path, options)).map(Path::to_owned).collect();
            found.sort();
            found.dedup();
            Ok(found)
        }

        fn folder_name(&self, path: &Path) -> Option<String> {
            Some(path.file_name()?.to_string_lossy().into_owned())
        }

        fn text(&self, path: &Path) -> io::Result<String> {
            String::from_utf8(self.content(path)?.clone()).map_err(io::Error::other)
        }

        fn weights(&self, path: &Path) -> Result<Vec<u8>, NetworkError> {
            let unreadable = |source| NetworkError::Unreadable { path: path.to_owned(), source };
            self.content(path).cloned().map_err(unreadable)
        }

        fn openings(&self, request: &OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError> {
            if request.given.iter().any(|(key, _)| *key == "file") {
                let (message, expected) = ("there are no books".to_owned(), "expected another source".to_owned());
                return Err(KeyError { key: "file", message, expected });
            }
            OpeningSource::resolve(request)
        }

        fn tables(&self, _game: Chess, _folders: &str, _pieces: Option<u8>) -> Result<u8, TableError> {
            Err(TableError::NoSuchGame)
        }

        fn run(&self, folder: &Path) -> Result<JournalReader, FolderError> {
            Err(FolderError::Missing { path: folder.to_owned() })
        }

        fn journal(&self, path: &Path) -> Result<JournalReader, JournalError> {
            Err(JournalError::Foreign { path: path.to_owned() })
        }
    }
}
