//! What a run's book gives reason to say before it starts.

use crate::warning::{Knockout, Warning};
use arena::config::{ExperimentConfig, Loaded, Schedule};
use play::book::{Lines, OpeningSource};
use reports::text::grouped;

/// So many duplicates are named.
const MOST_NAMED: usize = 3;

/// What is to be said of a run's openings.
pub(crate) fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let book = match &loaded.run.openings {
        OpeningSource::Book(source) => source.file.path.clone(),
        OpeningSource::Numbered(starts) => starts.to_string(),
        OpeningSource::Start | OpeningSource::Random(_) => return Vec::new(),
    };
    let same = loaded.openings.lines().and_then(duplicates);
    let same = same.map(|what| Warning::DuplicateOpenings { book: book.clone(), what });
    let count = loaded.openings.count();
    same.into_iter().chain(count.and_then(|count| too_few(&loaded.run.experiment, count.get(), &book))).collect()
}

/// Said where a run is known to need more openings than there are.
fn too_few(experiment: &ExperimentConfig, openings: u64, book: &str) -> Option<Warning> {
    let rounds = match experiment {
        ExperimentConfig::Match { pairs, schedule: Schedule::Knockout { tie_breaks }, entrants, rounds } => {
            let (matches, unit) = (entrants.next_power_of_two().ilog2(), rounds.unit());
            let knockout = Knockout { rounds: matches, pairs: pairs.get(), tie_breaks: *tie_breaks };
            let is_small = knockout.most_openings() > openings;
            return is_small.then(|| Warning::FewForKnockout { book: book.to_owned(), openings, knockout, unit });
        }
        ExperimentConfig::Sprt { max_pairs, .. } => max_pairs.as_ref()?.get(),
        ExperimentConfig::Match { pairs, schedule: Schedule::Swiss { rounds }, .. } => {
            pairs.get().saturating_mul(rounds.get().into())
        }
        ExperimentConfig::Match { pairs, .. } => pairs.get(),
        ExperimentConfig::Tune(tune) => tune.pairs.get(),
        ExperimentConfig::Ladder(ladder) => ladder.pairs.get(),
        ExperimentConfig::Selfplay { games, .. } => games.get(),
    };
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
