//! Small multiples: a panel for each series, over the pairs played or over a parameter's values. The caller's title
//! says what the bands mean, because only the experiment knows.

use super::axis::Axis;
use super::curve::{Curve, LARGEST};
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{Area, Drawn, Panel, Place, Sheet, band, dashed, line, note, shortened};
use arena::run::Series;
use plotters::style::RGBColor;

const PANEL_HEIGHT: u32 = 300;
const HEADER: u32 = 70;
/// The maximum length of a name: longer ones are cut to fit beside an axis of a panel.
const LONGEST_NAME: usize = 24;

/// The x axis of [`traces()`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Pairs played: each panel shows the last value.
    Pairs,
    /// Values of the parameter that gives the panel its name: the y axis is Elo relative to the answer.
    Values,
}

/// A series with further data for its panel.
#[derive(Clone, Debug)]
pub struct TracePanel<'a> {
    /// The series.
    pub series: &'a Series,
    /// The start of a tuned parameter: a dashed line across the panel.
    pub start: Option<f64>,
    /// The text about the last point in the panel's title, instead of its value and its band.
    pub says: Option<String>,
}

impl<'a> From<&'a Series> for TracePanel<'a> {
    fn from(series: &'a Series) -> Self {
        Self { series, start: None, says: None }
    }
}

/// Draws series as small multiples and returns the SVG's text: a panel for each series, in one column if there is one
/// series, otherwise in two, 1200 pixels wide and 300 high a row, below a title. Draws a band where points have one,
/// and a dashed line where a parameter started.
///
/// Points without finite coordinates are skipped. The same series give the same text on every machine.
///
/// # Errors
///
/// [`PlotError::NoSeries`] and [`PlotError::Empty`] if there is nothing to draw, [`PlotError::Drawing`] if the drawing
/// library fails.
pub fn traces(title: &str, subtitle: &str, panels: &[TracePanel<'_>], along: Along) -> Result<Plot, PlotError> {
    let curves: Vec<Curve> = panels.iter().map(|panel| Curve::new(panel.series)).collect::<Result<_, _>>()?;
    let columns = match curves.len() {
        0 => return Err(PlotError::NoSeries),
        1 => 1,
        _ => 2,
    };
    let rows = curves.len().div_ceil(columns);
    let sheet = Sheet { title, subtitle, key: Vec::new(), height: HEADER + PANEL_HEIGHT * rows as u32 };
    let draw =
        |index: usize, area: &Area<'_>| panel(area, &curves[index], &panels[index], palette::series(index), along);
    sheet.draw_grid(curves.len(), columns, draw)
}

fn panel(area: &Area<'_>, curve: &Curve, of: &TracePanel<'_>, colour: RGBColor, along: Along) -> Drawn {
    let start = of.start.filter(|start| start.abs() <= LARGEST);
    let y = curve.y_axis(start);
    let name = shortened(&curve.name, LONGEST_NAME);
    let (x, title, x_label, y_label) = match along {
        Along::Pairs => {
            let x = curve.x_axis();
            let title = format!("{name}: {}", last(curve, of.says.as_deref(), &x, &y));
            (x, title, "pairs", name.as_str())
        }
        Along::Values => (curve.x_span(), name.clone(), name.as_str(), "Elo over the answer"),
    };
    let panel = Panel { title: &title, x, y: y.clone(), x_label, y_label, left: 80 };
    let mut chart = panel.chart(area)?;
    for outline in curve.bands(&y) {
        band(&mut chart, outline, colour)?;
    }
    if let Some(start) = start {
        let ends = chart.x_range();
        dashed(&mut chart, (ends.start, start), (ends.end, start), palette::FAINT)?;
        // Above a line at the top, the note would be written across the title.
        let place = if start > y.low + 0.9 * (y.high - y.low) { Place::Below } else { Place::Above };
        note(&mut chart, "start", (0.5 * (ends.start + ends.end), start), place, palette::FAINT)?;
    }
    line(&mut chart, curve.marks.iter().map(|mark| (mark.x, mark.y)).collect(), colour)
}

/// The last value drawn, its band, and its place: thinned series may end a little before their run does.
fn last(curve: &Curve, says: Option<&str>, x: &Axis, y: &Axis) -> String {
    let Some(mark) = curve.marks.last() else { return String::new() };
    if let Some(says) = says {
        return format!("{says} after {} pairs", x.label(mark.x));
    }
    let band = match mark.band {
        Some((low, high)) if low < high => format!(" ({} to {})", y.value(low), y.value(high)),
        _ => String::new(),
    };
    format!("{}{band} after {} pairs", y.value(mark.y), x.label(mark.x))
}

#[cfg(test)]
mod tests;
