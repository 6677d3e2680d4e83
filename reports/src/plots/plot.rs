//! The drawing of a plot, and why there is none.

/// A plot as SVG text: one drawing for pages and files, and one for screens as narrow as a phone's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The drawing that is 1200 pixels wide.
    pub wide: String,
    /// The drawing that is 420 pixels wide, with panels below each other.
    pub narrow: String,
}

/// Draws a plot's SVG text as a PNG file. Callers pass it in, because pixel drawing takes long to build.
pub type PngRenderer = fn(svg: &str) -> Result<Vec<u8>, PlotError>;

/// Why nothing could be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// No series was given.
    #[error("there is no series to draw")]
    NoSeries,
    /// A series has no point with finite coordinates.
    #[error("series `{0}` has no point to draw yet: play some pairs first")]
    Empty(String),
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Drawing(String),
}
