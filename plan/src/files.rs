//! The files that plans read. Resolving a plan asks for content and names through [`Files`], so that the result depends
//! only on the text and on these files.

use arena::run::{FolderError, JournalError, JournalReader};
use glob::PatternError;
use play::games::{Chess, TableError};
use play::openings::{KeyError, OpeningSource, Openings, OpeningsRequest};
use play::{NetworkError, NetworkFile, PolicyFile};
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of thing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Something else, such as a pipe or a device.
    Other,
}

/// The files that plans name. [`Disk`](crate::Disk) is the implementation for this machine. Paths are relative to the
/// working directory.
pub trait Files: Debug + Send + Sync {
    /// Returns what is at a path; `None` if there is nothing.
    fn find(&self, path: &Path) -> Option<Found>;

    /// Returns the paths that match a pattern with `*`, `?` and `**`, sorted by name.
    ///
    /// # Errors
    /// [`PatternError`] for an invalid pattern.
    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, PatternError>;

    /// The name of a folder itself, after following links and `..`.
    fn folder_name(&self, path: &Path) -> Option<String>;

    /// The text of a file.
    ///
    /// # Errors
    /// Errors of the disk, and bytes that are not UTF-8.
    fn text(&self, path: &Path) -> io::Result<String>;

    /// The bytes of a file of weights.
    ///
    /// # Errors
    /// [`NetworkError`] if it cannot be read, or is larger than any network.
    fn weights(&self, path: &Path) -> Result<Vec<u8>, NetworkError>;

    /// Makes the openings that a configuration asks for, reading the book if there is one. Returns their source, too.
    ///
    /// # Errors
    /// [`KeyError`] for the first key that no openings can be made from.
    fn openings(&self, request: &OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError>;

    /// Returns the number of men that the endgame tables in these folders cover: `pieces`, which must be complete, or
    /// else as many as their complete sets.
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
