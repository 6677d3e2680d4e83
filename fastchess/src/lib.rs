//! `spar fastchess`: takes a command line of fastchess, plays an ordinary run, and prints what fastchess prints.
//!
//! The options become a plan, which is resolved, played and journaled like any other plan. So the run can be shown,
//! reported and resumed. See docs/reference/fastchess.md for the accepted options and the differences.
//!
//! This crate prints fastchess's output on standard output. The program handles everything else as a [`Host`]:
//! messages, Ctrl-C and the check of an engine.

mod engine_output;
mod engines;
mod error;
#[cfg(test)]
mod fuzz;
mod games;
mod log;
mod narrator;
mod numbers;
mod reader;
mod refused;
mod report;
mod request;
mod saved;
mod values;
mod words;

pub use error::FastchessError;

use arena::config::{Job, RunConfig};
use arena::run::{Follower, JOURNAL, UnsetOption};
use error::is_interruption;
use games::GameFiles;
use log::{Log, LogFile, Printer};
use narrator::Narrator;
use plan::jobs;
use plan::{Loaded, RunPlan};
use play::LinesKept;
use play::child::{Affinity, Launcher};
use play::protocol::OptionError;
use request::Request;
use session::{Command, Commander, Event, Place, ReadRun, Session, SessionError, State, Threads, Warning};
use std::any::Any;
use std::ffi::CString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The services of the program that plays a command line.
pub trait Host {
    /// Shows a line of text to the user, separate from fastchess's output.
    fn note(&self, text: &str);

    /// Shows a warning of the session.
    fn warn(&self, warning: &Warning);

    /// Makes Ctrl-C stop the session, until the returned value is dropped.
    ///
    /// # Errors
    /// The reason, in words, why that is impossible.
    fn stop_on_ctrl_c(&self, commander: &Commander) -> Result<Box<dyn Any>, String>;

    /// Receives the folder of the run that has begun.
    fn begun(&self, run: &Path);

    /// Prints how to resume an interrupted run.
    fn interrupted(&self, run: &Path);
}

/// The end of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The run is complete.
    Done,
    /// The run was interrupted, or a warning ended it.
    Abandoned,
}

/// The last line of a check that the engine has passed.
pub const PASSED: &str = "Engine passed all compliance checks.";

/// Returns the engine and its arguments if a command line asks for a check of UCI compliance:
/// `--compliance ENGINE [ARGS]`.
///
/// The check runs the steps of `spar check`. Scripts look for the last line, [`PASSED`], and the exit code.
///
/// # Errors
/// Errors of the command line.
pub fn compliance(words: &[String]) -> Result<Option<(String, Vec<String>)>, FastchessError> {
    if words::split(words)?.iter().all(|given| given.name != "compliance") {
        return Ok(None);
    }
    let of_engine = words.split_first().filter(|(option, _)| option.trim_start_matches('-') == "compliance");
    let Some((engine, arguments)) = of_engine.and_then(|(_, rest)| rest.split_first()) else {
        return Err(FastchessError::usage("expected `--compliance ENGINE [ARGS]` and nothing else"));
    };
    // All arguments may be one word, as in `args=` of an engine.
    let arguments: Option<Vec<Vec<String>>> = arguments.iter().map(|text| shlex::split(text)).collect();
    let arguments =
        arguments.ok_or_else(|| FastchessError::usage("a quotation mark of the engine's arguments is not closed"))?;
    Ok(Some((engine.clone(), arguments.concat())))
}

/// Executes a fastchess command line, except for [`compliance`]. Runs are kept in the folder `runs`.
///
/// # Errors
/// Errors of the command line, or of the machine.
pub fn run(words: &[String], runs: &Path, host: &dyn Host) -> Result<End, FastchessError> {
    let names: Vec<&str> = words::split(words)?.iter().map(|given| given.name).collect();
    if names.iter().any(|name| matches!(*name, "version" | "v")) {
        return print_text(&version());
    }
    if names.is_empty() || names.contains(&"help") {
        return print_text(&help());
    }
    if names.contains(&"wrapper") {
        return print_text(&wrapper()?);
    }
    take_the_name_called_by();
    let request = reader::read(words)?;
    request.notes.iter().for_each(|note| host.note(note));
    let loaded = request.plan.resolve(request.job)?;
    let run = loaded.run.clone();
    let printed = request.resumes.as_deref().map(|path| played_before(path, &run)).transpose()?;
    let files = GameFiles::open(&run, &request)?;
    let here = on_this_host(&loaded);
    let place = Place { concurrency: Some(loaded.concurrency.unwrap_or(NonZeroUsize::MIN)), ..Place::at(runs) };
    let log = request.log.as_ref().map(LogFile::open).transpose()?;
    let trace = log.as_ref().and_then(Log::trace);
    let threads = Threads::new().traced_by(trace).launched_by(Launcher::this_program());
    let session = match &request.resumes {
        Some(path) => Session::resume(path, here, threads, &place),
        None => Session::create(loaded, threads, &place),
    };
    let showing = Showing { run: &run, request: &request, printed: printed.unwrap_or(0), log: log.as_ref(), host };
    print_session(session, &showing, files)
}

