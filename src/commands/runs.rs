//! `spar runs`: the runs there are, one line each.

use super::{print, print_json};
use crate::args::List;
use crate::failure::{Exit, Failure};
use anyhow::anyhow;
use arena::run::{RunFolder, Verdict};
use reports::text::grouped;
use serde_json::{Value, json};
use session::{ReadRun, SessionError};
use std::ffi::OsStr;
use std::path::Path;

pub(crate) fn list(list: &List, runs: &Path) -> Result<Exit, Failure> {
    let paths = RunFolder::list(runs)?;
    let read: Vec<_> = paths.iter().map(|path| (path.as_path(), ReadRun::open(path))).collect();
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

fn row_json(path: &Path, run: &Result<ReadRun, SessionError>) -> Value {
    match run {
        Err(failure) => json!({ "run": path.to_string_lossy(), "error": failure.to_string() }),
        Ok(run) => {
            let mut json = run.summary(path, &run.experiment.standing()).json();
            json["state"] = json!(run.progress(path).name());
            json
        }
    }
}

fn row(path: &Path, run: &Result<ReadRun, SessionError>, width: usize) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match run {
        Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
        Ok(run) => {
            let standing = run.experiment.standing();
            let elo = run.summary(path, &standing).in_short();
            let verdict = match run.verdict() {
                Some(Verdict::AcceptedH1) => "H1 accepted",
                Some(Verdict::AcceptedH0) => "H0 accepted",
                Some(Verdict::Undecided) => "undecided",
                Some(Verdict::Complete) => "complete",
                None => run.progress(path).name(),
            };
            let units = format!("{}s", run.header.config.experiment.rounds().unit());
            format!("{name:<width$}  {verdict:<11}  {:>9} {units:<6} {elo}", grouped(standing.pairs))
        }
    }
}
