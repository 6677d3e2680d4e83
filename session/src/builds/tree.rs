//! The sources of a revision: a repository of this machine, or an archive that was made on another machine.

use super::error::BuildError;
use super::git::Repository;
use super::revision::Revision;
use std::fs::File;
use std::path::Path;

/// The source of a revision's files.
#[derive(Clone, Copy)]
pub(super) enum Tree<'a> {
    /// A repository.
    Repository(&'a Repository<'a>),
    /// An archive made by [`pack`].
    Archive(&'a Path),
}

impl Tree<'_> {
    /// Unpacks the files into a new folder, replacing anything there.
    pub(super) fn lay_out(self, revision: &Revision, folder: &Path) -> Result<(), BuildError> {
        match self {
            Self::Repository(repository) => repository.check_out(revision, folder),
            Self::Archive(archive) => {
                self.remove(folder);
                unpack(archive, folder)
                    .map_err(BuildError::io(format!("cannot unpack the sources into {}", folder.display())))
            }
        }
    }

    /// Removes that folder, if it exists.
    pub(super) fn remove(self, folder: &Path) {
        match self {
            Self::Repository(repository) => repository.forget(folder),
            Self::Archive(_) => {
                let _not_there = std::fs::remove_dir_all(folder);
            }
        }
    }
}

/// Compresses a tar archive. The same archive yields the same bytes.
pub(super) fn pack(tar: &Path, to: &mut File) -> std::io::Result<()> {
    zstd::stream::copy_encode(File::open(tar)?, to, zstd::DEFAULT_COMPRESSION_LEVEL)
}

fn unpack(archive: &Path, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tar::Archive::new(zstd::stream::Decoder::new(File::open(archive)?)?).unpack(folder)
}
