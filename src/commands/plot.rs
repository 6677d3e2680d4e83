//! `spar plot`: the course of a run as a drawing.

use super::show::{ReadRun, read_run};
use super::{print, run_path};
use crate::args::Plot;
use crate::failure::{Exit, Failure};
use crate::summary::hypotheses;
use anyhow::Context;
use arena::config::ExperimentConfig;
use reports::plots::{PlotError, traces};
use std::path::Path;

/// Name of the drawing in the run's folder.
const FILE: &str = "series.svg";

pub(crate) fn plot(plot: &Plot, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&plot.run, runs);
    let run = read_run(&path)?;
    let drawing = traces(&title(&run, &path), &run.experiment.series()).map_err(|error| match error {
        PlotError::Drawing(_) => Failure::Environment(error.into()),
        PlotError::NoSeries | PlotError::Empty(_) => Failure::usage(format!("run {}: {error}", path.display())),
    })?;
    let out = plot.out.clone().unwrap_or_else(|| path.join(FILE));
    std::fs::write(&out, drawing)
        .with_context(|| format!("cannot write {}: choose another place with --out", out.display()))
        .map_err(Failure::Environment)?;
    print(out.display())?;
    Ok(Exit::Done)
}

/// The run's name, and what its bands mean.
fn title(run: &ReadRun, path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    match run.header.config.experiment {
        ExperimentConfig::Sprt { test, .. } => {
            format!("{name} · log-likelihood ratio, {}", hypotheses(&test))
        }
        ExperimentConfig::Match { .. } => format!("{name} · score a game, band 95%"),
        ExperimentConfig::Ladder(_) => format!("{name} · half the widest 95% interval of the differences, in Elo"),
        ExperimentConfig::Tune(_) => format!("{name} · values, bands ± 1 standard error"),
    }
}
