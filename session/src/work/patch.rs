//! Is a change of an engine an improvement? Both revisions are built, and one is tested against the other.

use super::Stages;
use crate::builds::{BuildError, BuildEvent, EngineBuilder, Sources};
use crate::error::SessionError;
use crate::runner::SessionRunner;
use arena::config::Job;
use plan::{Contest, RunPlan};
use std::path::PathBuf;

/// The version of an engine before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A revision: any that git knows.
    Revision(String),
    /// The commit at which the change left this branch.
    ForkFrom(String),
}

/// A change of an engine, and how it is tested.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The plan of the test, which has everything except the entrants, and how engines are built.
    pub plan: RunPlan,
    /// Where the engines come from.
    pub sources: Sources,
    /// What the change is made to.
    pub base: Base,
    /// The change: a revision, or [`WORKTREE`](crate::builds::WORKTREE).
    pub dev: String,
    /// Play the test although both revisions are the same engine.
    pub allow_identical: bool,
}

/// Builds both revisions and tests one against the other. If the plan has stages, returns the folder of that job.
///
/// # Errors
/// [`SessionError`]; nothing is begun unless both engines are there, and differ.
pub fn patch(runner: &mut SessionRunner, patch: &Patch) -> Result<Option<PathBuf>, SessionError> {
    let test = built(runner, patch)?;
    if let Some(stages) = Stages::of(&test, &|_| Ok::<_, SessionError>(()))? {
        return stages.play(runner).map(Some);
    }
    runner.begin(&test.resolve(Job::Sprt)?, &mut |_| Ok(())).map(|_| None)
}

/// The plan of the test of a change, its engines built.
fn built(runner: &SessionRunner, patch: &Patch) -> Result<RunPlan, SessionError> {
    let Patch { plan, sources, base, dev, .. } = patch;
    let tell = |news| runner.tell(news);
    let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
    // Both names are looked up before the first build.
    let (base, dev) = match base {
        Base::Revision(base) => (builder.revision(base)?, builder.candidate(dev)?),
        Base::ForkFrom(branch) => {
            let dev = builder.candidate(dev)?;
            (builder.fork(branch, &dev)?, dev)
        }
    };
    if base.id == dev.id {
        patch.refuse_identical("commit")?;
    }
    let (base, dev) = (builder.build(&base)?, builder.build(&dev)?);
    let news = BuildEvent::comparing(&dev, &base).map_err(BuildError::from)?;
    if matches!(news, Some(BuildEvent::SameProgram(_))) {
        patch.refuse_identical("program, byte for byte")?;
    }
    news.into_iter().for_each(tell);
    let contest = Contest { dev: ("dev", &dev.built()), base: ("base", &base.built()), bounds: None };
    Ok(plan.test_of_builds(&contest)?)
}

impl Patch {
    /// Two sides that are the same `what` and have the same settings draw on average, however long they play.
    fn refuse_identical(&self, what: &'static str) -> Result<(), BuildError> {
        if self.allow_identical || !self.plan.has_same_settings_for_both() {
            return Ok(());
        }
        let (Base::Revision(base) | Base::ForkFrom(base)) = &self.base;
        Err(BuildError::Identical { dev: self.dev.clone(), base: base.clone(), what })
    }
}
