//! Plans made from other plans: each states the origin of the values that it adds, and keeps the rest as in the user's
//! file.

mod after_tuning;
mod bisect;
mod builds;
mod campaign;
mod for_all;
mod ladder;
mod league;
mod learn;
mod of_matches;
mod scaling;
mod stages;

pub use after_tuning::{AfterTuning, NamedValue, TunedValue, VERIFY};
pub use bisect::{Bisecting, Ends};
pub use builds::{Built, Contest};
pub use campaign::{Campaigning, Change, PatchSource, names_a_patch};
pub use ladder::{Known, OPENINGS_OF_A_RUN};
pub use learn::{Learner, Learning, Weights};
pub use scaling::Scaling;
pub use stages::Stage;

use super::RunPlan;
use super::keys::{EnginePlan, Keys};
use super::section::Named;
use arena::config::Job;

impl RunPlan {
    /// Returns the plan of a run of this job without all that is for other commands: one file can describe a test, a
    /// tuning session and builds.
    #[must_use]
    pub fn of_one_job(&self, job: Job) -> Self {
        let mut plan = self.clone();
        plan.drop_other_jobs(Some(job));
        (plan.keys.build, plan.keys.dev, plan.keys.base) = (None, None, None);
        plan
    }

    /// Removes the sections of all runs but those of this job, and of all jobs of several runs. `[[stage]]` belongs to
    /// a test, `[league]` and `[scaling]` to a ladder.
    fn drop_other_jobs(&mut self, job: Option<Job>) {
        let keys = &mut self.keys;
        if job != Some(Job::Sprt) {
            keys.sprt = None;
            keys.stage.clear();
        }
        if job != Some(Job::Match) {
            keys.r#match = None;
        }
        if job != Some(Job::Tune) {
            keys.tune = None;
        }
        if job != Some(Job::Selfplay) {
            keys.selfplay = None;
        }
        if job != Some(Job::Ladder) {
            (keys.ladder, keys.league, keys.scaling) = (None, None, None);
        }
        (keys.learn, keys.train, keys.train_policy, keys.gate) = (None, None, None, None);
        (keys.bisect, keys.campaign) = (None, None);
    }
}

/// Whether an entrant is an engine process, by its own keys and by those of `[each]`; a revision will be one.
fn is_process(keys: &Keys, own: &EnginePlan) -> bool {
    let each = keys.each.as_ref().is_some_and(|each| each.value.cmd.is_some());
    own.cmd.is_some() || own.rev.is_some() || (own.player.is_none() && each)
}

/// The values of an entrant's parameters: options of its process, or parameters of the built-in engine.
fn values_of(engine: &mut EnginePlan, is_process: bool) -> &mut Named {
    if is_process { &mut engine.options } else { &mut engine.params }
}

/// Returns a parameter's value in the type that it has in a configuration.
fn value_of(name: &str, value: f64) -> toml::Value {
    match engine::ParamInfo::find(name).map(|info| info.kind) {
        Some(engine::ParamKind::Switch) => (value != 0.0).into(),
        Some(engine::ParamKind::Integer) => (value as i64).into(),
        // Most options of an engine process are whole numbers, and must be written as such.
        None if value.fract() == 0.0 => (value as i64).into(),
        Some(engine::ParamKind::Real) | None => value.into(),
    }
}
