//! Paths of the working tree that belong to spar, and that are not part of a snapshot.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Paths of the working tree that belong to spar rather than to the engine.
pub(crate) struct ExcludedPaths(pub(super) Vec<Vec<u8>>);

impl ExcludedPaths {
    /// Collects the files and folders that are in the working tree at `root`.
    pub(crate) fn new<'p>(root: &Path, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let Ok(root) = root.canonicalize() else { return Self(Vec::new()) };
        let inside = |path: PathBuf| path.strip_prefix(&root).ok().map(|path| path.as_os_str().as_bytes().to_vec());
        let places = paths.into_iter().flat_map(|path| [itself(path), path.canonicalize().ok()]);
        let mut places: Vec<_> = places.flatten().filter_map(inside).filter(|place| !place.is_empty()).collect();
        places.sort();
        places.dedup();
        Self(places)
    }

    /// Whether a path of the working tree is one of these or below one.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        self.0.iter().any(|place| path.strip_prefix(&place[..]).is_some_and(|rest| rest.is_empty() || rest[0] == b'/'))
    }
}

/// Resolves links in all parts of a path except the last one, which may be a link itself.
fn itself(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}
