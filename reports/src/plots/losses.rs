//! The course of a training or of a fit: its losses, with others for comparison.

use super::axis::Axis;
use super::curve::{Curve, range};
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, dashed, is_roomy, line, note};
use arena::run::Series;

/// A loss for comparison: a dashed line.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The name of its source.
    pub name: String,
    /// The loss.
    pub loss: f64,
}

/// The maximum space above the later half of the curves, in multiples of the distance that they cover there. Earlier
/// parts may leave the panel: first losses are wild.
const MOST_SPREAD: f64 = 0.5;

/// The labels of the axes of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossAxes {
    /// The quantity along the x axis, such as positions.
    pub x: &'static str,
    /// The name of the loss, and its unit.
    pub y: &'static str,
}

impl LossAxes {
    /// Cross-entropy over the training positions.
    pub const OF_TRAINING: Self = Self { x: "positions", y: "cross-entropy (nats)" };
}

/// Draws losses. Leaves out parts that are far above the later half of the curves.
///
/// # Errors
/// [`PlotError`].
pub fn losses(
    title: &str,
    subtitle: &str,
    axes: LossAxes,
    courses: &[Series],
    references: &[Reference],
) -> Result<Plot, PlotError> {
    let curves: Vec<Curve> = courses.iter().map(Curve::new).collect::<Result<_, _>>()?;
    let Some(first) = curves.first() else { return Err(PlotError::NoSeries) };
    let (x, y) = (first.x_axis(), y_axis(&curves, references));
    let key = curves.iter().enumerate().map(|(index, curve)| (palette::series(index), curve.name.clone())).collect();
    Sheet { title, subtitle, key, height: HEIGHT }.draw(|body| {
        let (x_label, y_label) = (axes.x, axes.y);
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label, y_label, left: 80 };
        let mut chart = panel.chart(body)?;
        for Reference { name, loss } in references.iter().filter(|it| (y.low..=y.high).contains(&it.loss)) {
            dashed(&mut chart, (x.low, *loss), (x.high, *loss), palette::REFERENCE)?;
            let at = x.low + (x.high - x.low) * if is_roomy(&chart) { 0.85 } else { 0.7 };
            note(&mut chart, format!("{name}: {loss:.4}"), (at, *loss), Place::Above, palette::TEXT)?;
        }
        for (index, curve) in curves.iter().enumerate() {
            let points = curve.marks.iter().filter(|mark| mark.y <= y.high).map(|mark| (mark.x, mark.y)).collect();
            line(&mut chart, points, palette::series(index))?;
        }
        Ok(())
    })
}

fn y_axis(curves: &[Curve], references: &[Reference]) -> Axis {
    let late = curves.iter().flat_map(|curve| &curve.marks[curve.marks.len() / 2..]).map(|mark| mark.y);
    let finite = references.iter().map(|reference| reference.loss).filter(|loss| loss.is_finite());
    let (low, high) = range(late.chain(finite));
    let (_, most) = range(curves.iter().flat_map(|curve| &curve.marks).map(|mark| mark.y));
    Axis::around(low, most.min(high + MOST_SPREAD * (high - low)).max(high), 0.06, 6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::run::Point;

    fn course(name: &str, losses: &[f64]) -> Series {
        let points = losses.iter().zip(1..).map(|(&y, x)| Point { x: f64::from(x), y, low: None, high: None });
        Series { name: name.to_owned(), points: points.collect() }
    }

    #[test]
    fn losses_are_drawn_with_what_they_are_compared_with() {
        let courses = [course("training", &[9.0, 0.66, 0.63, 0.62]), course("held out", &[8.0, 0.67, 0.64, 0.63])];
        let references = [Reference { name: "constant".to_owned(), loss: 0.69 }];
        let plot = losses("a", "b", LossAxes::OF_TRAINING, &courses, &references).unwrap();
        for drawing in [&plot.wide, &plot.narrow] {
            for text in ["held out", "constant: 0.6900", "positions"] {
                assert!(drawing.contains(text), "{text}");
            }
        }
        let axis = y_axis(&courses.map(|course| Curve::new(&course).unwrap()), &references);
        assert!(axis.high < 1.0 && axis.low < 0.62, "{axis:?}");
        assert_eq!(losses("a", "b", LossAxes::OF_TRAINING, &[], &references), Err(PlotError::NoSeries));
        assert!(losses("a", "b", LossAxes::OF_TRAINING, &[course("x", &[f64::NAN])], &[]).is_err());
    }
}
