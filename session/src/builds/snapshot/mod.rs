//! A snapshot of the working tree as git would commit it: the files that git tracks or does not ignore, as a tree in
//! the repository's object store.
//!
//! The tree is made in a separate index. Files that git considers unchanged keep the entry of the user's index, so that
//! no filter runs on them, and files outside a sparse checkout stay. All other files are read from disk. Paths of spar
//! itself, such as the runs folder and the configuration, stay as committed.

pub(super) mod excluded;
#[cfg(test)]
mod tests;

use super::error::BuildError;
use super::git::Repository;
use super::revision::{Revision, WORKTREE};
use excluded::ExcludedPaths;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, FileType};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tempfile::TempDir;

/// The mode of an entry that is a commit of another repository.
const GITLINK: &[u8] = b"160000";

impl Repository<'_> {
    /// Finds a commit by any name that git knows, or the working tree by the name [`WORKTREE`]. `apart` are files and
    /// folders to leave out of the working tree's snapshot; `allow_dirty` leaves out uncommitted changes of submodules.
    pub(crate) fn resolve(&self, asked: &str, apart: &[&Path], allow_dirty: bool) -> Result<Revision, BuildError> {
        if asked == WORKTREE { self.snapshot(&self.apart(apart), allow_dirty) } else { self.commit(asked) }
    }

    /// Makes a revision of the current working tree: every file that git tracks or does not ignore. Returns the commit
    /// if the tree equals it.
    fn snapshot(&self, apart: &ExcludedPaths, allow_dirty: bool) -> Result<Revision, BuildError> {
        if self.is_bare {
            return Err(BuildError::NoWorkingTree { repository: self.root().to_owned() });
        }
        let head = self.commit("HEAD")?;
        let tree = tree(self, &head.commit, apart, allow_dirty)?;
        if tree == self.answer(["rev-parse", &format!("{}^{{tree}}", head.commit)])? {
            return Ok(Revision { asked: WORKTREE.to_owned(), ..head });
        }
        let message = format!("uncommitted work on {}", head.short());
        let commit = self.commit_of(&tree, &head, &message)?;
        Ok(Revision { asked: WORKTREE.to_owned(), commit, id: tree, message, time: head.time })
    }
}

/// Makes the tree and returns its id. `apart` are files and folders that stay as in `head`.
///
/// # Errors
/// [`BuildError`] if git fails, or if a submodule has uncommitted changes; `allow_dirty` leaves these out.
fn tree(
    repository: &Repository<'_>,
    head: &str,
    apart: &ExcludedPaths,
    allow_dirty: bool,
) -> Result<String, BuildError> {
    let index = ScratchIndex::new(repository)?;
    let listed = repository.bytes(["ls-files", "-z", "-v", "--stage"])?;
    let entries: Vec<Entry<'_>> =
        records(&listed).filter_map(Entry::read).filter(|entry| !apart.has(entry.path)).collect();
    if !allow_dirty && entries.iter().any(Entry::is_gitlink) {
        refuse_dirty_submodules(repository)?;
    }
    let kept = entries.iter().filter(|entry| entry.is_merged()).map(|entry| entry.info);
    let committed = committed(apart, repository, head)?;
    index.update(&["--index-info"], kept.chain(records(&committed)))?;

    let changed = repository.bytes(["diff-files", "-z", "--name-only", "--ignore-submodules=dirty"])?;
    let new = repository.bytes(["ls-files", "-z", "--others", "--exclude-standard"])?;
    // A nested repository that is not a submodule ends in a slash. A checkout would lack its files.
    let new = records(&new).filter(|path| !path.ends_with(b"/"));
    let mut touched: BTreeSet<&[u8]> = records(&changed).chain(new).filter(|path| !apart.has(path)).collect();
    touched.extend(entries.iter().filter(|entry| entry.hides_changes(repository.root())).map(|entry| entry.path));
    let links: BTreeSet<&[u8]> = entries.iter().filter(|entry| entry.is_gitlink()).map(|entry| entry.path).collect();
    let (there, gone): (Vec<&[u8]>, Vec<&[u8]>) = touched
        .into_iter()
        .partition(|path| kind(repository.root(), path).is_some_and(|kind| can_be_stored(kind, links.contains(path))));
    index.update(&["--force-remove", "--stdin"], gone.into_iter())?;
    index.update(&["--add", "--remove", "--replace", "--stdin"], there.into_iter())?;
    // A partial clone may lack some files; a checkout fetches those that it needs.
    index.answer(&["write-tree", "--missing-ok"])
}

