//! Plots as SVG text. [`traces()`] draws the course of a run; the axis and the colours are shared by whatever else is drawn.

mod axis;
mod curve;
mod palette;
pub mod traces;

pub use traces::traces;

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
