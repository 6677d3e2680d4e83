//! `spar fastchess`: takes fastchess's command line, plays an ordinary run, and prints what fastchess prints.
//!
//! The options become a plan, as others do from words ([`crate::draft`]), which is resolved, played and journaled like any other; so the run can be
//! shown, reported and resumed. See docs/fastchess.md for what is accepted and what differs.

mod games;
mod narrator;
mod numbers;
mod reader;
mod refused;
mod report;
mod request;
mod values;
mod words;

use crate::commands::experiment;
use crate::failure::{Exit, Failure};
use crate::follower::Follower;
use crate::host;
use crate::watch::in_words;
use arena::config::RunConfig;
use arena::run::{Finish, JOURNAL};
use games::GameFiles;
use narrator::Narrator;
use play::child::Launcher;
use request::Request;
use session::{Event, Place, Session, State, Threads, jobs};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Does what a fastchess command line asks for.
///
/// # Errors
/// What is wrong with the command line, or with the machine.
pub(crate) fn fastchess(words: &[String], runs: &Path) -> Result<Exit, Failure> {
    let names: Vec<&str> = words::split(words)?.iter().map(|given| given.name).collect();
    if names.contains(&"version") {
        return said(&version());
    }
    if names.is_empty() || names.contains(&"help") {
        return said(&help());
    }
    let request = reader::read(words)?;
    let loaded = request.plan.resolve(request.job)?;
    let run = loaded.run.clone();
    let files = GameFiles::open(&run, &request)?;
    let place = Place { concurrency: Some(loaded.concurrency.unwrap_or(NonZeroUsize::MIN)), ..Place::at(runs) };
    let threads = Threads::new().traced_to(request.trace.clone()).launched_by(Launcher::this_program());
    tell(Session::create(loaded, threads, &place), &run, &request, files)
}

/// Tells a session on standard output.
fn tell(session: Session, run: &RunConfig, request: &Request, files: GameFiles<'_>) -> Result<Exit, Failure> {
    let _until_over = host::stop_on_ctrl_c(&session.commander())?;
    let started = Instant::now();
    let mut files = Some(files);
    // A reader that has gone, or a full disk, must not end the run: what could not be told is said at the end.
    let (mut narrator, mut told) = (None, Ok(()));
    for event in session.watch() {
        match event {
            Event::Warning(warning) => say!("{}", in_words(&warning)),
            Event::Started(path) => {
                say!("The run is kept in {}", path.display());
                if let Some(files) = files.take() {
                    let (follower, counting) = (Follower::new(&path.join(JOURNAL))?, jobs::experiment(run)?);
                    let out = std::io::stdout().lock();
                    narrator = Some(Narrator::new(run, request.style, follower, counting, files, out));
                }
            }
            _ => {}
        }
        let pairs = absorbed(&session.state());
        if let Some(narrator) = narrator.as_mut().filter(|_| told.is_ok()) {
            told = narrator.catch_up(pairs);
        }
    }
    if let Some(narrator) = &mut narrator {
        told = told.and_then(|()| narrator.end(started.elapsed()));
    }
    drop(narrator);
    let state = session.wait()?;
    match told {
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match state.ended.last() {
        Some(outcome) if outcome.finish == Finish::Stopped => {
            experiment::say_how_to_go_on(&outcome.path);
            Ok(Exit::Interrupted)
        }
        _ => Ok(Exit::Done),
    }
}

/// How many pairs have been absorbed, as far as is known.
fn absorbed(state: &State) -> u64 {
    let ended = state.ended.last().map(|outcome| outcome.standing.pairs);
    ended.or_else(|| Some(state.standing.as_ref()?.standing.pairs)).unwrap_or(0)
}

fn version() -> String {
    format!("spar {}, in the manner of fastchess\n", env!("CARGO_PKG_VERSION"))
}

fn help() -> String {
    let options = refused::ACCEPTED.map(|name| format!("  -{name}\n")).concat();
    format!(
        "{}\nPlays what a fastchess command line asks for, and prints what fastchess prints. Options:\n{options}\n\
         docs/fastchess.md tells what they mean here, and what differs.\n",
        version()
    )
}

fn said(text: &str) -> Result<Exit, Failure> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// What a command line asks for, and as which job.
#[cfg(test)]
pub(crate) fn plan(words: &[String]) -> Result<(session::plan::RunPlan, arena::config::Job), Failure> {
    let request = reader::read(words)?;
    Ok((request.plan, request.job))
}
