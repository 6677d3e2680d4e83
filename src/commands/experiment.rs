//! `spar sprt`, `spar match` and `spar resume`: from a configuration to a verdict.

use super::engines::read_plan;
use super::{follow_up, print, print_json, report, run_path};
use crate::args::{Match, Resume, Sprt, Start, Working};
use crate::draft::{Engine, Task};
use crate::failure::{Exit, Failure};
use crate::open_run::{OpenRun, executables};
use crate::progress::Progress;
use crate::summary::{RunSummary, headline};
use anyhow::{Context, anyhow};
use arena::config::{ExperimentConfig, Job, Loaded};
use arena::entrant::PlayerSpec;
use arena::run::{Experiment, Finish, Header, RunFolder, Standing, Verdict, differences, run_header};
use serde_json::{Value, json};
use session::jobs;
use session::plan::load;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Starts a sequential test.
pub(crate) fn sprt(sprt: &Sprt, runs: &Path) -> Result<Exit, Failure> {
    match_or_test(Job::Sprt, &sprt.play, &Task::Sprt(&sprt.hypotheses), runs)
}

/// Starts a match.
pub(crate) fn fixed(fixed: &Match, runs: &Path) -> Result<Exit, Failure> {
    match_or_test(Job::Match, fixed, &Task::Match, runs)
}

fn match_or_test(job: Job, play: &Match, task: &Task<'_>, runs: &Path) -> Result<Exit, Failure> {
    let loaded = described(job, play, task)?;
    refuse_idle(&play.described.each()?, &loaded)?;
    begin(&loaded, &play.working, runs, None)
}

/// The configuration of a match or a test: a file's with options in place of what it says, or one that options describe.
fn described(job: Job, play: &Match, task: &Task<'_>) -> Result<Loaded, Failure> {
    let Match { config, working, described } = play;
    let (settings, is_amended) = (&working.settings, !working.settings.is_empty());
    let plan = match config {
        None => described.draft(task, is_amended)?,
        Some(config) => {
            let unset = Working { settings: Vec::new(), ..working.clone() };
            let mut plan = read_plan(config, &unset, job)?;
            described.over(&mut plan, task, is_amended)?;
            plan
        }
    };
    Ok(plan.amended(settings, Some(job))?.resolve(job)?)
}

/// Refuses words for all engines that no engine heeds.
fn refuse_idle(each: &Engine, loaded: &Loaded) -> Result<(), Failure> {
    let heeds = |is_limit: bool| {
        loaded.run.entrants.iter().any(|entrant| match &entrant.player {
            PlayerSpec::Process(_) => true,
            PlayerSpec::Native(_) => is_limit,
            PlayerSpec::Random => false,
        })
    };
    match each.words().into_iter().find(|(is_limit, _)| !heeds(*is_limit)) {
        Some((true, words)) => Err(Failure::usage(format!("`{words}`: nobody is limited, all players move at random"))),
        Some((false, words)) => Err(Failure::usage(format!(
            "`{words}`: only an engine process has such a setting, and there is none: all players are spar's own"
        ))),
        None => Ok(()),
    }
}

/// Starts a tuning session.
pub(crate) fn tune(start: &Start, runs: &Path) -> Result<Exit, Failure> {
    let loaded = load_file(Job::Tune, &start.config, &start.working)?;
    begin(&loaded, &start.working, runs, None)
}

/// Reads the configuration of a new run.
pub(super) fn load_file(job: Job, config: &Path, working: &Working) -> Result<Loaded, Failure> {
    Ok(read_plan(config, working, job)?.resolve(job)?)
}

/// What a session of work on a run came to.
pub(super) struct Worked {
    /// The run's folder.
    pub(super) path: PathBuf,
    /// How the session ended.
    pub(super) finish: Finish,
    /// Where the run stands.
    pub(super) standing: Standing,
    /// The summary for machines.
    pub(super) json: Value,
    /// The summary for people.
    text: String,
    /// Whether any pair was played.
    played: bool,
}

/// Makes a new run's folder, works on it, and says where it stands then. `session` is what the tuning session before it has
/// to say in JSON.
pub(super) fn begin(loaded: &Loaded, working: &Working, runs: &Path, session: Option<Value>) -> Result<Exit, Failure> {
    let worked = begin_quietly(loaded, working, runs)?;
    tell(worked, loaded, working, runs, session)
}

/// Makes a new run's folder and works on it, and leaves it to the caller to say what came of it.
pub(super) fn begin_quietly(loaded: &Loaded, working: &Working, runs: &Path) -> Result<Worked, Failure> {
    // Refuse what makes no experiment before there is a folder to tidy up.
    let _valid = jobs::experiment(&loaded.run)?;
    work(OpenRun::create(loaded, workers(loaded, working), working.trace.as_deref(), runs)?)
}

