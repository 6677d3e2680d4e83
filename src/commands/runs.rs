//! `spar runs`: lists the runs, one line each.

use super::{bisect, campaign, learn, print, print_json, remote};
use crate::args::List;
use crate::failure::{Exit, Failure};
use anyhow::anyhow;
use arena::run::{Finish, FolderError, RunFolder, Verdict};
use reports::text::{counted, iso, utc};
use serde_json::{Value, json};
use session::work::{BisectJob, CampaignJob, LearnJob, Series};
use session::{Progress, ReadRun, SessionError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) fn list(list: &List, runs: &Path) -> Result<Exit, Failure> {
    if let Some(server) = &list.remote.server {
        return remote::list(server, list.remote.token_file.as_deref(), list.json);
    }
    let paths = RunFolder::list(runs)?;
    let read: Vec<_> = paths.iter().map(|path| (path.as_path(), ReadRun::open(path))).collect();
    let folders = LearnJob::list(runs)?;
    let learnt: Vec<_> = folders.iter().map(|path| (path.as_path(), learn::read(path))).collect();
    let of_matches = of_matches(runs)?;
    let jobs: Vec<_> = Series::list(runs)?.into_iter().map(|path| job(path, &read)).collect();
    if list.json {
        let rows = read.iter().map(|(path, run)| row_json(path, run)).chain(jobs.iter().map(Job::json));
        let rows = rows.chain(learnt.iter().map(|(path, job)| learnt_json(path, job)));
        let rows: Vec<Value> = rows.chain(of_matches.iter().map(OfMatches::json)).collect();
        print_json(&rows)?;
    } else if read.is_empty() && learnt.is_empty() && of_matches.is_empty() && jobs.is_empty() {
        say!("There are no runs in {}. Start one: spar sprt configs/sprt.toml", runs.display());
    } else {
        let all = paths.iter().chain(&folders).chain(jobs.iter().map(|job| &job.path));
        let all = all.chain(of_matches.iter().map(|job| &job.path));
        let width = all.filter_map(|path| path.file_name()).map(OsStr::len).max().unwrap_or(0);
        for (path, run) in &read {
            print(row(path, run, width))?;
        }
        for job in &jobs {
            print(job.row(width))?;
        }
        for (path, job) in &learnt {
            print(learnt_row(path, job, width))?;
        }
        for job in &of_matches {
            print(job.row(width))?;
        }
    }
    let unreadable = read.iter().filter(|(_, run)| run.is_err()).count();
    let unreadable = unreadable + jobs.iter().filter(|job| job.read.is_err()).count();
    let unreadable = unreadable + learnt.iter().filter(|(_, job)| !matches!(job, Ok(Some(_)))).count();
    let unreadable = unreadable + of_matches.iter().filter(|job| !matches!(job.read, Ok(Some(_)))).count();
    if unreadable > 0 {
        let all = read.len() + learnt.len() + of_matches.len() + jobs.len();
        return Err(Failure::Environment(anyhow!("{unreadable} of {all} runs cannot be read")));
    }
    Ok(Exit::Done)
}

fn row_json(path: &Path, run: &Result<ReadRun, SessionError>) -> Value {
    match run {
        Err(failure) => json!({ "run": path.to_string_lossy(), "error": failure.to_string() }),
        Ok(run) => {
            let mut json = run.summary(path, &run.experiment.standing()).json();
            json["state"] = json!(run.progress().name());
            let [first, last] = [run.sessions.first(), run.sessions.last()];
            json["began"] = json!(first.map(|first| iso(first.session.started_unix_ms)));
            let is_over = run.progress() != Progress::Running;
            json["ended"] = json!(last.filter(|_| is_over).map(|last| iso(last.ended_unix_ms)));
            json
        }
    }
}

/// A job of several runs.
struct Job {
    path: PathBuf,
    read: Result<ReadJob, SessionError>,
}

/// Where a job stands.
struct ReadJob {
    title: String,
    says: String,
    state: &'static str,
    /// How many of its runs have begun, and how many it has.
    begun: usize,
    of: usize,
    /// When its first run began, in milliseconds since 1970.
    began_unix_ms: Option<i64>,
    /// The folders of its runs.
    runs: Vec<PathBuf>,
}

/// A job, from the data of the runs beside it.
fn job(path: PathBuf, runs: &[(&Path, Result<ReadRun, SessionError>)]) -> Job {
    let read = Series::read(&path).and_then(|series| {
        let missing = || SessionError::from(FolderError::Missing { path: path.clone() });
        Ok(ReadJob::of(&series.ok_or_else(missing)?, runs))
    });
    Job { path, read }
}

