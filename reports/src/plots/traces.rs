//! Small multiples: one panel a series, over the pairs played or over a parameter's values. It says nothing of its own about what the bands mean,
//! since that is the experiment's to know: the caller's title does.

use super::axis::Axis;
use super::curve::Curve;
use super::palette;
use super::sheet::{Area, Drawn, Panel, Sheet, band, line, shortened};
use super::{Plot, PlotError};
use arena::run::Series;
use plotters::style::RGBColor;

const PANEL_HEIGHT: u32 = 300;
const HEADER: u32 = 70;
/// Longer names are cut, so that they fit beside an axis of a panel.
const LONGEST_NAME: usize = 24;

/// What the x axis of [`traces()`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Pairs played: each panel tells the last value.
    Pairs,
    /// Values of the parameter that the panel is named after: the y axis is Elo over the answer.
    Values,
}

/// Draws series as small multiples and returns the SVG's text: one panel a series, in one column if there is one series
/// and else in two, 1200 pixels wide and 300 high a row, below a title. A band is drawn where points have one.
///
/// Points without finite coordinates are skipped. The same series give the same text on every machine.
///
/// # Errors
///
/// [`PlotError::NoSeries`] and [`PlotError::Empty`] if there is nothing to draw, [`PlotError::Drawing`] if the drawing
/// library fails.
pub fn traces(title: &str, subtitle: &str, series: &[Series], along: Along) -> Result<Plot, PlotError> {
    let curves: Vec<Curve> = series.iter().map(Curve::new).collect::<Result<_, _>>()?;
    let columns = match curves.len() {
        0 => return Err(PlotError::NoSeries),
        1 => 1,
        _ => 2,
    };
    let rows = curves.len().div_ceil(columns);
    let sheet = Sheet { title, subtitle, key: Vec::new(), height: HEADER + PANEL_HEIGHT * rows as u32 };
    sheet.draw_grid(curves.len(), columns, |index, area| panel(area, &curves[index], palette::series(index), along))
}

fn panel(area: &Area<'_>, curve: &Curve, colour: RGBColor, along: Along) -> Drawn {
    let y = curve.y_axis();
    let name = shortened(&curve.name, LONGEST_NAME);
    let (x, title, x_label, y_label) = match along {
        Along::Pairs => {
            let x = curve.x_axis();
            let title = format!("{name}: {}", last(curve, &x, &y));
            (x, title, "pairs", name.as_str())
        }
        Along::Values => (curve.x_span(), name.clone(), name.as_str(), "Elo over the answer"),
    };
    let panel = Panel { title: &title, x, y: y.clone(), x_label, y_label, left: 80 };
    let mut chart = panel.chart(area)?;
    for outline in curve.bands(&y) {
        band(&mut chart, outline, colour)?;
    }
    line(&mut chart, curve.marks.iter().map(|mark| (mark.x, mark.y)).collect(), colour)
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

#[cfg(test)]
mod tests;
