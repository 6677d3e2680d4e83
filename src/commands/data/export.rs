//! `spar data export`: the positions of a run as a file.

use crate::args::data::Export;
use crate::commands::{print, print_json, run_path};
use crate::failure::{Exit, Failure};
use arena::config::{ExperimentConfig, PositionFilter, RunConfig};
use arena::run::RunFolder;
use reports::text::grouped;
use serde_json::json;
use session::jobs;
use std::path::{Path, PathBuf};
use trainer::data::{self, EXTENSION, ExportError, Extracted};

pub(crate) fn export(export: &Export, runs: &Path) -> Result<Exit, Failure> {
    let run = run_path(&export.run, runs);
    let config = RunFolder::open_journal(&run)?.header()?.config;
    let of_run = match &config.experiment {
        ExperimentConfig::Selfplay { filter, .. } => *filter,
        _ => PositionFilter::default(),
    };
    let out = export.out.clone().unwrap_or_else(|| usual_place(&run));
    let counts = write(&run, &config, &export.filter.over(of_run), &out)?;
    if export.json {
        print_json(&json!({ "file": out, "counts": counts }))?;
    } else {
        print(text(&counts, &out))?;
    }
    Ok(Exit::Done)
}

/// Writes the positions of the run in a folder.
pub(crate) fn write(run: &Path, config: &RunConfig, filter: &PositionFilter, out: &Path) -> Result<Extracted, Failure> {
    let journal = RunFolder::open_journal(run)?;
    let mut experiment = jobs::experiment(config)?;
    Ok(data::export_to(&journal, experiment.as_mut(), filter, out)?)
}

/// Beside the run's journal, under the name of its folder.
pub(crate) fn usual_place(run: &Path) -> PathBuf {
    let name = run.canonicalize().ok().and_then(|run| Some(run.file_name()?.to_owned()));
    run.join(name.unwrap_or_else(|| "run".into())).with_added_extension(EXTENSION)
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

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Run(error) => error.into(),
            ExportError::Output(error) => error.into(),
            ExportError::OtherGame { .. } | ExportError::NoTrack => Self::Usage(error.into()),
        }
    }
}
