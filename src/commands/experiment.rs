//! `spar sprt`, `spar match`, `spar tune` and `spar resume`: from a configuration to a verdict.

use super::params::write_into;
use super::sessions::{place, players, read_plan, resumed};
use super::{bisect, campaign, data, learn, print, print_json, regress, run_path, stages};
use crate::args::{FixedMatch, Match, Resume, Sprt, Start, Working};
use crate::draft::Task;
use crate::failure::{Exit, Failure};
use crate::host::say_how_to_go_on;
use crate::page;
use crate::progress::Lines;
use crate::watch::{Ended, is_stopped, watch, watch_by, watch_for};
use anyhow::{Context, anyhow};
use arena::config::{ExperimentConfig, Job};
use arena::run::{Finish, TuneStanding, Verdict};
use plan::positions::Wanted;
use plan::words::Engine;
use plan::{Loaded, RunPlan};
use play::entrant::PlayerSpec;
use reports::tuned::literals;
use session::declared::patch;
use session::work::{BisectJob, CampaignJob, LearnJob, Rule, Series, Stages, sessions_of};
use session::{Session, positions};
use std::path::Path;
use tuner::Parameter;

/// Starts a sequential test.
pub(crate) fn sprt(sprt: &Sprt, runs: &Path) -> Result<Exit, Failure> {
    match_or_test(Job::Sprt, &sprt.play, &Task::Sprt(&sprt.hypotheses), runs)
}

/// Starts a match.
pub(crate) fn fixed(fixed: &FixedMatch, runs: &Path) -> Result<Exit, Failure> {
    match_or_test(Job::Match, &fixed.play, &Task::Match(&fixed.pairings), runs)
}

fn match_or_test(job: Job, play: &Match, task: &Task<'_>, runs: &Path) -> Result<Exit, Failure> {
    let plan = described(job, play, task)?;
    let each = play.described.each()?;
    let stages = if job == Job::Sprt { Stages::of(&plan, &|run| refuse_idle(&each, run))? } else { None };
    if let Some(stages) = stages {
        return stages::begin(stages, &play.working, runs);
    }
    let loaded = plan.resolve(job)?;
    refuse_idle(&each, &loaded)?;
    begin(loaded, &play.working, runs)
}

/// The plan of a match or a test: a file's plan with the options applied, or a plan described by options alone.
fn described(job: Job, play: &Match, task: &Task<'_>) -> Result<RunPlan, Failure> {
    let Match { config, working, described } = play;
    let settings = working.settings();
    let is_amended = !working.settings.is_empty();
    let plan = match config {
        None => described.draft(task, is_amended)?,
        Some(config) => {
            let mut plan = read_plan(config, &working.without_settings(), job)?;
            described.over(&mut plan, task, is_amended)?;
            plan
        }
    };
    Ok(plan.amended(&settings, Some(job))?)
}

/// Refuses settings for all engines that no engine uses.
fn refuse_idle(each: &Engine, loaded: &Loaded) -> Result<(), Failure> {
    let heeds = |is_limit: bool| {
        loaded.run.entrants.iter().any(|entrant| match &entrant.player {
            PlayerSpec::Process(_) => true,
            PlayerSpec::Native(_) => is_limit,
            PlayerSpec::Random | PlayerSpec::Custom(_) => false,
        })
    };
    match each.words().into_iter().find(|(is_limit, _)| !heeds(*is_limit)) {
        Some((true, words)) => {
            Err(Failure::usage(format!("`{words}`: no engine has a limit, all players move at random")))
        }
        Some((false, words)) => Err(Failure::usage(format!(
            "`{words}`: only an engine process has such a setting, and there is none: all players are spar's own"
        ))),
        None => Ok(()),
    }
}

/// Starts a tuning session.
pub(crate) fn tune(start: &Start, patched: Option<&Path>, runs: &Path) -> Result<Exit, Failure> {
    let working = &start.working;
    let loaded = load_file(Job::Tune, &start.config, working)?;
    if let Some(file) = patched {
        can_be_patched(file, &loaded)?;
    }
    let session = Session::create(loaded, players(working), &place(working, runs));
    let mut unwritten = Ok(());
    let mut ended = |ended: &Ended| {
        let printed = print_result(ended, working);
        let tune = ended.outcome.standing.tune().filter(|_| ended.outcome.verdict().is_some());
        if let (Some(file), Some(tune)) = (patched, tune) {
            unwritten = put_or_say(file, tune, working, &ended.outcome.path);
        }
        printed
    };
    let (runs, ()) = watch_for(session, &mut ended)?;
    let exit = close(&runs, working)?;
    unwritten.map(|()| exit)
}

/// Writes the values of a session into a source file. Prints at once why this fails, since a test may follow for hours.
fn put_or_say(file: &Path, tune: &TuneStanding, working: &Working, session: &Path) -> Result<(), Failure> {
    match write_into(file, &literals(tune), true) {
        // With `--json`, the output is one JSON document.
        Ok(diff) if working.json || diff.is_empty() => Ok(()),
        Ok(diff) => unless_closed(print(diff)),
        Err(why) => {
            let (file, session) = (file.display(), session.display());
            let says = format!("{file} is not written: {why}. To write it: spar params patch {session} {file} --write");
            say!("warning: {says}");
            Err(Failure::Environment(anyhow!("{says}")))
        }
    }
}

