//! Resolves a plan into its run: checks every value, and points errors to the origin of the value.

mod adjudication;
mod entrants;
mod jobs;
mod ladder;
mod openings;
mod process;
mod read;
mod rounds;
mod scale;
mod schedule;
mod selfplay;
mod settings;
mod tune;

pub(super) use entrants::evaluation_of;

use super::RunPlan;
use super::error::{PlanError, Source};
use super::files::Files;
use super::given::{Given, section, value};
use super::keys::{AffinityPlan, Keys, StarvationPlan};
use super::loaded::Loaded;
use super::names::{RUN_NAME_FORM, names_a_run};
use arena::config::{ExperimentConfig, Job, MOST_WORKERS, RunConfig, TuneConfig, read_duration};
use arena::run::{Starvation, USUAL_MAX_FAULT_SHARE};
use play::child::Affinity;
use play::entrant::Entrant;
use play::{Adjudication, TableRules};
use std::num::NonZeroUsize;
use std::time::Duration;

impl RunPlan {
    /// Returns the run of the plan, and settings outside its identity.
    ///
    /// # Errors
    /// [`PlanError`] for the first mistake.
    pub fn resolve(&self, job: Job) -> Result<Loaded, PlanError> {
        resolve(self, job, None)
    }
}

/// Reads a configuration and resolves it: [`RunPlan::read`] and [`RunPlan::resolve`] in one call.
///
/// # Errors
/// [`PlanError`] for the first mistake.
pub fn load(
    text: &str,
    name: &str,
    stem: &str,
    settings: &[String],
    job: Job,
    files: impl Files + 'static,
) -> Result<Loaded, PlanError> {
    RunPlan::read(text, name, stem, settings, Some(job), files)?.resolve(job)
}

/// Reads the configuration of the run that began as `then`, with settings, and resolves it. The run keeps the defaults
/// that spar had when it was made.
///
/// # Errors
/// [`PlanError`] for the first mistake.
pub fn load_stored(
    text: &str,
    name: &str,
    stem: &str,
    settings: &[String],
    then: &RunConfig,
    files: impl Files + 'static,
) -> Result<Loaded, PlanError> {
    let job = then.experiment.job();
    resolve(&RunPlan::read(text, name, stem, settings, Some(job), files)?, job, Some(then))
}

fn resolve(plan: &RunPlan, job: Job, then: Option<&RunConfig>) -> Result<Loaded, PlanError> {
    let expanded = if job == Job::Tune { tune::warm::expanded(plan)? } else { None };
    let plan = expanded.as_ref().unwrap_or(plan);
    let RunPlan { keys, source, stem, .. } = plan;
    refuse_unbuilt(source, keys, job)?;
    if job == Job::Selfplay {
        selfplay::check_game(source, keys)?;
    }
    let entrants = entrants::resolve(source, keys, then.is_some())?;
    // Other engines report their scores, and users expect them in the records of games.
    let has_processes = entrants.iter().any(|entrant| entrant.player.process().is_some());
    let (game, seed) = (keys.game(), value(keys.seed.as_ref()).unwrap_or(1));
    let adjudication = section(keys.adjudication.as_ref())
        .map_or_else(|| Ok(Adjudication::default()), |given| adjudication::resolve(source, given, game))?;
    let track = value(keys.track.as_ref()).unwrap_or(has_processes || job == Job::Selfplay);
    let conventions = value(keys.conventions.as_ref()).unwrap_or_default();
    let lines = value(keys.lines.as_ref()).unwrap_or_default();
    let rules = TableRules { track, adjudication, conventions, lines };
    let name = run_name(source, keys.name.as_ref(), stem)?;
    let mut config = jobs::resolve(source, keys, job, &entrants)?;
    if let Some(then) = then {
        keep_plan(&mut config, &then.experiment);
    } else {
        // A stored run may have these from an earlier version, which ignored them.
        tune::check_stop_regret(source, keys, &config)?;
        jobs::refuse_both_bounds(source, keys)?;
    }
    let experiment = jobs::begin(source, keys, &config, &entrants, seed)?;
    let starvation = starvation(source, section(keys.starvation.as_ref()), &entrants)?;
    let max_fault_share = max_fault_share(source, keys.max_fault_share.as_ref())?;
    let title = title(source, keys)?;
    let concurrency = keys.concurrency.as_ref().map(|n| concurrency(source, n)).transpose()?;
    let executor = value(keys.executor.as_ref()).unwrap_or_default();
    let affinity = keys.affinity.as_ref().map_or(Ok(Affinity::Off), |given| affinity(source, given))?;
    let (scale, scale_by) = scale::resolve(source, keys, &entrants)?.unzip();
    let pause = keys.pause.as_ref().map_or(Ok(Duration::ZERO), |text| process::duration(source, text))?;
    // Resolved last, since reading a book may take a while.
    let (opening_source, openings) = openings::resolve(source, section(keys.openings.as_ref()), game, conventions)?;
    let mut run = RunConfig {
        name,
        title,
        game,
        seed,
        experiment: config,
        openings: opening_source,
        rules,
        starvation,
        max_fault_share,
        scale,
        entrants,
    };
    let notes = tune::notes::of(keys, &run);
    let names_starvation_action = section(keys.starvation.as_ref()).is_some_and(|given| given.action.is_some());
    let names_max_fault_share = keys.max_fault_share.is_some();
    if let Some(then) = then {
        keep_what_was_usual(&mut run, then, names_starvation_action, names_max_fault_share);
    }
    let text = plan.text();
    Ok(Loaded {
        run,
        experiment,
        openings,
        concurrency,
        executor,
        affinity,
        scale_by,
        pause,
        names_starvation_action,
        names_max_fault_share,
        notes,
        text,
    })
}

