//! The log of what was done from browsers: a line of JSON each, on the disk before it is done.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The end of the log that is read to tell of it.
const TAIL: u64 = 256 << 10;

/// The log.
pub(super) struct Audit {
    path: PathBuf,
    file: Mutex<File>,
}

impl Audit {
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file) })
    }

    /// Takes note of what was done, and from which address.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, from: &str, did: &str) -> io::Result<()> {
        let mut line = json!({ "unix_ms": session::unix_ms(), "from": from, "did": did }).to_string();
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// The last entries, the newest first. A line that a crash has cut off is left out.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn last(&self, most: usize) -> io::Result<Vec<Value>> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).take(most).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_listed_newest_first_also_by_the_next_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::open(&path).expect("a log");
        audit.write("127.0.0.1", "one").expect("it is written");
        audit.write("::1", "two").expect("it is written");
        let mut cut_off = OpenOptions::new().append(true).open(&path).expect("it is there");
        cut_off.write_all(b"{\"from\":").expect("it is written");
        let entries = Audit::open(&path).expect("a log").last(5).expect("it can be read");
        let did: Vec<_> = entries.iter().map(|entry| (entry["from"].as_str(), entry["did"].as_str())).collect();
        assert_eq!(did, [(Some("::1"), Some("two")), (Some("127.0.0.1"), Some("one"))]);
        assert_eq!(Audit::open(&path).expect("a log").last(1).expect("it can be read").len(), 1);
    }
}
