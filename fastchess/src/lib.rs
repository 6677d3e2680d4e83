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
use saved::{OwnFile, SaveFiles};
use session::{Command, Commander, Event, Place, ReadRun, Session, SessionError, State, Threads, Warning};
use std::any::Any;
use std::ffi::CString;
use std::io::{Stdout, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

    /// Prints how to resume an interrupted run: by this command line.
    fn interrupted(&self, command: &str);
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
    let printed = request.resumes.as_ref().map(|file| printed_before(file, &run)).transpose()?;
    let files = GameFiles::open(&run, &request)?;
    let here = on_this_host(&loaded);
    let place = Place { concurrency: Some(loaded.concurrency.unwrap_or(NonZeroUsize::MIN)), ..Place::at(runs) };
    let log = request.log.as_ref().map(LogFile::open).transpose()?;
    let trace = log.as_ref().and_then(Log::trace);
    let threads = Threads::new().traced_by(trace).launched_by(Launcher::this_program());
    let session = match &request.resumes {
        Some(file) => Session::resume(file.run(), here, threads, &place),
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

/// The number of pairs of the resumed run that earlier command lines have printed and written.
///
/// # Errors
/// The words describe another run, or the run cannot be read.
fn printed_before(file: &OwnFile, run: &RunConfig) -> Result<u64, FastchessError> {
    let path = file.run();
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
    let played = read.experiment.standing().pairs;
    // Save files of older versions do not have the number.
    Ok(file.written().map_or(played, |written| written.min(played)))
}

/// What is played, and what to print and write of it.
struct Showing<'a> {
    run: &'a RunConfig,
    request: &'a Request,
    /// The number of pairs that earlier sessions printed and wrote.
    printed: u64,
    log: Option<&'a Log>,
    host: &'a dyn Host,
}

/// What a session prints on standard output and writes to files.
struct Output<'a> {
    showing: &'a Showing<'a>,
    printer: Printer<'a, Stdout>,
    /// The files of games, until the narrator has them.
    files: Option<GameFiles<'a>>,
    /// From the run's folder on, until an error.
    narrator: Option<Narrator<'a>>,
    saves: SaveFiles,
    /// The error of a file or of the journal. It must not end the run, so it is reported at the end.
    written: Result<(), FastchessError>,
    has_warned: bool,
}

impl<'a> Output<'a> {
    fn new(showing: &'a Showing<'a>, files: GameFiles<'a>) -> Self {
        let printer = Printer::new(std::io::stdout(), showing.log);
        let (saves, written) = (SaveFiles::default(), Ok(()));
        Self { showing, printer, files: Some(files), narrator: None, saves, written, has_warned: false }
    }

    /// Prints an event, before the pairs that it may have added.
    ///
    /// # Errors
    /// The run cannot be read.
    fn take(&mut self, event: Event) -> Result<(), FastchessError> {
        let host = self.showing.host;
        match event {
            Event::Warning(Warning::OptionPassedOver(passed_over)) => {
                self.printer.print(&format!("{}\n", option_warning(&passed_over)));
                self.has_warned = true;
            }
            Event::Warning(warning) => host.warn(&warning),
            Event::Started(path) => {
                host.note(&format!("The run is kept in {}", path.display()));
                host.begun(&path);
                self.begin(&path)?;
            }
            // A run that was complete before does not start.
            Event::Ended(outcome) => self.begin(&outcome.path)?,
            _ => {}
        }
        Ok(())
    }

    /// Begins with the run in this folder, unless that is done.
    fn begin(&mut self, path: &Path) -> Result<(), FastchessError> {
        let Some(files) = self.files.take() else { return Ok(()) };
        let Showing { run, request, printed, .. } = *self.showing;
        let (follower, counting) = (Follower::new(&path.join(JOURNAL))?, jobs::experiment(run)?);
        let mut narrator = Narrator::new(run, request, follower, counting, files);
        self.written = narrator.pass_over(printed);
        self.narrator = Some(narrator).filter(|_| self.written.is_ok());
        self.saves = SaveFiles::new(request.save_files(path));
        self.save(printed);
        Ok(())
    }

    /// Prints and writes the games of all pairs below `pairs` that are not written yet.
    fn catch_up(&mut self, pairs: u64) {
        let Some(narrator) = &mut self.narrator else { return };
        let caught_up = narrator.catch_up(pairs, &mut self.printer);
        self.has_warned |= narrator.has_warned();
        match caught_up {
            Ok(written) => self.save(written),
            // Closes the files at once: what is written later would be written again when the run is resumed.
            Err(failure) => (self.narrator, self.written) = (None, Err(failure)),
        }
    }

    /// Keeps the number of written pairs in the save files.
    fn save(&mut self, written: u64) {
        if let Err(failure) = self.saves.keep(written) {
            self.showing.host.note(&format!("warning: the save file is not up to date: {failure}"));
        }
    }

    /// Prints how the run ended, after `time` of play.
    ///
    /// # Errors
    /// The first error of a file of games, or else of standard output.
    fn end(mut self, time: Duration, end: narrator::End<'_>) -> Result<(), FastchessError> {
        self.written?;
        if let Some(narrator) = &self.narrator {
            narrator.end(time, end, &mut self.printer);
        }
        Ok(self.printer.finish()?)
    }
}

/// Prints a session on standard output.
fn print_session<'a>(session: Session, showing: &'a Showing<'a>, files: GameFiles<'a>) -> Result<End, FastchessError> {
    let Showing { request, host, .. } = *showing;
    let _until_over = host.stop_on_ctrl_c(&session.commander()).map_err(FastchessError::Host)?;
    let started = Instant::now();
    let mut output = Output::new(showing, files);
    let mut is_broken_off = false;
    for event in session.watch() {
        output.take(event)?;
        output.catch_up(absorbed(&session.state()));
        if request.is_strict && output.has_warned && !is_broken_off {
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
    let how = stopped.map(|outcome| match request.save_path() {
        Some(file) => format!("spar fastchess -config file={}", file.display()),
        None => format!("spar resume {}", outcome.path.display()),
    });
    let end = how.as_deref().map_or(narrator::End::Complete, narrator::End::Interrupted);
    output.end(started.elapsed(), end)?;
    if let Some(faulty) = faulty {
        return Err(faulty);
    }
    if let Some(how) = &how {
        host.interrupted(how);
    }
    Ok(if how.is_some() || is_broken_off { End::Abandoned } else { End::Done })
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
