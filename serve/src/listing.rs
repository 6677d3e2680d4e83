//! All runs by name. A name from outside is looked up here and never made into a path.

use crate::hub::{EventKind, Hub};
use crate::run::Run;
use crate::starters::Starters;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The maximum number of runs whose reports are in memory.
const MOST_REPORTS: usize = 4;

/// Returns the name of the run in a folder.
fn name_of(path: &Path) -> Option<Arc<str>> {
    path.file_name()?.to_str().map(Arc::from)
}

/// All runs, and their events.
pub(crate) struct Listing {
    runs: RwLock<BTreeMap<Arc<str>, Arc<Run>>>,
    pub(crate) hub: Hub,
    /// The names of the runs whose reports are kept, the most recently requested one last.
    reported: Mutex<VecDeque<Arc<str>>>,
    /// The run that this server plays and has paused.
    paused: Mutex<Option<String>>,
    pub(crate) starters: Arc<Starters>,
}

impl Listing {
    pub(crate) fn new(epoch: u64, starters: Arc<Starters>) -> Self {
        let (runs, reported, paused) = (RwLock::default(), Mutex::default(), Mutex::default());
        Self { runs, hub: Hub::new(epoch), reported, paused, starters }
    }

    fn run_in(&self, name: Arc<str>, path: PathBuf) -> Arc<Run> {
        let started_by = self.starters.of(&name);
        Arc::new(Run::new(name, path, started_by))
    }

    /// Returns the run with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Run>> {
        self.runs.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns all runs, by name.
    pub(crate) fn all(&self) -> Vec<Arc<Run>> {
        self.runs.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Sets the folders of the runs, and publishes those that were removed.
    pub(crate) fn set(&self, folders: Vec<PathBuf>) {
        let named: BTreeMap<Arc<str>, PathBuf> =
            folders.into_iter().filter_map(|path| Some((name_of(&path)?, path))).collect();
        let mut runs = self.runs.write().unwrap_or_else(PoisonError::into_inner);
        // A run that was added since the folders were listed is not removed.
        let is_gone = |(name, run): &(&Arc<str>, &Arc<Run>)| !named.contains_key(*name) && !run.path().exists();
        let gone: Vec<Arc<str>> = runs.iter().filter(is_gone).map(|(name, _)| Arc::clone(name)).collect();
        for name in &gone {
            runs.remove(name);
        }
        for (name, path) in named {
            runs.entry(Arc::clone(&name)).or_insert_with(|| self.run_in(name, path));
        }
        drop(runs);
        for name in gone {
            self.starters.forget(&name);
            let data = serde_json::json!({ "name": name }).to_string();
            self.hub.publish(EventKind::Gone, &name, data.into());
        }
    }

    /// Adds a run that has just begun, before its folder is listed.
    pub(crate) fn add(&self, path: &Path) {
        let Some(name) = name_of(path) else { return };
        let mut runs = self.runs.write().unwrap_or_else(PoisonError::into_inner);
        let run = runs.entry(Arc::clone(&name)).or_insert_with(|| self.run_in(Arc::clone(&name), path.to_owned()));
        // The run may have been listed before its starter was known.
        run.start_by(self.starters.of(&name));
    }

    /// Sets the run that is paused, if there is one.
    pub(crate) fn pause(&self, run: Option<&str>) {
        *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = run.map(str::to_owned);
    }

    /// Whether a run is paused, if this server plays it.
    pub(crate) fn is_paused(&self, run: &str) -> bool {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == Some(run)
    }

    /// Notes that a run's report was made, and drops the least recently requested one.
    pub(crate) fn reported(&self, name: &Arc<str>) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        reported.retain(|other| other != name);
        reported.push_back(Arc::clone(name));
        if reported.len() > MOST_REPORTS
            && let Some(run) = reported.pop_front().and_then(|oldest| self.get(&oldest))
        {
            run.forget_report();
        }
    }
}
