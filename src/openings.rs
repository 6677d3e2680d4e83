//! What a run's book gives reason to say before it starts.

use crate::text::grouped;
use arena::config::{ExperimentConfig, Loaded};
use play::book::{Lines, OpeningSource};

/// So many duplicates are named.
const MOST_NAMED: usize = 3;

/// Remarks on the openings of a run, one line each.
pub(crate) fn remarks(loaded: &Loaded) -> Vec<String> {
    let (OpeningSource::Book(source), Some(lines)) = (&loaded.run.openings, loaded.openings.lines()) else {
        return Vec::new();
    };
    let file = &source.file.path;
    let duplicates = duplicates(lines).map(|what| format!("note: {file} has openings that are the same: {what}"));
    duplicates.into_iter().chain(repeats(&loaded.run.experiment, lines, file)).collect()
}

/// Said where a run is known to need more openings than there are.
fn repeats(experiment: &ExperimentConfig, lines: &Lines, file: &str) -> Option<String> {
    let pairs = match experiment {
        ExperimentConfig::Sprt { max_pairs, .. } => max_pairs.as_ref()?.get(),
        ExperimentConfig::Match { pairs, .. } => pairs.get(),
        ExperimentConfig::Tune(tune) => tune.pairs.get(),
        ExperimentConfig::Ladder(ladder) => ladder.pairs.get(),
    };
    let (openings, count) = (grouped(lines.count()), lines.count());
    (pairs > count).then(|| {
        let pairs = grouped(pairs);
        format!("note: {pairs} pairs need more than the {openings} openings of {file}: they will come again")
    })
}

/// How many openings are the same as an earlier one, and which are the first; `None` if there are none.
pub(crate) fn duplicates(lines: &Lines) -> Option<String> {
    let found = lines.duplicates();
    let named: Vec<String> =
        found.first.iter().take(MOST_NAMED).map(|(line, of)| format!("line {line} as {of}")).collect();
    let more = if found.count > named.len() as u64 { ", ..." } else { "" };
    (found.count > 0).then(|| format!("{} ({}{more})", grouped(found.count), named.join(", ")))
}
