//! The test that follows a tuning session: how it is configured, and which runs are that test.

use crate::error::SessionError;
use crate::run_folder::folder_name;
use arena::config::{ExperimentConfig, Job, RunConfig, TuneConfig};
use arena::run::{DecidedElo, RunFolder, Standing, TunedStanding, Verdict};
use plan::{AfterTuning, Disk, Loaded, NamedValue, RunPlan, TunedValue, VERIFY};
use stats::Estimate;
use std::path::{Path, PathBuf};

/// Moves the seed of a session to that of its test: other openings, the same every time.
const FRESH_OPENINGS: u64 = 1_000_003;

/// The test of a session that ended like this: none if its configuration asks for none, or if no value has changed.
/// `text` is the session's configuration as it was read.
///
/// # Errors
/// [`SessionError`] if none can be made.
pub fn test_of(run: &RunConfig, text: &str, standing: &Standing) -> Result<Option<Loaded>, SessionError> {
    let ExperimentConfig::Tune(TuneConfig { verify: Some(verify), .. }) = &run.experiment else {
        return Ok(None);
    };
    let Some(tune) = standing.tune() else { return Ok(None) };
    if tune.parameters.iter().all(|tuned| tuned.now.to_bits() == tuned.start.to_bits()) {
        return Ok(None);
    }
    let of = |value: fn(&TunedStanding) -> f64| {
        tune.parameters
            .iter()
            .map(|tuned| (tuned.name.as_str(), tuned_value(tuned, value(tuned))))
            .collect::<Vec<NamedValue<'_>>>()
    };
    let (tuned, start) = (of(|tuned| tuned.now), of(|tuned| tuned.start));
    let seed = run.seed.wrapping_add(FRESH_OPENINGS) & (u64::MAX >> 1);
    let session = RunPlan::read(text, "the session's configuration", &run.name, &[], None, Disk)?;
    let after = AfterTuning { session: &run.name, verify, seed, tuned: &tuned, start: &start };
    Ok(Some(session.after_tuning(&after)?.resolve(Job::Sprt)?))
}

/// The text that the engine gets for a value of a parameter.
fn tuned_value(tuned: &TunedStanding, value: f64) -> TunedValue<'_> {
    let category = tuned.values.get(value as usize);
    category.map_or(TunedValue::Number(value), |category| TunedValue::Text(&category.text))
}

/// What the test of a session at several limits says of its gain: whether values that were found mostly at cheaper
/// limits gain at the target. None for other sessions, and while there is no verdict.
pub fn carried_over(session: &RunConfig, verdict: Option<Verdict>) -> Option<String> {
    let ExperimentConfig::Tune(TuneConfig { limits, .. }) = &session.experiment else { return None };
    let target = session.entrants.first().filter(|_| !limits.is_empty())?.player.limit().0;
    Some(match verdict? {
        Verdict::AcceptedH1 => format!("The gain carried over to {target}."),
        Verdict::AcceptedH0 => format!("The gain did not carry over to {target}."),
        Verdict::Undecided | Verdict::Complete => format!("Whether the gain carried over to {target} is undecided."),
    })
}

/// The Elo that a test measured, allowing for its having stopped where it has.
pub fn measured(standing: &Standing) -> Option<Estimate> {
    let decided = standing.sprt().and_then(|sprt| sprt.decided);
    let elo = decided.map(|DecidedElo { elo, low, high, .. }| Estimate { value: elo, low, high });
    elo.or_else(|| standing.counts.summary().elo)
}

/// The runs of this test in a folder, oldest first: those of its name with the same players and the same openings.
///
/// # Errors
/// [`SessionError`] if the folder cannot be read.
pub fn runs_of(test: &Loaded, runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let name = format!("{}-", folder_name(&test.run));
    let is_this = |path: &PathBuf| {
        let header = RunFolder::open_journal(path).and_then(|journal| Ok(journal.header()?));
        header.is_ok_and(|header| header.config.entrants == test.run.entrants && header.config.seed == test.run.seed)
    };
    Ok(RunFolder::list(runs)?.into_iter().filter(|path| is_called(path, &name) && is_this(path)).collect())
}

/// The sessions in a folder that a run may be the test of, by its name; none if it is not such a test.
///
/// # Errors
/// [`SessionError`] if the folder cannot be read.
pub fn sessions_of(run: &RunConfig, runs: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let Some(session) = run.name.strip_suffix(VERIFY) else { return Ok(Vec::new()) };
    let name = format!("tune-{session}");
    Ok(RunFolder::list(runs)?.into_iter().filter(|path| is_called(path, &name)).collect())
}

fn is_called(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|folder| folder.to_string_lossy().starts_with(start))
}
