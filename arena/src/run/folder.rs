//! A run's folder: its journal, the configuration it was made from, and the lock that keeps a second process out.

use super::audit::audit;
use super::journal::{Header, Journal, JournalError, JournalReader};
use super::lock::FileLock;
use super::replace::{NewFile, replace_file};
use fs_err as fs;
use std::fs::TryLockError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The journal in a run's folder.
pub const JOURNAL: &str = "journal.sqlite";
const CONFIG: &str = "config.toml";
const LOCK: &str = "lock";

/// Runs of one name in one folder; beyond, something is amiss.
const MOST_RUNS: u32 = 1_000_000;

/// A run folder that cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no such run.
    #[error("there is no run at {path}: `spar runs` lists all runs")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Another process works on it.
    #[error("another process works on {path}{who}: let it finish or stop it first")]
    Locked {
        /// The run.
        path: PathBuf,
        /// What is known of that process; may be empty.
        who: String,
    },
    /// The operating system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The journal refuses.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The folder of a run, locked for this process until dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// If it was created: the folders that were created around it, from the innermost on.
    made: Option<Vec<PathBuf>>,
    _lock: FolderLock,
}

impl RunFolder {
    /// Makes the next free folder `<runs>/<name>-<n>` with its journal and a copy of the configuration's text.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be made; nothing is left behind then.
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

    /// Locks and fills a folder that was just made.
    fn fill(path: PathBuf, text: &str, header: &Header) -> Result<(Self, Journal), FolderError> {
        let folder = Self::lock(path)?;
        fs::write(Self::config_of(&folder.path), text)?;
        let mut journal = Journal::create(&folder.journal_path(), header)?;
        journal.keep_text(text)?;
        Ok((folder, journal))
    }

    /// Removes a run that was made by [`create`](Self::create), with all that it holds; one that was opened stays.
    /// Whether it was removed.
    pub fn discard(&self) -> bool {
        self.made.as_ref().map(|around| remove(&self.path, around)).is_some()
    }

    /// Locks the folder of an existing run and opens its journal to be read. The journal is not written, so that a run
    /// that has ended does not change.
    ///
    /// # Errors
    /// [`FolderError`] if there is none, another process holds it, or its journal cannot be read or holds a damaged
    /// pair.
    pub fn enter(path: &Path) -> Result<(Self, JournalReader), FolderError> {
        check_is_run(path)?;
        let folder = Self::lock(path.to_owned())?;
        let journal = JournalReader::open(&folder.journal_path())?;
        audit(&journal, &journal.header()?.config)?;
        Ok((folder, journal))
    }

    /// Opens the run's journal to resume it.
    ///
    /// # Errors
    /// [`FolderError::Journal`] if it cannot be read.
    pub fn journal(&self) -> Result<Journal, FolderError> {
        Ok(Journal::open(&self.journal_path())?)
    }

    /// Rewrites a journal whose files were removed, into a folder beside the run's own, or else into the first of
    /// `elsewhere` that is writable. Returns the folder: a run like any other.
    ///
    /// # Errors
    /// The last [`FolderError`] if it can be written nowhere.
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

    /// Opens the journal of a run to read it, also while another process works on it.
    ///
    /// # Errors
    /// [`FolderError`] if there is none or it cannot be read.
    pub fn open_journal(path: &Path) -> Result<JournalReader, FolderError> {
        check_is_run(path)?;
        Ok(JournalReader::open(&path.join(JOURNAL))?)
    }

    /// Whether a process works on a run just now: whether its lock is held.
    pub fn is_worked_on(path: &Path) -> bool {
        FileLock::is_held(&path.join(LOCK))
    }

    /// The runs in a folder, by name.
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

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a run's folder keeps the configuration that it was made from, to look at and to edit: the journal keeps it
    /// as well.
    pub fn config_of(path: &Path) -> PathBuf {
        path.join(CONFIG)
    }

    /// Replaces the copy of the configuration's text, in one step.
    ///
    /// # Errors
    /// [`FolderError::Io`], and the old text stays.
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

/// Keeps other processes off the work in a folder until it is dropped: a run, or a job of several.
#[derive(Debug)]
pub struct FolderLock {
    _lock: FileLock,
}

impl FolderLock {
    /// Locks a folder.
    ///
    /// # Errors
    /// [`FolderError::Locked`] if another process works on it, and what the system says.
    pub fn take(path: &Path) -> Result<Self, FolderError> {
        let lock_path = path.join(LOCK);
        let mut lock = FileLock::take(&lock_path).map_err(|why| match why {
            TryLockError::WouldBlock => {
                // The holder's number is a courtesy: an unreadable one must not hide the refusal.
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

/// Runs of one name sort by their number, not by its digits.
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

/// Makes the next free folder `<runs>/<name>-<n>`, and returns its path.
///
/// # Errors
/// [`FolderError::Io`] if it cannot be made.
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

/// Removes a run's folder with all that it holds, and the folders around it if they are empty then.
fn remove(run: &Path, around: &[PathBuf]) {
    // What cannot be removed stays: an error is reported already.
    let _stays = fs::remove_dir_all(run);
    remove_empty(around);
}

/// Removes folders, from the innermost on, unless somebody else uses them by now.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        let _used = fs::remove_dir(folder);
    }
}
