//! What a build may lack: parts of the program that few commands need and that take long to build. Each is a feature of
//! this crate.

use reports::plots::PngRenderer;

/// The message of a command whose part was left out of this build.
pub(crate) fn missing(part: &str, feature: &str) -> String {
    format!(
        "this spar was built without {part}: `cargo install --locked --path . --features {feature}` builds one that \
        has it"
    )
}

/// Draws plots as PNG, in builds that can.
#[cfg(not(feature = "png"))]
pub(crate) const PNG: Option<PngRenderer> = None;

/// Draws plots as PNG, in builds that can.
#[cfg(feature = "png")]
pub(crate) const PNG: Option<PngRenderer> =
    Some(|svg| raster::png(svg).map_err(|error| reports::plots::PlotError::Drawing(error.to_string())));
