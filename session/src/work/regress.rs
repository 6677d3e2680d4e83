//! Tests whether an engine has become weaker than its releases: a non-regression test against each release, as one job.

use super::changes::Changes;
use super::series::{Part, Rule, Series};
use crate::builds::{Build, BuildError, BuildEvent, EngineBuilder, Sources};
use crate::error::SessionError;
use crate::runner::SessionRunner;
use arena::config::Job;
use plan::{Contest, Loaded, RunPlan};
use stats::sprt::NON_REGRESSION;
use std::path::PathBuf;

/// An engine, the releases to compare it with, and the tests.
#[derive(Clone, Debug)]
pub struct Regress {
    /// The plan of each test, with everything except the entrants, and the recipe of builds.
    pub plan: RunPlan,
    /// The sources of the engines.
    pub sources: Sources,
    /// The tested engine: a revision, or [`WORKTREE`](crate::builds::WORKTREE).
    pub dev: String,
    /// The releases: any revisions.
    pub against: Vec<String>,
}

/// Builds all engines and plays the tests in sequence. Returns the folder of the job for
/// [`Session::resume`](crate::Session::resume).
///
/// # Errors
/// [`SessionError`]; no run begins unless all engines are built.
pub fn regress(runner: &mut SessionRunner, regress: &Regress) -> Result<PathBuf, SessionError> {
    let (parts, first) = built(runner, regress)?;
    let series =
        Series::create(runner.runs(), &format!("regress-{}", regress.plan.stem()), &regress.title(), Rule::All, parts)?;
    let folder = series.folder().to_owned();
    series.beginning_with(first).go_on(runner, &Changes::default())?;
    Ok(folder)
}

impl Regress {
    /// Returns the title of the job.
    pub fn title(&self) -> String {
        format!("{} against its releases", self.dev)
    }

    /// Resolves the test against one release.
    fn test(&self, dev: &Build, release: &Build) -> Result<Loaded, SessionError> {
        let (dev, base) = (dev.built(), release.built());
        let base = (release.revision.asked.as_str(), &base);
        let contest = Contest { dev: ("dev", &dev), base, bounds: Some([NON_REGRESSION.elo0, NON_REGRESSION.elo1]) };
        Ok(self.plan.test_of_builds(&contest)?.resolve(Job::Sprt)?)
    }
}

/// Builds the engines. Returns the tests, and the run of the first one.
fn built(runner: &SessionRunner, regress: &Regress) -> Result<(Vec<Part>, Option<Loaded>), SessionError> {
    let Regress { plan, sources, dev, against } = regress;
    let tell = |news| runner.tell(news);
    let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
    let dev = builder.candidate(dev)?;
    let releases = against.iter().map(|tag| builder.revision(tag)).collect::<Result<Vec<_>, _>>()?;
    let dev = builder.build(&dev)?;
    // Builds all engines before anything is played, to report build errors first.
    let build = |release| {
        let build = builder.build(release)?;
        BuildEvent::comparing(&dev, &build)?.into_iter().for_each(tell);
        Ok::<_, BuildError>(build)
    };
    let releases = releases.iter().map(build).collect::<Result<Vec<_>, _>>()?;
    let (mut parts, mut first) = (Vec::new(), None);
    for release in &releases {
        let test = regress.test(&dev, release)?;
        parts.push(Part::new(&release.revision.asked, &test));
        first.get_or_insert(test);
    }
    Ok((parts, first))
}
