//! Strength over releases, and strength or gain over resources.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::plot::{Plot, PlotError};
use super::sheet::{HEIGHT, Panel, Place, Sheet, band, dashed, line, note, shortened, upright};
use crate::levels::Levels;
use crate::text::signed;

const LONGEST_NAME: usize = 14;
/// The maximum number of points with all names shown; of more, only some names are shown.
const MOST_NAMED: usize = 16;

/// One release on an [`EloCurve`].
#[derive(Clone, Debug, PartialEq)]
pub struct EloCurvePoint {
    /// The release's name.
    pub name: String,
    /// The position on the x axis: a number, a date, or anything else that rises from release to release.
    pub x: f64,
    /// Elo.
    pub elo: f64,
    /// Lower end of the 95% interval.
    pub low: f64,
    /// Upper end of the 95% interval.
    pub high: f64,
    /// Whether the rating is given and all others are relative to it.
    pub anchor: bool,
}

/// Strength over releases.
#[derive(Clone, Debug, PartialEq)]
pub struct EloCurve {
    /// The title.
    pub title: String,
    /// How it was measured.
    pub subtitle: String,
    /// The points by rising `x`.
    pub points: Vec<EloCurvePoint>,
}

/// Draws Elo over releases with its 95% band; anchors have a different colour.
///
/// # Errors
/// [`PlotError`].
pub fn elo_curve(curve: &EloCurve) -> Result<Plot, PlotError> {
    let finite = |point: &&EloCurvePoint| point.x.is_finite() && point.elo.is_finite();
    let points: Vec<&EloCurvePoint> = curve.points.iter().filter(finite).collect();
    if points.is_empty() {
        return Err(PlotError::Empty("releases".to_owned()));
    }
    let every = points.len().div_ceil(MOST_NAMED);
    let named = points.iter().rev().step_by(every).map(|point| (point.x, shortened(&point.name, LONGEST_NAME)));
    let mut named: Vec<(f64, String)> = named.collect();
    named.reverse();
    let (first, last) = range(points.iter().map(|point| point.x));
    let margin = if last > first { (last - first) * 0.04 } else { 0.5 };
    let x = Axis::with_ticks(first - margin, last + margin, named);
    let ends = points.iter().flat_map(|point| [point.low, point.elo, point.high]);
    let (low, high) = range(ends.filter(|end| end.is_finite()));
    let y = Axis::around(low, high, 0.08, 6);
    let key = [(palette::BLUE, "Elo, 95%"), (palette::GREEN, "anchor")].map(|(colour, name)| (colour, name.to_owned()));
    let keys = if points.iter().any(|point| point.anchor) { 2 } else { 1 };
    let key = key.into_iter().take(keys).collect();
    Sheet { title: &curve.title, subtitle: &curve.subtitle, key, height: HEIGHT }.draw(|body| {
        let (x, y) = (x.clone(), y.clone());
        let panel = Panel { title: "", x, y, x_label: "release", y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        let end = |end: f64| end.clamp(low, high);
        let above = points.iter().map(|point| (point.x, end(point.high)));
        let below = points.iter().rev().map(|point| (point.x, end(point.low)));
        if points.len() > 1 {
            band(&mut chart, above.chain(below).collect(), palette::BLUE)?;
        }
        line(&mut chart, points.iter().map(|point| (point.x, point.elo)).collect(), palette::BLUE)?;
        for point in &points {
            let colour = if point.anchor { palette::GREEN } else { palette::BLUE };
            upright(&mut chart, (point.x, point.elo), (point.low, point.high), colour)?;
        }
        // As many values as names, so that they do not overlap; the last value is always shown.
        for point in points.iter().rev().step_by(every) {
            note(&mut chart, signed(point.elo, 0), (point.x, end(point.high)), Place::Above, palette::TEXT)?;
        }
        Ok(())
    })
}

/// One measurement on a [`Scaling`] curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingPoint {
    /// The resource, such as nodes, seconds or threads, or the parameter; positive on a scale of doublings.
    pub x: f64,
    /// Elo gained at this value.
    pub elo: f64,
    /// Lower end of the 95% interval.
    pub low: f64,
    /// Upper end of the 95% interval.
    pub high: f64,
}

