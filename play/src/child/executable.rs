//! The executable file of an engine: finds it, and notices when it has been rebuilt.
//!
//! The numbers of a run mean something only if every game was played by the same builds. So an engine is identified by
//! the SHA-256 of its file (the same as `sha256sum` prints), and every start compares it. That costs one `stat` as long
//! as the file's inode, size and times stay the same; otherwise the content is read again.

use crate::spelling::nearest;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an engine's file cannot be used.
#[derive(Debug, Error)]
pub enum ExecutableError {
    /// There is no such program.
    #[error("there is no program `{command}`{}{}", place(looked_in.as_deref()), advice(did_you_mean.as_deref()))]
    NotFound {
        /// The command as given.
        command: String,
        /// The path that was checked; `None`: the folders of `PATH`.
        looked_in: Option<PathBuf>,
        /// A similarly named program nearby, in a form that would be found.
        did_you_mean: Option<String>,
    },
    /// The file exists, but it is not executable.
    #[error("{} is not executable: make it so by `chmod +x`", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder.
    #[error("{} is a folder, not a program{}", path.display(), advice(did_you_mean.as_deref()))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// A program in it.
        did_you_mean: Option<String>,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The content has changed.
    #[error("{} was rebuilt while it was in use: its SHA-256 was {was} and is {is}", path.display())]
    Rebuilt {
        /// The file.
        path: PathBuf,
        /// The hash when the file was first opened.
        was: ContentHash,
        /// The hash now.
        is: ContentHash,
    },
}

fn place(looked_in: Option<&Path>) -> String {
    looked_in.map_or_else(|| " in the folders of PATH".to_owned(), |path| format!(" ({})", path.display()))
}

