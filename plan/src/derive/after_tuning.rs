//! The test that follows a tuning session: tuned values against the start, on fresh openings.

use super::super::names::run_name;
use super::super::{Given, Origin, PlanError, RunPlan, SprtPlan};
use super::{is_process, value_of, values_of};
use arena::config::VerifyConfig;
use stats::SprtConfig;

/// The suffix that makes a session's name the name of its test.
pub const VERIFY: &str = "-verify";

/// A parameter's value, by name.
pub type NamedValue<'a> = (&'a str, TunedValue<'a>);

/// The value of a parameter as an engine gets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TunedValue<'a> {
    /// A number.
    Number(f64),
    /// A value of a category.
    Text(&'a str),
}

impl TunedValue<'_> {
    /// Returns the value as a configuration has it: parameters of the built-in engine are always numbers.
    fn written(self, name: &str) -> toml::Value {
        match self {
            Self::Number(number) => value_of(name, number),
            Self::Text(text) => {
                let number = engine::ParamInfo::find(name).and_then(|_| text.parse().ok());
                number.map_or_else(|| text.into(), |number| value_of(name, number))
            }
        }
    }
}

/// A finished session, and the test of its result.
#[derive(Clone, Copy, Debug)]
pub struct AfterTuning<'a> {
    /// The name of the session.
    pub session: &'a str,
    /// The test.
    pub verify: &'a VerifyConfig,
    /// The seed of the test's openings.
    pub seed: u64,
    /// The tuned values.
    pub tuned: &'a [NamedValue<'a>],
    /// The start values.
    pub start: &'a [NamedValue<'a>],
}

impl RunPlan {
    /// Returns the plan of the test that follows this session.
    ///
    /// # Errors
    /// [`PlanError`] if this is not a plan of a session: it has no `[tune]`, or no entrant.
    pub fn after_tuning(&self, test: &AfterTuning<'_>) -> Result<Self, PlanError> {
        let AfterTuning { session, verify, seed, tuned, start } = *test;
        let from = |what: &str| Origin::derived(format!("{what} {session}"));
        let mut plan = self.clone();
        let missing =
            || self.error("no test can be made from this session's configuration", "it tunes one `[[entrant]]`");
        plan.keys.tune.take().ok_or_else(missing)?;
        // These sections are for other commands: the session's engine needs no build.
        plan.drop_other_jobs(None);
        (plan.keys.build, plan.keys.dev, plan.keys.base) = (None, None, None);
        let engine = plan.keys.entrant.first().ok_or_else(missing)?.clone();
        plan.keys.name = Some(Given::new(run_name(session, VERIFY), from("the test after")));
        plan.keys.seed = Some(Given::new(seed, from("other openings than in")));
        plan.keys.sprt = Some(Given::new(sprt(verify, &from("the test after")), from("the test after")));
        let is_process = is_process(&plan.keys, &engine.value);
        let seat = |name: &str, values: &[NamedValue<'_>], origin: Origin| {
            let mut engine = engine.clone();
            engine.value.name = Some(Given::new(name, origin.clone()));
            let given = values_of(&mut engine.value, is_process);
            for (parameter, value) in values {
                given.set(parameter, Given::new(value.written(parameter), origin.clone()));
            }
            engine
        };
        plan.keys.entrant = vec![seat("tuned", tuned, from("tuned by")), seat("start", start, from("the start of"))];
        Ok(plan)
    }
}

fn sprt(verify: &VerifyConfig, origin: &Origin) -> SprtPlan {
    let VerifyConfig { test: SprtConfig { elo0, elo1, alpha, beta, model, overshoot: _ }, max_pairs } = verify;
    let number = |number: &f64| Some(Given::new(*number, origin.clone()));
    SprtPlan {
        preset: None,
        elo0: number(elo0),
        elo1: number(elo1),
        alpha: number(alpha),
        beta: number(beta),
        model: Some(Given::new(model.to_string(), origin.clone())),
        overshoot: None,
        max_pairs: max_pairs.map(|most| Given::new(most.get(), origin.clone())),
        ..SprtPlan::default()
    }
}