/// Goes on with a run.
pub(crate) fn resume(resume: &Resume, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&resume.run, runs);
    let (worked, loaded) = resume_quietly(&path, &resume.working)?;
    // What follows a session belongs beside it, wherever it lies.
    let runs = path.parent().unwrap_or(runs);
    for session in follow_up::sessions_of(&loaded.run, runs)? {
        let _page = report::write_page(&session);
    }
    tell(worked, &loaded, &resume.working, runs, None)
}

/// Goes on with the run in a folder, and leaves it to the caller to say what came of it.
pub(super) fn resume_quietly(path: &Path, working: &Working) -> Result<(Worked, Loaded), Failure> {
    let (folder, mut journal) = RunFolder::open(path)?;
    let header = journal.header()?;
    let config = folder.config_path();
    let text = if config.exists() { read_config(&config)? } else { journal.text()? };
    let job = header.config.experiment.job();
    let mut loaded = load(&text, &config.display().to_string(), &header.config.name, &working.settings, job)?;
    loaded.keep_what_was_usual(&header.config);
    let executables = executables(&loaded.run)?;
    let now = run_header(&loaded.run, &executables);
    refuse_other_identity(path, &header, &now)?;
    if now != header {
        folder.rewrite_config(&loaded.text)?;
        journal.keep_text(&loaded.text)?;
        journal.set_pair_limit(&now)?;
    }
    let (workers, trace) = (workers(&loaded, working), working.trace.as_deref());
    let worked = work(OpenRun::new((folder, journal), &loaded, executables, workers, trace)?)?;
    Ok((worked, loaded))
}

pub(super) fn read_config(path: &Path) -> Result<String, Failure> {
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

/// Works on a run until it has its verdict or is stopped.
fn work(mut run: OpenRun<'_>) -> Result<Worked, Failure> {
    let loaded = run.loaded;
    let mut experiment = jobs::experiment(&loaded.run)?;
    let before = run.journal.stored_pairs()?;
    let finish = play(&mut run, experiment.as_mut())?;
    let OpenRun { folder, journal, .. } = run;
    let played = journal.stored_pairs()? > before;
    let standing = experiment.standing();
    let summary = RunSummary {
        config: &loaded.run,
        standing: &standing,
        verdict: experiment.verdict(),
        faults: journal.faults(standing.pairs, loaded.run.entrants.len())?,
        starved: journal.starved(standing.pairs)?,
        path: folder.path(),
        elapsed: journal.played_time()?,
    };
    journal.fold();
    let report = report::write_page(folder.path());
    let (text, mut json) = (summary.text_with(report.as_deref()), summary.json());
    json["report"] = json!(report);
    Ok(Worked { path: folder.path().to_owned(), finish, standing, json, text, played })
}

/// Says where a run stands after a session, and starts what is to follow it.
fn tell(
    worked: Worked,
    loaded: &Loaded,
    working: &Working,
    runs: &Path,
    session: Option<Value>,
) -> Result<Exit, Failure> {
    let Worked { path, finish, standing, mut json, text, played } = worked;
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
            let tested = begin(&next, working, runs, Some(json));
            let _page = report::write_page(&path);
            tested
        }
        None => Ok(exit_of(finish)),
    }
}

/// What is said of a run that was interrupted.
pub(super) fn say_how_to_go_on(path: &Path) {
    say!("Interrupted; every committed pair is kept. To go on: spar resume {}", path.display());
}

fn play(run: &mut OpenRun<'_>, experiment: &mut dyn Experiment) -> Result<Finish, Failure> {
    say!("{}", headline(&run.loaded.run, run.workers.get()));
    let loaded = run.loaded;
    let mut progress = Progress::new(&loaded.run);
    let path = run.folder.path().to_owned();
    let finish = report::refreshed(&path, || run.play(experiment, &mut |snapshot| progress.show(snapshot)));
    progress.finish();
    finish
}

/// The test that is to follow a finished tuning session: none if its configuration says so, if nothing has changed, or if
/// the session was finished before and has been tested since.
fn verification(loaded: &Loaded, standing: &Standing, runs: &Path, played: bool) -> Result<Option<Loaded>, Failure> {
    let Some(test) = follow_up::test_of(&loaded.run, &loaded.text, standing)? else {
        if matches!(&loaded.run.experiment, ExperimentConfig::Tune(tune) if tune.verify.is_some()) {
            say!("The session ended where it began: there is nothing to test.");
        }
        return Ok(None);
    };
    let is_due = played || follow_up::runs_of(&test, runs)?.is_empty();
    Ok(is_due.then_some(test))
}

/// How many pairs are played at a time.
fn workers(loaded: &Loaded, working: &Working) -> NonZeroUsize {
    working.concurrency.or(loaded.concurrency).unwrap_or_else(cores)
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

pub(super) fn exit_of(finish: Finish) -> Exit {
    match finish {
        Finish::Stopped => Exit::Interrupted,
        Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => Exit::Done,
        Finish::Verdict(Verdict::AcceptedH0) => Exit::Rejected,
        Finish::Verdict(Verdict::Undecided) => Exit::Undecided,
    }
}
