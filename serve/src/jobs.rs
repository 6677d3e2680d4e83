//! Bisections and campaigns in the folder of the runs: their standing, even if another process plays them, and their
//! pages. Their runs are ordinary runs, which the listing has.

use crate::control::programs::Program;
use crate::hub::{EventKind, Hub};
use crate::known::FileMark;
use crate::starters::Starters;
use arena::run::RunFolder;
use plan::{Disk, RunPlan};
use serde_json::{Value, json};
use session::SessionError;
use session::work::{BisectJob, CampaignJob, JobTable, Row};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The state of an unfinished job while a process works on it, and while none does.
const OPEN: [&str; 2] = ["running", "interrupted"];
/// The state of a job that cannot be read.
const UNREADABLE: &str = "unreadable";

/// A bisection or a campaign.
pub(crate) enum Job {
    Bisect(Box<BisectJob>),
    Campaign(Box<CampaignJob>),
}

impl Job {
    /// Reads the job in a folder; `None` if there is none.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, SessionError> {
        if let Some(job) = BisectJob::read(folder, &[])? {
            return Ok(Some(Self::Bisect(Box::new(job))));
        }
        Ok(CampaignJob::read(folder, &[])?.map(|job| Self::Campaign(Box::new(job))))
    }

    /// Returns the section of its configuration.
    fn kind(&self) -> &'static str {
        match self {
            Self::Bisect(_) => "bisect",
            Self::Campaign(_) => "campaign",
        }
    }

    /// Returns its standing, in a sentence.
    pub(crate) fn says(&self) -> String {
        match self {
            Self::Bisect(job) => job.says(),
            Self::Campaign(job) => job.says(),
        }
    }

    pub(crate) fn pairs(&self) -> u64 {
        match self {
            Self::Bisect(job) => job.pairs(),
            Self::Campaign(job) => job.pairs(),
        }
    }

    fn page(&self) -> PathBuf {
        match self {
            Self::Bisect(job) => job.page(),
            Self::Campaign(job) => job.page(),
        }
    }

    /// Returns the names of its runs.
    fn runs(&self) -> Vec<String> {
        match self {
            Self::Bisect(job) => job.runs(),
            Self::Campaign(job) => job.runs(),
        }
    }

    /// Returns the `key=value` setting that gives it another limit.
    pub(crate) fn limit(&self, pairs: NonZeroU64) -> String {
        format!("{}.max_pairs={pairs}", self.kind())
    }

    fn row(&self, name: &str) -> Value {
        let (title, state, short, began) = match self {
            Self::Bisect(job) => (job.title(), job.state(), job.in_short(), job.began_unix_ms()),
            Self::Campaign(job) => (job.title(), job.state(), job.in_short(), job.began_unix_ms()),
        };
        let mut row = json!({
            "name": name, "kind": self.kind(), "title": title, "state": state, "says": self.says(), "short": short,
            "pairs": self.pairs(), "began": reports::text::iso(began), "runs": self.runs(),
        });
        if let Self::Campaign(job) = self {
            row["table"] = written(&job.table());
        }
        row
    }

    /// Returns all data of the job, as `spar show --json` prints it, but without its path.
    fn detail(&self, name: &str) -> Value {
        let mut detail = match self {
            Self::Bisect(job) => job.json(),
            Self::Campaign(job) => job.json(),
        };
        // The path on this machine is private.
        if let Value::Object(map) = &mut detail {
            map.retain(|key, _| !["job", "report"].contains(&key.as_str()));
        }
        let row = self.row(name);
        for key in ["name", "kind", "says", "short", "began", "runs"] {
            detail[key] = row[key].clone();
        }
        detail
    }
}

/// Returns the table of a job's standing, as JSON.
fn written(table: &JobTable) -> Value {
    let JobTable { says, next, columns, rows, below } = table;
    let row =
        |Row { cells, tone, run, why }: &Row| json!({ "cells": cells, "tone": tone.name(), "run": run, "why": why });
    let columns = columns.iter().map(|column| json!({ "head": column.head, "text": column.is_text }));
    json!({
        "says": says,
        "next": next,
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "below": below,
    })
}

/// The data of a job at the last read.
struct Read {
    /// The folder's state then: each change replaces a file in it.
    mark: Option<FileMark>,
    row: Value,
}

