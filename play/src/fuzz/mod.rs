//! What this crate reads from strangers, on inputs that are changed at random: one file for each target, inputs in
//! `tests/corpus`.

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

    /// Its path, once it holds these bytes.
    fn with(&self, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.folder.path().join(self.name);
        std::fs::write(&path, bytes).expect("an input can be written");
        path
    }

    /// A message without the folder's name, which is another each time.
    fn named_shortly(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// Where the messages of a file that is at fault begin.
fn names(message: &str, path: &Path) -> bool {
    message.contains(&*path.to_string_lossy())
}
