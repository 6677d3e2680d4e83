//! Waiting entries, by priority and then in order of arrival, unless they were moved. Changes are on the disk before
//! they are shown. After a restart the next server continues with the queue, starting with the run that was playing.

use crate::asker::Asker;
use arena::run::replace_file_durably;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The maximum number of requests' keys that are remembered.
const MOST_KEYS: usize = 1000;

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Kind {
    /// A new run.
    Start {
        /// The run's name.
        name: String,
        /// The run's configuration.
        toml: String,
    },
    /// A run to resume.
    Resume {
        /// The run's name.
        run: String,
        /// A setting of its configuration to change from now on.
        setting: Option<String>,
    },
}

impl Kind {
    pub(super) fn resume(run: &str, setting: Option<String>) -> Self {
        Self::Resume { run: run.to_owned(), setting }
    }

    /// Returns the run that it resumes.
    pub(super) fn resumes(&self) -> Option<&str> {
        if let Self::Resume { run, .. } = self { Some(run) } else { None }
    }

    /// Returns the kind in words.
    pub(super) fn says(&self) -> String {
        match self {
            Self::Start { name, .. } => format!("start {name}"),
            Self::Resume { run, setting: None } => format!("resume {run}"),
            Self::Resume { run, setting: Some(setting) } => format!("resume {run} with {setting}"),
        }
    }
}

/// A request for an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    /// Whether it is a job of several runs.
    pub(crate) is_job: bool,
}

/// An entry that waits or plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) priority: i32,
    pub(crate) added_unix_ms: i64,
    pub(crate) kind: Kind,
    /// The folder that a run or a job got when it was started.
    pub(crate) began: Option<String>,
    /// Whether it is a job of several runs.
    #[serde(default)]
    pub(crate) is_job: bool,
    /// Whether it was stopped only for a moment: it continues even while the queue is held.
    #[serde(default)]
    pub(crate) continues: bool,
    /// Whether the run is paused, even after another server has resumed it.
    pub(crate) paused: bool,
    /// The number of pairs at a time, if it was set while the run played.
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// The address that the request came from.
    pub(crate) from: String,
    /// The user who asked for it; empty in a queue of an earlier version.
    #[serde(default)]
    pub(crate) who: String,
}

impl Entry {
    /// Returns the run or the job of the entry, if there is one yet.
    pub(crate) fn run(&self) -> Option<&str> {
        match &self.kind {
            Kind::Start { .. } => self.began.as_deref(),
            Kind::Resume { run, .. } => Some(run),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "id": self.id, "priority": self.priority, "added_unix_ms": self.added_unix_ms, "what": self.kind.says(),
            "run": self.run(), "job": self.is_job, "started_by": self.who,
        })
    }
}

/// The content of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Stored {
    last: u64,
    held: bool,
    waiting: Vec<Entry>,
    playing: Option<Entry>,
    keys: Vec<(String, u64)>,
}

/// The outcome of moving an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// The entry has this priority now.
    To(i32),
    /// No entry waits under this number.
    Missing(u64),
}

/// The queue.
pub(super) struct Queue {
    path: PathBuf,
    stored: Stored,
}