/// The settings by these words that may change while a run is interrupted, since no result depends on them.
fn on_this_host(loaded: &Loaded) -> Vec<String> {
    let affinity = match &loaded.affinity {
        Affinity::Off => "off".to_owned(),
        Affinity::Auto => "auto".to_owned(),
        Affinity::List(list) => format!("{list:?}"),
    };
    vec![format!("pause={}ms", loaded.pause.as_millis()), format!("affinity={affinity}")]
}

/// The number of pairs of the resumed run.
///
/// # Errors
/// The words describe another run, or the run cannot be read.
fn played_before(path: &Path, run: &RunConfig) -> Result<u64, FastchessError> {
    let read = ReadRun::open(path)?;
    let mut asked = run.clone();
    if read.header.config.rules.lines == LinesKept::None {
        // Runs of older versions keep no lines, and continue without lines.
        asked.rules.lines = LinesKept::None;
    }
    // The limit on faults does not affect the games that were played.
    let then = RunConfig { max_fault_share: asked.max_fault_share, ..read.header.config.clone() };
    if then != asked {
        return Err(FastchessError::usage(format!(
            "the command line asks for another run than the one to resume, {}: leave out what changes it, or start \
                over with `-config stats=false`",
            path.display()
        )));
    }
    Ok(read.experiment.standing().pairs)
}

/// The output of a session.
struct Showing<'a> {
    run: &'a RunConfig,
    request: &'a Request,
    /// The number of pairs that an earlier session printed.
    printed: u64,
    log: Option<&'a Log>,
    host: &'a dyn Host,
}

/// Prints a session on standard output.
fn print_session(session: Session, showing: &Showing<'_>, files: GameFiles<'_>) -> Result<End, FastchessError> {
    let Showing { run, request, log, host, .. } = *showing;
    let _until_over = host.stop_on_ctrl_c(&session.commander()).map_err(FastchessError::Host)?;
    let started = Instant::now();
    let mut files = Some(files);
    // A closed pipe or a full disk must not end the run: the output error is reported at the end.
    let (mut narrator, mut written) = (None, Ok(()));
    let (mut has_warned, mut is_broken_off) = (false, false);
    for event in session.watch() {
        match event {
            Event::Warning(Warning::OptionPassedOver(passed_over)) => {
                let text = format!("{}\n", option_warning(&passed_over));
                written = written.and_then(|()| Ok(Printer { out: std::io::stdout(), log }.print(&text)?));
                has_warned = true;
            }
            Event::Warning(warning) => host.warn(&warning),
            Event::Started(path) => {
                host.note(&format!("The run is kept in {}", path.display()));
                host.begun(&path);
                if let Some(files) = files.take() {
                    let (follower, counting) = (Follower::new(&path.join(JOURNAL))?, jobs::experiment(run)?);
                    let out = Printer { out: std::io::stdout().lock(), log };
                    let mut new = Narrator::new(run, request, follower, counting, files, out);
                    written = written.and_then(|()| new.pass_over(showing.printed));
                    narrator = Some(new);
                    let saved = request.save.as_ref().map(|name| saved::save(name, &path, &request.words));
                    if let Some(Err(failure)) = saved {
                        host.note(&format!("warning: {failure}"));
                    }
                }
            }
            _ => {}
        }
        let pairs = absorbed(&session.state());
        if let Some(narrator) = narrator.as_mut().filter(|_| written.is_ok()) {
            written = narrator.catch_up(pairs);
            has_warned |= narrator.has_warned();
        }
        if request.is_strict && has_warned && !is_broken_off {
            is_broken_off = true;
            session.send(Command::Stop);
        }
    }
    let state = session.state();
    let faulty = match session.wait() {
        Err(error @ SessionError::Faulty(_)) => Some(FastchessError::from(error)),
        Err(error) if is_interruption(&error) => return Ok(End::Abandoned),
        Err(error) => return Err(error.into()),
        Ok(_) => None,
    };
    let stopped = state.ended.last().filter(|outcome| outcome.verdict().is_none());
    let how = |path: &Path| match &request.save {
        Some(name) => format!("spar fastchess -config file={}", name.display()),
        None => format!("spar resume {}", path.display()),
    };
    let how = stopped.map(|outcome| how(&outcome.path));
    let end = how.as_deref().map_or(narrator::End::Complete, narrator::End::Interrupted);
    if let Some(narrator) = &mut narrator {
        written = written.and_then(|()| narrator.end(started.elapsed(), end));
    }
    drop(narrator);
    match written {
        Err(FastchessError::Output(closed)) if closed.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written?,
    }
    if let Some(faulty) = faulty {
        return Err(faulty);
    }
    if let Some(outcome) = stopped {
        host.interrupted(&outcome.path);
    }
    Ok(if stopped.is_some() || is_broken_off { End::Abandoned } else { End::Done })
}

