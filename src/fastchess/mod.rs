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

use crate::failure::{Exit, Failure};
use crate::follower::Follower;
use crate::open_run::OpenRun;
use crate::progress::change_of_pace;
use arena::run::{Finish, Snapshot};
use games::GameFiles;
use narrator::Narrator;
use request::Request;
use session::jobs;
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
    let files = GameFiles::open(&loaded.run, &request)?;
    let workers = loaded.concurrency.unwrap_or(NonZeroUsize::MIN);
    let run = OpenRun::create(&loaded, workers, request.trace.as_deref(), runs)?;
    play(run, &request, files)
}

/// Plays a run, telling it on standard output.
fn play(mut run: OpenRun<'_>, request: &Request, files: GameFiles<'_>) -> Result<Exit, Failure> {
    let loaded = run.loaded;
    let path = run.folder.path().to_owned();
    say!("The run is kept in {}", path.display());
    let started = Instant::now();
    let mut experiment = jobs::experiment(&loaded.run)?;
    let (follower, counting) = (Follower::new(run.journal.path())?, jobs::experiment(&loaded.run)?);
    let mut narrator = Narrator::new(&loaded.run, request.style, follower, counting, files, std::io::stdout().lock());
    // A reader that has gone, or a full disk, must not end the run: what could not be told is said at the end.
    let (mut told, mut at_a_time) = (Ok(()), None);
    let observe = &mut |snapshot: &Snapshot| {
        if let Some(line) = change_of_pace(&mut at_a_time, snapshot) {
            say!("{line}");
        }
        if told.is_ok() {
            told = narrator.catch_up(snapshot.standing.pairs);
        }
    };
    let finish = run.play(experiment.as_mut(), observe)?;
    let told = told.and_then(|()| narrator.end(started.elapsed()));
    drop(narrator);
    run.journal.fold();
    match told {
        Ok(()) | Err(Failure::OutputClosed) => {}
        Err(failure) => return Err(failure),
    }
    match finish {
        Finish::Verdict(_) => Ok(Exit::Done),
        Finish::Stopped => {
            say!("Interrupted; every committed pair is kept. To go on: spar resume {}", path.display());
            Ok(Exit::Interrupted)
        }
    }
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
