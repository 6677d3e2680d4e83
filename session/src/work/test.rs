//! The test after a tuning session: its configuration, and the runs of it.

use crate::error::SessionError;
use crate::run_folder::folder_name;
use arena::config::{ExperimentConfig, Job, RunConfig, TuneConfig};
use arena::run::{DecidedElo, RunFolder, Standing, TunedStanding, Verdict};
use plan::{AfterTuning, Disk, Given, Loaded, NamedValue, RunPlan, TunedValue, VERIFY, within};
use play::openings::{BookOrder, BookSource, NumberedStarts, OpeningSource};
use stats::Estimate;
use std::path::{Path, PathBuf};

/// The step from the seed of a session to that of its test: the test has other openings, which are the same every time.
const FRESH_OPENINGS: u64 = 1_000_003;

/// Returns the test of a session with this end; `None` if its configuration has no test, or if no value has changed.
/// `text` is the session's configuration as it was read.
///
/// # Errors
/// [`SessionError`] if the test cannot be made.
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
    let mut plan = session.after_tuning(&after)?;
    let test = plan.resolve(Job::Sprt)?;
    let Some(next) = next_opening(&test, standing.pairs) else { return Ok(Some(test)) };
    let from = format!("after the openings of {}", run.name);
    within(&mut plan.keys.openings).start = Some(Given::derived(next, from));
    Ok(Some(plan.resolve(Job::Sprt)?))
}

/// Returns the number of the opening that follows those of this many pairs, if openings are played in the order of
/// their list, which another seed does not change.
fn next_opening(run: &Loaded, pairs: u64) -> Option<u64> {
    let (order, start) = match &run.run.openings {
        OpeningSource::Book(BookSource { order, start, .. })
        | OpeningSource::Numbered(NumberedStarts { order, start, .. }) => (*order, *start),
        OpeningSource::Start | OpeningSource::Random(_) | OpeningSource::Setups(_) => return None,
    };
    let count = run.openings.count().filter(|_| order == BookOrder::Sequential)?;
    Some((start.get() - 1).wrapping_add(pairs) % count + 1)
}

/// Returns the text that the engine gets for a value of a parameter.
fn tuned_value(tuned: &TunedStanding, value: f64) -> TunedValue<'_> {
    let category = tuned.values.get(value as usize);
    category.map_or(TunedValue::Number(value), |category| TunedValue::Text(&category.text))
}

/// Describes whether the gain of a session at several limits, which found its values mostly at cheaper limits, carries
/// over to the target. `None` for other sessions, and without a verdict.
pub fn carried_over(session: &RunConfig, verdict: Option<Verdict>) -> Option<String> {
    let ExperimentConfig::Tune(TuneConfig { limits, .. }) = &session.experiment else { return None };
    let target = session.entrants.first().filter(|_| !limits.is_empty())?.player.limit().0;
    Some(match verdict? {
        Verdict::AcceptedH1 => format!("The gain carried over to {target}."),
        Verdict::AcceptedH0 => format!("The gain did not carry over to {target}."),
        Verdict::Undecided | Verdict::Complete => format!("Whether the gain carried over to {target} is undecided."),
    })
}

/// Returns the Elo that a test measured, allowing for its stopping rule.
pub fn measured(standing: &Standing) -> Option<Estimate> {
    let decided = standing.sprt().and_then(|sprt| sprt.decided);
    let elo = decided.map(|DecidedElo { elo, low, high, .. }| Estimate { value: elo, low, high });
    elo.or_else(|| standing.counts.summary().elo)
}

/// Returns the runs of this test in a folder, oldest first: those with its name, the same players and the same
/// openings.
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

/// Returns the sessions in a folder whose test a run may be, by its name; empty if the run is not such a test.
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

#[cfg(test)]
mod tests {
    use super::*;
    use plan::load;

    #[test]
    fn listed_openings_go_on_after_those_of_the_session() {
        let run = |order: &str| {
            let text = format!(
                "game = 'chess960'\n[openings]\nsource = 'chess960'\nnumbers = '0..9'\norder = '{order}'\nstart = 8\n\
                 [match]\npairs = 1\n[[entrant]]\nname = 'a'\nplayer = 'random'\n\
                 [[entrant]]\nname = 'b'\nplayer = 'random'\n"
            );
            load(&text, "test", "test", &[], Job::Match, Disk).unwrap()
        };
        let sequential = run("sequential");
        assert_eq!([0, 2, 5, 10].map(|pairs| next_opening(&sequential, pairs)), [8, 10, 3, 8].map(Some));
        assert_eq!(next_opening(&run("random"), 5), None, "another seed shuffles them anew");
    }
}