/// Elo over a resource, on a scale of doublings, or over a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The title.
    pub title: String,
    /// How it was measured.
    pub subtitle: String,
    /// The name of the resource, with its unit.
    pub x_label: String,
    /// Whether the x axis is one of doublings.
    pub doublings: bool,
    /// The points by rising `x`.
    pub points: Vec<ScalingPoint>,
    /// The curve fitted to the points, if any.
    pub curve: Option<ScalingCurve>,
}

impl Scaling {
    /// The place of a resource or a value on the x axis.
    fn place(&self, x: f64) -> f64 {
        if self.doublings { libm::log2(x) } else { x }
    }

    /// Axes with space for these points (at least one) and for the curve.
    fn axes(&self, points: &[ScalingPoint]) -> (Axis, Axis) {
        let (first, last) = range(points.iter().map(|point| self.place(point.x)));
        let ticks = points.iter().map(|point| (self.place(point.x), Levels::written(point.x))).collect();
        let margin = if last > first { (last - first) * 0.06 } else { 0.3 };
        let fitted: &[(f64, f64)] = self.curve.as_ref().map_or(&[], |curve| &curve.points);
        let ends = points.iter().flat_map(|point| [point.low, point.high]).chain(fitted.iter().map(|(_, elo)| *elo));
        let (low, high) = range(ends.chain([0.0]).filter(|end| end.is_finite()));
        (Axis::with_ticks(first - margin, last + margin, ticks), Axis::around(low, high, 0.08, 6))
    }
}

/// A curve fitted to measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingCurve {
    /// The curve's name.
    pub name: String,
    /// The points by rising `x`, which is in doublings if the axis is: the logarithm to the base of 2.
    pub points: Vec<(f64, f64)>,
}

/// Draws Elo over a resource or a parameter. Draws the fitted curve, if there is one, instead of a line through the
/// points.
///
/// # Errors
/// [`PlotError`].
pub fn scaling(scaling: &Scaling) -> Result<Plot, PlotError> {
    let has_place = |x: f64| x.is_finite() && (x > 0.0 || !scaling.doublings);
    let finite = |p: &&ScalingPoint| has_place(p.x) && p.elo.is_finite();
    let points: Vec<ScalingPoint> = scaling.points.iter().filter(finite).copied().collect();
    if points.is_empty() {
        return Err(PlotError::Empty("measurements".to_owned()));
    }
    let place = |x: f64| scaling.place(x);
    let (x, y) = scaling.axes(&points);
    let fit_key = scaling.curve.iter().map(|curve| (palette::VERMILION, curve.name.clone()));
    let key: Vec<_> = fit_key.chain(scaling.curve.iter().map(|_| (palette::BLUE, "Elo, 95%".to_owned()))).collect();
    Sheet { title: &scaling.title, subtitle: &scaling.subtitle, key, height: HEIGHT }.draw(|body| {
        let logarithmic = if scaling.doublings { " (logarithmic)" } else { "" };
        let x_label = format!("{}{logarithmic}", scaling.x_label);
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: &x_label, y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (x.low, 0.0), (x.high, 0.0), palette::REFERENCE)?;
        match &scaling.curve {
            Some(curve) => line(&mut chart, curve.points.clone(), palette::VERMILION)?,
            None => line(&mut chart, points.iter().map(|point| (place(point.x), point.elo)).collect(), palette::BLUE)?,
        }
        for point in &points {
            let at = (place(point.x), point.elo);
            upright(&mut chart, at, (point.low, point.high), palette::BLUE)?;
            note(&mut chart, signed(point.elo, 0), at, Place::Right, palette::TEXT)?;
        }
        Ok(())
    })
}
