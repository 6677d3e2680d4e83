//! `spar sprt`, `spar match` and `spar resume`: from a configuration to a verdict.

use super::{print, print_json, run_path};
use crate::args::{Resume, Start, Working};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::jobs;
use crate::progress::Progress;
use crate::summary::{RunSummary, headline};
use anyhow::{Context, anyhow};
use arena::config::{Job, Loaded, load};
use arena::run::{
    Experiment, Finish, Header, Journal, Local, RunFolder, Session, Verdict, differences, drive, run_header,
};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Starts a new run.
pub(crate) fn start(job: Job, start: &Start, runs: &Path) -> Result<Exit, Failure> {
    let text = read_config(&start.config)?;
    let name = start.config.display().to_string();
    let stem = start.config.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
    let loaded = load(&text, &name, &stem, &start.working.settings, job)?;
    let header = run_header(&loaded.run);
    let name = format!("{}-{}", loaded.run.experiment.kind(), loaded.run.name);
    let (folder, journal) = RunFolder::create(runs, &name, &loaded.text, &header)?;
    work(&folder, journal, &loaded, &start.working)
}

/// Goes on with a run.
pub(crate) fn resume(resume: &Resume, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&resume.run, runs);
    let (folder, mut journal) = RunFolder::open(&path)?;
    let header = journal.header()?;
    let config = folder.config_path();
    let text = read_config(&config)?;
    let job = header.config.experiment.job();
    let loaded = load(&text, &config.display().to_string(), &header.config.name, &resume.working.settings, job)?;
    let now = run_header(&loaded.run);
    refuse_other_identity(&path, &header, &now)?;
    if now != header {
        folder.rewrite_config(&loaded.text)?;
        journal.set_pair_limit(&now)?;
    }
    work(&folder, journal, &loaded, &resume.working)
}

fn read_config(path: &Path) -> Result<String, Failure> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()));
    text.map_err(Failure::Usage)
}

/// A run goes on only as what it was: the pair limit alone may change.
fn refuse_other_identity(path: &Path, then: &Header, now: &Header) -> Result<(), Failure> {
    let mut now = now.clone();
    now.config.experiment = now.config.experiment.with_pair_limit_of(&then.config.experiment);
    let lines = differences(then, &now);
    if lines.is_empty() {
        return Ok(());
    }
    let lines = lines.join("\n  ");
    let message = anyhow!(
        "{} was made by another configuration or build, and would not be one run any more:\n  {lines}\n\
         Undo the change to resume it, or start a new run",
        path.display()
    );
    Err(Failure::Usage(message))
}

fn work(folder: &RunFolder, mut journal: Journal, loaded: &Loaded, working: &Working) -> Result<Exit, Failure> {
    let stop = host::stop_flag()?;
    let workers = working.concurrency.or(loaded.concurrency).unwrap_or_else(cores);
    eprintln!("{}", headline(&loaded.run, workers.get()));
    let mut experiment = jobs::experiment(&loaded.run)?;
    let mut executor = Local::start(workers).context("cannot start workers").map_err(Failure::Environment)?;
    let session = Session {
        started_unix_ms: host::unix_ms(),
        host: host::name(),
        concurrency: workers.get(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    journal.begin_session(&session)?;
    let started = Instant::now();
    let mut progress = Progress::new();
    let finish = drive(&loaded.run, experiment.as_mut(), &mut journal, &mut executor, &stop, &mut |snapshot| {
        progress.show(snapshot);
    });
    progress.finish();
    let finish = finish.map_err(|error| resumable(error.into(), folder.path()))?;
    drop(executor);
    report(folder, &journal, loaded, experiment.as_ref(), finish, started, working.json)?;
    journal.fold()?;
    Ok(exit_of(finish))
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Adds how to go on once the cause is mended.
fn resumable(failure: Failure, path: &Path) -> Failure {
    match failure {
        Failure::Environment(error) => Failure::Environment(anyhow!(
            "{error:#}\nEvery committed pair is safe. To go on: spar resume {}",
            path.display()
        )),
        other => other,
    }
}

fn report(
    folder: &RunFolder,
    journal: &Journal,
    loaded: &Loaded,
    experiment: &dyn Experiment,
    finish: Finish,
    started: Instant,
    json: bool,
) -> Result<(), Failure> {
    let standing = experiment.standing();
    let summary = RunSummary {
        config: &loaded.run,
        standing: &standing,
        verdict: experiment.verdict(),
        faults: journal.faults(standing.pairs, loaded.run.entrants.len())?,
        path: folder.path(),
        elapsed: Some(started.elapsed()),
    };
    if json {
        print_json(&summary.json())?;
    } else {
        print(summary.text())?;
    }
    if finish == Finish::Stopped {
        eprintln!("Interrupted; every committed pair is kept. To go on: spar resume {}", folder.path().display());
    }
    Ok(())
}

fn exit_of(finish: Finish) -> Exit {
    match finish {
        Finish::Stopped => Exit::Interrupted,
        Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => Exit::Done,
        Finish::Verdict(Verdict::AcceptedH0) => Exit::Rejected,
        Finish::Verdict(Verdict::Undecided) => Exit::Undecided,
    }
}
