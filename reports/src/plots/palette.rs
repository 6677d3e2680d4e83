//! Colours that colour-blind readers can tell apart: the set of Masataka Okabe and Kei Ito, "Color Universal Design", 2008.

use plotters::style::RGBColor;

/// Okabe and Ito's colours, without black and without the yellow, which is hard to see as a line on white.
const SERIES: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Lines of the grid: there, but behind everything.
pub(super) const GRID: RGBColor = RGBColor(228, 228, 228);

/// Axes and their ticks.
pub(super) const AXIS: RGBColor = RGBColor(120, 120, 120);

/// All text.
pub(super) const TEXT: RGBColor = RGBColor(40, 40, 40);

/// The colour of the series number `index`; they repeat after the last.
pub(super) fn series(index: usize) -> RGBColor {
    SERIES[index % SERIES.len()]
}
