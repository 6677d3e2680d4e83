//! `spar data export`: the positions of a run as a file.

use crate::args::data::Export;
use crate::commands::{print, print_json, run_path};
use crate::failure::{Exit, Failure};
use arena::config::{ExperimentConfig, PositionFilter};
use arena::run::RunFolder;
use reports::text::grouped;
use serde_json::json;
use session::positions;
use std::path::Path;
use trainer::data::Extracted;

pub(crate) fn export(export: &Export, runs: &Path) -> Result<Exit, Failure> {
    let run = run_path(&export.run, runs);
    let config = RunFolder::open_journal(&run)?.header()?.config;
    let of_run = match &config.experiment {
        ExperimentConfig::Selfplay { filter, .. } => *filter,
        _ => PositionFilter::default(),
    };
    let out = export.out.clone().unwrap_or_else(|| positions::usual_place(&run));
    let counts = positions::write(&run, &config, &export.filter.over(of_run), &out)?;
    if export.json {
        print_json(&json!({ "file": out, "counts": counts }))?;
    } else {
        print(text(&counts, &out))?;
    }
    Ok(Exit::Done)
}

/// What was kept, what was left out, and where it is.
pub(crate) fn text(counts: &Extracted, out: &Path) -> String {
    let mut lines = vec![format!("{} positions of {} games", grouped(counts.kept), grouped(counts.games))];
    let left_out = [
        ("games ended by a fault", counts.faulty_games),
        ("games that began too unequal", counts.unequal_games),
        ("plies without a score", counts.unscored),
        ("proven wins and losses", counts.proven),
        ("scores too large", counts.decided),
        ("captures", counts.captures),
        ("in check", counts.in_check),
        ("duplicates", counts.duplicates),
    ];
    for (what, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
        lines.push(format!("  left out   {:>12} {what}", grouped(count)));
    }
    lines.push(format!("  written to {}", out.display()));
    lines.join("\n")
}
