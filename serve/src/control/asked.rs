//! Configurations from browsers: the runs that they ask for, and their errors with places.

use super::Leave;
use super::order::{check_workers, processors};
use super::play::Boxed;
use arena::config::{ExecutorKind, Job};
use arena::run::Executables;
use miette::Diagnostic;
use plan::{Built, Disk, Loaded, PlanError, RunPlan};
use play::child::address;
use play::entrant::{Entrant, PlayerSpec};
use play::platform::Machine;
use reports::text::counted;
use serde_json::{Value, json};
use session::work::{self, Bisect, Campaign};
use session::{Place, Session, SessionError};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The name of runs whose configuration has none.
const STEM: &str = "run";
/// The name of the text in errors.
const CALLED: &str = "the configuration";

/// The maximum number of entrants in a match: a round robin of these has some twenty thousand pairings.
const MOST_ENTRANTS: usize = 200;
/// The maximum number of parameters in a tuning session.
const MOST_PARAMETERS: usize = 1000;
/// The share of the machine's memory that players' tables may take; the rest is for everything else.
const TABLES_SHARE: f64 = 0.75;

/// A checked configuration.
#[derive(Debug)]
pub(crate) enum Checked {
    /// A run.
    Run {
        loaded: Box<Loaded>,
        /// Its programs, as they are now.
        files: Executables,
    },
    /// A bisection, and the configuration of its matches, with a placeholder build in each seat.
    Bisect(Box<Bisect>, Box<Loaded>),
    /// A campaign, and the same configuration.
    Campaign(Box<Campaign>, Box<Loaded>),
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

    /// Returns the error as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let (line, column) = self.place.unzip();
        json!({ "error": self.message, "line": line, "column": column, "label": self.label, "help": self.help })
    }

    /// Returns the error for work that a session has refused.
    fn of_session(error: &SessionError, toml: &str) -> Self {
        match error {
            SessionError::Plan(error) => Self::of(error.as_ref(), toml),
            error => Self { message: error.to_string(), place: None, label: None, help: None },
        }
    }

    fn of(error: &dyn Diagnostic, toml: &str) -> Self {
        let label = error.labels().and_then(|mut labels| labels.next());
        let place = label.as_ref().and_then(|label| toml.get(..label.offset())).map(place_after);
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

/// Parses a TOML text into JSON.
///
/// # Errors
/// The text is not TOML.
pub(crate) fn document(text: &str) -> Result<Value, Wrong> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let message = error.message().to_owned();
        Wrong { message, place: before.map(place_after), label: None, help: None }
    })
}

