//! `[[stage]]`: several tests in sequence, each of which is played if the one before has passed.

use super::super::keys::{EnginePlan, Keys, SprtPlan, StagePlan, within};
use super::super::names::run_name;
use super::super::section::Section;
use super::super::{Given, Origin, PlanError, RunPlan};
use std::collections::BTreeSet;

/// The step of the seed from stage to stage: each stage gets its own openings, which are the same every time.
const FRESH_OPENINGS: u64 = 2_000_003;
/// The most characters of a stage's name, which ends the name of a run.
const LONGEST_NAME: usize = 24;

/// One of the tests.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Its plan, which has no stages.
    pub plan: RunPlan,
}

impl RunPlan {
    /// Returns the tests of the `[[stage]]` sections, in order; empty without such a section.
    ///
    /// # Errors
    /// [`PlanError`]: invalid or repeated names, and a test setting of the command line that a stage sets itself.
    pub fn stages(&self) -> Result<Vec<Stage>, PlanError> {
        let mut names = BTreeSet::new();
        self.keys.stage.iter().enumerate().map(|(number, given)| self.stage(number, given, &mut names)).collect()
    }

    fn stage(&self, number: usize, given: &Given<StagePlan>, names: &mut BTreeSet<String>) -> Result<Stage, PlanError> {
        let name = self.stage_name(number, given)?;
        if !names.insert(name.clone()) {
            let origin = given.value.name.as_ref().map_or(&given.origin, |name| &name.origin);
            return Err(self.error_at(origin, format!("two stages are called \"{name}\""), "expected another name"));
        }
        let mut plan = self.clone();
        plan.keys.stage.clear();
        let before = words(&plan.keys);
        put(&mut plan, &given.value);
        if let Some(lost) = before.difference(&words(&plan.keys)).next() {
            let message = format!("stage \"{name}\" says this itself");
            let label = format!("leave this out, or use `--set stage.{number}.KEY=VALUE`");
            return Err(self.error_at(&Origin::words(lost.clone()), message, label));
        }
        let origin = Origin::derived(format!("stage {} of {}", number + 1, self.keys.stage.len()));
        let run = plan.keys.name.as_ref().map_or_else(|| self.stem().to_owned(), |name| name.value.clone());
        plan.keys.name = Some(Given::new(run_name(&run, &run_name(&format!("-{name}"), "")), origin.clone()));
        if number > 0 {
            let seed = plan.keys.seed.as_ref().map_or(1, |seed| seed.value);
            let seed = seed.wrapping_add(FRESH_OPENINGS.wrapping_mul(number as u64)) & (u64::MAX >> 1);
            plan.keys.seed = Some(Given::new(seed, origin));
        }
        Ok(Stage { name, plan })
    }

    /// Returns the name of a stage: without a name of its own, its limit or its number.
    fn stage_name(&self, number: usize, given: &Given<StagePlan>) -> Result<String, PlanError> {
        let StagePlan { name, .. } = &given.value;
        let Some(name) = name else { return Ok(format!("stage-{}", number + 1)) };
        let text = &name.value;
        let is_one = (1..=LONGEST_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if is_one && text.trim() == text {
            return Ok(text.clone());
        }
        let label = format!("expected 1 to {LONGEST_NAME} printable characters");
        Err(self.error_at(&name.origin, format!("{text:?} cannot name a stage"), label))
    }
}

/// Overrides the settings of the plan with those of a stage.
fn put(plan: &mut RunPlan, stage: &StagePlan) {
    let StagePlan { name: _, limit, sprt, each } = stage;
    if let Some(sprt) = sprt {
        let test = within(&mut plan.keys.sprt);
        let SprtPlan { preset, elo0, elo1, .. } = &sprt.value;
        if preset.is_some() {
            // Bounds by name replace those by number.
            (test.elo0, test.elo1) = (None, None);
        } else if elo0.is_some() || elo1.is_some() {
            // Bounds by number override a name. If the command line gives it, this is refused.
            let is_needed = elo0.is_none() || elo1.is_none();
            test.preset = test.preset.take().filter(|preset| is_needed && !preset.origin.is_words());
        }
        test.replace(&sprt.value);
    }
    let mut common = each.as_ref().map_or_else(EnginePlan::default, |each| each.value.clone());
    if limit.is_some() {
        common.limit.clone_from(limit);
    }
    plan.give_all(&common);
}

/// Returns the settings that come from the command line.
fn words(keys: &Keys) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    keys.clone().origins(&mut |origin| {
        if let Origin::Words(text) = origin {
            words.insert(text.clone());
        }
    });
    words
}
