//! The log of actions: who did what and when, the text of each configuration that was started with its SHA-256, and
//! each program with its path and its SHA-256. Each entry is a line of JSON, and is on the disk before the action.
//!
//! Lines are only added. A full file gets a number, and the oldest file is removed, so that the log has a bounded size.
//! A file contains each text only once.

use super::programs::Program;
use crate::asker::Asker;
use crate::tokens::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The maximum size of a file in bytes.
const LARGEST: u64 = 8 << 20;
/// The number of full files that are kept.
const KEPT: usize = 8;

/// The subject of an action.
#[derive(Default)]
pub(super) struct About<'a> {
    /// The run or the job, if it has a folder yet.
    pub(super) run: Option<&'a str>,
    /// The configuration.
    pub(super) toml: Option<&'a str>,
    /// The programs that the action starts.
    pub(super) programs: &'a [Program],
    /// Who asked for it, if the server does it later.
    pub(super) asked_by: Option<&'a str>,
}

/// The log.
pub(super) struct Audit {
    path: PathBuf,
    largest: u64,
    open: Mutex<Open>,
}

/// The file to which lines are added.
struct Open {
    file: File,
    length: u64,
    /// The hashes of the texts in the file.
    texts: BTreeSet<String>,
    /// Whether the last line is incomplete.
    is_cut: bool,
}

impl Audit {
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::with(path, LARGEST)
    }

    fn with(path: &Path, largest: u64) -> io::Result<Self> {
        let open = Mutex::new(Open::of(path)?);
        Ok(Self { path: path.to_owned(), largest, open })
    }

    /// Logs an action and who performed it.
    ///
    /// # Errors
    /// The entry cannot be written.
    pub(super) fn write(&self, by: &Asker, did: &str, about: &About<'_>) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = about.toml.map(sha256);
        let mut line = line(by, did, about, hash.as_deref());
        let is_known = hash.as_ref().is_some_and(|hash| open.texts.contains(hash));
        if let Some(toml) = about.toml.filter(|_| !is_known) {
            line["toml"] = json!(toml);
        }
        let mut text = line.to_string() + "\n";
        if open.length > 0 && open.length + text.len() as u64 > self.largest {
            self.turn_over(&mut open)?;
            if let Some(toml) = about.toml {
                line["toml"] = json!(toml);
                text = line.to_string() + "\n";
            }
        }
        open.add(&text)?;
        open.texts.extend(hash);
        Ok(())
    }

    /// Renames the full file to number 1, and each other one to the next number.
    fn turn_over(&self, open: &mut Open) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            let (from, to) = (self.numbered(number), self.numbered(number + 1));
            if from.exists() {
                std::fs::rename(from, to)?;
            }
        }
        std::fs::rename(&self.path, self.numbered(1))?;
        *open = Open::of(&self.path)?;
        Ok(())
    }

    fn numbered(&self, number: usize) -> PathBuf {
        self.path.with_extension(format!("{number}.jsonl"))
    }

    /// Returns all entries, the newest first, read on demand. Skips lines that a crash has cut off.
    fn entries(&self) -> impl Iterator<Item = Value> {
        let files = std::iter::once(self.path.clone()).chain((1..=KEPT).map(|number| self.numbered(number)));
        files.flat_map(|path| {
            let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
            let lines: Vec<String> = text.lines().rev().map(str::to_owned).collect();
            lines.into_iter().filter_map(|line| serde_json::from_str::<Value>(&line).ok()).filter(Value::is_object)
        })
    }

    /// Returns the last entries, the newest first. Unless `is_whole`, omits addresses, programs and hashes.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn last(&self, most: usize, is_whole: bool) -> io::Result<Vec<Value>> {
        let _is_there = File::open(&self.path)?;
        Ok(self.entries().take(most).map(|entry| shown(entry, is_whole)).collect())
    }

    /// Returns the entries about a run, the newest first, without addresses, programs and hashes.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn about(&self, run: &str, most: usize) -> io::Result<Vec<Value>> {
        let _is_there = File::open(&self.path)?;
        let did = |entry: &Value| entry["did"].as_str().map(str::to_owned).unwrap_or_default();
        let numbers: BTreeSet<u64> = self.entries().filter_map(|entry| number_of(&did(&entry), run)).collect();
        let about = self.entries().filter(|entry| is_about(&did(entry), run, &numbers)).take(most);
        Ok(about.map(|entry| shown(entry, false)).collect())
    }

    /// Returns the configuration with this hash, if the log still has it.
    pub(super) fn text(&self, hash: &str) -> Option<String> {
        let mut entries = self.entries();
        entries.find_map(|entry| entry["toml"].as_str().filter(|_| entry["sha256"] == hash).map(str::to_owned))
    }
}

impl Open {
    fn of(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let bytes = std::fs::read(path)?;
        let is_cut = bytes.last().is_some_and(|last| *last != b'\n');
        let texts = bytes.split(|byte| *byte == b'\n').filter_map(|line| {
            let entry: Value = serde_json::from_slice(line).ok()?;
            entry.get("toml")?;
            entry["sha256"].as_str().map(str::to_owned)
        });
        Ok(Self { file, length: bytes.len() as u64, texts: texts.collect(), is_cut })
    }