fn advice(did_you_mean: Option<&str>) -> String {
    did_you_mean.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The absolute path of the program that a command names. A command with a slash is a path, relative to `base`, which
/// must be absolute; one without is searched in `PATH`, as in a shell. Links are not followed: some programs look at
/// the name they are called by.
///
/// # Errors
///
/// [`ExecutableError`], with the nearest existing name.
pub fn resolve(command: &str, base: &Path) -> Result<PathBuf, ExecutableError> {
    if !command.contains('/') {
        let search = std::env::var_os("PATH").unwrap_or_default();
        return which::which_in(command, Some(search), base).map_err(|_| not_in_path(command, base));
    }
    // Drops the `.` of `./engine`.
    let path: PathBuf = base.join(command).components().collect();
    let found = path.metadata().map_err(|_| not_at(command, &path))?;
    if found.is_dir() {
        let did_you_mean = programs_in(&path).into_iter().next().map(|name| path.join(name).display().to_string());
        return Err(ExecutableError::Folder { path, did_you_mean });
    }
    if found.mode() & 0o111 == 0 {
        return Err(ExecutableError::NotExecutable { path });
    }
    Ok(path)
}

/// The error for a bare name: a program of that name in `base` needs `./`.
fn not_in_path(command: &str, base: &Path) -> ExecutableError {
    let mut did_you_mean = None;
    if is_program(&base.join(command)) {
        did_you_mean = Some(format!("./{command}"));
    } else if let Some(search) = std::env::var_os("PATH") {
        let names: Vec<String> = std::env::split_paths(&search).flat_map(|folder| programs_in(&folder)).collect();
        did_you_mean = nearest(command, names.iter().map(String::as_str)).map(str::to_owned);
    }
    ExecutableError::NotFound { command: command.to_owned(), looked_in: None, did_you_mean }
}

fn not_at(command: &str, path: &Path) -> ExecutableError {
    let did_you_mean = path.parent().zip(path.file_name()).and_then(|(folder, name)| {
        let names = programs_in(folder);
        let name = nearest(&name.to_string_lossy(), names.iter().map(String::as_str))?.to_owned();
        Some(command.rsplit_once('/').map_or_else(|| name.clone(), |(folder, _)| format!("{folder}/{name}")))
    });
    ExecutableError::NotFound { command: command.to_owned(), looked_in: Some(path.to_owned()), did_you_mean }
}

/// The names of the programs in a folder, sorted; none if the folder cannot be read.
fn programs_in(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let programs = entries.filter(|entry| is_program(&entry.path()));
    let mut names: Vec<String> = programs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
}

/// The SHA-256 of a file's content. Displays as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of everything that can be read.
    ///
    /// # Errors
    ///
    /// The reader's errors.
    pub fn of(mut content: impl Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut portion = vec![0_u8; 64 * 1024];
        loop {
            match content.read(&mut portion) {
                Ok(0) => return Ok(Self(hasher.finalize().into())),
                Ok(count) => hasher.update(&portion[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Identifies a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Time of the last modification in seconds and nanoseconds.
    modified: (i64, i64),
    /// Time of the inode's last change in the same form: it changes even if `modified` is set back.
    changed: (i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        let (modified, changed) = ((found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec()));
        Self { device: found.dev(), inode: found.ino(), size: found.size(), modified, changed }
    }
}

/// A program as it was when it was opened. Every thread that starts the program checks a clone of its own.
#[derive(Clone, Debug)]
pub struct Executable {
    path: PathBuf,
    content: ContentHash,
    stamp: Stamp,
}

impl Executable {
    /// Reads the file at an absolute path.
    ///
    /// # Errors
    ///
    /// [`ExecutableError::Unreadable`]
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ExecutableError> {
        let path = path.into();
        let (content, stamp) = read(&path)?;
        Ok(Self { path, content, stamp })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The hash of the content.
    pub fn content(&self) -> ContentHash {
        self.content
    }

    /// Checks that the file still has the same content. A file that was replaced by an equal one passes.
    ///
    /// # Errors
    ///
    /// [`ExecutableError::Rebuilt`] if the content differs, [`ExecutableError::Unreadable`] if the file was removed.
    pub fn check(&mut self) -> Result<(), ExecutableError> {
        let found = self.path.metadata().map_err(|source| unreadable(&self.path, source))?;
        if Stamp::from(&found) == self.stamp {
            return Ok(());
        }
        let (is, stamp) = read(&self.path)?;
        if is != self.content {
            return Err(ExecutableError::Rebuilt { path: self.path.clone(), was: self.content, is });
        }
        self.stamp = stamp;
        Ok(())
    }
}

/// Takes the stamp first: a file that is written to while it is read has a different stamp afterwards, and is read
/// again.
fn read(path: &Path) -> Result<(ContentHash, Stamp), ExecutableError> {
    let read = || {
        let file = File::open(path)?;
        let stamp = Stamp::from(&file.metadata()?);
        Ok((ContentHash::of(file)?, stamp))
    };
    read().map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: io::Error) -> ExecutableError {
    ExecutableError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    fn program(folder: &TempDir, name: &str, content: &str) -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a writable folder");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("our own file");
        path
    }

    #[test]
    fn paths_are_relative_to_the_base_and_names_are_searched() {
        let folder = TempDir::new().unwrap();
        let path = program(&folder, "engine", "x");
        assert_eq!(resolve("./engine", folder.path()).unwrap(), folder.path().join("engine"));
        assert_eq!(resolve(path.to_str().unwrap(), Path::new("/")).unwrap(), path);
        assert!(resolve("sh", folder.path()).unwrap().ends_with("sh"));
    }

    #[test]
    fn errors_name_what_is_near() {
        let folder = TempDir::new().unwrap();
        program(&folder, "stockfish-dev", "x");
        std::fs::write(folder.path().join("notes"), "x").unwrap();
        let error = |command| resolve(command, folder.path()).unwrap_err().to_string();
        let here = folder.path().display();
        let expected =
            format!("there is no program `./stokfish-dev` ({here}/stokfish-dev); did you mean `./stockfish-dev`?");
        assert_eq!(error("./stokfish-dev"), expected);
        let expected = "there is no program `stockfish-dev` in the folders of PATH; did you mean `./stockfish-dev`?";
        assert_eq!(error("stockfish-dev"), expected);
        assert_eq!(error("./notes"), format!("{here}/notes is not executable: make it so by `chmod +x`"));
        let folder_error = error(folder.path().to_str().unwrap());
        assert_eq!(folder_error, format!("{here} is a folder, not a program; did you mean `{here}/stockfish-dev`?"));
    }

    #[test]
    fn the_hash_is_what_sha256sum_prints() {
        // FIPS 180-2, the example "abc".
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentHash::of(&b"abc"[..]).unwrap().to_string(), expected);
    }

    #[test]
    fn a_rebuilt_engine_is_noticed_and_an_equal_one_passes() {
        let folder = TempDir::new().unwrap();
        let path = program(&folder, "engine", "one");
        let mut engine = Executable::open(&path).unwrap();
        engine.check().unwrap();
        let copy = program(&folder, "copy", "one");
        std::fs::rename(copy, &path).unwrap();
        engine.check().unwrap();
        let other = program(&folder, "other", "two");
        std::fs::rename(other, &path).unwrap();
        let error = engine.check().unwrap_err();
        assert!(matches!(&error, ExecutableError::Rebuilt { was, .. } if *was == engine.content()), "{error}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(engine.check(), Err(ExecutableError::Unreadable { .. })));
    }
}
