//! The common parts of jobs that play one match after another between built engines. Each match is one run, which is
//! extended when more of its pairs are needed.

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

/// Plays the run of a match until it has this number of pairs, or those that it has stored if these are more: a stop
/// within a batch leaves pairs, and then the job's limit may become lower. `job` is the plan of the job.
pub(super) fn extend(
    runner: &mut SessionRunner,
    run: &Path,
    pairs: u64,
    job: &RunPlan,
) -> Result<Arc<Outcome>, SessionError> {
    let pairs = pairs.max(RunFolder::open_journal(run)?.stored_pairs()?);
    let share = job.keys.max_fault_share.as_ref().map(|share| format!("max_fault_share={}", share.value));
    let settings: Vec<String> = std::iter::once(format!("match.pairs={pairs}")).chain(share).collect();
    Ok(runner.resume(run, &settings)?.0)
}

/// Begins the run of a match. First removes runs of this name that have no pairs and belong to no job: a process was
/// killed while it made them. Calls `began` with the name of the run before anything is played.
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

/// Returns the pairs of a match that was played to its limit; `None` if it was stopped before.
pub(super) fn counts_of(outcome: &Outcome) -> Option<PairCounts> {
    let counts = || outcome.standing.pairings().first().and_then(|pairing| pairing.counts.pairs().copied());
    (outcome.finish != Finish::Stopped).then(|| counts().unwrap_or_default())
}

/// Returns the entrant that an error is about, and the reason, if the entrant cannot play a match to its end: it does
/// not start, or loses too many games by faults.
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

/// Returns a publisher of build events. If `is_known`, it skips cached builds, which were published when they were
/// built.
pub(super) fn teller(runner: &SessionRunner, is_known: bool) -> impl Fn(BuildEvent) {
    move |news: BuildEvent| {
        if !matches!(&news, BuildEvent::Ready(build) if build.cached && is_known) {
            runner.tell(news);
        }
    }
}

/// Separates a stopped build, which is an error of the session, from a failed one.
pub(super) fn stopped<T>(built: Result<T, BuildError>) -> Result<T, SessionError> {
    match built {
        Err(BuildError::Interrupted) => Err(SessionError::Interrupted),
        built => Ok(built?),
    }
}

/// Whether an error only means that the session was stopped.
pub(super) fn is_stop(why: &SessionError) -> bool {
    matches!(why, SessionError::Interrupted | SessionError::Build(BuildError::Interrupted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FaultyRun;
    use arena::run::TooFaulty;
    use std::path::PathBuf;

    fn entrant() -> String {
        "later 1".to_owned()
    }

    fn not_ready() -> RunError {
        RunError::NotReady { entrant: entrant(), why: "no answer\nits lines".to_owned() }
    }

    #[test]
    fn an_entrant_that_does_not_start_or_loses_by_faults_is_unfit() {
        let unready = Unready::Entrant { entrant: entrant(), why: "no answer\nits lines".to_owned(), evidence: None };
        let broken = RunError::Broken { entrant: entrant(), games: 101, last: "it crashed".to_owned() };
        let path = PathBuf::from("runs/match-f-1");
        let counts = TooFaulty { entrant: 0, faults: 16, games: 32 };
        let faulty =
            FaultyRun { path: path.clone(), job: path.clone(), entrant: entrant(), counts, most: 0.1, last: None };
        for (why, says) in [
            (SessionError::Unready { why: Box::new(unready) }, "it does not start: no answer"),
            (
                SessionError::Broken { why: Box::new(not_ready()), left: Left::Nothing },
                "entrant \"later 1\" could not be started for a game: no answer",
            ),
            (
                SessionError::Broken { why: Box::new(broken), left: Left::Resumable(path) },
                "entrant \"later 1\" had to be restarted in 101 consecutive games; the last time: it crashed",
            ),
            (SessionError::Faulty(Box::new(faulty)), "it lost 50% of its games by faults"),
        ] {
            assert_eq!(unfit(&why), Some((entrant(), says.to_owned())));
        }
    }

    #[test]
    fn no_other_error_is_an_entrants() {
        let opening = Unready::Opening { why: "it is too short".to_owned() };
        let value = RunError::Value { name: "Hash".to_owned(), value: 0.0, why: "it is too small".to_owned() };
        for why in [
            SessionError::Interrupted,
            SessionError::Unready { why: Box::new(opening) },
            SessionError::Broken { why: Box::new(value), left: Left::Nothing },
            SessionError::Broken { why: Box::new(not_ready()), left: Left::AsItWas },
        ] {
            assert_eq!(unfit(&why), None, "{why}");
        }
    }
}
