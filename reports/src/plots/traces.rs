//! The course of a run: one panel a series, over the pairs played. It says nothing of its own about what the bands mean,
//! since that is the experiment's to know: the caller's title does.

use super::axis::Axis;
use super::curve::Curve;
use super::{PlotError, palette};
use arena::run::Series;
use plotters::chart::{ChartBuilder, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::prelude::*;

const WIDTH: u32 = 1200;
const PANEL_HEIGHT: u32 = 300;
const HEADER: u32 = 40;
/// Free around each panel, in pixels.
const GAP: u32 = 10;
const BAND_ALPHA: f64 = 0.30;
const LINE_WIDTH: u32 = 2;
/// Radius of the dot that stands for a series of one point, which a line cannot show.
const DOT: u32 = 4;
/// Longer names are cut, so that they fit beside an axis of a panel.
const LONGEST_NAME: usize = 24;
/// Longer titles are cut, so that they fit into the plot's width.
const LONGEST_TITLE: usize = 120;
/// The SVG backend divides the size of a font by this, so that sizes in pixels are to be multiplied by it.
const FONT_SCALE: f64 = 1.24;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws series as small multiples and returns the SVG's text: one panel a series, in one column if there is one series
/// and else in two, 1200 pixels wide and 300 high a row, below a title. Along the x axis run pairs; a band is drawn
/// where points have one, and each panel's title tells the last value with its band.
///
/// Points without finite coordinates are skipped. The same series give the same text on every machine.
///
/// # Errors
///
/// [`PlotError::NoSeries`] and [`PlotError::Empty`] if there is nothing to draw, [`PlotError::Drawing`] if the drawing
/// library fails.
pub fn traces(title: &str, series: &[Series]) -> Result<String, PlotError> {
    let curves: Vec<Curve> = series.iter().map(Curve::new).collect::<Result<_, _>>()?;
    let columns = match curves.len() {
        0 => return Err(PlotError::NoSeries),
        1 => 1,
        _ => 2,
    };
    let rows = curves.len().div_ceil(columns);
    let mut text = String::new();
    {
        let height = HEADER + PANEL_HEIGHT * rows as u32;
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&root, title, &curves, (rows, columns)).map_err(|error| PlotError::Drawing(error.to_string()))?;
    }
    Ok(text)
}

type DrawingError<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(
    root: &Area<'a>,
    title: &str,
    curves: &[Curve],
    (rows, columns): (usize, usize),
) -> Result<(), DrawingError<'a>> {
    root.fill(&WHITE)?;
    let (header, body) = root.split_vertically(HEADER);
    header.draw(&Text::new(shortened(title, LONGEST_TITLE), (2 * GAP as i32, GAP as i32), font(18)))?;
    for (index, (area, curve)) in body.split_evenly((rows, columns)).iter().zip(curves).enumerate() {
        panel(area, curve, palette::series(index))?;
    }
    root.present()
}

fn panel<'a>(area: &Area<'a>, curve: &Curve, colour: RGBColor) -> Result<(), DrawingError<'a>> {
    let (x, y) = (curve.x_axis(), curve.y_axis());
    let name = shortened(&curve.name, LONGEST_NAME);
    let mut chart = ChartBuilder::on(area)
        .margin(GAP)
        .margin_right(3 * GAP)
        .caption(format!("{name}: {}", last(curve, &x, &y)), font(16))
        .set_label_area_size(LabelAreaPosition::Bottom, 50)
        .set_label_area_size(LabelAreaPosition::Left, 80)
        .build_cartesian_2d(x, y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(palette::GRID)
        .axis_style(palette::AXIS)
        .label_style(font(14))
        .axis_desc_style(font(14))
        .x_desc("pairs")
        .y_desc(name)
        .draw()?;
    for outline in curve.bands(&y) {
        chart.draw_series([Polygon::new(outline, colour.mix(BAND_ALPHA))])?;
    }
    let line: Vec<(f64, f64)> = curve.marks.iter().map(|mark| (mark.x, mark.y)).collect();
    match line[..] {
        [only] => chart.draw_series([Circle::new(only, DOT, colour.filled())]).map(drop),
        _ => chart.draw_series([PathElement::new(line, colour.stroke_width(LINE_WIDTH))]).map(drop),
    }
}

/// The last value that is drawn, its band, and where it lies: thinned series may end a little before their run does.
fn last(curve: &Curve, x: &Axis, y: &Axis) -> String {
    let Some(mark) = curve.marks.last() else { return String::new() };
    let band = match mark.band {
        Some((low, high)) if low < high => format!(" ({} to {})", y.value(low), y.value(high)),
        _ => String::new(),
    };
    format!("{}{band} after {} pairs", y.value(mark.y), x.label(mark.x))
}

/// The one font, in pixels.
fn font(pixels: u32) -> TextStyle<'static> {
    ("sans-serif", f64::from(pixels) * FONT_SCALE).into_font().color(&palette::TEXT)
}

/// A name fit to be drawn: control characters, which XML forbids, become spaces, and a long one is cut.
fn shortened(name: &str, longest: usize) -> String {
    let allowed = |c: char| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c };
    let mut text: String = name.chars().map(allowed).take(longest).collect();
    if name.chars().nth(longest).is_some() {
        let _last = text.pop();
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
