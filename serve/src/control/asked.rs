//! Configurations that come from browsers: what they ask for, and what is wrong with them where.

use arena::config::{ExecutorKind, Job, Loaded};
use miette::Diagnostic;
use serde_json::{Value, json};
use session::SessionError;
use session::plan::{PlanError, RunPlan};
use std::fmt;

/// What runs are called whose configuration has no name.
const STEM: &str = "run";
/// What errors call the text.
const CALLED: &str = "the configuration";

/// The run that a configuration asks for.
#[derive(Debug)]
pub(crate) struct Checked(pub(crate) Box<Loaded>);

/// Why a configuration cannot be used.
#[derive(Debug)]
pub(crate) struct Wrong {
    message: String,
    /// The line, from 1, and the column, from 1 and in characters.
    place: Option<(usize, usize)>,
    label: Option<String>,
    help: Option<String>,
}

impl Wrong {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, label: None, help: Some(help.into()) }
    }

    /// As JSON.
    pub(crate) fn told(&self) -> Value {
        let (line, column) = self.place.unzip();
        json!({ "error": self.message, "line": line, "column": column, "label": self.label, "help": self.help })
    }

    fn of(error: &dyn Diagnostic, toml: &str) -> Self {
        let label = error.labels().and_then(|mut labels| labels.next());
        let place = label.as_ref().and_then(|label| toml.get(..label.offset())).map(|before| {
            let line = before.rsplit('\n').next().unwrap_or_default();
            (before.matches('\n').count() + 1, line.chars().count() + 1)
        });
        Self {
            message: error.to_string(),
            place,
            label: label.and_then(|label| label.label().map(str::to_owned)),
            help: error.help().map(|help| help.to_string()),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Reads a configuration as it would be read from a file, and says what it asks for.
pub(crate) fn check(toml: &str) -> Result<Checked, Wrong> {
    let wrong = |error: PlanError| Wrong::of(&error, toml);
    let plan = RunPlan::read(toml, CALLED, STEM, &[], None).map_err(wrong)?;
    let job = job_of(&plan)?;
    let loaded = plan.resolve(job).map_err(wrong)?;
    refuse_fleet(&loaded)?;
    // What makes no experiment is refused here, too.
    session::jobs::experiment(&loaded.run)
        .map_err(|error| Wrong::new(error.to_string(), "change it in the section"))?;
    session::executables(&loaded.run).map_err(|error: SessionError| {
        Wrong::new(
            error.to_string(),
            "programs are looked for on the machine of this server, from the folder that it runs in",
        )
    })?;
    Ok(Checked(Box::new(loaded)))
}

/// The job that a configuration has a section for.
fn job_of(plan: &RunPlan) -> Result<Job, Wrong> {
    let keys = &plan.keys;
    let elsewhere = [
        (keys.ladder.is_some(), "ladder"),
        (keys.scaling.is_some(), "scaling"),
        (keys.league.is_some(), "league"),
        (keys.learn.is_some(), "learn"),
        (keys.build.is_some(), "patch"),
        (!keys.stage.is_empty(), "sprt"),
    ];
    if let Some((_, command)) = elsewhere.iter().find(|(is_there, _)| *is_there) {
        let why = format!("a job of several runs (`spar {command}`) cannot be started from here");
        return Err(Wrong::new(why, "start it in a terminal: its runs appear here by themselves"));
    }
    let here = [
        (keys.sprt.is_some(), Job::Sprt),
        (keys.r#match.is_some(), Job::Match),
        (keys.tune.is_some(), Job::Tune),
        (keys.selfplay.is_some(), Job::Selfplay),
    ];
    let mut asked = here.iter().filter(|(is_there, _)| *is_there).map(|(_, job)| *job);
    match (asked.next(), asked.next()) {
        (Some(job), None) => Ok(job),
        (None, _) => Err(Wrong::new(
            "the configuration does not say what is to be done",
            "it has one of the sections `[sprt]`, `[match]`, `[tune]` and `[selfplay]`",
        )),
        (Some(one), Some(other)) => Err(Wrong::new(
            format!("the configuration asks for two things: `[{}]` and `[{}]`", one.section(), other.section()),
            "leave one of them out",
        )),
    }
}

fn refuse_fleet(loaded: &Loaded) -> Result<(), Wrong> {
    if loaded.executor == ExecutorKind::Nats {
        let help = "start it in a terminal, with the fleet's address and credentials: it appears here by itself";
        return Err(Wrong::new("runs of a fleet cannot be started from here yet", help));
    }
    Ok(())
}