/// Returns the line and the column after a text, both from 1; the column in characters.
fn place_after(before: &str) -> (usize, usize) {
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Reads a configuration as from a file, and returns what it asks for.
pub(super) fn read(toml: &str, leave: &Leave) -> Result<Checked, Wrong> {
    let wrong = |error: PlanError| Wrong::of(&error, toml);
    let plan = RunPlan::read(toml, CALLED, STEM, &[], None, Disk).map_err(wrong)?;
    let asked = asked(&plan)?;
    refuse_many(&plan)?;
    let job = match asked {
        Asked::Run(job) => job,
        Asked::Bisect | Asked::Campaign => return of_matches(&asked, plan, leave).map_err(|why| why.wrong(toml)),
    };
    let loaded = plan.resolve(job).map_err(wrong)?;
    refuse_fleet(&loaded)?;
    refuse_large(&loaded, leave)?;
    let files = session::executables(&loaded.run).map_err(|error: SessionError| {
        Wrong::new(
            error.to_string(),
            "programs are looked for on the machine of this server, from the folder that it runs in",
        )
    })?;
    Ok(Checked::Run { loaded: Box::new(loaded), files })
}

/// Looks up the commits or the patches of a job, which must exist. Nothing is built or played.
pub(super) fn look_up(checked: &Checked, toml: &str, players: Boxed, runs: &Path) -> Result<Value, Wrong> {
    let wrong = |why: SessionError| Wrong::of_session(&why, toml);
    let place = Place::at(runs);
    match checked {
        Checked::Run { loaded, .. } => {
            let entrants: Vec<&str> = loaded.run.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
            Ok(described(loaded, loaded.run.experiment.kind(), &loaded.run.name, &entrants))
        }
        Checked::Bisect(bisect, each) => {
            let (name, work) = (bisect.plan.bisecting().map_err(|why| Wrong::of(&why, toml))?.name, bisect.clone());
            let found = Session::start(players, &place, move |runner| work::find_range(runner, &work)).answer();
            let commits = counted(found.map_err(wrong)? as u64, "commit");
            Ok(described(each, "bisection", &name, &[&commits]))
        }
        Checked::Campaign(campaign, each) => {
            let name = campaign.plan.campaigning().map_err(|why| Wrong::of(&why, toml))?.name;
            let work = campaign.clone();
            let found = Session::start(players, &place, move |runner| work::find_patches(runner, &work)).answer();
            let patches = found.map_err(wrong)?;
            let patches: Vec<&str> = patches.iter().map(String::as_str).collect();
            Ok(described(each, "campaign", &name, &patches))
        }
    }
}

fn described(loaded: &Loaded, kind: &str, name: &str, entrants: &[&str]) -> Value {
    json!({ "kind": kind, "name": name, "game": loaded.run.game.to_string(), "entrants": entrants })
}

/// Why a job of several matches cannot be used.
enum Unusable {
    Plan(PlanError),
    Wrong(Wrong),
}

impl Unusable {
    fn wrong(self, toml: &str) -> Wrong {
        match self {
            Self::Plan(error) => Wrong::of(&error, toml),
            Self::Wrong(wrong) => wrong,
        }
    }
}

impl From<PlanError> for Unusable {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<Wrong> for Unusable {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

/// Returns a bisection or a campaign whose matches can be played, as far as that is known before a build.
fn of_matches(asked: &Asked, plan: RunPlan, leave: &Leave) -> Result<Checked, Unusable> {
    let (program, id, subject) = (PathBuf::from("engine"), "0".to_owned(), String::new());
    let built = Built { program, directory: None, id, subject, time: 0 };
    let is_bisection = matches!(asked, Asked::Bisect);
    let each = if is_bisection {
        let _ends = plan.ends_to_bisect()?;
        plan.bisecting()?.match_of(&built, &built, 0, 1)?
    } else {
        plan.campaigning()?.match_of(("patch", &built), &BTreeMap::new(), &built, 0, 1)?
    };
    let loaded = each.resolve(Job::Match)?;
    refuse_fleet(&loaded)?;
    refuse_large(&loaded, leave)?;
    let (sources, loaded) = (leave.sources.clone(), Box::new(loaded));
    Ok(if is_bisection {
        Checked::Bisect(Box::new(Bisect { plan, sources }), loaded)
    } else {
        Checked::Campaign(Box::new(Campaign { plan, sources }), loaded)
    })
}

/// The job section of a configuration.
enum Asked {
    Run(Job),
    Bisect,
    Campaign,
}

fn asked(plan: &RunPlan) -> Result<Asked, Wrong> {
    let keys = &plan.keys;
    let elsewhere = [
        (keys.ladder.is_some(), "ladder"),
        (keys.scaling.is_some(), "scaling"),
        (keys.league.is_some(), "league"),
        (keys.learn.is_some(), "learn"),
        (keys.build.is_some() && keys.bisect.is_none() && keys.campaign.is_none(), "patch"),
        (!keys.stage.is_empty(), "sprt"),
    ];
    if let Some((_, command)) = elsewhere.iter().find(|(is_there, _)| *is_there) {
        let why = format!("a job of several runs (`spar {command}`) cannot be started from here");
        return Err(Wrong::new(why, "start it in a terminal: its runs appear here by themselves"));
    }
    let run = |job: Job| (job.section(), Asked::Run(job));
    let here = [
        (keys.sprt.is_some(), run(Job::Sprt)),
        (keys.r#match.is_some(), run(Job::Match)),
        (keys.tune.is_some(), run(Job::Tune)),
        (keys.selfplay.is_some(), run(Job::Selfplay)),
        (keys.bisect.is_some(), ("bisect", Asked::Bisect)),
        (keys.campaign.is_some(), ("campaign", Asked::Campaign)),
    ];
    let mut asked = here.into_iter().filter(|(is_there, _)| *is_there).map(|(_, asked)| asked);
    match (asked.next(), asked.next()) {
        (Some((_, asked)), None) => Ok(asked),
        (None, _) => Err(Wrong::new(
            "the configuration does not say what is to be done",
            "it has one of the sections `[sprt]`, `[match]`, `[tune]`, `[selfplay]`, `[bisect]` and `[campaign]`",
        )),
        (Some((one, _)), Some((other, _))) => Err(Wrong::new(
            format!("the configuration asks for two things: `[{one}]` and `[{other}]`"),
            "leave one of them out",
        )),
    }
}

/// Rejects, before the check, configurations whose check would take long, or more memory than there is.
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

/// Refuses more players at a time, or larger tables, than this machine can handle.
fn refuse_large(loaded: &Loaded, leave: &Leave) -> Result<(), Wrong> {
    let workers = loaded.concurrency.or(leave.concurrency).unwrap_or_else(processors);
    check_workers(workers).map_err(|why| Wrong::new(why, "change `concurrency`"))?;
    let Some(memory) = Machine::this().total_memory() else { return Ok(()) };
    let mut tables: Vec<u64> = loaded.run.entrants.iter().map(table_bytes).collect();
    tables.sort_unstable_by_key(|&bytes| Reverse(bytes));
    // Each worker seats two players; in self-play and tuning these are two of the same entrant.
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

/// Returns the memory that a player takes for its table, as far as known, in bytes.
fn table_bytes(entrant: &Entrant) -> u64 {
    match &entrant.player {
        PlayerSpec::Native(native) => native.table_bytes,
        PlayerSpec::Process(process) if address(&process.command).is_some() => 0,
        PlayerSpec::Process(process) => {
            let hash = process.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("hash"));
            let mebibytes = hash.and_then(|(_, value)| value.trim().parse::<f64>().ok());
            // A value out of range saturates.
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
