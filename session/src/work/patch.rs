//! Tests whether a change improves an engine: builds both revisions, and tests one against the other.

use super::Stages;
use crate::builds::{BuildError, BuildEvent, EngineBuilder, Sources};
use crate::error::SessionError;
use crate::runner::SessionRunner;
use arena::config::Job;
use plan::{Contest, RunPlan};
use std::path::PathBuf;

/// The base of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A revision: any that git knows.
    Revision(String),
    /// The commit at which the change forked from this branch.
    ForkFrom(String),
}

/// A change of an engine, and its test.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The plan of the test, with everything except the entrants, and the recipe of builds.
    pub plan: RunPlan,
    /// The sources of the engines.
    pub sources: Sources,
    /// The base of the change.
    pub base: Base,
    /// The change: a revision, or [`WORKTREE`](crate::builds::WORKTREE).
    pub dev: String,
    /// Whether to play the test even if both revisions are the same engine.
    pub allow_identical: bool,
}

/// Builds both revisions and tests one against the other. Returns the folder of the job if the plan has stages.
///
/// # Errors
/// [`SessionError`]; no run begins unless both engines are built and differ.
pub fn patch(runner: &mut SessionRunner, patch: &Patch) -> Result<Option<PathBuf>, SessionError> {
    let test = built(runner, patch)?;
    if let Some(stages) = Stages::of(&test, &|_| Ok::<_, SessionError>(()))? {
        return stages.play(runner).map(Some);
    }
    runner.begin(&test.resolve(Job::Sprt)?, &mut |_| Ok(())).map(|_| None)
}

/// Builds both engines, and returns the plan of the test.
fn built(runner: &SessionRunner, patch: &Patch) -> Result<RunPlan, SessionError> {
    let Patch { plan, sources, base, dev, .. } = patch;
    let tell = |news| runner.tell(news);
    let builder = EngineBuilder::open(sources, plan, runner.runs(), runner.stop_flag(), &tell)?;
    // Looks up both names before the first build.
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
    /// Refuses two sides with the same `what` and the same settings, which draw on average, however long they play.
    fn refuse_identical(&self, what: &'static str) -> Result<(), BuildError> {
        if self.allow_identical || !self.plan.has_same_settings_for_both() {
            return Ok(());
        }
        let (Base::Revision(base) | Base::ForkFrom(base)) = &self.base;
        Err(BuildError::Identical { dev: self.dev.clone(), base: base.clone(), what })
    }
}
