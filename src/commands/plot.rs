//! `spar plot`: one plot of a run, as SVG or PNG.

use super::{one_run_path, print};
use crate::args::Plot;
use crate::failure::{Exit, Failure};
use crate::optional::{PNG, missing};
use anyhow::Context;
use arena::run::Check;
use reports::Figure;
use reports::plots::PngRenderer;
use session::PageOfRun;
use std::path::Path;

/// The file name of the drawing in the run's folder.
const FILE: &str = "series.svg";

pub(crate) fn plot(plot: &Plot, runs: &Path) -> Result<Exit, Failure> {
    // Checked before anything is read.
    let form = Form::of(plot.out.as_deref().unwrap_or(Path::new(FILE)))?;
    let path = one_run_path(&plot.run, runs)?;
    let out = plot.out.clone().unwrap_or_else(|| path.join(FILE));
    let report = PageOfRun::open(&path, Check::Audit)?.report()?;
    let figure = chosen(&report.figures, plot.figure.as_deref(), &path)?;
    let drawing = match form {
        Form::Png(png) => png(&figure.svg).map_err(Failure::environment)?,
        Form::Svg => figure.svg.clone().into_bytes(),
    };
    std::fs::write(&out, drawing)
        .with_context(|| format!("cannot write {}: choose another place with --out", out.display()))
        .map_err(Failure::Environment)?;
    print(out.display())?;
    Ok(Exit::Done)
}

/// The format of a drawing.
enum Form {
    Svg,
    Png(PngRenderer),
}

impl Form {
    /// The format by the file's extension; SVG for a name without one, such as that of a device.
    fn of(out: &Path) -> Result<Self, Failure> {
        match out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).as_deref() {
            None | Some("svg") => Ok(Self::Svg),
            Some("png") => PNG.map(Self::Png).ok_or_else(|| Failure::usage(missing("PNG plots", "png"))),
            Some(other) => {
                let message =
                    format!("`--out {}`: drawings are written as .svg or .png, not as .{other}", out.display());
                Err(Failure::usage(message))
            }
        }
    }
}

/// The requested plot, or the first one, which shows the course of the run.
fn chosen<'a>(figures: &'a [Figure], name: Option<&str>, path: &Path) -> Result<&'a Figure, Failure> {
    let path = path.display();
    let Some(first) = figures.first() else {
        return Err(Failure::usage(format!("run {path}: nothing to draw yet: play some pairs first")));
    };
    let Some(name) = name else { return Ok(first) };
    figures.iter().find(|figure| figure.id == name).ok_or_else(|| {
        let known: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
        Failure::usage(format!("run {path} has no plot `{name}`: expected one of {}", known.join(", ")))
    })
}
