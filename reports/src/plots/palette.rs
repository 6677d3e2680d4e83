//! Colours that colour-blind readers can tell apart: the set of Masataka Okabe and Kei Ito, "Color Universal Design",
//! 2008.
//!
//! The page's style sheet has a counterpart for dark surroundings of each colour used here.

use plotters::style::RGBColor;

/// Okabe and Ito's blue: the first series.
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Their vermilion: the second.
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);
/// Their bluish green: the third, and H1.
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);

/// Okabe and Ito's colours, without black and without the yellow, which is hard to see as a line on white.
const SERIES: [RGBColor; 6] =
    [BLUE, VERMILION, GREEN, RGBColor(204, 121, 167), RGBColor(230, 159, 0), RGBColor(86, 180, 233)];

/// Lines of the grid: visible, but behind everything.
pub(super) const GRID: RGBColor = RGBColor(228, 228, 228);

/// Axes and their ticks.
pub(super) const AXIS: RGBColor = RGBColor(120, 120, 120);

/// Things for comparison: expectations, references.
pub(super) const REFERENCE: RGBColor = RGBColor(90, 90, 90);

/// Subtitles.
pub(super) const FAINT: RGBColor = RGBColor(102, 102, 102);

/// All other text.
pub(super) const TEXT: RGBColor = RGBColor(40, 40, 40);

/// Text within the cells of a heat map, which keep their colours in dark mode.
pub(super) const IN_CELL: RGBColor = RGBColor(20, 20, 20);

/// The colour of series number `index`; colours repeat after the last.
pub(super) fn series(index: usize) -> RGBColor {
    SERIES[index % SERIES.len()]
}

/// A share from 0 to 1 as a colour: vermilion below one half, near white at it, blue above.
pub(super) fn diverging(share: f64) -> RGBColor {
    let end = if share < 0.5 { RGBColor(235, 140, 80) } else { RGBColor(90, 165, 215) };
    let far = ((share - 0.5).abs() * 2.0).clamp(0.0, 1.0);
    let mix = |end: u8| (247.0 + (f64::from(end) - 247.0) * far).round() as u8;
    RGBColor(mix(end.0), mix(end.1), mix(end.2))
}
