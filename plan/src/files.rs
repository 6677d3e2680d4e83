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
