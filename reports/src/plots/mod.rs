//! Plots as SVG text, all in the same style: a title, a subtitle that says what is uncertain and by how much, axes with
//! units, a light grid. Each takes plain data, so that any program can draw its own.

mod axis;
mod bars;
mod bisection;
mod boards;
mod calibration;
mod campaign;
mod curve;
mod games;
mod generations;
mod losses;
mod outcomes;
mod pace;
mod palette;
mod planning;
mod plot;
mod progress;
mod releases;
mod sheet;
mod tables;
pub mod traces;

pub use bars::{Bars, bars};
pub use bisection::{CommitMark, commit_path, commits};
pub use boards::{HeatBoard, heat_boards};
pub use calibration::{ScoreOfEvaluation, agreement, calibration};
pub use campaign::{PatchMark, patches};
pub use games::{fairness, lengths};
pub use generations::{GenerationMark, generations_elo, generations_losses};
pub use losses::{LossAxes, Reference, losses};
pub use outcomes::{PairBars, ScoreRow, pentanomial, scores};
pub use pace::{Named, delays, pace};
pub use planning::{Planning, planning};
pub use plot::{Plot, PlotError, PngRenderer};
pub use progress::{LlrPath, elo_course, llr};
pub use releases::{EloCurve, EloCurvePoint, Scaling, ScalingCurve, ScalingPoint, elo_curve, scaling};
pub use tables::{RatingRow, crosstable, ratings};
pub use traces::{Along, TracePanel, traces};

#[cfg(test)]
mod tests;
