//! Configurations to start again from a run: its own, and the suggested next steps, which are the test of tuned values
//! and the bisection of a loss. They are texts that the user can read and change before starting them.

use super::test::test_of;
use crate::builds::built_from;
use crate::error::SessionError;
use crate::run_folder::stored_text;
use arena::config::{ExperimentConfig, RunConfig, TuneConfig};
use arena::run::{RunFolder, Standing, Verdict};
use plan::{Disk, RunPlan, load_stored};
use std::path::Path;

/// The name of the text in errors.
const CALLED: &str = "the run's configuration";

/// The suggested next step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// The test of the tuned values against the start values.
    TestOfTuned,
    /// The bisection between the commits of the two builds, the later of which lost.
    Bisection,
}

/// Returns the configuration of the run in a folder, as it was given to the run, without the sections of other jobs.
///
/// # Errors
/// [`SessionError`] if there is no run, or if it cannot be read.
pub fn stored(path: &Path) -> Result<String, SessionError> {
    let journal = RunFolder::open_journal(path)?;
    let (text, run) = (stored_text(path, &journal)?, journal.header()?.config);
    // A text of another version is given as it is.
    let plan = RunPlan::read(&text, CALLED, &run.name, &[], None, Disk);
    Ok(plan.map_or(text, |plan| plan.of_one_job(run.experiment.job()).text()))
}

/// Returns the configuration of a next step of a run with this configuration, stored as `text`, and this end. `None` if
/// the run does not suggest this step.
///
/// # Errors
/// [`SessionError`] if the configuration cannot be made.
pub fn again(
    what: Again,
    (run, text): (&RunConfig, &str),
    standing: &Standing,
    verdict: Option<Verdict>,
) -> Result<Option<String>, SessionError> {
    match what {
        Again::TestOfTuned if verdict.is_some() => test_of_tuned(run, text, standing),
        Again::Bisection if has_lost(standing, verdict) => bisection(run, text),
        Again::TestOfTuned | Again::Bisection => Ok(None),
    }
}

/// Returns the configuration of the test, even if the session's configuration asks for none.
fn test_of_tuned(run: &RunConfig, text: &str, standing: &Standing) -> Result<Option<String>, SessionError> {
    let ExperimentConfig::Tune(TuneConfig { verify, .. }) = &run.experiment else { return Ok(None) };
    if verify.is_some() {
        return Ok(test_of(run, text, standing)?.map(|test| test.text));
    }
    let settings = ["tune.verify.enabled=true".to_owned()];
    let tested = load_stored(text, CALLED, &run.name, &settings, run, Disk)?;
    Ok(test_of(&tested.run, &tested.text, standing)?.map(|test| test.text))
}

/// Whether the first entrant is weaker, by the verdict or by the played games.
fn has_lost(standing: &Standing, verdict: Option<Verdict>) -> bool {
    let is_weaker = standing.counts.summary().elo.is_some_and(|elo| elo.high < 0.0);
    verdict == Some(Verdict::AcceptedH0) || verdict.is_some() && is_weaker
}

fn bisection(run: &RunConfig, text: &str) -> Result<Option<String>, SessionError> {
    let is_between_two = matches!(run.experiment, ExperimentConfig::Sprt { .. } | ExperimentConfig::Match { .. });
    let [later, earlier] = run.entrants.as_slice() else { return Ok(None) };
    let built = |program: Option<&str>| built_from(Path::new(program?));
    let [later, earlier] = [later, earlier].map(|entrant| entrant.player.process().map(|it| it.command.as_str()));
    let (Some((bad, build)), Some((good, _)), true) = (built(later), built(earlier), is_between_two) else {
        return Ok(None);
    };
    if good == bad {
        return Ok(None);
    }
    let plan = RunPlan::read(text, CALLED, &run.name, &[], None, Disk)?;
    Ok(Some(plan.bisection_of(&good, &bad, build).text()))
}
