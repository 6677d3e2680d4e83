//! `spar campaign`: finds the patches that gain, out of many.

use super::sessions::{self, read_plan};
use super::{print, print_json};
use crate::args::Working;
use crate::args::releases::Campaign;
use crate::failure::{Exit, Failure};
use crate::shown::shown;
use crate::watch::{Headlines, watch_with};
use plan::{Given, within};
use session::work::{self, CampaignEnding, CampaignJob};
use session::{Session, SessionError};
use std::path::Path;

pub(crate) fn campaign(campaign: &Campaign, runs: &Path) -> Result<Exit, Failure> {
    let Campaign { config, max_pairs, building, working } = campaign;
    let mut plan = read_plan(config, working, None)?;
    if let Some(pairs) = max_pairs {
        let words = format!("--max-pairs {pairs}");
        within(&mut plan.keys.campaign).max_pairs = Some(Given::words(pairs.get(), words));
    }
    let work = work::Campaign { plan, sources: building.sources(config, working) };
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |runner| work::campaign(runner, &work));
    print_result(session, working, "To resume: the same command again", None)
}

/// Resumes a campaign in its folder.
pub(super) fn resume(job: CampaignJob, working: &Working) -> Result<Exit, Failure> {
    let folder = job.folder().to_owned();
    let finished = job.ending().map(|_| job.pairs());
    let beside = folder.parent().unwrap_or(&folder);
    let (players, place) = (sessions::players(working), sessions::place(working, beside));
    let session = Session::start(players, &place, move |runner| job.go_on(runner));
    print_result(session, working, &format!("To resume: spar resume {}", folder.display()), finished)
}

/// Shows a campaign session until it ends, then prints where the campaign stands. `finished` is the number of pairs of
/// a campaign that was finished before: patches may have joined since.
fn print_result(
    session: Session<CampaignJob>,
    working: &Working,
    again: &str,
    finished: Option<u64>,
) -> Result<Exit, Failure> {
    let (_, job) = watch_with(session, Headlines::Hidden, &mut |_| Ok(()))?;
    if job.ending().is_some() && finished == Some(job.pairs()) {
        say!("{} is finished: nothing was played.", job.folder().display());
    }
    draw(&job)?;
    show(&job, working.json)?;
    match job.ending() {
        Some(CampaignEnding::Settled) => Ok(Exit::Done),
        Some(CampaignEnding::Budget) => Ok(Exit::Undecided),
        None => {
            say!("Interrupted; all that was done is kept. {again}");
            Ok(Exit::Interrupted)
        }
    }
}

/// Writes the plots into the job's folder.
fn draw(job: &CampaignJob) -> Result<(), Failure> {
    super::keep_plots(job.folder(), job.plots().map_err(Failure::environment)?)
}

/// Prints where a campaign stands.
pub(super) fn show(job: &CampaignJob, as_json: bool) -> Result<(), Failure> {
    if as_json { print_json(&job.json()) } else { print(shown(&job.text())) }
}

/// Writes the page of a campaign and its plots.
pub(super) fn report(job: &CampaignJob) -> Result<Exit, Failure> {
    let page = job.write_page().map_err(Failure::from)?;
    draw(job)?;
    print(page.display())?;
    Ok(Exit::Done)
}

/// Reads the folder's campaign; `None` if the folder holds something else.
pub(super) fn read(path: &Path) -> Result<Option<CampaignJob>, SessionError> {
    CampaignJob::read(path, &[])
}