impl Queue {
    /// Opens the queue in a file; empty if there is none.
    ///
    /// # Errors
    /// The file is not a queue, or cannot be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut stored: Stored = match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|wrong| {
                let (path, why) = (path.display(), io::ErrorKind::InvalidData);
                io::Error::new(why, format!("{path} is not a queue ({wrong}): move it away to begin with an empty one"))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Stored::default(),
            Err(error) => return Err(error),
        };
        // The last server ended while it played this entry. A run with a folder is resumed in it.
        if let Some(mut first) = stored.playing.take() {
            if let Some(run) = first.began.take() {
                first.kind = Kind::resume(&run, None);
            }
            (first.priority, first.continues) = (i32::MAX, true);
            stored.waiting.insert(0, first);
        }
        // The file may have been edited.
        stored.waiting.sort_by_key(|entry| Reverse(entry.priority));
        Ok(Self { path: path.to_owned(), stored })
    }

    /// Makes a change, once it is on the disk.
    fn change<T>(&mut self, change: impl FnOnce(&mut Stored) -> T) -> io::Result<T> {
        let mut changed = self.stored.clone();
        let answer = change(&mut changed);
        // The sort is stable: entries of the same priority stay in order.
        changed.waiting.sort_by_key(|entry| Reverse(entry.priority));
        replace_file_durably(&self.path, &serde_json::to_vec(&changed)?)?;
        self.stored = changed;
        Ok(answer)
    }

    /// Returns the entry that was added under a key.
    pub(super) fn known(&self, key: &str) -> Option<u64> {
        self.stored.keys.iter().find(|(known, _)| known == key).map(|(_, id)| *id)
    }

    /// Adds an entry for a user, and remembers its key. Returns its number.
    pub(super) fn add(&mut self, by: &Asker, asked: Asked, priority: i32, key: Option<&str>) -> io::Result<u64> {
        let Asked { kind, is_job } = asked;
        self.change(|stored| {
            stored.last += 1;
            let id = stored.last;
            stored.waiting.push(Entry {
                id,
                priority,
                added_unix_ms: session::unix_ms(),
                kind,
                began: None,
                is_job,
                continues: false,
                paused: false,
                concurrency: None,
                from: by.from.clone(),
                who: by.name.clone(),
            });
            if let Some(key) = key {
                stored.keys.push((key.to_owned(), id));
                let many = stored.keys.len().saturating_sub(MOST_KEYS);
                stored.keys.drain(..many);
            }
            id
        })
    }

    /// Removes a waiting entry.
    pub(super) fn remove(&mut self, id: u64) -> io::Result<Option<Entry>> {
        let Some(index) = self.stored.waiting.iter().position(|entry| entry.id == id) else { return Ok(None) };
        self.change(|stored| Some(stored.waiting.remove(index)))
    }

    pub(super) fn prefer(&mut self, id: u64, priority: i32) -> io::Result<bool> {
        let Some(index) = self.stored.waiting.iter().position(|entry| entry.id == id) else { return Ok(false) };
        self.change(|stored| stored.waiting[index].priority = priority)?;
        Ok(true)
    }

    /// Moves a waiting entry before another one, or to the end.
    ///
    /// The queue stays in order of priority: the moved entry keeps its priority if that fits between its new
    /// neighbours, and otherwise gets that of the nearer one.
    pub(super) fn advance(&mut self, id: u64, before: Option<u64>) -> io::Result<Moved> {
        let waiting = &self.stored.waiting;
        let find = |id: u64| waiting.iter().position(|entry| entry.id == id);
        let Some(from) = find(id) else { return Ok(Moved::Missing(id)) };
        let to = match before.filter(|before| *before != id) {
            None if before.is_some() => return Ok(Moved::To(waiting[from].priority)),
            None => waiting.len() - 1,
            Some(before) => match find(before) {
                Some(index) => index - usize::from(index > from),
                None => return Ok(Moved::Missing(before)),
            },
        };
        self.change(|stored| {
            let mut entry = stored.waiting.remove(from);
            let ahead = to.checked_sub(1).map_or(i32::MAX, |ahead| stored.waiting[ahead].priority);
            let behind = stored.waiting.get(to).map_or(i32::MIN, |behind| behind.priority);
            entry.priority = entry.priority.clamp(behind, ahead);
            let priority = entry.priority;
            stored.waiting.insert(to, entry);
            Moved::To(priority)
        })
    }

    pub(super) fn hold(&mut self, held: bool) -> io::Result<()> {
        self.change(|stored| stored.held = held)
    }

    pub(super) fn is_held(&self) -> bool {
        self.stored.held
    }

    pub(super) fn waiting(&self) -> &[Entry] {
        &self.stored.waiting
    }

    /// Returns the waiting entries, and the one that plays or is about to.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.stored.waiting.iter().chain(&self.stored.playing)
    }

    /// Starts the next entry, and returns it. While the queue is held, only an entry that played before continues.
    pub(super) fn begin(&mut self) -> io::Result<Option<Entry>> {
        let held = self.stored.held;
        let Some(next) = self.stored.waiting.iter().position(|entry| entry.continues || !held) else {
            return Ok(None);
        };
        self.change(|stored| {
            stored.playing = Some(Entry { continues: false, ..stored.waiting.remove(next) });
            stored.playing.clone()
        })
    }

    /// Records the folder of the entry that plays.
    pub(super) fn began(&mut self, run: &str) -> io::Result<()> {
        self.change(|stored| {
            if let Some(playing) = &mut stored.playing {
                playing.began = Some(run.to_owned());
            }
        })
    }

    /// Records a setting of the entry that plays.
    pub(super) fn note(&mut self, note: impl FnOnce(&mut Entry)) -> io::Result<()> {
        self.change(|stored| stored.playing.as_mut().map_or((), note))
    }

    /// Ends the entry that plays. With `goes_on`, it resumes before all others.
    pub(super) fn end(&mut self, goes_on: Option<Kind>) -> io::Result<()> {
        self.change(|stored| {
            if let (Some(entry), Some(kind)) = (stored.playing.take(), goes_on) {
                stored.waiting.insert(0, Entry { kind, began: None, priority: i32::MAX, continues: true, ..entry });
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(name: &str) -> Asked {
        Asked { kind: Kind::Start { name: name.to_owned(), toml: String::new() }, is_job: false }
    }

    fn ids(queue: &Queue) -> Vec<u64> {
        queue.waiting().iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn what_waits_is_taken_by_priority_and_then_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut queue = Queue::open(&folder.path().join("queue.json")).expect("an empty one");
        for (name, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", 5)] {
            queue.add(&Asker::server(), start(name), priority, None).expect("it is written");
        }
        assert_eq!(ids(&queue), [2, 4, 1, 3]);
        assert!(queue.prefer(3, 9).expect("it is written") && !queue.prefer(99, 1).expect("nothing to do"));
        assert_eq!(queue.begin().expect("it is written").map(|entry| entry.id), Some(3));
        assert_eq!(queue.remove(2).expect("it is written").map(|entry| entry.id), Some(2));
        assert_eq!(queue.remove(2).expect("nothing to do"), None);
        queue.hold(true).expect("it is written");
        assert_eq!(queue.begin().expect("nothing to do"), None);
        assert_eq!(ids(&queue), [4, 1]);
        // One that resumes at once is not held.
        queue.end(Some(Kind::resume("c", None))).expect("it is written");
        assert_eq!(queue.begin().expect("it is written").map(|entry| entry.id), Some(3));
        queue.end(None).expect("it is written");
        assert_eq!(queue.begin().expect("nothing to do"), None);
    }

    #[test]
    fn one_that_is_moved_takes_the_priority_of_its_new_place_where_its_own_does_not_fit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("queue.json");
        let mut queue = Queue::open(&path).expect("an empty one");
        for (name, priority) in [("a", 9), ("b", 5), ("c", 5), ("d", 0), ("e", 0)] {
            queue.add(&Asker::server(), start(name), priority, None).expect("it is written");
        }
        let mut advance = |id, before| {
            let moved = queue.advance(id, before).expect("it is written");
            (moved, ids(&queue))
        };
        assert_eq!(advance(3, Some(2)), (Moved::To(5), vec![1, 3, 2, 4, 5]), "among its equals");
        assert_eq!(advance(5, Some(4)), (Moved::To(0), vec![1, 3, 2, 5, 4]));
        assert_eq!(advance(4, Some(2)), (Moved::To(5), vec![1, 3, 4, 2, 5]), "it is raised");
        assert_eq!(advance(1, Some(2)), (Moved::To(5), vec![3, 4, 1, 2, 5]), "it is lowered");
        assert_eq!(advance(5, Some(3)), (Moved::To(5), vec![5, 3, 4, 1, 2]), "to the head");
        assert_eq!(advance(5, None), (Moved::To(5), vec![3, 4, 1, 2, 5]), "to the end");
        assert_eq!(advance(5, Some(5)), (Moved::To(5), vec![3, 4, 1, 2, 5]), "before itself");
        assert_eq!(advance(5, None), (Moved::To(5), vec![3, 4, 1, 2, 5]), "it is there");
        assert_eq!((advance(9, None).0, advance(5, Some(9)).0), (Moved::Missing(9), Moved::Missing(9)));
        let mut queue = Queue::open(&path).expect("it is there");
        assert_eq!(ids(&queue), [3, 4, 1, 2, 5], "the next server has the same order");
        queue.add(&Asker::server(), start("f"), 5, None).expect("it is written");
        assert_eq!(ids(&queue), [3, 4, 1, 2, 5, 6]);
    }

    #[test]
    fn the_next_server_takes_up_where_the_last_one_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("queue.json");
        let mut queue = Queue::open(&path).expect("an empty one");
        queue.add(&Asker::server(), start("a"), 0, Some("key")).expect("it is written");
        queue.add(&Asker::server(), start("b"), 7, None).expect("it is written");
        assert_eq!(queue.begin().expect("it is written").map(|entry| entry.id), Some(2));
        queue.began("sprt-b-1").expect("it is written");
        let note = |entry: &mut Entry| (entry.paused, entry.concurrency) = (true, NonZeroUsize::new(3));
        queue.note(note).expect("it is written");
        drop(queue);
        let mut queue = Queue::open(&path).expect("it is there");
        assert_eq!(ids(&queue), [2, 1]);
        assert_eq!(queue.waiting()[0].kind, Kind::resume("sprt-b-1", None));
        assert_eq!((queue.waiting()[0].paused, queue.waiting()[0].concurrency), (true, NonZeroUsize::new(3)));
        assert_eq!(queue.known("key"), Some(1));
        // An entry that was taken but had not begun is started again.
        queue.begin().expect("it is written");
        queue.end(None).expect("it is written");
        queue.begin().expect("it is written");
        drop(queue);
        assert_eq!(Queue::open(&path).expect("it is there").waiting()[0].kind, start("a").kind);
        std::fs::write(&path, "{}{").expect("a broken file");
        assert!(Queue::open(&path).is_err_and(|error| error.to_string().contains("is not a queue")));
    }
}
