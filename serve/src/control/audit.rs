//! The log of what was done from browsers: a line of JSON each, on the disk before it is done.

use serde_json::{Value, json};
use std::collections::BTreeSet;
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
        let text = self.tail()?;
        Ok(entries(&text).take(most).collect())
    }

    /// Those of the last entries that are about a run, the newest first.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn about(&self, run: &str, most: usize) -> io::Result<Vec<Value>> {
        let text = self.tail()?;
        let did = |entry: &Value| entry["did"].as_str().map(str::to_owned).unwrap_or_default();
        let numbers: BTreeSet<u64> = entries(&text).filter_map(|entry| number_of(&did(&entry), run)).collect();
        Ok(entries(&text).filter(|entry| is_about(&did(entry), run, &numbers)).take(most).collect())
    }

    fn tail(&self) -> io::Result<String> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The newest first.
fn entries(text: &str) -> impl Iterator<Item = Value> {
    text.lines().rev().filter_map(|line| serde_json::from_str(line).ok())
}

/// The words with which a run is entered that has just begun, after its name: the number of its entry in the queue
/// follows.
pub(super) const BEGUN: &str = "begun as entry";

/// The number in the queue under which a run was started or resumed, if an entry says so.
fn number_of(did: &str, run: &str) -> Option<u64> {
    if let Some(number) = did.strip_prefix(run).and_then(|rest| rest.strip_prefix(&format!(": {BEGUN} "))) {
        return number.parse().ok();
    }
    let (number, what) = did.strip_prefix("queued ")?.split_once(": resume ")?;
    let rest = what.strip_prefix(run)?;
    (rest.starts_with(',') || rest.starts_with(" with ")).then(|| number.parse().ok()).flatten()
}

/// Whether an entry is about a run, which was asked for under these numbers.
fn is_about(did: &str, run: &str, numbers: &BTreeSet<u64>) -> bool {
    if did.strip_prefix(run).is_some_and(|rest| rest.starts_with(": ")) {
        return true;
    }
    let mut words = did.split([' ', ':']);
    let is_about_entry = matches!(words.next(), Some("queued" | "began" | "ended" | "withdrew" | "gave"));
    is_about_entry && words.next().and_then(|number| number.parse().ok()).is_some_and(|id| numbers.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_a_run_is_told_from_what_is_about_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = Audit::open(&folder.path().join("audit.jsonl")).expect("a log");
        let all = [
            ("queued 1: start a, priority 0", true),
            ("queued 2: start a, priority 0", false),
            ("began 1: start a: builds", true),
            ("match-a-1: begun as entry 1", true),
            ("match-a-1: paused", true),
            ("match-a-12: paused", false),
            ("ended 1: start a: done", true),
            ("queued 12: resume match-a-12, priority 0", false),
            ("queued 3: resume match-a-1 with match.pairs=9, priority 0", true),
            ("gave 3 priority 7", true),
            ("gave 12 priority 7", false),
            ("held the queue", false),
        ];
        for (did, _) in all {
            audit.write("::1", did).expect("it is written");
        }
        let about = audit.about("match-a-1", 99).expect("it can be read");
        let about: Vec<&str> = about.iter().rev().filter_map(|entry| entry["did"].as_str()).collect();
        let expected: Vec<&str> = all.iter().filter(|(_, is)| *is).map(|(did, _)| *did).collect();
        assert_eq!(about, expected);
    }

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
