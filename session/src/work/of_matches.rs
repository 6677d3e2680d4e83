//! What jobs share that play one match after another between built engines: each match is one run, which is extended
//! when more of its pairs are wanted.

use super::resumable::resumable;
use crate::builds::{BuildError, BuildEvent};
use crate::error::{Left, SessionError};
use crate::outcome::Outcome;
use crate::run_folder::{folder_name, name_of};
use crate::runner::SessionRunner;
use arena::config::Job;
use arena::run::{Finish, RunError, RunFolder, Unready};
use plan::RunPlan;
use stats::PairCounts;
use std::path::Path;
use std::sync::Arc;

/// Plays the run of a match until it has this number of pairs. `job` is the plan of the job that it belongs to.
pub(super) fn extend(
    runner: &mut SessionRunner,
    run: &Path,
    pairs: u64,
    job: &RunPlan,
) -> Result<Arc<Outcome>, SessionError> {
    let share = job.keys.max_fault_share.as_ref().map(|share| format!("max_fault_share={}", share.value));
    let settings: Vec<String> = std::iter::once(format!("match.pairs={pairs}")).chain(share).collect();
    Ok(runner.resume(run, &settings)?.0)
}

/// Begins the run of a match. Runs of this name without any pair that belong to no job were left by a process that was
/// killed while it made them, and are removed. `began` gets the name of the run before anything is played.
pub(super) fn begin(
    runner: &mut SessionRunner,
    beside: &Path,
    plan: &RunPlan,
    began: &mut dyn FnMut(String) -> Result<(), SessionError>,
) -> Result<Arc<Outcome>, SessionError> {
    let loaded = plan.resolve(Job::Match)?;
    remove_orphans(beside, &folder_name(&loaded.run))?;
    runner.begin_in(beside, &loaded, &mut |path| began(name_of(path)))
}

fn remove_orphans(beside: &Path, name: &str) -> Result<(), SessionError> {
    let start = format!("{name}-");
    for path in RunFolder::list(beside)? {
        let is_called = name_of(&path).strip_prefix(&start).is_some_and(|number| number.parse::<u32>().is_ok());
        let is_empty = || {
            let journal = RunFolder::open_journal(&path);
            journal.is_ok_and(|journal| journal.stored_pairs().is_ok_and(|pairs| pairs == 0))
        };
        let is_of_a_job = || resumable(&path) != path;
        if is_called && !is_of_a_job() && is_empty() && !RunFolder::is_worked_on(&path) {
            let removed = fs_err::remove_dir_all(&path);
            removed.map_err(|cause| SessionError::io("cannot make room for a run", cause))?;
        }
    }
    Ok(())
}

/// The pairs of a match that was played as far as asked; `None` if it was stopped before.
pub(super) fn counts_of(outcome: &Outcome) -> Option<PairCounts> {
    let counts = || outcome.standing.pairings().first().and_then(|pairing| pairing.counts.pairs().copied());
    (outcome.finish != Finish::Stopped).then(|| counts().unwrap_or_default())
}

/// The entrant that cannot play a match to its end, and why, if an error is about one: it does not start, or loses too
/// many games by faults.
pub(super) fn unfit(why: &SessionError) -> Option<(String, String)> {
    let (entrant, says) = match why {
        SessionError::Unready { why } => match &**why {
            Unready::Entrant { entrant, why, .. } => (entrant.clone(), format!("it does not start: {why}")),
            _ => return None,
        },
        SessionError::Broken { why, left: Left::Nothing | Left::Resumable(_) } => match &**why {
            RunError::NotReady { entrant, .. } | RunError::Broken { entrant, .. } => (entrant.clone(), why.to_string()),
            _ => return None,
        },
        SessionError::Faulty(faulty) => {
            let share = 100.0 * faulty.counts.share();
            (faulty.entrant.clone(), format!("it lost {share:.0}% of its games by faults"))
        }
        _ => return None,
    };
    Some((entrant, says.lines().next().unwrap_or_default().to_owned()))
}

/// Tells what happens to builds. What is found in the cache is passed over if `is_known`: it was told when it was
/// built.
pub(super) fn teller(runner: &SessionRunner, is_known: bool) -> impl Fn(BuildEvent) {
    move |news: BuildEvent| {
        if !matches!(&news, BuildEvent::Ready(build) if build.cached && is_known) {
            runner.tell(news);
        }
    }
}

/// A build that was stopped is no failed one.
pub(super) fn stopped<T>(built: Result<T, BuildError>) -> Result<T, SessionError> {
    match built {
        Err(BuildError::Interrupted) => Err(SessionError::Interrupted),
        built => Ok(built?),
    }
}

/// Whether an error is only that the session was stopped.
pub(super) fn is_stop(why: &SessionError) -> bool {
    matches!(why, SessionError::Interrupted | SessionError::Build(BuildError::Interrupted))
}