impl ReadJob {
    fn of(series: &Series, runs: &[(&Path, Result<ReadRun, SessionError>)]) -> Self {
        let begun: Vec<PathBuf> = series.parts().iter().map_while(|part| series.run_of(part)).collect();
        let readable: Vec<(&Path, &ReadRun)> = begun
            .iter()
            .filter_map(|path| {
                let (path, run) = runs.iter().find(|(known, _)| known.file_name() == path.file_name())?;
                Some((*path, run.as_ref().ok()?))
            })
            .collect();
        let ended: Vec<Finish> = readable.iter().map(|(_, run)| run.finish()).collect();
        let any = |progress| readable.iter().any(|(_, run)| run.progress() == progress);
        let state = [Progress::Running, Progress::Faulty].into_iter().find(|progress| any(*progress));
        let at_rest = if series.is_over(&ended) { Progress::Finished } else { Progress::Interrupted };
        Self {
            title: series.title().to_owned(),
            says: series.says(&ended),
            state: state.unwrap_or(at_rest).name(),
            begun: begun.len(),
            of: series.parts().len(),
            began_unix_ms: readable.iter().find_map(|(_, run)| Some(run.sessions.first()?.session.started_unix_ms)),
            runs: begun,
        }
    }
}

impl Job {
    fn row(&self, width: usize) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        match &self.read {
            Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
            Ok(ReadJob { says, state, begun, of, began_unix_ms, .. }) => {
                let units = format!("{begun} of {}", counted(*of as u64, "run"));
                let began = began_unix_ms.map_or_else(String::new, utc);
                let began = began.trim_end_matches(" UTC");
                format!("{name:<width$}  {state:<11}  {units:>16}  {began:<16}  {says}").trim_end().to_owned()
            }
        }
    }

    fn json(&self) -> Value {
        let path = self.path.to_string_lossy();
        match &self.read {
            Err(failure) => json!({ "run": path, "error": failure.to_string() }),
            Ok(ReadJob { title, says, state, of, began_unix_ms, runs, .. }) => json!({
                "run": path, "job": path, "title": title, "says": says, "state": state, "of": of, "runs": runs,
                "began": began_unix_ms.map(iso),
            }),
        }
    }
}

/// The result of reading a learning job.
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

/// A bisection or a campaign, which is a job of matches.
struct OfMatches {
    path: PathBuf,
    read: Result<Option<Shown>, SessionError>,
}

/// The displayed fields of a job of matches.
struct Shown {
    state: &'static str,
    pairs: u64,
    began_unix_ms: i64,
    in_short: String,
    json: Value,
}

/// The bisections in a folder of runs, followed by the campaigns.
fn of_matches(runs: &Path) -> Result<Vec<OfMatches>, SessionError> {
    let bisection = |job: BisectJob| Shown {
        state: job.state(),
        pairs: job.pairs(),
        began_unix_ms: job.began_unix_ms(),
        in_short: job.in_short(),
        json: job.json(),
    };
    let campaign = |job: CampaignJob| Shown {
        state: job.state(),
        pairs: job.pairs(),
        began_unix_ms: job.began_unix_ms(),
        in_short: job.in_short(),
        json: job.json(),
    };
    let bisections = BisectJob::list(runs)?.into_iter();
    let bisections = bisections.map(|path| OfMatches { read: bisect::read(&path).map(|job| job.map(bisection)), path });
    let campaigns = CampaignJob::list(runs)?.into_iter();
    let campaigns = campaigns.map(|path| OfMatches { read: campaign::read(&path).map(|job| job.map(campaign)), path });
    Ok(bisections.chain(campaigns).collect())
}

impl OfMatches {
    fn json(&self) -> Value {
        match &self.read {
            Err(failure) => json!({ "run": self.path.to_string_lossy(), "error": failure.to_string() }),
            Ok(job) => {
                let mut json = job.as_ref().map_or(Value::Null, |job| job.json.clone());
                json["run"] = json!(self.path.to_string_lossy());
                json["began"] = json!(job.as_ref().map(|job| iso(job.began_unix_ms)));
                json
            }
        }
    }

    fn row(&self, width: usize) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        match &self.read {
            Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
            Ok(None) => format!("{name:<width$}  unreadable"),
            Ok(Some(Shown { state, pairs, began_unix_ms, in_short, .. })) => {
                let (units, began) = (counted(*pairs, "pair"), utc(*began_unix_ms));
                let began = began.trim_end_matches(" UTC");
                format!("{name:<width$}  {state:<11}  {units:>16}  {began:<16}  {in_short}").trim_end().to_owned()
            }
        }
    }
}

fn row(path: &Path, run: &Result<ReadRun, SessionError>, width: usize) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match run {
        Err(failure) => format!("{name:<width$}  unreadable: {failure}"),
        Ok(run) => {
            let standing = run.experiment.standing();
            let summary = run.summary(path, &standing);
            let short = [summary.in_short(), summary.faults_in_short()];
            let elo = short.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
            let verdict = match run.verdict() {
                Some(Verdict::AcceptedH1) => "H1 accepted",
                Some(Verdict::AcceptedH0) => "H0 accepted",
                Some(Verdict::Undecided) => "undecided",
                Some(Verdict::Complete) => "complete",
                None => run.progress().name(),
            };
            let units = counted(standing.pairs, run.header.config.experiment.rounds().unit());
            // In UTC, to the minute.
            let began = run.sessions.first().map_or_else(String::new, |first| utc(first.session.started_unix_ms));
            let began = began.trim_end_matches(" UTC");
            format!("{name:<width$}  {verdict:<11}  {units:>16}  {began:<16}  {elo}").trim_end().to_owned()
        }
    }
}
