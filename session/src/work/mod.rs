//! The work of sessions: a run, a tuning session and its test, several tests in sequence, stages of one test, a test of
//! two builds, a ladder of many runs, learning, a bisection, a campaign.

mod again;
pub(crate) mod bisect;
pub(crate) mod campaign;
mod changes;
mod job_file;
pub(crate) mod ladder;
pub(crate) mod learn;
mod of_matches;
mod patch;
mod regress;
pub(crate) mod resumable;
mod series;
mod stages;
mod table;
mod test;
mod verdict;
mod wording;

pub use crate::error::LearnError;
pub use again::{Again, again, stored};
pub use bisect::{Bisect, BisectJob, Ending, Found, bisect, find_range};
pub use campaign::{Campaign, CampaignEnding, CampaignError, CampaignJob, campaign, find_patches};
pub use changes::Changes;
pub use ladder::{Further, Ladder, LadderError, LadderState, ladder};
pub use learn::{Fitted, FittedPolicy, Gated, Generation, LearnJob, Played, learn};
pub use patch::{Base, Patch, patch};
pub use regress::{Regress, regress};
pub use resumable::resumable;
pub use series::{Part, Rule, Series};
pub use stages::Stages;
pub use table::{Column, JobTable, Row, Tone};
pub use test::{carried_over, measured, runs_of, sessions_of, test_of};
pub use wording::{JobSummary, Wording};

use crate::error::{LimitError, SessionError};
use crate::limit;
use crate::outcome::Outcome;
use crate::run_folder::name_of;
use crate::runner::SessionRunner;
use crate::warning::Warning;
use arena::config::ExperimentConfig;
use arena::run::{Finish, Verdict};
use plan::Loaded;
use reports::tuned::against_test;
use std::path::Path;
use verdict::is_finished;

/// Makes and plays a new run, and its follow-up.
///
/// # Errors
/// [`SessionError`]
pub fn create(runner: &mut SessionRunner, run: &Loaded) -> Result<(), SessionError> {
    let outcome = runner.begin(run, &mut |_| Ok(()))?;
    follow(runner, run, &outcome)
}

/// Resumes a stopped run or job, and its follow-up.
///
/// # Errors
/// [`SessionError`], including [`LimitError::Learning`].
pub fn resume(runner: &mut SessionRunner, path: &Path, changes: &Changes) -> Result<(), SessionError> {
    if let Some(series) = Series::read(path)? {
        return series.go_on(runner, changes);
    }
    if let Some(job) = BisectJob::read(path, &changes.settings)? {
        return job.with_pairs(changes.pairs, &changes.settings)?.go_on(runner).map(drop);
    }
    if let Some(job) = CampaignJob::read(path, &changes.settings)? {
        return job.with_pairs(changes.pairs, &changes.settings)?.go_on(runner).map(drop);
    }
    if let Some(job) = LearnJob::read(path, &changes.settings)? {
        let refused = changes.pairs.map(|pairs| LimitError::Learning { job: name_of(path), pairs });
        return refused.map_or_else(|| job.go_on(runner).map(drop), |refused| Err(refused.into()));
    }
    let limit = changes.pairs.map(|pairs| limit::setting_of(path, pairs)).transpose()?;
    let settings: Vec<String> = changes.settings.iter().cloned().chain(limit).collect();
    let (outcome, run) = runner.resume(path, &settings)?;
    if let (false, Some(verdict)) = (outcome.played, outcome.verdict()) {
        let is_open = matches!(verdict, Verdict::Complete | Verdict::Undecided);
        let takes_more = is_open && run.run.experiment.most_rounds().is_some();
        runner.warn(Warning::Finished { run: name_of(path), takes_more });
    }
    follow(runner, &run, &outcome)
}

/// Plays the test after a finished tuning session: a new one, or the one that was stopped. Does nothing if its
/// configuration has no test, if no value has changed, or if the session had finished before and has been tested since.
fn follow(runner: &mut SessionRunner, run: &Loaded, outcome: &Outcome) -> Result<(), SessionError> {
    if outcome.finish == Finish::Stopped {
        return Ok(());
    }
    let Some(test) = test_of(&run.run, &run.text, &outcome.standing)? else {
        if matches!(&run.run.experiment, ExperimentConfig::Tune(tune) if tune.verify.is_some()) {
            runner.warn(Warning::NothingToTest);
        }
        return Ok(());
    };
    // The test goes next to its session, in any folder.
    let runs = outcome.path.parent().unwrap_or(&outcome.path);
    let before = if outcome.played { None } else { runs_of(&test, runs)?.pop() };
    if let Some(path) = &before
        && is_finished(path)?
    {
        return Ok(());
    }
    runner.phase("test", 2, 2);
    let tested = match before {
        Some(path) => runner.resume(&path, &[])?.0,
        None => runner.begin_in(runs, &test, &mut |_| Ok(()))?,
    };
    if let Some(says) = carried_over(&run.run, tested.verdict()) {
        runner.warn(Warning::Carried { says });
    }
    let expected = outcome.standing.tune().zip(measured(&tested.standing));
    if let Some(says) = expected.and_then(|(tuned, elo)| against_test(tuned, elo)) {
        runner.warn(Warning::Tested { says });
    }
    Ok(())
}
