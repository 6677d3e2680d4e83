//! Has an engine become weaker than its releases? A test of non-regression against each of them, as one job.

use super::Changes;
use super::series::{Part, Rule, Series};
use crate::builds::{Build, BuildError, BuildNews, Sources, Workshop};
use crate::desk::Desk;
use crate::error::SessionError;
use crate::plan::{Contest, RunPlan};
use arena::config::Job;
use stats::sprt::NON_REGRESSION;
use std::path::PathBuf;

/// An engine, the releases that it is compared with, and how.
#[derive(Clone, Debug)]
pub struct Regress {
    /// The plan of each test, which says all but who plays, and how engines are built.
    pub plan: RunPlan,
    /// Where the engines come from.
    pub sources: Sources,
    /// What is compared: a revision, or [`WORKTREE`](crate::builds::WORKTREE).
    pub dev: String,
    /// The releases: any revisions.
    pub against: Vec<String>,
}

/// Builds all engines and plays the tests in turn. Returns the folder of the job, which [`Session::resume`](crate::Session::resume)
/// goes on with.
///
/// # Errors
/// [`SessionError`]; nothing is begun unless all engines are there.
pub fn regress(desk: &mut Desk, regress: &Regress) -> Result<PathBuf, SessionError> {
    let parts = built(desk, regress)?;
    let series =
        Series::create(desk.runs(), &format!("regress-{}", regress.plan.stem()), &regress.title(), Rule::All, parts)?;
    let folder = series.folder().to_owned();
    series.go_on(desk, &Changes::default())?;
    Ok(folder)
}

impl Regress {
    /// What the job is, for people.
    pub fn title(&self) -> String {
        format!("{} against its releases", self.dev)
    }

    /// The test against one release.
    fn part(&self, dev: &Build, release: &Build) -> Result<Part, SessionError> {
        let (dev, base) = (dev.built(), release.built());
        let base = (release.revision.asked.as_str(), &base);
        let contest = Contest { dev: ("dev", &dev), base, bounds: Some([NON_REGRESSION.elo0, NON_REGRESSION.elo1]) };
        Ok(Part::new(base.0, &self.plan.test_of_builds(&contest)?.resolve(Job::Sprt)?))
    }
}

/// The tests, their engines built.
fn built(desk: &Desk, regress: &Regress) -> Result<Vec<Part>, SessionError> {
    let Regress { plan, sources, dev, against } = regress;
    let tell = |news| desk.tell(news);
    let workshop = Workshop::open(sources, plan, desk.runs(), desk.stop_flag(), &tell)?;
    let dev = workshop.candidate(dev)?;
    let releases = against.iter().map(|tag| workshop.revision(tag)).collect::<Result<Vec<_>, _>>()?;
    let dev = workshop.build(&dev)?;
    // What cannot be built is said before anything is played.
    let build = |release| {
        let build = workshop.build(release)?;
        BuildNews::comparing(&dev, &build)?.into_iter().for_each(tell);
        Ok::<_, BuildError>(build)
    };
    let releases = releases.iter().map(build).collect::<Result<Vec<_>, _>>()?;
    releases.iter().map(|release| regress.part(&dev, release)).collect()
}
