//! The course of a match or a test: its log-likelihood ratio between the bounds, and its Elo with the 95% band.

use super::curve::{Curve, Mark, range};
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, band, dashed, is_roomy, line, note, zone};
use super::{axis::Axis, palette};
use arena::run::Series;

/// The maximum reach of bands beyond the values, in multiples of the values' range plus the width of the last band.
const MOST_SPREAD: f64 = 2.0;

/// The course of a sequential test.
#[derive(Clone, Debug)]
pub struct LlrPath<'a> {
    /// The run.
    pub title: &'a str,
    /// What is tested, in words.
    pub subtitle: &'a str,
    /// The ratio over the pairs.
    pub llr: &'a Series,
    /// H0 is accepted at this ratio or below.
    pub lower: f64,
    /// H1 is accepted at this ratio or above.
    pub upper: f64,
    /// The name of the rounds, in the plural: `pairs`, or another unit of a run.
    pub along: &'a str,
    /// The expected change of the ratio per pair if H1 holds exactly; the same in the other direction if H0 does.
    /// `None` if it is not known yet.
    pub drift: Option<f64>,
}

/// Draws the path of the ratio, the bounds with the zones beyond them, and the expected paths under both hypotheses.
///
/// # Errors
/// [`PlotError`].
pub fn llr(path: &LlrPath<'_>) -> Result<Plot, PlotError> {
    let curve = Curve::new(path.llr)?;
    let x = curve.x_axis();
    let values = curve.marks.iter().map(|mark| mark.y).chain([path.lower, path.upper]);
    let (low, high) = range(values);
    let y = Axis::around(low, high, 0.10, 6);
    let key = vec![
        (palette::BLUE, "log-likelihood ratio".to_owned()),
        (palette::REFERENCE, "expected if H0 or H1 holds exactly".to_owned()),
    ];
    let sheet = Sheet { title: path.title, subtitle: path.subtitle, key, height: HEIGHT };
    sheet.draw(|body| {
        let label = "log-likelihood ratio (nats)";
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: path.along, y_label: label, left: 80 };
        let mut chart = panel.chart(body)?;
        zone(&mut chart, (x.low, path.upper), (x.high, y.high), palette::GREEN)?;
        zone(&mut chart, (x.low, y.low), (x.high, path.lower), palette::VERMILION)?;
        let bounds = [(path.upper, palette::GREEN, "H1 accepted"), (path.lower, palette::VERMILION, "H0 accepted")];
        for (bound, colour, words) in bounds {
            dashed(&mut chart, (x.low, bound), (x.high, bound), colour)?;
            let at = (x.low + (x.high - x.low) * if is_roomy(&chart) { 0.09 } else { 0.2 }, bound);
            note(&mut chart, format!("{words}: {bound:.2}"), at, Place::Above, palette::TEXT)?;
        }
        for (drift, bound) in path.drift.into_iter().flat_map(|drift| [(drift, path.upper), (-drift, path.lower)]) {
            let pairs = (bound / drift).clamp(0.0, x.high);
            dashed(&mut chart, (0.0, 0.0), (pairs, drift * pairs), palette::REFERENCE)?;
        }
        line(&mut chart, points(&curve.marks), palette::BLUE)
    })
}

/// Draws Elo over the pairs, or along another axis, with its 95% band, and a line at no difference.
///
/// # Errors
/// [`PlotError`].
pub fn elo_course(title: &str, subtitle: &str, elo: &Series, along: &str) -> Result<Plot, PlotError> {
    let curve = Curve::new(elo)?;
    let x = curve.x_axis();
    let y = course_axis(&curve.marks);
    let inside = curve.marks.iter().position(|mark| (y.low..=y.high).contains(&mark.y)).unwrap_or(0);
    let sheet = Sheet { title, subtitle, key: Vec::new(), height: HEIGHT };
    sheet.draw(|body| {
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: along, y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        for outline in curve.bands(&y) {
            band(&mut chart, outline, palette::BLUE)?;
        }
        if y.low < 0.0 && 0.0 < y.high {
            dashed(&mut chart, (x.low, 0.0), (x.high, 0.0), palette::REFERENCE)?;
        }
        line(&mut chart, points(&curve.marks[inside..]), palette::BLUE)
    })
}

/// The axis that shows the last band well: early values and bands, which are wild, may leave the panel.
fn course_axis(marks: &[Mark]) -> Axis {
    let late = &marks[marks.len() / 4..];
    let (low, high) = range(late.iter().map(|mark| mark.y));
    let (first, last) = late.iter().rev().find_map(|mark| mark.band).unwrap_or((low, high));
    let room = MOST_SPREAD * ((high - low) + (last - first));
    let ends = late.iter().filter_map(|mark| mark.band).flat_map(|(a, b)| [a, b]);
    let ends = ends.map(|end| end.clamp(low - room, high + room));
    let (low, high) = range(ends.chain([low, high, 0.0]));
    Axis::around(low, high, 0.06, 6)
}

fn points(marks: &[Mark]) -> Vec<(f64, f64)> {
    marks.iter().map(|mark| (mark.x, mark.y)).collect()
}
