//! From SVG to PNG, with a font of our own so that pictures are the same everywhere.
//!
//! The font is Inter (SIL Open Font License; see `assets/inter`), regular and semibold, cut down to European scripts and the signs that
//! plots use.

use super::PlotError;
use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../../assets/inter/Inter-Regular.otf").to_vec());
    fonts.load_font_data(include_bytes!("../../assets/inter/Inter-SemiBold.otf").to_vec());
    fonts.set_sans_serif_family("Inter");
    Arc::new(fonts)
});

/// Draws a plot's SVG text as a PNG file of the same size in pixels.
///
/// # Errors
/// [`PlotError::Drawing`] if the text is no SVG.
pub fn png(svg: &str) -> Result<Vec<u8>, PlotError> {
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| PlotError::Drawing(error.to_string()))?;
    let size = tree.size().to_int_size();
    let pixels = tiny_skia::Pixmap::new(size.width(), size.height());
    let mut pixels = pixels.ok_or_else(|| PlotError::Drawing("the plot has no size".to_owned()))?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PlotError::Drawing(error.to_string()))
}