/// Fails before hours of play if the output cannot be written.
fn can_be_patched(file: &Path, loaded: &Loaded) -> Result<(), Failure> {
    let Some(layout) = loaded.layout() else { return Ok(()) };
    let start = |(index, parameter): (usize, &Parameter)| {
        let text = layout.texts(index).get(parameter.start() as usize);
        (parameter.name().to_owned(), text.cloned().unwrap_or_else(|| parameter.start().to_string()))
    };
    // A category without numbers cannot replace one in the source.
    let names =
        layout.engine_parameters().iter().enumerate().map(start).filter(|(_, value)| value.parse::<f64>().is_ok());
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display())).map_err(Failure::Usage)?;
    let patched = patch(&text, &names.collect::<Vec<_>>());
    patched.map(drop).map_err(|error| Failure::Usage(anyhow!("{}: {error}", file.display())))
}

/// Starts self-play.
pub(crate) fn selfplay(start: &Start, runs: &Path) -> Result<Exit, Failure> {
    begin(load_file(Job::Selfplay, &start.config, &start.working)?, &start.working, runs)
}

/// Reads the configuration of a new run.
pub(super) fn load_file(job: Job, config: &Path, working: &Working) -> Result<Loaded, Failure> {
    Ok(read_plan(config, working, job)?.resolve(job)?)
}

/// Makes a new run, plays it and the runs that follow it, and prints the result.
pub(super) fn begin(loaded: Loaded, working: &Working, runs: &Path) -> Result<Exit, Failure> {
    show(Session::create(loaded, players(working), &place(working, runs)), working)
}

/// Shows a session until it ends, and prints the result.
pub(super) fn show<T: Send + 'static>(session: Session<T>, working: &Working) -> Result<Exit, Failure> {
    show_by(session, working, Lines::Rewritten, &mut |_| ())
}

/// Shows a session as [`show`] does, with this form of progress. Calls `seen` with each run as it ends.
pub(super) fn show_by<T: Send + 'static>(
    session: Session<T>,
    working: &Working,
    lines: Lines,
    seen: &mut dyn FnMut(&Ended),
) -> Result<Exit, Failure> {
    let mut on_end = |ended: &Ended| {
        seen(ended);
        print_result(ended, working)
    };
    let (runs, _) = watch_by(session, lines, &mut on_end)?;
    close(&runs, working)
}

/// Resumes a run, or a job of several.
pub(crate) fn resume(resume: &Resume, runs: &Path) -> Result<Exit, Failure> {
    let Resume { run, pairs, working } = resume;
    let path = run_path(run, runs)?;
    if let Some(series) = Series::read(&path)? {
        return match series.rule() {
            Rule::All => regress::resume(&series, *pairs, working),
            Rule::WhilePassed => stages::resume(&series, *pairs, working),
        };
    }
    if let Some(job) = BisectJob::read(&path, &[])? {
        return bisect::resume(job.with_pairs(*pairs, &working.settings())?, working);
    }
    if let Some(job) = CampaignJob::read(&path, &[])? {
        return campaign::resume(job.with_pairs(*pairs, &working.settings())?, working);
    }
    if let Some(job) = LearnJob::read(&path, &working.settings())?.filter(|_| pairs.is_none()) {
        return learn::resume(job, working);
    }
    let runs = watch(resumed(&path, *pairs, working), &mut |ended| print_result(ended, working))?;
    if let Some(first) = runs.first() {
        // A resumed session shows everything that was tested beside its folder.
        let beside = path.parent().unwrap_or(&path);
        for session in sessions_of(&first.outcome.config, beside)? {
            page::write(&session);
        }
    }
    close(&runs, working)
}

/// Prints the result of a run, unless all runs are printed together.
fn print_result(ended: &Ended, working: &Working) -> Result<(), Failure> {
    if !working.json {
        unless_closed(print(ended.text()))?;
    }
    keep_positions(ended, working)?;
    match ended.outcome.finish {
        Finish::Stopped => say_how_to_go_on(&ended.outcome.path),
        // The error that follows ends the command, so the result is printed here.
        Finish::Faulty(_) if working.json => print_json(&ended.json())?,
        Finish::Faulty(_) | Finish::Verdict(_) => {}
    }
    Ok(())
}

/// Writes the positions that self-play has made so far.
fn keep_positions(ended: &Ended, working: &Working) -> Result<(), Failure> {
    let (run, config) = (&ended.outcome.path, &ended.outcome.config);
    if !matches!(config.experiment, ExperimentConfig::Selfplay { .. }) {
        return Ok(());
    }
    let wanted = Wanted::of(config);
    let file = positions::usual_place(run, config, wanted.format);
    let written = positions::write(run, config, &wanted, &file)?;
    if let Some(statistics) = &written.chess {
        data::write_page(&run.join("positions.html"), statistics, Some(&written.counts))?;
    }
    if working.json { Ok(()) } else { unless_closed(print(data::text(&written.counts, &file))) }
}

/// Updates the pages of all runs, and returns the verdict of the last run.
fn close(runs: &[Ended], working: &Working) -> Result<Exit, Failure> {
    let Some((last, before)) = runs.split_last() else { return Ok(Exit::Interrupted) };
    for ended in before {
        page::write(&ended.outcome.path);
    }
    if working.json {
        // One JSON document, also if other runs followed the first.
        let mut json = last.json();
        if let Some(session) = before.last() {
            json["session"] = session.json();
        }
        unless_closed(print_json(&json))?;
    }
    Ok(if is_stopped(runs) { Exit::Interrupted } else { exit_of(last.outcome.finish) })
}

/// Lets a command go on with its work if nobody reads its output.
fn unless_closed(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::OutputClosed) => Ok(()),
        printed => printed,
    }
}

pub(super) fn exit_of(finish: Finish) -> Exit {
    match finish {
        // A run stopped by faults is also an error, which determines the exit code.
        Finish::Stopped | Finish::Faulty(_) => Exit::Interrupted,
        Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => Exit::Done,
        Finish::Verdict(Verdict::AcceptedH0) => Exit::Rejected,
        Finish::Verdict(Verdict::Undecided) => Exit::Undecided,
    }
}
