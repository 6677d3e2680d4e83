//! What a plot is, and why there is none.

/// A plot as SVG text: one drawing for pages and files, and one for screens as narrow as a phone's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// 1200 pixels wide.
    pub wide: String,
    /// 420 pixels wide: panels stand below each other.
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
