//! Atomic replacement of files.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempPath;

/// Writes a temporary file and moves it into place, so that readers see the old file or the new one, never a part.
///
/// # Errors
/// System errors, with the file's name; the old file stays, and no temporary file is left.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    named(path, replace(path, content, false))
}

/// Like [`replace_file`], but the content is on disk before it is moved into place. For files that could not be
/// recreated.
///
/// # Errors
/// As for [`replace_file`].
pub fn replace_file_durably(path: &Path, content: &[u8]) -> io::Result<()> {
    named(path, replace(path, content, true))
}

fn named(path: &Path, replaced: io::Result<()>) -> io::Result<()> {
    replaced.map_err(|cause| io::Error::new(cause.kind(), format!("cannot write {}: {cause}", path.display())))
}

fn replace(path: &Path, content: &[u8], durably: bool) -> io::Result<()> {
    let folder = folder_of(path);
    // As for any new file, the process's umask applies.
    let everybody = Permissions::from_mode(0o666);
    let mut new = tempfile::Builder::new().suffix(".new").permissions(everybody).tempfile_in(folder)?;
    new.write_all(content)?;
    if durably {
        new.as_file().sync_all()?;
    }
    new.persist(path).map(drop).map_err(|refused| refused.error)
}

/// A file that is written beside its final path, by any means, and moved into place when complete. If dropped before,
/// it is removed.
pub(crate) struct NewFile<'a> {
    beside: TempPath,
    path: &'a Path,
}

impl<'a> NewFile<'a> {
    /// Returns the new file that will become the file at `path`.
    ///
    /// # Errors
    /// The system's error for a path that cannot name a file.
    pub(crate) fn beside(path: &'a Path) -> io::Result<Self> {
        Ok(Self { beside: TempPath::try_from_path(path.with_added_extension("new"))?, path })
    }

    /// Returns the path to write to.
    pub(crate) fn path(&self) -> &Path {
        &self.beside
    }

    /// Moves the file into place, once it is on disk.
    ///
    /// # Errors
    /// System errors, including an existing file at the path; the new file is removed then.
    pub(crate) fn place(self) -> io::Result<()> {
        File::open(&self.beside)?.sync_all()?;
        self.beside.persist_noclobber(self.path).map_err(|refused| refused.error)?;
        File::open(folder_of(self.path))?.sync_all()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (path, usual) = (folder.path().join("a"), folder.path().join("usual"));
        std::fs::write(&usual, "").unwrap();
        for content in ["first", "second, and longer"] {
            replace_file(&path, content.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&usual), "others may read it as any file");
        let taken = folder.path().join("folder");
        std::fs::create_dir(&taken).unwrap();
        assert!(replace_file(&taken, b"no file").is_err());
        assert!(replace_file(&folder.path().join("nowhere/a"), b"").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
    }
}