/// Makes a stored run keep the defaults that spar had when the run was made.
fn keep_what_was_usual(
    run: &mut RunConfig,
    then: &RunConfig,
    names_starvation_action: bool,
    names_max_fault_share: bool,
) {
    if !names_starvation_action {
        run.starvation.action = then.starvation.action;
    }
    if !names_max_fault_share {
        run.max_fault_share = then.max_fault_share;
    }
}

/// Makes a tuning method keep the planned number of pairs that it began with.
fn keep_plan(now: &mut ExperimentConfig, then: &ExperimentConfig) {
    if let (ExperimentConfig::Tune(now), ExperimentConfig::Tune(then)) = (now, then) {
        *now = TuneConfig { pairs: then.planned(), planned: None, ..now.clone() }.with_pairs(now.pairs);
    }
}

/// Refuses settings for engines that are still to be built: they have no meaning for a run.
fn refuse_unbuilt(source: &Source, keys: &Keys, job: Job) -> Result<(), PlanError> {
    let both = "`spar patch` and `spar regress` read it";
    let sections = [
        (
            keys.build.as_ref().map(|given| &given.origin),
            "build",
            "`spar patch`, `regress`, `bisect`, `campaign`, `ladder`, `league` and `scaling` read it",
        ),
        (keys.dev.as_ref().map(|given| &given.origin), "dev", both),
        (keys.base.as_ref().map(|given| &given.origin), "base", both),
    ];
    for (origin, name, who) in sections {
        // One file may describe both a tuning session and tests of patches.
        if let Some(origin) = origin.filter(|_| job != Job::Tune) {
            let message = format!("`[{name}]` is for engines that are built from their sources");
            return Err(source.error_at(origin, message, who));
        }
    }
    let mut engines = keys.entrant.iter().chain(&keys.each);
    match engines.find_map(|engine| engine.value.rev.as_ref()) {
        Some(rev) => {
            let message = format!("`{}` is a revision, and nothing was built from it", rev.value);
            Err(source.error_at(
                &rev.origin,
                message,
                "`spar ladder`, `league` and `scaling` build it, in an `[[entrant]]`",
            ))
        }
        None => Ok(()),
    }
}

/// Returns the title, if it can be shown in one line.
fn title(source: &Source, keys: &Keys) -> Result<Option<String>, PlanError> {
    let Some(Given { value: text, origin }) = &keys.title else { return Ok(None) };
    if text.trim().is_empty() || text.chars().count() > 200 || text.chars().any(char::is_control) {
        let label = "expected 1 to 200 printable characters";
        return Err(source.error_at(origin, "this cannot be a title", label));
    }
    Ok(Some(text.clone()))
}

pub(super) fn run_name(source: &Source, name: Option<&Given<String>>, stem: &str) -> Result<String, PlanError> {
    match name {
        Some(name) if names_a_run(&name.value) => Ok(name.value.clone()),
        Some(name) => {
            let label = format!("expected {RUN_NAME_FORM}: it names a folder");
            Err(source.error_at(&name.origin, format!("`{}` cannot name a run", name.value), label))
        }
        None if names_a_run(stem) => Ok(stem.to_owned()),
        None => {
            let message = format!("`{stem}`, the file's name, cannot name a run");
            Err(source.error(message, format!("rename the file, or give the run a `name`: {RUN_NAME_FORM}")))
        }
    }
}

fn concurrency(source: &Source, n: &Given<usize>) -> Result<NonZeroUsize, PlanError> {
    let label = format!("expected 1 to {MOST_WORKERS}");
    let none = || source.error_at(&n.origin, format!("a run cannot have {} workers", n.value), label);
    NonZeroUsize::new(n.value).filter(|n| n.get() <= MOST_WORKERS).ok_or_else(none)
}

fn affinity(source: &Source, given: &Given<AffinityPlan>) -> Result<Affinity, PlanError> {
    match &given.value {
        AffinityPlan::Word(word) if word == "off" => Ok(Affinity::Off),
        AffinityPlan::Word(word) if word == "auto" => Ok(Affinity::Auto),
        AffinityPlan::List(list) => Ok(Affinity::List(list.clone())),
        AffinityPlan::Word(word) => {
            let label = "expected `\"off\"`, `\"auto\"` or a list of processors such as `[0, 1]`";
            Err(source.error_at(&given.origin, format!("`affinity` cannot be \"{word}\""), label))
        }
    }
}

fn max_fault_share(source: &Source, given: Option<&Given<f64>>) -> Result<f64, PlanError> {
    match given {
        None => Ok(USUAL_MAX_FAULT_SHARE),
        Some(share) if (0.0..=1.0).contains(&share.value) => Ok(share.value),
        Some(share) => {
            let label = "expected a share of all games from 0 to 1, such as `0.2`; 1 never stops a run";
            Err(source.error_at(&share.origin, format!("`max_fault_share` cannot be {}", share.value), label))
        }
    }
}

fn starvation(source: &Source, plan: Option<&StarvationPlan>, entrants: &[Entrant]) -> Result<Starvation, PlanError> {
    let default = Starvation::usual(entrants.iter().any(|entrant| entrant.player.is_timed_by_the_wall()));
    let Some(StarvationPlan { threshold, action }) = plan else { return Ok(default) };
    let time = |text: &Given<String>| {
        let forms = "a time such as `5ms`, more than 0";
        read::parse(source, text, read_duration, "threshold", forms)
    };
    let threshold = threshold.as_ref().map_or(Ok(default.threshold), time)?;
    Ok(Starvation { threshold, action: value(action.as_ref()).unwrap_or(default.action) })
}
