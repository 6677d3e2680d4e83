//! `spar bisect`: finds the commit of a range that lost the Elo.

use super::sessions::{self, read_plan};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::Bisect;
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use crate::watch::{Headlines, watch_with};
use plan::{Given, within};
use session::work::{self, BisectJob, Ending};
use session::{Session, SessionError};
use std::path::Path;

pub(crate) fn bisect(bisect: &Bisect, runs: &Path) -> Result<Exit, Failure> {
    let Bisect { config, good, bad, path, confidence, max_pairs, building, working } = bisect;
    let mut plan = read_plan(config, working, None)?;
    let keys = within(&mut plan.keys.bisect);
    for (key, option, value) in
        [(&mut keys.good, "good", good), (&mut keys.bad, "bad", bad), (&mut keys.path, "path", path)]
    {
        if let Some(value) = value {
            *key = Some(Given::words(value.clone(), format!("--{option} {value}")));
        }
    }
    if let Some(confidence) = confidence {
        let words = format!("--confidence {confidence}");
        within(&mut plan.keys.bisect).confidence = Some(Given::words(*confidence, words));
    }
    if let Some(pairs) = max_pairs {
        let words = format!("--max-pairs {pairs}");
        within(&mut plan.keys.bisect).max_pairs = Some(Given::words(pairs.get(), words));
    }
    let sources = building.sources(config, working);
    let work = work::Bisect { plan, sources };
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |runner| work::bisect(runner, &work));
    print_result(session, working, "To resume: the same command again")
}

/// Resumes a bisection in its folder.
pub(super) fn resume(job: BisectJob, working: &Working) -> Result<Exit, Failure> {
    let folder = job.folder().to_owned();
    if job.ending().is_some() {
        say!("{} is finished: nothing was played.", folder.display());
    }
    let beside = folder.parent().unwrap_or(&folder);
    let (players, place) = (sessions::players(working), sessions::place(working, beside));
    let session = Session::start(players, &place, move |runner| job.go_on(runner));
    print_result(session, working, &format!("To resume: spar resume {}", folder.display()))
}

/// Shows a bisection session until it ends, then prints where the bisection stands.
fn print_result(session: Session<BisectJob>, working: &Working, again: &str) -> Result<Exit, Failure> {
    let (_, job) = watch_with(session, Headlines::Hidden, &mut |_| Ok(()))?;
    draw(&job)?;
    show(&job, working.json)?;
    match job.ending() {
        Some(Ending::Found | Ending::Nothing) => Ok(Exit::Done),
        Some(Ending::Budget) => Ok(Exit::Undecided),
        None => {
            say!("Interrupted; all that was done is kept. {again}");
            Ok(Exit::Interrupted)
        }
    }
}

/// Writes the plots into the job's folder.
fn draw(job: &BisectJob) -> Result<(), Failure> {
    if job.pairs() == 0 {
        return Ok(());
    }
    super::keep_plots(job.folder(), job.plots().map_err(Failure::environment)?)
}

/// Prints where a bisection stands.
pub(super) fn show(job: &BisectJob, as_json: bool) -> Result<(), Failure> {
    if as_json { print_json(&job.json()) } else { print(shown(&job.text())) }
}

/// Writes the page of a bisection and its plots.
pub(super) fn report(job: &BisectJob) -> Result<Exit, Failure> {
    let page = job.write_page().map_err(Failure::from)?;
    draw(job)?;
    print(page.display())?;
    Ok(Exit::Done)
}

/// Reads the folder's bisection; `None` if the folder holds something else.
pub(super) fn read(path: &Path) -> Result<Option<BisectJob>, SessionError> {
    BisectJob::read(path, &[])
}
