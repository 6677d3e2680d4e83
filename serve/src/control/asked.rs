//! Configurations that come from browsers: their runs, and their errors with places.

use super::order::{check_workers, processors};
use arena::config::{ExecutorKind, Job};
use arena::run::Executables;
use miette::Diagnostic;
use plan::{Disk, Loaded, PlanError, RunPlan};
use play::child::address;
use play::entrant::{Entrant, PlayerSpec};
use play::platform::Machine;
use reports::text::counted;
use serde_json::{Value, json};
use session::SessionError;
use std::cmp::Reverse;
use std::fmt;

/// What runs are called whose configuration has no name.
const STEM: &str = "run";
/// What errors call the text.
const CALLED: &str = "the configuration";

/// Entrants of a match at most: a round robin of these has some twenty thousand pairings.
const MOST_ENTRANTS: usize = 200;
/// Parameters that a session may tune at a time.
const MOST_PARAMETERS: usize = 1000;
/// Of the machine's memory, the part that tables of players may take: the rest is for all else.
const TABLES_SHARE: f64 = 0.75;

/// The run that a configuration asks for.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) loaded: Box<Loaded>,
    /// Its programs, at this moment.
    pub(crate) files: Executables,
}

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
    pub(crate) fn to_json(&self) -> Value {
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
    let plan = RunPlan::read(toml, CALLED, STEM, &[], None, Disk).map_err(wrong)?;
    let job = job_of(&plan)?;
    refuse_many(&plan)?;
    let loaded = plan.resolve(job).map_err(wrong)?;
    refuse_fleet(&loaded)?;
    refuse_large(&loaded)?;
    let files = session::executables(&loaded.run).map_err(|error: SessionError| {
        Wrong::new(
            error.to_string(),
            "programs are looked for on the machine of this server, from the folder that it runs in",
        )
    })?;
    Ok(Checked { loaded: Box::new(loaded), files })
}

/// The job that a configuration has a section for.
fn job_of(plan: &RunPlan) -> Result<Job, Wrong> {
    let keys = &plan.keys;
    let elsewhere = [
        (keys.ladder.is_some(), "ladder"),
        (keys.scaling.is_some(), "scaling"),
        (keys.league.is_some(), "league"),
        (keys.learn.is_some(), "learn"),
        (keys.bisect.is_some(), "bisect"),
        (keys.campaign.is_some(), "campaign"),
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

/// Rejects configurations that would take long to check, or more memory than there is, before they are checked.
fn refuse_many(plan: &RunPlan) -> Result<(), Wrong> {
    let keys = &plan.keys;
    let tuned = keys.tune.as_ref().map_or(0, |tune| tune.value.parameter.len());
    let counts = [(keys.entrant.len(), MOST_ENTRANTS, "entrants"), (tuned, MOST_PARAMETERS, "tuned parameters")];
    match counts.into_iter().find(|(count, most, _)| count > most) {
        Some((count, most, what)) => Err(Wrong::new(
            format!("{count} {what} are too many to be started from here"),
            format!("at most {most}: start it in a terminal, its run appears here by itself"),
        )),
        None => Ok(()),
    }
}

/// Refuses more players at a time, or larger tables, than this machine bears.
fn refuse_large(loaded: &Loaded) -> Result<(), Wrong> {
    let workers = loaded.concurrency.unwrap_or_else(processors);
    check_workers(workers).map_err(|why| Wrong::new(why, "change `concurrency`"))?;
    let Some(memory) = Machine::this().total_memory() else { return Ok(()) };
    let mut tables: Vec<u64> = loaded.run.entrants.iter().map(table_bytes).collect();
    tables.sort_unstable_by_key(|&bytes| Reverse(bytes));
    // Each worker seats two players, in self-play and tuning two of the same.
    let of_two =
        tables.first().copied().unwrap_or(0).saturating_add(tables.get(1).or(tables.first()).copied().unwrap_or(0));
    let needed = of_two.saturating_mul(workers.get() as u64);
    if needed as f64 > TABLES_SHARE * memory as f64 {
        let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
        let message = format!(
            "the tables of {} take {}, and this machine has {}",
            counted(2 * workers.get() as u64, "player"),
            gib(needed),
            gib(memory)
        );
        return Err(Wrong::new(message, "make `table` or the option `Hash` smaller, or play fewer pairs at a time"));
    }
    Ok(())
}

/// The memory that a player takes for its table, as far as known.
fn table_bytes(entrant: &Entrant) -> u64 {
    match &entrant.player {
        PlayerSpec::Native(native) => native.table_bytes,
        PlayerSpec::Process(process) if address(&process.command).is_some() => 0,
        PlayerSpec::Process(process) => {
            let hash = process.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("hash"));
            let mebibytes = hash.and_then(|(_, value)| value.trim().parse::<f64>().ok());
            // Out of range saturates.
            mebibytes.map_or(0, |mebibytes| (mebibytes * f64::from(1 << 20)) as u64)
        }
        PlayerSpec::Random | PlayerSpec::Custom(_) => 0,
    }
}

fn refuse_fleet(loaded: &Loaded) -> Result<(), Wrong> {
    if loaded.executor == ExecutorKind::Nats {
        let help = "start it in a terminal, with the fleet's address and credentials: it appears here by itself";
        return Err(Wrong::new("runs of a fleet cannot be started from here yet", help));
    }
    Ok(())
}
