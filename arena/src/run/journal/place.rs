//! Checks whether a journal's files are still those that were opened. SQLite keeps writing into removed files, and
//! everything written would be lost at the end.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files of an open journal.
#[derive(Debug)]
pub(super) struct Place {
    database: PathBuf,
    log: PathBuf,
    /// The files as last seen; `None` if not yet seen.
    seen: [Option<File>; 2],
}

/// What distinguishes a file from another of the same name, and from its truncated self.
#[derive(Clone, Copy, Debug)]
struct File {
    device: u64,
    inode: u64,
    length: u64,
}

impl File {
    fn at(path: &Path) -> Option<Self> {
        let facts = fs::metadata(path).ok()?;
        Some(Self { device: facts.dev(), inode: facts.ino(), length: facts.len() })
    }

    fn is(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Place {
    /// Returns the current files of the journal at `path`.
    pub(super) fn of(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let mut place = Self { database: path.to_owned(), log: log.into(), seen: [None; 2] };
        // A missing file is looked at again later.
        let _nothing_was_seen = place.look();
        place
    }

    /// Checks the files again. SQLite neither replaces nor shortens them while they are open.
    ///
    /// # Errors
    /// What has happened to one of them.
    pub(super) fn look(&mut self) -> Result<(), &'static str> {
        for (path, seen) in [&self.database, &self.log].into_iter().zip(&mut self.seen) {
            let now = File::at(path);
            match (&seen, &now) {
                (Some(_), None) => return Err("removed"),
                (Some(seen), Some(now)) if !seen.is(now) => return Err("replaced by another file"),
                (Some(seen), Some(now)) if now.length < seen.length => return Err("cut short"),
                _ => *seen = now,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use crate::config::RunConfig;
    use crate::run::{Executables, Journal, JournalReader, run_header};
    use play::games::GameKind;
    use std::path::Path;

    #[test]
    fn readers_that_come_and_go_take_no_file_of_an_open_journal_with_them() {
        let run = RunConfig::random_match(GameKind::Chess);
        let header = run_header(&run, &Executables::of(&run, Path::new("/")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        Journal::create(&path, &header).unwrap().fold();
        let mut journal = Journal::open(&path).unwrap();
        let mut place = Place::of(&path);
        assert!(place.seen.iter().all(Option::is_some), "opened, it has its log: {place:?}");
        // The last process to close a journal removes its log.
        let reader = JournalReader::open(&path).unwrap();
        assert_eq!(reader.end().unwrap(), 0);
        drop(reader);
        place.look().unwrap();
        journal.in_place().unwrap();
    }
}
