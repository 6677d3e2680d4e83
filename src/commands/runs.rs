//! `spar runs`: the runs there are, one line each.

use super::{print, print_json};
use crate::args::List;
use crate::failure::{Exit, Failure};
use anyhow::anyhow;
use arena::run::{RunFolder, Verdict};
use reports::text::{counted, iso, utc};
use serde_json::{Value, json};
use session::{Progress, ReadRun, SessionError};
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
            let [first, last] = [run.sessions.first(), run.sessions.last()];
            json["began"] = json!(first.map(|first| iso(first.session.started_unix_ms)));
            let is_over = run.progress(path) != Progress::Running;
            json["ended"] = json!(last.filter(|_| is_over).and_then(|last| last.ended_unix_ms).map(iso));
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
            let units = counted(standing.pairs, run.header.config.experiment.rounds().unit());
            // To the minute, as the heading of a column would say: of UTC.
            let began = run.sessions.first().map_or_else(String::new, |first| utc(first.session.started_unix_ms));
            let began = began.trim_end_matches(" UTC");
            format!("{name:<width$}  {verdict:<11}  {units:>16}  {began:<16}  {elo}").trim_end().to_owned()
        }
    }
}
