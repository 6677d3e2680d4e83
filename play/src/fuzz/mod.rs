//! Fuzz targets for all input of this crate from other programs. One file for each target; inputs are in `tests/corpus`
//! and are changed at random.

mod book;
mod engine_lines;
mod pgn;
mod polyglot;

use fuzz::Target;
use std::path::Path;
use tempfile::TempDir;

/// The target of this name.
fn target(name: &'static str) -> Target {
    Target::new(name, env!("CARGO_MANIFEST_DIR"))
}

/// A file that holds one input after the other.
struct InputFile {
    folder: TempDir,
    name: &'static str,
}

impl InputFile {
    fn named(name: &'static str) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), name }
    }

    /// The path of the file, after writing these bytes to it.
    fn with(&self, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.folder.path().join(self.name);
        std::fs::write(&path, bytes).expect("an input can be written");
        path
    }

    /// A message without the folder's name, which differs each time.
    fn named_shortly(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// Whether a message begins with the name of the faulty file.
fn names(message: &str, path: &Path) -> bool {
    message.contains(&*path.to_string_lossy())
}
