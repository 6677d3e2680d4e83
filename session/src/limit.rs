//! How many pairs a run may have: it can be given more, and never fewer than it has played.

use crate::desk::{name_of, stored_text};
use crate::error::SessionError;
use arena::config::{ExperimentConfig, GamesEach, RunConfig};
use arena::run::RunFolder;
use reports::text::{counted, grouped};
use std::num::NonZeroU64;
use std::path::Path;

/// Why a run cannot have so many pairs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// So many have been played already.
    #[error(
        "{run}: {} played already, and {asked} would be fewer. A result stays as it was: ask for {} or more", are(*played, unit), grouped(*least)
    )]
    TooFew {
        /// The run.
        run: String,
        /// Rounds in its journal.
        played: u64,
        /// What such a round is called, in the singular.
        unit: &'static str,
        /// What was asked for, in words.
        asked: String,
        /// The least limit that is not refused.
        least: u64,
    },
    /// Its pairings depend on results.
    #[error(
        "{run} is a {schedule}: who plays whom depends on how many pairs a match has. Start another run to play more"
    )]
    Fixed {
        /// The run.
        run: String,
        /// Its schedule.
        schedule: &'static str,
    },
}

fn are(count: u64, unit: &str) -> String {
    format!("{} {}", counted(count, unit), if count == 1 { "was" } else { "were" })
}

/// The `key=value` setting that gives a run of this name another limit. `text` is its stored configuration, whose key is kept: a limit may stand
/// there as pairs or as rounds.
///
/// # Errors
/// [`LimitError::Fixed`] for a Swiss or a knockout.
pub fn setting(name: &str, run: &RunConfig, text: &str, pairs: NonZeroU64) -> Result<String, LimitError> {
    let experiment = &run.experiment;
    if let Some(schedule) = fixed(experiment) {
        return Err(LimitError::Fixed { run: name.to_owned(), schedule });
    }
    let section = experiment.kind();
    let [in_pairs, in_rounds] = match experiment {
        ExperimentConfig::Sprt { .. } => ["max_pairs", "max_rounds"],
        ExperimentConfig::Match { .. } => ["pairs", "rounds"],
        ExperimentConfig::Tune(_) | ExperimentConfig::Ladder(_) => ["pairs"; 2],
        ExperimentConfig::Selfplay { .. } => ["games"; 2],
    };
    let table: toml::Table = text.parse().unwrap_or_default();
    let stands = table.get(section).and_then(|section| section.get(in_rounds)).is_some();
    let are_single = experiment.rounds().games == GamesEach::One;
    Ok(format!("{section}.{}={pairs}", if stands || are_single { in_rounds } else { in_pairs }))
}

/// [`setting`] for the run in a folder.
///
/// # Errors
/// [`SessionError`] if there is no run, it cannot be read, or its limit cannot change.
pub fn setting_of(path: &Path, pairs: NonZeroU64) -> Result<String, SessionError> {
    let journal = RunFolder::open_journal(path)?;
    let text = stored_text(path, &journal)?;
    Ok(setting(&name_of(path), &journal.header()?.config, &text, pairs)?)
}

/// The schedule of a run whose number of pairs cannot change.
fn fixed(experiment: &ExperimentConfig) -> Option<&'static str> {
    use arena::config::Schedule;
    match experiment {
        ExperimentConfig::Match { schedule: Schedule::Swiss { .. }, .. } => Some("Swiss"),
        ExperimentConfig::Match { schedule: Schedule::Knockout { .. }, .. } => Some("knockout"),
        _ => None,
    }
}

/// Refuses for the run of this name a limit that is lower than it was and leaves out pairs that have been played. `played` is one more than the highest pair in
/// the run's journal.
///
/// # Errors
/// [`LimitError::TooFew`]
pub fn refuse_fewer(name: &str, then: &RunConfig, now: &RunConfig, played: u64) -> Result<(), LimitError> {
    let Some(most) = now.experiment.most_rounds().filter(|most| *most < played) else { return Ok(()) };
    if then.experiment.most_rounds().is_some_and(|before| before <= most) {
        return Ok(());
    }
    let pairings = now.experiment.pairings().unwrap_or(1).max(1);
    let unit = now.experiment.rounds().unit();
    let each = if pairings > 1 { format!(" in each of {}", counted(pairings, "pairing")) } else { String::new() };
    Err(LimitError::TooFew {
        run: name.to_owned(),
        played,
        unit,
        asked: format!("{}{each}", grouped(most / pairings)),
        least: played.div_ceil(pairings),
    })
}