/// fastchess's warning about an option that an engine does not accept with the given value.
fn option_warning(UnsetOption { entrant, why }: &UnsetOption) -> String {
    match (why, why.value()) {
        (OptionError::Unknown { name, .. }, _) => format!("Warning; {entrant} doesn't have option {name}"),
        (_, Some(value)) => format!("Warning; Invalid value for option {}; {value}", why.name()),
        (_, None) => format!("Warning; {entrant}: {why}"),
    }
}

/// The number of pairs that are known to be absorbed.
fn absorbed(state: &State) -> u64 {
    let ended = state.ended.last().map(|outcome| outcome.standing.pairs);
    ended.or_else(|| Some(state.standing.as_ref()?.standing.pairs)).unwrap_or(0)
}

/// The version line. Frameworks look for fastchess's name and a sufficiently new version at its start.
fn version() -> String {
    format!("fastchess alpha 1.8.2 (spar {})\n", env!("CARGO_PKG_VERSION"))
}

/// A script to install in place of a program called `fastchess`.
fn wrapper() -> Result<String, FastchessError> {
    let program = std::env::current_exe()?;
    let cannot_be_named = || FastchessError::usage("the path of this program cannot be written into a script");
    let program = program.to_str().and_then(|path| shlex::try_quote(path).ok()).ok_or_else(cannot_be_named)?;
    Ok(format!(
        "#!/usr/bin/env bash\n\
         # Runs spar in place of fastchess. The process keeps the name that it is called by: frameworks end it by \
         that.\n\
         exec -a \"$0\" {program} fastchess \"$@\"\n"
    ))
}

/// Sets the process's name to the name by which it was called, if that is not its program's name.
fn take_the_name_called_by() {
    let called = std::env::args_os().next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_name).and_then(|name| CString::new(name.as_encoded_bytes()).ok());
    let own = std::env::current_exe().ok();
    if let Some(name) =
        name.filter(|_| own.as_deref().and_then(Path::file_name) != called.as_deref().and_then(Path::file_name))
    {
        // On failure, the process keeps its program's name.
        let _as_before = rustix::thread::set_name(&name);
    }
}

fn help() -> String {
    let options = refused::ACCEPTED.map(|name| format!("  -{name}\n")).concat();
    format!(
        "{}\nPlays what a fastchess command line asks for, and prints what fastchess prints. Options:\n{options}\n\
         docs/reference/fastchess.md tells what they mean here, and what differs.\n",
        version()
    )
}

fn print_text(text: &str) -> Result<End, FastchessError> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(End::Done)
}

/// Whether fastchess has an option of this name that is accepted here.
pub fn is_option(name: &str) -> bool {
    refused::ACCEPTED.contains(&name)
}

/// Returns the plan that a command line describes, and the job as which it is played.
///
/// # Errors
/// Errors of the command line.
pub fn plan(words: &[String]) -> Result<(RunPlan, Job), FastchessError> {
    let request = reader::read(words)?;
    Ok((request.plan, request.job))
}
