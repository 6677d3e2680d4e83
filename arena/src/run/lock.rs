//! Locked files, which keep a second process away from the same work: a run, or a server's queue. Callers decide what
//! the lock protects.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long another process may take to check whether a lock is held, even on a busy machine.
const LOOKERS_GO_WITHIN: Duration = Duration::from_mins(1);
/// How long the lock of a killed process may last: a child that it was just starting holds the lock until the child's
/// program starts.
const LOCKS_GO_WITHIN: Duration = Duration::from_millis(200);

/// A locked file, unlocked on drop.
#[derive(Debug)]
pub struct FileLock {
    pub(super) file: File,
}

impl FileLock {
    /// Locks a file, creating it if needed.
    ///
    /// # Errors
    /// [`TryLockError::WouldBlock`] if it is locked already; [`TryLockError::Error`], with the path, for a system
    /// error.
    pub fn take(path: &Path) -> Result<Self, TryLockError> {
        let refused = |cause: io::Error| {
            TryLockError::Error(io::Error::new(cause.kind(), format!("cannot lock {}: {cause}", path.display())))
        };
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(refused)?;
        match lock_patiently(&file) {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Error(cause)) => Err(refused(cause)),
        }
    }

    /// Whether a process holds the lock on the file.
    pub fn is_held(path: &Path) -> bool {
        let Ok(file) = File::open(path) else { return false };
        // Checkers take the lock shared; its holder takes it exclusively.
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }
}

/// Closing the file is not enough: a child that another thread is just starting has it open, too.
impl Drop for FileLock {
    fn drop(&mut self) {
        let _closed_anyway = self.file.unlock();
    }
}

/// Takes the lock, waiting a little: a check whether it is held also takes it, and must not keep a worker out.
fn lock_patiently(file: &File) -> Result<(), TryLockError> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            taken => return taken,
        }
        let patience = if is_only_looked_at(file) { LOOKERS_GO_WITHIN } else { LOCKS_GO_WITHIN };
        if began.elapsed() >= patience {
            return Err(TryLockError::WouldBlock);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the lock is held shared, i.e. only by checkers.
fn is_only_looked_at(file: &File) -> bool {
    file.try_lock_shared().is_ok() && file.unlock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_looked_at_is_told_from_one_that_is_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let open = || OpenOptions::new().create(true).append(true).open(&path).expect("a lock");
        let (looker, other) = (open(), open());
        looker.lock_shared().expect("shared");
        assert!(is_only_looked_at(&other) && !FileLock::is_held(&path));
        looker.unlock().expect("looked");
        // The check released what it took.
        looker.lock().expect("held");
        assert!(!is_only_looked_at(&other) && FileLock::is_held(&path));
    }

    #[test]
    fn a_lock_ends_with_its_owner_even_if_another_has_the_file_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let lock = FileLock::take(&path).expect("a lock");
        // Like the handle that a child of this process has before it becomes another program.
        let _inherited = lock.file.try_clone().expect("another handle");
        assert!(matches!(FileLock::take(&path), Err(TryLockError::WouldBlock)));
        drop(lock);
        FileLock::take(&path).expect("free");
    }
}
