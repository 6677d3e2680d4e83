//! What came of the test that follows a tuning session, for the session's page.

use super::show::read_run;
use crate::failure::Failure;
use crate::summary::{RunSummary, interval};
use arena::config::RunConfig;
use arena::run::{DecidedElo, Standing};
use reports::FollowUp;
use session::work::{runs_of, test_of};
use stats::Estimate;
use std::path::Path;

/// What came of the latest test of a finished session in the folder `path`, for its page in the folder `page`.
pub(super) fn of(
    run: &RunConfig,
    text: &str,
    standing: &Standing,
    path: &Path,
    page: &Path,
) -> Result<Option<FollowUp>, Failure> {
    let Some(test) = test_of(run, text, standing)? else { return Ok(None) };
    let runs = path.parent().unwrap_or(path);
    let Some(latest) = runs_of(&test, runs)?.pop() else { return Ok(None) };
    let name = latest.file_name().unwrap_or(latest.as_os_str()).to_string_lossy().into_owned();
    // A page in the session's folder keeps its link when the runs are moved together.
    let folder = if page == path { format!("../{name}") } else { absolute(&latest) };
    Ok(Some(FollowUp { link: format!("{folder}/{}", reports::PAGE), run: name, says: says(&latest)? }))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// The verdict of a test and its estimate, in words.
fn says(path: &Path) -> Result<String, Failure> {
    let read = read_run(path)?;
    let standing = read.experiment.standing();
    let verdict = RunSummary {
        config: &read.header.config,
        standing: &standing,
        verdict: read.experiment.verdict(),
        faults: read.faults,
        starved: read.starved,
        path,
        elapsed: None,
    }
    .verdict_in_words();
    let decided = standing.sprt().and_then(|sprt| sprt.decided);
    let elo = decided.map(|DecidedElo { elo, low, high, .. }| Estimate { value: elo, low, high });
    let elo = elo.or_else(|| standing.counts.summary().elo);
    Ok(elo.map_or_else(|| verdict.clone(), |elo| format!("{verdict} Elo {}.", interval(Some(elo), 1))))
}
