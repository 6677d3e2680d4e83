//! Plots as SVG text, all of one look: a title, a subtitle that says what is uncertain and how much, axes with units, a
//! light grid. Each takes plain data, so that any program can draw its own.

mod axis;
mod bars;
mod boards;
mod calibration;
mod curve;
mod games;
mod generations;
mod losses;
mod outcomes;
mod pace;
mod palette;
mod planning;
mod progress;
mod releases;
mod sheet;
mod tables;
pub mod traces;

pub use bars::{Bars, bars};
pub use boards::{HeatBoard, heat_boards};
pub use calibration::{ScoreOfEvaluation, agreement, calibration};
pub use games::{fairness, lengths};
pub use generations::{GenerationMark, generations_elo, generations_losses};
pub use losses::{LossAxes, Reference, losses};
pub use outcomes::{PairBars, ScoreRow, pentanomial, scores};
pub use pace::{Named, delays, pace};
pub use planning::{Planning, planning};
pub use progress::{LlrPath, elo_course, llr};
pub use releases::{EloCurve, EloCurvePoint, Scaling, ScalingCurve, ScalingPoint, elo_curve, scaling};
pub use tables::{RatingRow, crosstable, ratings};
pub use traces::{Along, TracePanel, traces};

/// A plot as SVG text: one drawing for pages and files, and one for screens as narrow as a phone's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// 1200 pixels wide.
    pub wide: String,
    /// 480 pixels wide: panels stand below each other.
    pub narrow: String,
}

/// Draws a plot's SVG text as a PNG file. It is handed in, because what draws pixels takes long to build.
pub type PngRenderer = fn(svg: &str) -> Result<Vec<u8>, PlotError>;

/// Why nothing could be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// No series was given at all.
    #[error("there is no series to draw")]
    NoSeries,
    /// A series has no point with finite coordinates.
    #[error("series `{0}` has no point to draw yet: play some pairs first")]
    Empty(String),
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Drawing(String),
}

#[cfg(test)]
mod tests;
