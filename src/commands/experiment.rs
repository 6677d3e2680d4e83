//! `spar sprt`, `spar match` and `spar resume`: from a configuration to a verdict.

use super::{print, print_json, run_path};
use crate::args::{Resume, Start, Working};
use crate::failure::{Exit, Failure};
use crate::host;
use crate::jobs;
use crate::openings;
use crate::progress::Progress;
use crate::summary::{RunSummary, headline};
use anyhow::{Context, anyhow};
use arena::child::{Cpus, Launcher, Nursery};
use arena::config::{ExperimentConfig, Job, Loaded, NamedValue, RunConfig, TuneConfig, load};
use arena::entrant::ProcessSpec;
use arena::run::{
    Executables, Experiment, Finish, Header, Journal, JournalError, Local, Processes, RunError, RunFolder, Session,
    Snapshot, Standing, TunedStanding, Verdict, differences, drive, run_header,
};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Starts a new run.
pub(crate) fn start(job: Job, start: &Start, runs: &Path) -> Result<Exit, Failure> {
    let loaded = load_file(job, start)?;
    begin(&loaded, &start.working, runs, None)
}

/// Reads the configuration of a new run.
pub(super) fn load_file(job: Job, start: &Start) -> Result<Loaded, Failure> {
    let text = read_config(&start.config)?;
    let name = start.config.display().to_string();
    let stem = start.config.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
    Ok(load(&text, &name, &stem, &start.working.settings, job)?)
}

/// What a session of work on a run came to.
pub(super) struct Worked {
    /// The run's folder.
    pub(super) path: PathBuf,
    /// How the session ended.
    pub(super) finish: Finish,
    /// Where the run stands.
    pub(super) standing: Standing,
    /// The summary for people.
    pub(super) text: String,
    /// The summary for machines.
    pub(super) json: Value,
    /// Whether any pair was played.
    played: bool,
}

/// Makes a new run's folder, works on it, and says where it stands then. `session` is what the tuning session before it has
/// to say in JSON.
fn begin(loaded: &Loaded, working: &Working, runs: &Path, session: Option<Value>) -> Result<Exit, Failure> {
    let worked = begin_quietly(loaded, working, runs)?;
    tell(worked, loaded, working, runs, session)
}

/// Makes a new run's folder and works on it, and leaves it to the caller to say what came of it.
pub(super) fn begin_quietly(loaded: &Loaded, working: &Working, runs: &Path) -> Result<Worked, Failure> {
    // Refuse what makes no experiment before there is a folder to tidy up.
    let _valid = jobs::experiment(&loaded.run)?;
    let executables = executables(&loaded.run)?;
    let header = run_header(&loaded.run, &executables);
    let processes = processes(loaded, executables, working)?;
    let (folder, journal) = RunFolder::create(runs, &run_folder_name(loaded), &loaded.text, &header)?;
    work(&folder, journal, loaded, processes.as_ref(), working)
}

/// Goes on with a run.
pub(crate) fn resume(resume: &Resume, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&resume.run, runs);
    let (worked, loaded) = resume_quietly(&path, &resume.working)?;
    // What follows a session belongs beside it, wherever it lies.
    let runs = path.parent().unwrap_or(runs);
    tell(worked, &loaded, &resume.working, runs, None)
}

/// Goes on with the run in a folder, and leaves it to the caller to say what came of it.
pub(super) fn resume_quietly(path: &Path, working: &Working) -> Result<(Worked, Loaded), Failure> {
    let (folder, mut journal) = RunFolder::open(path)?;
    let header = journal.header()?;
    let config = folder.config_path();
    let text = if config.exists() { read_config(&config)? } else { journal.text()? };
    let job = header.config.experiment.job();
    let loaded = load(&text, &config.display().to_string(), &header.config.name, &working.settings, job)?;
    let executables = executables(&loaded.run)?;
    let now = run_header(&loaded.run, &executables);
    refuse_other_identity(path, &header, &now)?;
    if now != header {
        folder.rewrite_config(&loaded.text)?;
        journal.keep_text(&loaded.text)?;
        journal.set_pair_limit(&now)?;
    }
    let processes = processes(&loaded, executables, working)?;
    let worked = work(&folder, journal, &loaded, processes.as_ref(), working)?;
    Ok((worked, loaded))
}

