//! `spar learn`: repeats self-play, training and a test of the result, generation after generation.

use super::sessions::{self, read_plan};
use super::{print, print_json};
use crate::args::{Start, Working};
use crate::failure::{Exit, Failure};
use crate::watch::watch_for;
use session::work::{self, LearnJob};
use session::{Session, SessionError};
use std::path::Path;

pub(crate) fn learn(start: &Start, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&start.config, &start.working, None)?;
    let (players, place) = (sessions::players(&start.working), sessions::place(&start.working, runs));
    let session = Session::start(players, &place, move |runner| work::learn(runner, &plan));
    let again = "To resume: the same command again";
    print_result(session, &start.working, again)
}

/// Resumes learning in its folder.
pub(super) fn resume(job: LearnJob, working: &Working) -> Result<Exit, Failure> {
    let folder = job.folder().to_owned();
    if job.is_done() {
        say!("{} is finished: nothing was played.", folder.display());
    }
    let beside = folder.parent().unwrap_or(&folder);
    let (players, place) = (sessions::players(working), sessions::place(working, beside));
    let session = Session::start(players, &place, move |runner| job.go_on(runner));
    print_result(session, working, &format!("To resume: spar resume {}", folder.display()))
}

/// Shows a learning session until it ends, then prints where learning stands.
fn print_result(session: Session<LearnJob>, working: &Working, again: &str) -> Result<Exit, Failure> {
    let (_, job) = watch_for(session, &mut |_| Ok(()))?;
    show(&job, working.json)?;
    if job.is_done() {
        return Ok(Exit::Done);
    }
    say!("Interrupted; all that was done is kept. {again}");
    Ok(Exit::Interrupted)
}

/// Prints where learning stands.
pub(super) fn show(job: &LearnJob, as_json: bool) -> Result<(), Failure> {
    if as_json { print_json(&job.json()) } else { print(job.text()) }
}

/// Writes the page of learning.
pub(super) fn report(job: &LearnJob) -> Result<Exit, Failure> {
    print(job.write_page().map_err(Failure::from)?.display())?;
    Ok(Exit::Done)
}

/// Reads the folder's learning job; `None` if the folder holds something else.
pub(super) fn read(path: &Path) -> Result<Option<LearnJob>, SessionError> {
    LearnJob::read(path, &[])
}
