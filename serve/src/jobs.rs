//! Jobs of several runs that have a table of where they stand: campaigns. They are read from their folders whenever
//! these have changed, also if another process plays them; all texts are the job's own.

use crate::hub::{EventKind, Hub};
use serde_json::{Value, json};
use session::work::{CampaignJob, JobTable, Row};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// What tells that a job may stand elsewhere: when its file was written, and whether a process works on it.
type Mark = (Option<SystemTime>, bool);

/// A job as JSON.
struct Known {
    mark: Mark,
    data: Arc<str>,
}

/// All jobs by name.
#[derive(Default)]
pub(crate) struct Jobs {
    known: Mutex<BTreeMap<Arc<str>, Known>>,
}

impl Jobs {
    fn known(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them as JSON, by name.
    pub(crate) fn all(&self) -> Vec<Arc<str>> {
        self.known().values().map(|job| Arc::clone(&job.data)).collect()
    }

    /// Takes in what has changed in a folder of runs, and publishes it.
    pub(crate) fn look(&self, folder: &Path, hub: &Hub) {
        // A folder that cannot be read for a moment has not lost its jobs.
        let Ok(paths) = CampaignJob::list(folder) else { return };
        let named = |path: &Path| path.file_name()?.to_str().map(Arc::<str>::from);
        let mut gone: Vec<Arc<str>> = self.known().keys().cloned().collect();
        for path in paths {
            let Some(name) = named(&path) else { continue };
            gone.retain(|other| *other != name);
            let mark = CampaignJob::mark(&path);
            if self.known().get(&name).is_some_and(|known| known.mark == mark) {
                continue;
            }
            let data: Arc<str> = read(&name, &path).to_string().into();
            let known = Known { mark, data: Arc::clone(&data) };
            let before = self.known().insert(Arc::clone(&name), known);
            if before.is_none_or(|before| before.data != data) {
                hub.publish(EventKind::Job, &name, data);
            }
        }
        for name in gone {
            self.known().remove(&name);
            hub.publish(EventKind::Gone, &name, json!({ "name": name }).to_string().into());
        }
    }
}

/// A job as JSON; one that cannot be read says why.
fn read(name: &str, path: &Path) -> Value {
    match CampaignJob::read(path, &[]) {
        Ok(Some(job)) => written(name, &job),
        Ok(None) => json!({ "name": name, "state": "unreadable", "says": "it is no longer there" }),
        Err(why) => json!({ "name": name, "state": "unreadable", "says": why.to_string() }),
    }
}

fn written(name: &str, job: &CampaignJob) -> Value {
    let JobTable { says, next, columns, rows, below } = job.table();
    let row =
        |Row { cells, tone, run, why }: Row| json!({ "cells": cells, "tone": tone.name(), "run": run, "why": why });
    let columns = columns.iter().map(|column| json!({ "head": column.head, "text": column.is_text }));
    json!({
        "name": name,
        "kind": "campaign",
        "title": job.title(),
        "state": job.state(),
        "began": reports::text::iso(job.began_unix_ms()),
        "says": says,
        "next": next,
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.into_iter().map(row).collect::<Vec<_>>(),
        "below": below,
    })
}
