//! `spar regress`: tests whether an engine has become weaker than its releases, by a non-regression test against each.

use super::parts;
use super::parts::{Finished, print_rows};
use super::sessions::{self, read_plan};
use crate::args::Working;
use crate::args::releases::Regress;
use crate::failure::{Exit, Failure};
use crate::host::say_how_to_go_on;
use crate::watch::{Ended, is_stopped, watch, watch_for};
use arena::config::Job;
use session::Session;
use session::work::{self, Rule, Series};
use std::num::NonZeroU64;
use std::path::Path;

pub(crate) fn regress(regress: &Regress, runs: &Path) -> Result<Exit, Failure> {
    let Regress { config, against, dev, building, working } = regress;
    let plan = read_plan(config, working, Job::Sprt)?;
    let (dev, against) = (dev.clone(), against.clone());
    let regress = work::Regress { plan, sources: building.sources(config, working), dev, against };
    let title = regress.title();
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |runner| work::regress(runner, &regress));
    let mut finished = Finished::default();
    match watch_for(session, &mut |ended| finished.and(ended)) {
        Ok((ended, folder)) => print_results(&ended, &title, &folder, working),
        Err(why) => finished.before(why, |ended| print_rows(ended, &title, Rule::All, None, working)),
    }
}

/// Resumes a regression job.
pub(super) fn resume(series: &Series, pairs: Option<NonZeroU64>, working: &Working) -> Result<Exit, Failure> {
    let (title, folder) = (series.title(), series.folder());
    let mut finished = Finished::default();
    match watch(sessions::resumed(folder, pairs, working), &mut |ended| finished.and(ended)) {
        Ok(ended) => print_results(&ended, title, folder, working),
        Err(why) => finished.before(why, |ended| print_rows(ended, title, Rule::All, None, working)),
    }
}

/// Prints the results of all tests.
fn print_results(ended: &[Ended], title: &str, folder: &Path, working: &Working) -> Result<Exit, Failure> {
    if is_stopped(ended) {
        say_how_to_go_on(folder);
    }
    let page = Series::read(folder)?.and_then(|series| parts::write_page(&series, ended));
    print_rows(ended, title, Rule::All, page.as_deref(), working)
}