pub(super) fn read_config(path: &Path) -> Result<String, Failure> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()));
    text.map_err(Failure::Usage)
}

/// The programs of a run's engine processes.
pub(super) fn executables(run: &RunConfig) -> Result<Executables, Failure> {
    let base = std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)?;
    Executables::of(run, &base).map_err(|error| Failure::Usage(error.into()))
}

/// What workers need to play engine processes, if the run has any.
fn processes(loaded: &Loaded, executables: Executables, working: &Working) -> Result<Option<Processes>, Failure> {
    let engines = || loaded.run.entrants.iter().filter_map(|entrant| entrant.player.process());
    if engines().next().is_none() {
        return Ok(None);
    }
    let threads = engines().map(ProcessSpec::threads).max().unwrap_or(NonZeroUsize::MIN);
    let workers = workers(loaded, working);
    let cpus = Cpus::of_this_process().map_err(|error| Failure::Environment(error.into()))?;
    if workers.get() * threads.get() > cpus.count() {
        say!(
            "warning: {workers} games at a time with engines of {threads} threads want {} processors, and there are {}",
            workers.get() * threads.get(),
            cpus.count()
        );
    }
    let plan = loaded.affinity.plan(&cpus, workers, threads).map_err(|error| Failure::Usage(error.into()))?;
    let nursery = Nursery::start(Some(Launcher::this_program()));
    let nursery = nursery.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let trace = working.trace.as_deref().map(host::trace_to).transpose()?;
    Ok(Some(Processes { nursery, programs: Arc::new(executables), cpus: plan, trace }))
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

/// Works on a run until it has its verdict or is stopped.
fn work(
    folder: &RunFolder,
    mut journal: Journal,
    loaded: &Loaded,
    processes: Option<&Processes>,
    working: &Working,
) -> Result<Worked, Failure> {
    let workers = workers(loaded, working);
    let mut experiment = jobs::experiment(&loaded.run)?;
    let before = journal.stored_pairs()?;
    let started = Instant::now();
    let finish = play(folder, &mut journal, loaded, experiment.as_mut(), processes, workers)?;
    let played = journal.stored_pairs()? > before;
    let standing = experiment.standing();
    let summary = RunSummary {
        config: &loaded.run,
        standing: &standing,
        verdict: experiment.verdict(),
        faults: journal.faults(standing.pairs, loaded.run.entrants.len())?,
        starved: journal.starved_games(standing.pairs)?,
        path: folder.path(),
        elapsed: played.then(|| started.elapsed()),
    };
    let (text, json) = (summary.text(), summary.json());
    journal.fold();
    Ok(Worked { path: folder.path().to_owned(), finish, standing, text, json, played })
}

/// Says where a run stands after a session, and starts what is to follow it.
pub(super) fn tell(
    worked: Worked,
    loaded: &Loaded,
    working: &Working,
    runs: &Path,
    session: Option<Value>,
) -> Result<Exit, Failure> {
    let Worked { path, finish, standing, text, mut json, played } = worked;
    let next = match finish {
        Finish::Verdict(_) => verification(loaded, &standing, runs, played)?,
        Finish::Stopped => None,
    };
    if let Some(session) = session {
        json["session"] = session;
    }
    // One JSON document, whatever follows; and a verdict counts even if nobody listens any more.
    let said = match (working.json, &next) {
        (true, Some(_)) => Ok(()),
        (true, None) => print_json(&json),
        (false, _) => print(text),
    };
    match said {
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    if finish == Finish::Stopped {
        say_how_to_go_on(&path);
    }
    match next {
        Some(next) => {
            say!("\nNow the tuned values against the start, on fresh openings.");
            begin(&next, working, runs, Some(json))
        }
        None => Ok(exit_of(finish)),
    }
}

/// What is said of a run that was interrupted.
pub(super) fn say_how_to_go_on(path: &Path) {
    say!("Interrupted; every committed pair is kept. To go on: spar resume {}", path.display());
}

fn play(
    folder: &RunFolder,
    journal: &mut Journal,
    loaded: &Loaded,
    experiment: &mut dyn Experiment,
    processes: Option<&Processes>,
    workers: NonZeroUsize,
) -> Result<Finish, Failure> {
    let stop = host::stop_flag()?;
    say!("{}", headline(&loaded.run, workers.get()));
    for remark in openings::remarks(loaded) {
        say!("{remark}");
    }
    let mut executor =
        Local::start(workers, processes).context("cannot start workers").map_err(Failure::Environment)?;
    journal.begin_session(&Session {
        started_unix_ms: host::unix_ms(),
        host: host::name(),
        concurrency: workers.get(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    let mut progress = Progress::new();
    let observe = &mut |snapshot: &Snapshot| progress.show(snapshot);
    let finish = drive(&loaded.run, &loaded.openings, experiment, journal, &mut executor, stop, observe);
    progress.finish();
    finish.map_err(|error| resumable(error, folder.path()))
}

/// The test that is to follow a finished tuning session: none if its configuration says so, if nothing has changed, or if
/// the session was finished before and has been tested since.
fn verification(loaded: &Loaded, standing: &Standing, runs: &Path, played: bool) -> Result<Option<Loaded>, Failure> {
    let ExperimentConfig::Tune(TuneConfig { verify: Some(verify), .. }) = &loaded.run.experiment else {
        return Ok(None);
    };
    let Some(tune) = &standing.tune else { return Ok(None) };
    if tune.parameters.iter().all(|tuned| tuned.now.to_bits() == tuned.start.to_bits()) {
        say!("The session ended where it began: there is nothing to test.");
        return Ok(None);
    }
    let of = |value: fn(&TunedStanding) -> f64| {
        tune.parameters.iter().map(|tuned| (tuned.name.as_str(), value(tuned))).collect::<Vec<NamedValue<'_>>>()
    };
    let (tuned, start) = (of(|tuned| tuned.now), of(|tuned| tuned.start));
    let seed = loaded.run.seed.wrapping_add(FRESH_OPENINGS) & (u64::MAX >> 1);
    let text = arena::config::verification(&loaded.text, verify, &loaded.run.name, seed, &tuned, &start);
    let text = text.ok_or_else(|| Failure::usage("no test can be made from this session's configuration"))?;
    let test = load(&text, "the verification", "verification", &[], Job::Sprt)?;
    let name = run_folder_name(&test);
    let tested = RunFolder::list(runs)?
        .iter()
        .any(|path| path.file_name().is_some_and(|folder| folder.to_string_lossy().starts_with(&format!("{name}-"))));
    Ok((played || !tested).then_some(test))
}

/// What the run's folder is called, but for its number.
fn run_folder_name(loaded: &Loaded) -> String {
    format!("{}-{}", loaded.run.experiment.kind(), loaded.run.name)
}

/// Moves the seed of a session to that of its verification: other openings, the same every time.
const FRESH_OPENINGS: u64 = 1_000_003;

/// How many pairs are played at a time.
fn workers(loaded: &Loaded, working: &Working) -> NonZeroUsize {
    working.concurrency.or(loaded.concurrency).unwrap_or_else(cores)
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Adds how to go on, where the cause can be mended.
fn resumable(error: RunError, path: &Path) -> Failure {
    match error {
        RunError::Journal(JournalError::Storage { .. }) => {
            let path = path.display();
            Failure::Environment(anyhow!("{error}\nEvery committed pair is safe. To go on: spar resume {path}"))
        }
        other => other.into(),
    }
}

pub(super) fn exit_of(finish: Finish) -> Exit {
    match finish {
        Finish::Stopped => Exit::Interrupted,
        Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => Exit::Done,
        Finish::Verdict(Verdict::AcceptedH0) => Exit::Rejected,
        Finish::Verdict(Verdict::Undecided) => Exit::Undecided,
    }
}
