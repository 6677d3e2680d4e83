//! `spar plot`: one plot of a run, as SVG or PNG.

use super::report::ReportOfRun;
use super::{print, run_path};
use crate::args::Plot;
use crate::failure::{Exit, Failure};
use anyhow::Context;
use reports::Figure;
use std::path::Path;

/// Name of the drawing in the run's folder.
const FILE: &str = "series.svg";

pub(crate) fn plot(plot: &Plot, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&plot.run, runs);
    let mut run = ReportOfRun::open(&path)?;
    let report = run.read()?;
    let figure = chosen(&report.figures, plot.figure.as_deref(), &path)?;
    let out = plot.out.clone().unwrap_or_else(|| path.join(FILE));
    let is_png = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let drawing = if is_png {
        reports::plots::png(&figure.svg).map_err(|error| Failure::Environment(error.into()))?
    } else {
        figure.svg.clone().into_bytes()
    };
    std::fs::write(&out, drawing)
        .with_context(|| format!("cannot write {}: choose another place with --out", out.display()))
        .map_err(Failure::Environment)?;
    print(out.display())?;
    Ok(Exit::Done)
}

/// The plot asked for, or the first one, which is the run's course.
fn chosen<'a>(figures: &'a [Figure], name: Option<&str>, path: &Path) -> Result<&'a Figure, Failure> {
    let path = path.display();
    let Some(first) = figures.first() else {
        return Err(Failure::usage(format!("run {path}: there is nothing to draw yet: play some pairs first")));
    };
    let Some(name) = name else { return Ok(first) };
    figures.iter().find(|figure| figure.id == name).ok_or_else(|| {
        let known: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
        Failure::usage(format!("run {path} has no plot `{name}`: expected one of {}", known.join(", ")))
    })
}
