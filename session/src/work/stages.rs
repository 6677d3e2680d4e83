//! Several tests of one question, such as at a short and then at a long time control: each is played if the one before
//! has passed.

use super::changes::Changes;
use super::series::{Part, Rule, Series};
use crate::error::SessionError;
use crate::runner::SessionRunner;
use arena::config::Job;
use plan::{Loaded, PlanError, RunPlan};
use std::path::PathBuf;

/// The stages of a plan, all of which have been resolved.
#[derive(Debug)]
pub struct Stages {
    name: String,
    title: String,
    parts: Vec<Part>,
    /// The run of the first stage, which begins at once.
    first: Loaded,
}

impl Stages {
    /// Returns the stages of a plan, each of which is resolved and then passed to `check`; `None` if the plan has no
    /// stages.
    ///
    /// # Errors
    /// The error of the first stage that cannot be played.
    pub fn of<E: From<PlanError>>(plan: &RunPlan, check: &dyn Fn(&Loaded) -> Result<(), E>) -> Result<Option<Self>, E> {
        let (mut parts, mut first) = (Vec::new(), None);
        for stage in plan.stages()? {
            let run = stage.plan.resolve(Job::Sprt)?;
            check(&run)?;
            parts.push(Part::new(&stage.name, &run));
            first.get_or_insert(run);
        }
        let name = plan.keys.name.as_ref().map_or(plan.stem(), |name| &name.value).to_owned();
        let title = plan.keys.title.as_ref().map_or(&name, |title| &title.value).clone();
        Ok(first.map(|first| Self { name, title, parts, first }))
    }

    /// Plays the stages in sequence, as long as each passes. Returns the folder of the job for
    /// [`Session::resume`](crate::Session::resume).
    ///
    /// # Errors
    /// [`SessionError`]
    pub fn play(self, runner: &mut SessionRunner) -> Result<PathBuf, SessionError> {
        let Self { name, title, parts, first } = self;
        let series = Series::create(runner.runs(), &format!("stages-{name}"), &title, Rule::WhilePassed, parts)?;
        let folder = series.folder().to_owned();
        series.beginning_with(Some(first)).go_on(runner, &Changes::default())?;
        Ok(folder)
    }
}
