//! One question in several tests, such as at a short and then at a long control: each is played if the one before has
//! been passed.

use super::changes::Changes;
use super::series::{Part, Rule, Series};
use crate::error::SessionError;
use crate::runner::SessionRunner;
use arena::config::Job;
use plan::RunPlan;
use std::path::PathBuf;

/// Plays the stages of a plan in turn, as long as they are passed. Returns the folder of the job for
/// [`Session::resume`](crate::Session::resume).
///
/// # Errors
/// [`SessionError`]; nothing is begun unless all stages can be played.
pub fn stages(runner: &mut SessionRunner, plan: &RunPlan) -> Result<PathBuf, SessionError> {
    let stages = plan.stages()?;
    let name = plan.keys.name.as_ref().map_or(plan.stem(), |name| &name.value);
    let part = |stage: &plan::Stage| Ok(Part::new(&stage.name, &stage.plan.resolve(Job::Sprt)?));
    let parts = stages.iter().map(part).collect::<Result<Vec<_>, SessionError>>()?;
    let title = plan.keys.title.as_ref().map_or(name, |title| &title.value);
    let series = Series::create(runner.runs(), &format!("stages-{name}"), title, Rule::WhilePassed, parts)?;
    let folder = series.folder().to_owned();
    series.go_on(runner, &Changes::default())?;
    Ok(folder)
}
