//! The test that follows a tuning session: how it is configured, and which runs are that test.

use super::show::read_run;
use crate::failure::Failure;
use crate::open_run::folder_name;
use crate::summary::{RunSummary, interval};
use arena::config::{ExperimentConfig, Job, Loaded, RunConfig, TuneConfig};
use arena::run::{DecidedElo, RunFolder, Standing, TunedStanding};
use reports::FollowUp;
use session::plan::{AfterTuning, NamedValue, RunPlan, VERIFY};
use stats::{Estimate, Summary};
use std::path::{Path, PathBuf};

/// Moves the seed of a session to that of its test: other openings, the same every time.
const FRESH_OPENINGS: u64 = 1_000_003;

/// The test of a session that ended like this: none if its configuration asks for none, or if no value has changed. `text` is
/// the session's configuration as it was read.
pub(super) fn test_of(run: &RunConfig, text: &str, standing: &Standing) -> Result<Option<Loaded>, Failure> {
    let ExperimentConfig::Tune(TuneConfig { verify: Some(verify), .. }) = &run.experiment else {
        return Ok(None);
    };
    let Some(tune) = &standing.tune else { return Ok(None) };
    if tune.parameters.iter().all(|tuned| tuned.now.to_bits() == tuned.start.to_bits()) {
        return Ok(None);
    }
    let of = |value: fn(&TunedStanding) -> f64| {
        tune.parameters.iter().map(|tuned| (tuned.name.as_str(), value(tuned))).collect::<Vec<NamedValue<'_>>>()
    };
    let (tuned, start) = (of(|tuned| tuned.now), of(|tuned| tuned.start));
    let seed = run.seed.wrapping_add(FRESH_OPENINGS) & (u64::MAX >> 1);
    let session = RunPlan::read(text, "the session's configuration", &run.name, &[], None)?;
    let after = AfterTuning { session: &run.name, verify, seed, tuned: &tuned, start: &start };
    Ok(Some(session.after_tuning(&after)?.resolve(Job::Sprt)?))
}

/// The runs of this test in a folder, oldest first: those of its name with the same players and the same openings.
pub(super) fn runs_of(test: &Loaded, runs: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = format!("{}-", folder_name(test));
    let is_this = |path: &PathBuf| {
        let header = RunFolder::open_journal(path).and_then(|journal| Ok(journal.header()?));
        header.is_ok_and(|header| header.config.entrants == test.run.entrants && header.config.seed == test.run.seed)
    };
    Ok(RunFolder::list(runs)?.into_iter().filter(|path| is_called(path, &name) && is_this(path)).collect())
}

/// The sessions in a folder that a run may be the test of, by its name; none if it is no such test.
pub(super) fn sessions_of(run: &RunConfig, runs: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Some(session) = run.name.strip_suffix(VERIFY) else { return Ok(Vec::new()) };
    let name = format!("tune-{session}");
    Ok(RunFolder::list(runs)?.into_iter().filter(|path| is_called(path, &name)).collect())
}

fn is_called(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|folder| folder.to_string_lossy().starts_with(start))
}

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
    let decided = standing.sprt.and_then(|sprt| sprt.decided);
    let elo = decided.map(|DecidedElo { elo, low, high, .. }| Estimate { value: elo, low, high });
    let elo = elo.or_else(|| Summary::of_pairs(&standing.counts).elo);
    Ok(elo.map_or_else(|| verdict.clone(), |elo| format!("{verdict} Elo {}.", interval(Some(elo), 1))))
}
