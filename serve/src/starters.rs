//! Who started which run or job here: a file beside the queue, so that lists can show it, even after a restart and
//! without `--control`.

use arena::run::replace_file_durably;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file, in the folder of the runs.
const FILE: &str = ".serve/started.json";

/// Runs and jobs by name, each with the user who started it.
pub(crate) struct Starters {
    runs: PathBuf,
    people: Mutex<BTreeMap<String, String>>,
}

impl Starters {
    /// Reads the file of a folder of runs. An unreadable file counts as empty: nothing depends on it.
    pub(crate) fn read(runs: &Path) -> Self {
        let text = std::fs::read(runs.join(FILE)).unwrap_or_default();
        let people = serde_json::from_slice(&text).unwrap_or_default();
        Self { runs: runs.to_owned(), people: Mutex::new(people) }
    }

    /// Returns who started a run or job, if it was started here.
    pub(crate) fn of(&self, name: &str) -> Option<String> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Adds the starter to a row.
    pub(crate) fn note(&self, row: &mut Value) {
        if let Some(name) = row["name"].as_str() {
            row["started_by"] = self.of(name).into();
        }
    }

    /// Forgets a run whose folder was deleted: another run may get its name.
    pub(crate) fn forget(&self, name: &str) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.remove(name).is_some() {
            // If the write fails, the next `set` writes it.
            let _left = self.write(&people);
        }
    }

    fn write(&self, people: &BTreeMap<String, String>) -> io::Result<()> {
        replace_file_durably(&self.runs.join(FILE), &serde_json::to_vec(people)?)
    }

    /// Records who started a run. Drops runs whose folders were deleted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn set(&self, name: &str, person: &str) -> io::Result<()> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.retain(|name, _| self.runs.join(name).exists());
        people.insert(name.to_owned(), person.to_owned());
        self.write(&people)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starters_are_known_to_the_next_server_until_the_run_is_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".serve", "one", "two"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let starters = Starters::read(folder.path());
        starters.set("one", "ann").expect("it is written");
        starters.set("two", "ben").expect("it is written");
        let next = Starters::read(folder.path());
        assert_eq!(
            (next.of("one").as_deref(), next.of("two").as_deref(), next.of("three")),
            (Some("ann"), Some("ben"), None)
        );
        std::fs::remove_dir(folder.path().join("one")).expect("it is there");
        next.set("two", "ann").expect("it is written");
        assert_eq!(next.of("one"), None);
        std::fs::write(folder.path().join(FILE), "{").expect("a broken file");
        assert_eq!(Starters::read(folder.path()).of("two"), None);
    }
}
