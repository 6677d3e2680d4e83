//! The files of this machine: the only module of this crate that reads a disk.

use crate::files::{Files, Found};
use arena::run::{FolderError, JournalError, JournalReader, RunFolder};
use glob::PatternError;
use play::games::{Chess, TableError};
use play::openings::{KeyError, OpeningSource, Openings, OpeningsRequest};
use play::{NetworkError, read_weights};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Files for Disk {
    fn find(&self, path: &Path) -> Option<Found> {
        let kind = fs::metadata(path).ok()?.file_type();
        let folder = if kind.is_dir() { Found::Folder } else { Found::Other };
        Some(if kind.is_file() { Found::File } else { folder })
    }

    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, PatternError> {
        Ok(glob::glob(pattern)?.filter_map(Result::ok).collect())
    }

    fn folder_name(&self, path: &Path) -> Option<String> {
        Some(path.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned())
    }

    fn text(&self, path: &Path) -> io::Result<String> {
        fs::read_to_string(path)
    }

    fn weights(&self, path: &Path) -> Result<Vec<u8>, NetworkError> {
        read_weights(path)
    }

    fn openings(&self, request: &OpeningsRequest) -> Result<(OpeningSource, Openings), KeyError> {
        OpeningSource::resolve(request)
    }

    fn tables(&self, game: Chess, folders: &str, pieces: Option<u8>) -> Result<u8, TableError> {
        game.find_tables(folders, pieces)
    }

    fn run(&self, folder: &Path) -> Result<JournalReader, FolderError> {
        RunFolder::open_journal(folder)
    }

    fn journal(&self, path: &Path) -> Result<JournalReader, JournalError> {
        JournalReader::open(path)
    }
}
