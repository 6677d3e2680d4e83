//! The file in a job's folder with its progress: JSON with a version, replaced atomically.

use crate::error::SessionError;
use arena::run::{FolderLock, replace_file_durably};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The fields that are read before the version is known, since other versions may have other fields.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Reads the content of a file; `None` if the file does not exist.
///
/// # Errors
/// [`SessionError::Io`] if it cannot be read, or if its field `version` differs from `version`.
pub(super) fn read<T: DeserializeOwned>(path: &Path, version: u32) -> Result<Option<T>, SessionError> {
    let bad = |cause: io::Error| SessionError::io(format!("cannot read {}", path.display()), cause);
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(bad)?,
    };
    let Versioned { version: found } = serde_json::from_slice(&text).map_err(|error| bad(error.into()))?;
    if found != version {
        let why = format!("it has version {found}, and this build of spar reads {version}");
        return Err(bad(io::Error::new(io::ErrorKind::Unsupported, why)));
    }
    serde_json::from_slice(&text).map(Some).map_err(|error| bad(error.into()))
}

/// Locks the folder of a new job, then fills it, so that no one sees a job without a process working on it.
///
/// # Errors
/// [`SessionError`] if the folder cannot be locked, and any error of `fill`.
pub(super) fn lock_and_fill(
    folder: &Path,
    fill: impl FnOnce() -> Result<(), SessionError>,
) -> Result<FolderLock, SessionError> {
    let lock = FolderLock::take(folder)?;
    fill().map(|()| lock)
}

/// Returns the folders of jobs in a folder of runs, by name; `is_at` tells which folders are jobs.
///
/// # Errors
/// [`SessionError::Io`] if the folder exists and cannot be read.
pub(super) fn folders(runs: &Path, is_at: fn(&Path) -> bool) -> Result<Vec<PathBuf>, SessionError> {
    let entries = match std::fs::read_dir(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|cause| SessionError::io(format!("cannot read {}", runs.display()), cause))?,
    };
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|path| is_at(path));
    folders.sort();
    Ok(folders)
}

/// Writes the file durably: it is on the disk when this returns.
pub(super) fn write(path: &Path, record: &impl Serialize) -> io::Result<()> {
    replace_file_durably(path, &serde_json::to_vec_pretty(record)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        version: u32,
        runs: Vec<String>,
    }

    #[test]
    fn what_was_written_is_read_and_other_versions_are_refused_whatever_else_they_say() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.json");
        assert_eq!(read::<Record>(&path, 1).unwrap(), None);
        let record = Record { version: 1, runs: vec!["sprt-a-1".to_owned()] };
        write(&path, &record).unwrap();
        assert_eq!(read(&path, 1).unwrap(), Some(record));
        for (text, expected) in [
            (r#"{"version": 2, "games": 1}"#, "it has version 2, and this build of spar reads 1"),
            (r#"{"version": 1, "games": 1}"#, "missing field `runs`"),
            (r#"{"runs": []}"#, "missing field `version`"),
            (r#"{"version": 1, "ru"#, "EOF while parsing"),
        ] {
            std::fs::write(&path, text).unwrap();
            let SessionError::Io { what, cause } = read::<Record>(&path, 1).unwrap_err() else { panic!("{text}") };
            assert_eq!(what, format!("cannot read {}", path.display()));
            assert!(cause.to_string().contains(expected), "{text}: {cause}");
        }
    }
}
