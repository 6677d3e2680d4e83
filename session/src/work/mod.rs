//! What sessions do with their runner: a run, a tuning session and its test, several tests in turn, stages of one test,
//! a test of two builds, a ladder of many runs, learning.

mod job_file;
mod ladder;
mod learn;
mod patch;
mod regress;
mod series;
mod stages;
mod test;
mod wording;

pub use ladder::{Further, Ladder, LadderError, LadderState, ladder};
pub use learn::{Fitted, Gated, Generation, LearnError, LearnJob, Played, learn};
pub use patch::{Patch, patch};
pub use regress::{Regress, regress};
pub use series::{Part, Rule, Series};
pub use stages::stages;
pub use test::{carried_over, measured, runs_of, sessions_of, test_of};
pub use wording::{JobSummary, Wording};

use crate::error::SessionError;
use crate::limit::{self, LimitError};
use crate::outcome::Outcome;
use crate::runner::{SessionRunner, name_of};
use crate::warning::Warning;
use arena::config::{ExperimentConfig, Loaded};
use arena::run::{Finish, Verdict};
use reports::tuned::against_test;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// A new run, and what follows it.
///
/// # Errors
/// [`SessionError`]
pub fn create(runner: &mut SessionRunner, run: &Loaded) -> Result<(), SessionError> {
    let outcome = runner.begin(run, &mut |_| Ok(()))?;
    follow(runner, run, &outcome)
}

/// What is changed in a run or a job that goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// `key=value` texts that replace what the stored configuration says.
    pub settings: Vec<String>,
    /// How many pairs a run may have, or games of self-play; of a job each of its runs.
    pub pairs: Option<NonZeroU64>,
}

impl From<Vec<String>> for Changes {
    fn from(settings: Vec<String>) -> Self {
        Self { settings, pairs: None }
    }
}

/// A run or a job that was stopped, and what follows it.
///
/// # Errors
/// [`SessionError`], [`LimitError::Learning`] among them.
pub fn resume(runner: &mut SessionRunner, path: &Path, changes: &Changes) -> Result<(), SessionError> {
    if let Some(series) = Series::read(path)? {
        return series.go_on(runner, changes);
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

/// What is resumed to go on with a run: the job that it is a part of, or the run itself.
pub fn resumable(run: &Path) -> PathBuf {
    let learning = run.parent().filter(|folder| LearnJob::is_at(folder));
    let job = Series::of_run(run).or_else(|| learning.map(Path::to_owned));
    job.unwrap_or_else(|| run.to_owned())
}

/// The test that is to follow a finished tuning session: a new one, or the one that was stopped. None if its
/// configuration says so, if nothing has changed, or if the session was finished before and has been tested since.
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
    // It belongs beside its session, wherever that lies.
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
    if let Some(says) = expected.and_then(|(said, elo)| against_test(said, elo)) {
        runner.warn(Warning::Tested { says });
    }
    Ok(())
}

/// Whether a run has its verdict.
fn is_finished(path: &Path) -> Result<bool, SessionError> {
    verdict_of(path).map(|verdict| verdict.is_some())
}

/// The verdict of the run in a folder.
fn verdict_of(path: &Path) -> Result<Option<Verdict>, SessionError> {
    let journal = arena::run::RunFolder::open_journal(path)?;
    let mut experiment = plan::jobs::experiment(&journal.header()?.config)?;
    let replayed = arena::run::replay(experiment.as_mut(), &journal);
    let left = crate::Left::AsItWas;
    let replayed = replayed.map_err(|why| SessionError::Broken { why: Box::new(why), left })?;
    Ok(replayed.finish.verdict())
}
