//! `spar runs`: the runs there are, one line each.

use super::{learn, print, print_json};
use crate::args::List;
use crate::failure::{Exit, Failure};
use anyhow::anyhow;
use arena::run::{RunFolder, Verdict};
use reports::text::{counted, iso, utc};
use serde_json::{Value, json};
use session::work::LearnJob;
use session::{Progress, ReadRun, SessionError};
use std::ffi::OsStr;
use std::path::Path;

pub(crate) fn list(list: &List, runs: &Path) -> Result<Exit, Failure> {
    let paths = RunFolder::list(runs)?;
    let read: Vec<_> = paths.iter().map(|path| (path.as_path(), ReadRun::open(path))).collect();
    let folders = LearnJob::list(runs)?;
    let learnt: Vec<_> = folders.iter().map(|path| (path.as_path(), learn::read(path))).collect();
    if list.json {
        let rows = read.iter().map(|(path, run)| row_json(path, run));
        let rows: Vec<Value> = rows.chain(learnt.iter().map(|(path, job)| learnt_json(path, job))).collect();
        print_json(&rows)?;
    } else if read.is_empty() && learnt.is_empty() {
        say!("There are no runs in {}. Start one: spar sprt configs/sprt.toml", runs.display());
    } else {
        let width = paths.iter().chain(&folders).filter_map(|path| path.file_name()).map(OsStr::len).max().unwrap_or(0);
        for (path, run) in &read {
            print(row(path, run, width))?;
        }
        for (path, job) in &learnt {
            print(learnt_row(path, job, width))?;
        }
    }
    let unreadable = read.iter().filter(|(_, run)| run.is_err()).count();
    let unreadable = unreadable + learnt.iter().filter(|(_, job)| !matches!(job, Ok(Some(_)))).count();
    if unreadable > 0 {
        let all = read.len() + learnt.len();
        return Err(Failure::Environment(anyhow!("{unreadable} of {all} runs cannot be read")));
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

/// What was read of learning.
type Learnt = Result<Option<LearnJob>, SessionError>;

fn learnt_json(path: &Path, job: &Learnt) -> Value {
    match job {
        Err(failure) => json!({ "run": path.to_string_lossy(), "error": failure.to_string() }),
        Ok(job) => {
            let mut json = job.as_ref().map_or(Value::Null, LearnJob::json);
            json["run"] = json!(path.to_string_lossy());
            json["began"] = json!(job.as_ref().map(|job| iso(job.began_unix_ms())));
            json
        }
    }
}

fn learnt_row(path: &Path, job: &Learnt, width: usize) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match job {
        Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
        Ok(None) => format!("{name:<width$}  unreadable"),
        Ok(Some(job)) => {
            let units = counted(u64::from(job.done()), "generation");
            let began = utc(job.began_unix_ms());
            let row = format!(
                "{name:<width$}  {:<11}  {units:>16}  {:<16}  {}",
                job.state(),
                began.trim_end_matches(" UTC"),
                job.in_short(),
            );
            row.trim_end().to_owned()
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
