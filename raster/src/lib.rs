//! From SVG to PNG, with a font of our own so that pictures are the same everywhere. Plots are drawn by `reports`.
//!
//! It is a crate of its own because its libraries take long to build and few commands need them.
//!
//! The font is Inter (SIL Open Font License; see `inter`), regular and semibold, cut down to European scripts and the
//! signs that plots use.

use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};
use thiserror::Error;

static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../inter/Inter-Regular.otf").to_vec());
    fonts.load_font_data(include_bytes!("../inter/Inter-SemiBold.otf").to_vec());
    fonts.set_sans_serif_family("Inter");
    Arc::new(fonts)
});

/// An SVG text cannot be drawn.
#[derive(Debug, Error)]
pub enum RasterError {
    /// It is not SVG.
    #[error("this is not SVG: {0}")]
    Svg(#[from] usvg::Error),
    /// It has no width or no height.
    #[error("the picture has no size")]
    Empty,
    /// The pixels cannot be written as PNG.
    #[error("the picture cannot be written as PNG: {0}")]
    Encoding(String),
}

/// Draws an SVG text as a PNG file of the same size in pixels.
///
/// # Errors
/// [`RasterError`], which says why it cannot be drawn.
pub fn png(svg: &str) -> Result<Vec<u8>, RasterError> {
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).ok_or(RasterError::Empty)?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| RasterError::Encoding(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> String {
        let size = "width=\"1200\" height=\"675\" viewBox=\"0 0 1200 675\"";
        let text = format!("<text x=\"20\" y=\"40\" font-family=\"sans-serif\" font-size=\"24\">{title}</text>");
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size}>{text}</svg>")
    }

    #[test]
    fn pictures_have_the_size_of_the_drawing_and_text_in_them() {
        let picture = png(&titled("Title")).unwrap();
        assert_eq!(picture[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(picture[16..24], [0, 0, 4, 176, 0, 0, 2, 163], "1200 by 675");
        assert_ne!(png(&titled(" ")).unwrap(), picture, "the font is found");
    }

    #[test]
    fn text_that_is_no_drawing_is_refused() {
        assert!(png("no svg").unwrap_err().to_string().starts_with("this is not SVG: "));
    }
}