    /// Adds a line. If the previous line is incomplete, starts a new one first.
    fn add(&mut self, line: &str) -> io::Result<()> {
        let line = if self.is_cut { format!("\n{line}") } else { line.to_owned() };
        self.is_cut = true;
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.is_cut = false;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Returns the entry of an action, without the text of its configuration.
fn line(by: &Asker, did: &str, about: &About<'_>, hash: Option<&str>) -> Value {
    let mut line = json!({ "unix_ms": session::unix_ms(), "who": by.name, "from": by.from, "did": did });
    let more = [("run", about.run), ("sha256", hash), ("asked_by", about.asked_by)];
    for (key, value) in more.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        line[key] = json!(value);
    }
    if !about.programs.is_empty() {
        line["programs"] = json!(about.programs);
    }
    line
}

fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Returns an entry for display: without the text of a configuration, and, unless `is_whole`, without addresses,
/// programs and hashes.
fn shown(mut entry: Value, is_whole: bool) -> Value {
    if let Value::Object(map) = &mut entry {
        map.retain(
            |key, _| {
                if is_whole { key != "toml" } else { ["unix_ms", "who", "did", "run"].contains(&key.as_str()) }
            },
        );
        map.entry("who").or_insert_with(|| json!(""));
    }
    entry
}

/// The words after a run's name in the entry for its start; the number of its entry in the queue follows.
pub(super) const BEGUN: &str = "begun as entry";

/// Returns the number in the queue under which a run was started or resumed, if the entry contains it.
fn number_of(did: &str, run: &str) -> Option<u64> {
    if let Some(number) = did.strip_prefix(run).and_then(|rest| rest.strip_prefix(&format!(": {BEGUN} "))) {
        return number.parse().ok();
    }
    let (number, what) = did.strip_prefix("queued ")?.split_once(": resume ")?;
    let rest = what.strip_prefix(run)?;
    (rest.starts_with(',') || rest.starts_with(" with ")).then(|| number.parse().ok()).flatten()
}

/// Whether an entry is about a run, which was in the queue under these numbers.
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
    use crate::tokens::Right;

    fn by(name: &str, from: &str) -> Asker {
        Asker { name: name.to_owned(), right: Right::Start, most: None, from: from.to_owned() }
    }

    fn wrote(audit: &Audit, did: &str, toml: Option<&str>) {
        audit.write(&by("ann", "::1"), did, &About { toml, ..About::default() }).expect("it is written");
    }

    fn did(audit: &Audit, most: usize) -> Vec<String> {
        let entries = audit.last(most, true).expect("it can be read");
        entries.iter().map(|entry| entry["did"].as_str().expect("words").to_owned()).collect()
    }

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
            wrote(&audit, did, None);
        }
        let about = audit.about("match-a-1", 99).expect("it can be read");
        let about: Vec<&str> = about.iter().rev().filter_map(|entry| entry["did"].as_str()).collect();
        let expected: Vec<&str> = all.iter().filter(|(_, is)| *is).map(|(did, _)| *did).collect();
        assert_eq!(about, expected);
    }

    #[test]
    fn actions_are_listed_newest_first_also_by_the_next_server_and_after_a_crash() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::open(&path).expect("a log");
        wrote(&audit, "one", None);
        wrote(&audit, "two", None);
        let mut cut_off = OpenOptions::new().append(true).open(&path).expect("it is there");
        cut_off.write_all(b"{\"from\":").expect("it is written");
        let next = Audit::open(&path).expect("a log");
        wrote(&next, "three", None);
        assert_eq!(did(&next, 5), ["three", "two", "one"]);
        assert_eq!(did(&next, 1), ["three"]);
        let entry = &next.last(1, true).expect("it can be read")[0];
        assert_eq!((entry["who"].as_str(), entry["from"].as_str()), (Some("ann"), Some("::1")));
        assert_eq!(next.last(1, false).expect("it can be read")[0].get("from"), None, "an address is private");
    }

    #[test]
    fn a_text_is_kept_once_and_found_by_its_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::open(&path).expect("a log");
        let toml = "name = \"a configuration\"\n";
        wrote(&audit, "one", Some(toml));
        let audit = Audit::open(&path).expect("a log");
        wrote(&audit, "two", Some(toml));
        assert_eq!(std::fs::read_to_string(&path).expect("text").matches("a configuration").count(), 1);
        let entries = audit.last(2, true).expect("it can be read");
        let hash = entries[0]["sha256"].as_str().expect("a hash");
        assert!(entries[1]["sha256"] == hash && entries.iter().all(|entry| entry.get("toml").is_none()), "{entries:?}");
        assert_eq!(audit.text(hash).as_deref(), Some(toml));
        assert_eq!(audit.text("0"), None);
    }

    #[test]
    fn full_files_are_numbered_and_the_oldest_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::with(&path, 300).expect("a log");
        for number in 0..50 {
            wrote(&audit, &format!("action {number}"), Some("the same text"));
        }
        let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        let lengths: Vec<u64> = files.map(|file| file.metadata().expect("a file").len()).collect();
        assert!(lengths.len() == KEPT + 1 && lengths.iter().all(|length| *length <= 300), "{lengths:?}");
        let did = did(&audit, 100);
        assert!(did.len() >= 9 && did[0] == "action 49" && did[1] == "action 48", "{did:?}");
        let hash = sha256("the same text");
        assert_eq!(audit.text(&hash).as_deref(), Some("the same text"), "each file has it");
    }
}
