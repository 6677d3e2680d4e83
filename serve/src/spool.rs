//! Messages that wait for delivery: a file each, beside the queue, so that they survive a restart of the server.

use arena::run::{FileLock, replace_file_durably};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The folder of the messages, in the folder of the runs.
const FOLDER: &str = ".serve/webhook";
/// The maximum number of waiting messages.
const MOST_WAITING: usize = 100;
const EXTENSION: &str = "json";

/// A folder of messages.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    /// Locks the messages against other servers.
    _lock: FileLock,
}

/// Returns an error that names its file.
fn named(what: &str, path: &Path, cause: &io::Error) -> io::Error {
    io::Error::new(cause.kind(), format!("cannot {what} {}: {cause}", path.display()))
}

impl Spool {
    /// Opens the spool of a folder of runs.
    ///
    /// # Errors
    /// The folder cannot be made, or another server has locked it.
    pub(crate) fn open(runs: &Path) -> io::Result<Self> {
        let folder = runs.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|cause| named("make", &folder, &cause))?;
        let path = folder.join("lock");
        let lock = FileLock::take(&path).map_err(|why| match why {
            TryLockError::WouldBlock => io::Error::other("another `spar serve --webhook` of this folder runs already"),
            TryLockError::Error(cause) => cause,
        })?;
        Ok(Self { folder, _lock: lock })
    }

    /// Stores a message with this time, in milliseconds since 1970, under a unique id. Ids sort by time.
    ///
    /// # Errors
    /// The message cannot be written, or too many wait.
    pub(crate) fn keep(&self, unix_ms: u64, body: &str) -> io::Result<()> {
        if self.waiting()?.len() >= MOST_WAITING {
            return Err(io::Error::other(format!("{MOST_WAITING} messages wait already")));
        }
        let mut bytes = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let id = format!("msg_{unix_ms:016x}{:016x}", u64::from_be_bytes(bytes));
        replace_file_durably(&self.file(&id), body.as_bytes())
    }

    /// Returns the ids of the messages, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(crate) fn waiting(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.folder).map_err(|cause| named("read", &self.folder, &cause))?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        let messages = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        let mut ids: Vec<String> = messages.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Returns the body of a message.
    ///
    /// # Errors
    /// The message cannot be read.
    pub(crate) fn read(&self, id: &str) -> io::Result<String> {
        let file = self.file(id);
        fs::read_to_string(&file).map_err(|cause| named("read", &file, &cause))
    }

    /// Removes a message that was delivered or given up.
    ///
    /// # Errors
    /// The message cannot be removed.
    pub(crate) fn remove(&self, id: &str) -> io::Result<()> {
        let file = self.file(id);
        fs::remove_file(&file).map_err(|cause| named("remove", &file, &cause))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{EXTENSION}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wait_for_the_next_server_in_order_of_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::open(folder.path()).expect("a spool");
        for (ms, body) in [(1 << 40, "c"), (7, "a"), (8, "b")] {
            spool.keep(ms, body).expect("it is kept");
        }
        // A file that a crash has left beside the messages is no message.
        fs::write(spool.folder.join(".tmp1.new"), "half").expect("a file");
        assert!(Spool::open(folder.path()).is_err_and(|why| why.to_string().contains("runs already")));
        drop(spool);
        let next = Spool::open(folder.path()).expect("a spool");
        let ids = next.waiting().expect("they are read");
        let bodies: Vec<String> = ids.iter().map(|id| next.read(id).expect("it is read")).collect();
        assert_eq!(bodies, ["a", "b", "c"]);
        next.remove(&ids[1]).expect("it is removed");
        assert_eq!(next.waiting().expect("they are read"), [ids[0].clone(), ids[2].clone()]);
        assert!(next.remove(&ids[1]).is_err_and(|why| why.to_string().contains("cannot remove")));
    }

    #[test]
    fn the_number_of_messages_is_bounded() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::open(folder.path()).expect("a spool");
        for number in 0..MOST_WAITING {
            fs::write(spool.file(&format!("msg_{number}")), "{}").expect("a file");
        }
        assert!(spool.keep(1, "{}").is_err_and(|why| why.to_string().contains("100 messages wait")));
    }
}