/// An entry of the user's index.
struct Entry<'a> {
    /// `H`, `S` for an entry outside a sparse checkout, `M` for one with a conflict; a lowercase letter if git is set
    /// to ignore changes.
    tag: u8,
    /// Mode, object, stage, and the path after a tab.
    info: &'a [u8],
    path: &'a [u8],
}

impl<'a> Entry<'a> {
    fn read(record: &'a [u8]) -> Option<Self> {
        let (&tag, rest) = record.split_first()?;
        let info = rest.strip_prefix(b" ")?;
        let tab = info.iter().position(|&byte| byte == b'\t')?;
        Some(Self { tag, info, path: &info[tab + 1..] })
    }

    fn is_gitlink(&self) -> bool {
        self.info.starts_with(GITLINK)
    }

    /// Whether the entry will be committed, and is not one side of a conflict.
    fn is_merged(&self) -> bool {
        let before_path = &self.info[..self.info.len() - self.path.len()];
        before_path.ends_with(b" 0\t")
    }

    /// Whether the file may have changed without git reporting it.
    fn hides_changes(&self, root: &Path) -> bool {
        match self.tag {
            b'S' | b's' => kind(root, self.path).is_some(),
            tag => tag.is_ascii_lowercase(),
        }
    }
}

/// Returns the entries of some paths in a commit, as `git ls-tree` prints them.
fn committed(apart: &ExcludedPaths, repository: &Repository<'_>, head: &str) -> Result<Vec<u8>, BuildError> {
    if apart.0.is_empty() {
        return Ok(Vec::new());
    }
    let words = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", head, "--"].map(OsStr::new);
    repository.bytes(words.into_iter().chain(apart.0.iter().map(|place| OsStr::from_bytes(place))))
}

/// Returns the type of the file at a path of the working tree; `None` if there is none, or if a parent folder is a
/// link.
fn kind(root: &Path, path: &[u8]) -> Option<FileType> {
    let path = Path::new(OsStr::from_bytes(path));
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let is_folder = |folder: &Path| root.join(folder).symlink_metadata().is_ok_and(|found| found.is_dir());
    folders.into_iter().all(is_folder).then(|| root.join(path).symlink_metadata().ok())?.map(|found| found.file_type())
}

/// Whether git can store such a file.
fn can_be_stored(kind: FileType, is_gitlink: bool) -> bool {
    kind.is_file() || kind.is_symlink() || kind.is_dir() && is_gitlink
}

/// Splits output of git in which each record ends with a NUL.
fn records(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|&byte| byte == 0).filter(|record| !record.is_empty())
}

/// Refuses changes within a submodule: no commit of this repository has them, so a checkout would lack them.
fn refuse_dirty_submodules(repository: &Repository<'_>) -> Result<(), BuildError> {
    let words = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=none"];
    let status = repository.bytes(words)?;
    let dirty = records(&status).find_map(|record| {
        // `1 XY S.M. ...` with eight fields before the path; the third lists the changes of a submodule.
        let fields: Vec<&[u8]> = record.splitn(9, |&byte| byte == b' ').collect();
        let is_modified = fields.get(2).is_some_and(|sub| sub.len() == 4 && sub[0] == b'S' && sub[2] == b'M');
        is_modified.then(|| fields.last().map(|path| String::from_utf8_lossy(path).into_owned()))?
    });
    dirty.map_or(Ok(()), |path| Err(BuildError::DirtySubmodule { path }))
}

/// A separate index.
struct ScratchIndex<'a> {
    repository: &'a Repository<'a>,
    folder: TempDir,
}

impl<'a> ScratchIndex<'a> {
    fn new(repository: &'a Repository<'a>) -> Result<Self, BuildError> {
        // The index itself must not exist: git considers an empty one damaged.
        Ok(Self { repository, folder: tempfile::Builder::new().prefix("spar-index-").tempdir()? })
    }

    /// Passes records to `git update-index`, if there are any.
    fn update<'r>(&self, options: &[&str], given: impl Iterator<Item = &'r [u8]>) -> Result<(), BuildError> {
        let records: Vec<u8> = given.flat_map(|record| record.iter().copied().chain([0])).collect();
        if records.is_empty() {
            return Ok(());
        }
        let path = self.folder.path().join("records");
        std::fs::write(&path, records)?;
        let mut command = self.command(&[&["update-index", "-z"], options].concat());
        command.stdin(File::open(&path)?);
        self.repository.run(&mut command).map(drop)
    }

    fn answer(&self, arguments: &[&str]) -> Result<String, BuildError> {
        let printed = self.repository.run(&mut self.command(arguments))?;
        Ok(String::from_utf8_lossy(&printed).trim_end().to_owned())
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.repository.command(arguments);
        command.env("GIT_INDEX_FILE", self.folder.path().join("index"));
        command
    }
}