/// Which jobs have ended, to report each end once.
struct Ends {
    /// The start time of the server, as rows have it. Jobs that were over then are not reported.
    since: String,
    /// Each job that could be read: whether it was open, and its pairs.
    known: BTreeMap<String, (bool, Value)>,
}

impl Ends {
    /// Takes the row of a job. Returns whether the job has ended since the last row, or since the server's start.
    fn take(&mut self, name: &str, row: &Value) -> bool {
        if row["state"] == UNREADABLE {
            return false;
        }
        let (is_open, pairs) = (is_open(row), &row["pairs"]);
        let before = self.known.insert(name.to_owned(), (is_open, pairs.clone()));
        let is_new = || row["began"].as_str().is_some_and(|began| began >= self.since.as_str());
        // A job may have played and ended since the last look, and even begun.
        !is_open && before.map_or_else(is_new, |(was_open, had)| was_open || had != *pairs)
    }
}

/// All bisections and campaigns.
pub(crate) struct Jobs {
    runs: PathBuf,
    starters: Arc<Starters>,
    read: Mutex<BTreeMap<String, Read>>,
    /// The last published row of each job.
    published: Mutex<BTreeMap<String, Value>>,
    ends: Mutex<Ends>,
}

impl Jobs {
    pub(crate) fn new(runs: &Path, starters: Arc<Starters>) -> Self {
        let ends = Ends { since: reports::text::iso(session::unix_ms()), known: BTreeMap::new() };
        let (read, published, ends) = (Mutex::default(), Mutex::default(), Mutex::new(ends));
        Self { runs: runs.to_owned(), starters, read, published, ends }
    }

    fn folders(&self) -> Result<Vec<PathBuf>, SessionError> {
        Ok([BisectJob::list(&self.runs)?, CampaignJob::list(&self.runs)?].concat())
    }

    /// Returns the folder of a job. A name from outside is looked up and never made into a path.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.folders().ok()?.into_iter().find(|folder| name_of(folder) == Some(name))
    }

    /// Returns the job with this name.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Job>, SessionError> {
        self.folder(name).map_or(Ok(None), |folder| Job::read(&folder))
    }

    /// Returns the name of the job that a run belongs to.
    pub(crate) fn of_run(&self, run: &Path) -> Option<String> {
        let job = session::work::resumable(run);
        name_of(&job).filter(|name| job != run && self.folder(name).is_some()).map(str::to_owned)
    }

    /// Returns the standing of all jobs, the newest first.
    ///
    /// # Errors
    /// The folder of the runs cannot be read.
    pub(crate) fn rows(&self) -> Result<Vec<Value>, SessionError> {
        let folders = self.folders()?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = Vec::new();
        let mut seen = BTreeMap::new();
        for folder in folders {
            let Some(name) = name_of(&folder) else { continue };
            let (is_worked_on, mark) = (RunFolder::is_worked_on(&folder), FileMark::of(&folder));
            let same = read.remove(name).filter(|read| read.mark.is_some() && read.mark == mark);
            let read = same.unwrap_or_else(|| Read { mark, row: row(name, &folder) });
            let mut row = now(read.row.clone(), is_worked_on);
            self.starters.note(&mut row);
            rows.push(row);
            seen.insert(name.to_owned(), read);
        }
        *read = seen;
        drop(read);
        rows.sort_by(|one, other| other["began"].as_str().cmp(&one["began"].as_str()));
        Ok(rows)
    }

    /// Publishes what has changed since the last look. Returns the rows of the jobs that have ended since.
    pub(crate) fn look(&self, hub: &Hub) -> Vec<Value> {
        // A folder that is unreadable for a moment has not lost its jobs.
        let Ok(rows) = self.rows() else { return Vec::new() };
        let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
        let rows: BTreeMap<String, Value> = rows.into_iter().map(|row| (name(&row), row)).collect();
        let mut published = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, row) in rows.iter().filter(|(name, row)| published.get(*name) != Some(row)) {
            hub.publish(EventKind::Job, &name.as_str().into(), row.to_string().into());
        }
        for name in published.keys().filter(|name| !rows.contains_key(*name)) {
            hub.publish(EventKind::Gone, &name.as_str().into(), json!({ "name": name }).to_string().into());
        }
        *published = rows;
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        published.iter().filter(|(name, row)| ends.take(name, row)).map(|(_, row)| row.clone()).collect()
    }

    /// Returns all data of a job; `None` if there is none with this name.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn detail(&self, name: &str) -> Result<Option<Value>, SessionError> {
        let Some(folder) = self.folder(name) else { return Ok(None) };
        let is_worked_on = RunFolder::is_worked_on(&folder);
        let mut detail = Job::read(&folder)?.map(|job| now(job.detail(name), is_worked_on));
        if let Some(detail) = &mut detail {
            self.starters.note(detail);
        }
        Ok(detail)
    }

    /// Returns the job's page as it was last written; `None` if there is none. Links to its runs point to their pages
    /// on this server.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn page(&self, name: &str) -> Result<Option<String>, String> {
        let Some(job) = self.get(name).map_err(|why| why.to_string())? else { return Ok(None) };
        let text = match std::fs::read_to_string(job.page()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let linked = |text: String, run: String| {
            text.replace(&format!("\"../{run}/{}\"", reports::PAGE), &format!("\"/runs/{run}\""))
        };
        Ok(Some(job.runs().into_iter().fold(text, linked)))
    }
}

