//! `spar regress`: has an engine become weaker than its releases? A test of non-regression against each of them.

use super::experiment::{self, read_plan};
use super::parts::{Finished, Row, Wording};
use super::{parts, print, print_json};
use crate::args::Working;
use crate::args::releases::Regress;
use crate::failure::{Exit, Failure};
use crate::watch::{Ended, is_stopped, watch, watch_for};
use arena::config::Job;
use session::Session;
use session::work::{self, Series};
use std::path::Path;

/// How the tests of such a job are spoken of.
const WORDING: Wording = Wording { head: "against", key: "release", passed: "no regression", failed: "regression" };

pub(crate) fn regress(regress: &Regress, runs: &Path) -> Result<Exit, Failure> {
    let Regress { config, against, dev, building, working } = regress;
    let plan = read_plan(config, working, Job::Sprt)?;
    let (dev, against) = (dev.clone(), against.clone());
    let regress = work::Regress { plan, sources: building.sources(), dev, against };
    let title = regress.title();
    let (threads, place) = (experiment::threads(working), experiment::place(working, runs));
    let session = Session::start(threads, &place, move |desk| work::regress(desk, &regress));
    let mut finished = Finished::default();
    match watch_for(session, &mut |ended| finished.and(ended)) {
        Ok((ended, folder)) => told(&ended, &title, &folder, working),
        Err(why) => finished.before(why, |ended| say_all(ended, &title, working)),
    }
}

/// Goes on with such a job.
pub(super) fn resume(series: &Series, working: &Working) -> Result<Exit, Failure> {
    let (title, folder) = (series.title(), series.folder());
    let mut finished = Finished::default();
    match watch(experiment::resumed(folder, working), &mut |ended| finished.and(ended)) {
        Ok(ended) => told(&ended, title, folder, working),
        Err(why) => finished.before(why, |ended| say_all(ended, title, working)),
    }
}

/// Says what came of all tests.
fn told(ended: &[Ended], title: &str, folder: &Path, working: &Working) -> Result<Exit, Failure> {
    if is_stopped(ended) {
        experiment::say_how_to_go_on(folder);
    }
    say_all(ended, title, working)
}

fn say_all(ended: &[Ended], title: &str, working: &Working) -> Result<Exit, Failure> {
    let rows = Row::of(ended);
    if working.json {
        print_json(&rows.iter().map(|row| row.json(&WORDING)).collect::<Vec<_>>())?;
    } else {
        print(parts::table(title, &rows, &WORDING))?;
    }
    Ok(parts::exit(&rows))
}
