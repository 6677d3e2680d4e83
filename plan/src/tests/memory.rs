//! Files in memory, for tests: content by path. There are no journals and no endgame tables.

use crate::files::{Files, Found};
use arena::run::{FolderError, JournalError, JournalReader};
use glob::PatternError;
use play::NetworkError;
use play::games::{Chess, TableError};
use play::openings::{KeyError, OpeningSource, Openings, OpeningsRequest};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Files by their paths.
#[derive(Debug, Default)]
pub(crate) struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    /// No files.
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    /// Adds a file.
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
