//! What a run's book gives reason to say before it starts.

use crate::warning::Warning;
use arena::config::{ExperimentConfig, Loaded, Schedule};
use play::book::{Lines, OpeningSource};
use reports::text::grouped;

/// So many duplicates are named.
const MOST_NAMED: usize = 3;

/// What is to be said of a run's openings.
pub(crate) fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let (OpeningSource::Book(source), Some(lines)) = (&loaded.run.openings, loaded.openings.lines()) else {
        return Vec::new();
    };
    let book = &source.file.path;
    let same = duplicates(lines).map(|what| Warning::DuplicateOpenings { book: book.clone(), what });
    same.into_iter().chain(too_few(&loaded.run.experiment, lines, book)).collect()
}

/// Said where a run is known to need more openings than there are.
fn too_few(experiment: &ExperimentConfig, lines: &Lines, book: &str) -> Option<Warning> {
    let rounds = match experiment {
        ExperimentConfig::Sprt { max_pairs, .. } => max_pairs.as_ref()?.get(),
        ExperimentConfig::Match { pairs, schedule: Schedule::Swiss { rounds }, .. } => {
            pairs.get().saturating_mul(rounds.get().into())
        }
        ExperimentConfig::Match { pairs, .. } => pairs.get(),
        ExperimentConfig::Tune(tune) => tune.pairs.get(),
        ExperimentConfig::Ladder(ladder) => ladder.pairs.get(),
        ExperimentConfig::Selfplay { games, .. } => games.get(),
    };
    let openings = lines.count();
    let unit = experiment.rounds().unit();
    (rounds > openings).then(|| Warning::FewOpenings { book: book.to_owned(), openings, rounds, unit })
}

/// How many openings are the same as an earlier one, and which are the first; `None` if there are none.
pub fn duplicates(lines: &Lines) -> Option<String> {
    let found = lines.duplicates();
    let named: Vec<String> =
        found.first.iter().take(MOST_NAMED).map(|(line, of)| format!("line {line} as {of}")).collect();
    let more = if found.count > named.len() as u64 { ", ..." } else { "" };
    (found.count > 0).then(|| format!("{} ({}{more})", grouped(found.count), named.join(", ")))
}
