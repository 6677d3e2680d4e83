//! The optional parts of a build: few commands need them and they take long to build. Each is a feature of this crate.

use reports::plots::PngRenderer;

/// The message of a command whose part is missing from this build.
pub(crate) fn missing(part: &str, feature: &str) -> String {
    format!(
        "this spar was built without {part}: `cargo install --locked --path . --features {feature}` builds one that \
        has it"
    )
}

/// The renderer of plots as PNG, which this build lacks.
#[cfg(not(feature = "png"))]
pub(crate) const PNG: Option<PngRenderer> = None;

/// The renderer of plots as PNG.
#[cfg(feature = "png")]
pub(crate) const PNG: Option<PngRenderer> =
    Some(|svg| raster::png(svg).map_err(|error| reports::plots::PlotError::Drawing(error.to_string())));
