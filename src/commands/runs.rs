//! `spar runs`: the runs there are, one line each.

use super::show::{ReadRun, read_run};
use super::{print, print_json};
use crate::args::List;
use crate::failure::{Exit, Failure};
use crate::summary::RunSummary;
use crate::text::grouped;
use anyhow::anyhow;
use arena::run::{RunFolder, Standing, Verdict};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;

pub(crate) fn list(list: &List, runs: &Path) -> Result<Exit, Failure> {
    let paths = RunFolder::list(runs)?;
    let read: Vec<_> = paths.iter().map(|path| (path.as_path(), read_run(path))).collect();
    if list.json {
        let rows: Vec<Value> = read.iter().map(|(path, run)| row_json(path, run)).collect();
        print_json(&rows)?;
    } else if read.is_empty() {
        say!("There are no runs in {}. Start one: spar sprt configs/sprt.toml", runs.display());
    } else {
        let width = paths.iter().filter_map(|path| path.file_name()).map(OsStr::len).max().unwrap_or(0);
        for (path, run) in &read {
            print(row(path, run, width))?;
        }
    }
    let unreadable = read.iter().filter(|(_, run)| run.is_err()).count();
    if unreadable > 0 {
        return Err(Failure::Environment(anyhow!("{unreadable} of {} runs cannot be read", read.len())));
    }
    Ok(Exit::Done)
}

/// Whether anything more comes of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// It has its verdict.
    Finished,
    /// A process works on it.
    Running,
    /// It was stopped, and can be resumed.
    Interrupted,
}

impl State {
    pub(super) fn of(path: &Path, run: &ReadRun) -> Self {
        match run.experiment.verdict() {
            Some(_) => Self::Finished,
            None if RunFolder::is_worked_on(path) => Self::Running,
            None => Self::Interrupted,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
        }
    }
}

fn row_json(path: &Path, run: &Result<ReadRun, Failure>) -> Value {
    match run {
        Err(failure) => json!({ "run": path.to_string_lossy(), "error": failure.to_string() }),
        Ok(run) => {
            let mut json = summary(path, run, &run.experiment.standing()).json();
            json["state"] = json!(State::of(path, run).name());
            json
        }
    }
}

fn summary<'a>(path: &'a Path, run: &'a ReadRun, standing: &'a Standing) -> RunSummary<'a> {
    RunSummary {
        config: &run.header.config,
        standing,
        verdict: run.experiment.verdict(),
        faults: run.faults.clone(),
        starved: run.starved,
        path,
        elapsed: run.elapsed,
    }
}

fn row(path: &Path, run: &Result<ReadRun, Failure>, width: usize) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match run {
        Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
        Ok(run) => {
            let standing = run.experiment.standing();
            let elo = summary(path, run, &standing).in_short();
            let verdict = match run.experiment.verdict() {
                Some(Verdict::AcceptedH1) => "H1 accepted",
                Some(Verdict::AcceptedH0) => "H0 accepted",
                Some(Verdict::Undecided) => "undecided",
                Some(Verdict::Complete) => "complete",
                None => State::of(path, run).name(),
            };
            let units = format!("{}s", run.header.config.experiment.rounds().unit());
            format!("{name:<width$}  {verdict:<11}  {:>9} {units:<6} {elo}", grouped(standing.pairs))
        }
    }
}