fn row(name: &str, folder: &Path) -> Value {
    match Job::read(folder) {
        Ok(Some(job)) => job.row(name),
        Ok(None) => json!({ "name": name, "state": UNREADABLE, "says": "it is gone" }),
        Err(why) => json!({ "name": name, "state": UNREADABLE, "says": why.to_string() }),
    }
}

/// Whether the job of a row is unfinished.
fn is_open(row: &Value) -> bool {
    row["state"].as_str().is_some_and(|state| OPEN.contains(&state))
}

/// Sets the state of a row or of all data of a job, given whether a process worked on it when it was read. The files do
/// not have that, and it must be checked before they are read: a process that has released a job has written how it
/// ended.
fn now(mut row: Value, is_worked_on: bool) -> Value {
    if is_open(&row) {
        row["state"] = json!(OPEN[usize::from(!is_worked_on)]);
    }
    row
}

/// Returns which commands build the engines of a job, and which programs it names itself, for the log: permission to
/// start runs is permission to start programs.
pub(crate) fn programs(plan: &RunPlan) -> Vec<Program> {
    let keys = &plan.keys;
    let build = keys.build.as_ref().and_then(|build| build.value.command.as_ref());
    let build = build.map_or_else(|| "the usual command".to_owned(), |command| command.value.clone());
    let program = |of: &str, command: String| Program { of: of.to_owned(), command, path: None, sha256: None };
    let patches = keys.campaign.iter().flat_map(|given| &given.value.patch);
    let patches = patches.filter_map(|patch| {
        let name = patch.value.name.as_ref().map_or("patch", |name| name.value.as_str());
        Some(program(name, patch.value.command.as_ref()?.value.clone()))
    });
    std::iter::once(program("build", build)).chain(patches).collect()
}

/// Returns the plan of the job in a folder.
///
/// # Errors
/// The reason why it cannot be read.
pub(crate) fn plan_of(folder: &Path) -> Result<RunPlan, String> {
    let config = folder.join("config.toml");
    let text = std::fs::read_to_string(&config).map_err(|why| format!("cannot read {}: {why}", config.display()))?;
    RunPlan::read(&text, "the configuration", "job", &[], None, Disk).map_err(|why| why.to_string())
}

fn name_of(folder: &Path) -> Option<&str> {
    folder.file_name()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_of_a_job_is_reported_once() {
        let mut ends = Ends { since: "2026-11-28T12:00:00Z".to_owned(), known: BTreeMap::new() };
        let row = |began: &str, state: &str, pairs: u64| json!({ "began": began, "state": state, "pairs": pairs });
        let (before, later) = ("2026-11-28T11:59:59Z", "2026-11-28T12:00:00Z");
        assert!(!ends.take("old", &row(before, "finished", 5)), "it was over when the server started");
        assert!(ends.take("old", &row(before, "finished", 9)), "it has played");
        assert!(ends.take("quick", &row(later, "finished", 5)), "it began and ended between two looks");
        assert!(!ends.take("slow", &row(later, "running", 5)));
        assert!(!ends.take("slow", &json!({ "state": UNREADABLE, "says": "no such file" })));
        assert!(ends.take("slow", &row(later, "finished", 5)));
        for name in ["quick", "slow"] {
            assert!(!ends.take(name, &json!({ "state": UNREADABLE, "says": "no such file" })));
            assert!(!ends.take(name, &row(later, "finished", 5)), "{name}");
        }
    }
}
