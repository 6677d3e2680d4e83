//! Warnings about a run's book before the run starts.

use crate::warning::{TournamentLength, Warning};
use arena::config::ExperimentConfig;
use plan::Loaded;
use play::book::{Lines, Skipped, SkippedOpening};
use reports::text::grouped;

/// The most duplicates that are named.
const MOST_NAMED: usize = 3;

/// Returns the warnings about a run's openings.
pub(crate) fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let Some(book) = loaded.run.openings.finite_name() else { return Vec::new() };
    let unusable = loaded.openings.lines().and_then(|lines| skipped(lines.skipped(), &book));
    let unusable = unusable.map(|what| Warning::SkippedOpenings { book: book.clone(), what });
    let same = loaded.openings.lines().and_then(duplicates);
    let same = same.map(|what| Warning::DuplicateOpenings { book: book.clone(), what });
    let count = loaded.openings.count();
    unusable
        .into_iter()
        .chain(same)
        .chain(count.and_then(|count| too_few(&loaded.run.experiment, count.get(), &book)))
        .collect()
}

/// Returns a warning if the run is known to need more openings than the book has.
fn too_few(experiment: &ExperimentConfig, openings: u64, book: &str) -> Option<Warning> {
    let rounds = match experiment {
        ExperimentConfig::Match { pairs, schedule, entrants, rounds } => {
            let (pairs, unit) = (pairs.get(), rounds.unit());
            if let (Some(called), Some(rounds)) = (schedule.called(), schedule.rounds(*entrants)) {
                let tournament = TournamentLength { called, rounds, pairs };
                let is_small = tournament.most_openings() > openings;
                return is_small.then(|| Warning::FewForRounds { book: book.to_owned(), openings, tournament, unit });
            }
            pairs
        }
        ExperimentConfig::Sprt { max_pairs, .. } => max_pairs.as_ref()?.get(),
        ExperimentConfig::Tune(tune) => tune.pairs.get(),
        // The pairs are only a limit.
        ExperimentConfig::Ladder(ladder) if ladder.precision.is_some() => return None,
        ExperimentConfig::Ladder(ladder) => ladder.pairs.get(),
        ExperimentConfig::Selfplay { games, .. } => games.get(),
    };
    let unit = experiment.rounds().unit();
    (rounds > openings).then(|| Warning::FewOpenings { book: book.to_owned(), openings, rounds, unit })
}

/// Returns the number of skipped lines or games of a book, with the place and the mistake of the first ones; `None` if
/// there are none.
pub fn skipped(skipped: &Skipped, book: &str) -> Option<String> {
    let named: Vec<String> = skipped.first.iter().take(MOST_NAMED).map(|one| named(one, book)).collect();
    let more = if skipped.count > named.len() as u64 { "\n  ..." } else { "" };
    (skipped.count > 0).then(|| format!("{} skipped\n  {}{more}", grouped(skipped.count), named.join("\n  ")))
}

/// Describes a skipped opening: file, line and reason.
pub fn named(skipped: &SkippedOpening, book: &str) -> String {
    format!("{book}:{}: {}", skipped.line, skipped.why)
}

/// Returns the number of openings that equal an earlier one, and the first of them; `None` if there are none.
pub fn duplicates(lines: &Lines) -> Option<String> {
    let found = lines.duplicates();
    let named: Vec<String> =
        found.first.iter().take(MOST_NAMED).map(|(line, of)| format!("line {line} as {of}")).collect();
    let more = if found.count > named.len() as u64 { ", ..." } else { "" };
    (found.count > 0).then(|| format!("{} ({}{more})", grouped(found.count), named.join(", ")))
}
