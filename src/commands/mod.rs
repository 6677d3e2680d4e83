//! One file per command; only wiring and printing, no other logic.

pub(crate) mod bench;
pub(crate) mod bisect;
pub(crate) mod book;
pub(crate) mod bundle;
pub(crate) mod campaign;
pub(crate) mod check;
mod ci;
pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod doctor;
pub(crate) mod elo;
pub(crate) mod eval;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fastchess;
mod faults;
pub(crate) mod fit;
pub(crate) mod fleet;
mod game;
pub(crate) mod init;
pub(crate) mod ladder;
pub(crate) mod league;
pub(crate) mod learn;
pub(crate) mod llr;
mod named;
pub(crate) mod package_files;
pub(crate) mod params;
mod parts;
pub(crate) mod patch;
pub(crate) mod perft;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod rate;
pub(crate) mod regress;
pub(crate) mod remote;
pub(crate) mod report;
pub(crate) mod runs;
pub(crate) mod scaling;
pub(crate) mod serve;
mod sessions;
pub(crate) mod show;
mod stages;
pub(crate) mod train;
pub(crate) mod tune;

use crate::failure::Failure;
use crate::optional::PNG;
use arena::run::replace_file;
use named::{one_run_path, run_path};
use reports::plots::Plot;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Prints a line on standard output.
fn print(line: impl std::fmt::Display) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// Prints a result as JSON on standard output.
fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::environment)?;
    print(text)
}

/// Writes plots into the folder of a job, as SVG and, if this build supports it, as PNG.
fn keep_plots(folder: &Path, plots: Vec<(&'static str, Plot)>) -> Result<(), Failure> {
    for (name, plot) in plots {
        if let Some(png) = PNG {
            let pixels = png(&plot.wide).map_err(Failure::environment)?;
            replace_file(&folder.join(format!("{name}.png")), &pixels)?;
        }
        replace_file(&folder.join(format!("{name}.svg")), plot.wide.as_bytes())?;
    }
    Ok(())
}

/// Parses a position of 0.1.
fn position(text: &str) -> Result<engine::Position, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("position \"{text}\": {error}")))
}
