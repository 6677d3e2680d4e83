//! A run's folder: its journal, a copy of its configuration, and the lock that keeps other processes out.

use super::audit::audit;
use super::journal::{Header, Journal, JournalError, JournalReader};
use super::lock::FileLock;
use super::replace::{NewFile, replace_file};
use fs_err as fs;
use std::fs::TryLockError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file name of the journal in a run's folder.
pub const JOURNAL: &str = "journal.sqlite";
const CONFIG: &str = "config.toml";
const LOCK: &str = "lock";

/// The most runs of one name in a folder. More would mean that something is wrong.
const MOST_RUNS: u32 = 1_000_000;

/// Why a run folder cannot be created or opened.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no such run.
    #[error("there is no run at {path}: `spar runs` lists all runs")]
    Missing {
        /// The path that was tried.
        path: PathBuf,
    },
    /// Another process is working on the run.
    #[error("another process works on {path}{who}: let it finish or stop it first")]
    Locked {
        /// The run's folder.
        path: PathBuf,
        /// What is known about that process; may be empty.
        who: String,
    },
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error of the journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The folder of a run, locked for this process until dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The parent folders that were created, from the innermost on; `None` if the run's folder already existed.
    made: Option<Vec<PathBuf>>,
    _lock: FolderLock,
}

impl RunFolder {
    /// Creates the next free folder `<runs>/<name>-<n>` with its journal and a copy of the configuration's text.
    ///
    /// # Errors
    /// [`FolderError`] if the folder cannot be created; nothing is left behind then.
    pub fn create(runs: &Path, name: &str, text: &str, header: &Header) -> Result<(Self, Journal), FolderError> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let around: Vec<PathBuf> = runs.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let made = fs::create_dir_all(runs).map_err(FolderError::from);
        let path = made.and_then(|()| next_free(runs, name)).inspect_err(|_| remove_empty(&around))?;
        let filled = Self::fill(path.clone(), text, header);
        let (mut folder, journal) = filled.inspect_err(|_| remove(&path, &around))?;
        folder.made = Some(around);
        Ok((folder, journal))
    }

    /// Locks and fills a new folder.
    fn fill(path: PathBuf, text: &str, header: &Header) -> Result<(Self, Journal), FolderError> {
        let folder = Self::lock(path)?;
        fs::write(Self::config_of(&folder.path), text)?;
        let mut journal = Journal::create(&folder.journal_path(), header)?;
        journal.keep_text(text)?;
        Ok((folder, journal))
    }

    /// Removes a run that [`create`](Self::create) made, with everything in it. An existing run that was opened stays.
    /// Returns whether the run was removed.
    pub fn discard(&self) -> bool {
        self.made.as_ref().map(|around| remove(&self.path, around)).is_some()
    }

    /// Locks the folder of an existing run and opens its journal for reading. The journal is not written, so that a
    /// finished run does not change.
    ///
    /// # Errors
    /// [`FolderError`] if there is no run, another process holds it, or its journal cannot be read or holds a damaged
    /// pair.
    pub fn enter(path: &Path) -> Result<(Self, JournalReader), FolderError> {
        check_is_run(path)?;
        let folder = Self::lock(path.to_owned())?;
        let journal = JournalReader::open(&folder.journal_path())?;
        audit(&journal, &journal.header()?.config)?;
        Ok((folder, journal))
    }

    /// Opens the journal to resume the run.
    ///
    /// # Errors
    /// [`FolderError::Journal`] if the journal cannot be opened.
    pub fn journal(&self) -> Result<Journal, FolderError> {
        Ok(Journal::open(&self.journal_path())?)
    }

    /// Writes a journal whose files were removed into a new folder beside the run's own, or else in the first writable
    /// folder of `elsewhere`. Returns the new folder, which is a run like any other.
    ///
    /// # Errors
    /// The last [`FolderError`] if no folder is writable.
    pub fn rescue(&self, journal: &Journal, elsewhere: &[PathBuf]) -> Result<PathBuf, FolderError> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{name}-rescued");
        let parents = self.path.parent().into_iter().chain(elsewhere.iter().map(PathBuf::as_path));
        let mut outcome = Err(FolderError::Missing { path: self.path.clone() });
        for parent in parents {
            outcome = save_in(parent, &name, journal);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Opens a run's journal for reading, even while another process works on the run.
    ///
    /// # Errors
    /// [`FolderError`] if there is no run or its journal cannot be read.
    pub fn open_journal(path: &Path) -> Result<JournalReader, FolderError> {
        check_is_run(path)?;
        Ok(JournalReader::open(&path.join(JOURNAL))?)
    }

    /// Whether a process is working on a run, i.e. holds its lock.
    pub fn is_worked_on(path: &Path) -> bool {
        FileLock::is_held(&path.join(LOCK))
    }

    /// Lists the runs in a folder, by name.
    ///
    /// # Errors
    /// [`FolderError::Io`] if the folder exists and cannot be read.
    pub fn list(runs: &Path) -> Result<Vec<PathBuf>, FolderError> {
        let entries = match fs::read_dir(runs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.join(JOURNAL).is_file());
        paths.sort_by_cached_key(|path| by_number(path));
        Ok(paths)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the configuration copy in a run's folder, for reading and editing. The journal also stores
    /// the configuration.
    pub fn config_of(path: &Path) -> PathBuf {
        path.join(CONFIG)
    }

    /// Replaces the copy of the configuration's text atomically.
    ///
    /// # Errors
    /// [`FolderError::Io`]; the old text stays then.
    pub fn rewrite_config(&self, text: &str) -> Result<(), FolderError> {
        Ok(replace_file(&Self::config_of(&self.path), text.as_bytes())?)
    }

    fn journal_path(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    fn lock(path: PathBuf) -> Result<Self, FolderError> {
        let lock = FolderLock::take(&path)?;
        Ok(Self { path, made: None, _lock: lock })
    }
}

/// Keeps other processes from working in a folder, for a run or for a job of several runs, until dropped.
#[derive(Debug)]
pub struct FolderLock {
    _lock: FileLock,
}

impl FolderLock {
    /// Locks a folder.
    ///
    /// # Errors
    /// [`FolderError::Locked`] if another process works on it, or the system's error.
    pub fn take(path: &Path) -> Result<Self, FolderError> {
        let lock_path = path.join(LOCK);
        let mut lock = FileLock::take(&lock_path).map_err(|why| match why {
            TryLockError::WouldBlock => {
                // The holder's process id is optional: failing to read it must not hide the refusal.
                let who = fs::read_to_string(&lock_path).unwrap_or_default();
                let who = who.trim().parse::<u32>().map(|pid| format!(" (process {pid})")).unwrap_or_default();
                FolderError::Locked { path: path.to_owned(), who }
            }
            TryLockError::Error(cause) => cause.into(),
        })?;
        lock.file.set_len(0)?;
        writeln!(lock.file, "{}", std::process::id())?;
        Ok(Self { _lock: lock })
    }
}

/// Sorts runs of one name by their number as a number, not as text.
fn by_number(path: &Path) -> (String, u64) {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match name.rsplit_once('-') {
        Some((stem, number)) => (stem.to_owned(), number.parse().unwrap_or(0)),
        None => (name, 0),
    }
}

fn check_is_run(path: &Path) -> Result<(), FolderError> {
    if path.join(JOURNAL).is_file() { Ok(()) } else { Err(FolderError::Missing { path: path.to_owned() }) }
}

/// Creates the next free folder `<runs>/<name>-<n>` and returns its path.
///
/// # Errors
/// [`FolderError::Io`] if the folder cannot be created.
pub fn next_free(runs: &Path, name: &str) -> Result<PathBuf, FolderError> {
    for number in 1..MOST_RUNS {
        let path = runs.join(format!("{name}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    let full = format!("{}: {MOST_RUNS} runs are called so already", runs.join(name).display());
    Err(io::Error::new(io::ErrorKind::AlreadyExists, full).into())
}

/// Writes a journal into a new folder.
fn save_in(parent: &Path, name: &str, journal: &Journal) -> Result<PathBuf, FolderError> {
    fs::create_dir_all(parent)?;
    let folder = next_free(parent, name)?;
    save_as(&folder.join(JOURNAL), journal).inspect_err(|_| remove(&folder, &[]))?;
    Ok(folder)
}

fn save_as(path: &Path, journal: &Journal) -> Result<(), FolderError> {
    let new = NewFile::beside(path)?;
    journal.save_to(new.path())?;
    Ok(new.place()?)
}

/// Removes a run's folder with everything in it, and then the folders around it that are empty.
fn remove(run: &Path, around: &[PathBuf]) {
    // Errors are ignored, because an error is being reported already.
    let _stays = fs::remove_dir_all(run);
    remove_empty(around);
}

/// Removes folders from the innermost on, except those that are in use.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        let _used = fs::remove_dir(folder);
    }
}
