//! Strength over releases, and strength or gain over resources.

use super::axis::Axis;
use super::curve::range;
use super::palette;
use super::sheet::{HEIGHT, Panel, Place, Sheet, band, dashed, line, note, shortened, upright};
use super::{Plot, PlotError};

const LONGEST_NAME: usize = 14;
/// More points have their names left out but for some.
const MOST_NAMED: usize = 16;

/// One release on an [`EloCurve`].
#[derive(Clone, Debug, PartialEq)]
pub struct EloCurvePoint {
    /// What it is called.
    pub name: String,
    /// Where it lies: a number, a date, whatever rises from release to release.
    pub x: f64,
    /// Elo.
    pub elo: f64,
    /// Lower end of its 95% interval.
    pub low: f64,
    /// Upper end of its 95% interval.
    pub high: f64,
    /// Whether its rating is given and all others are relative to it.
    pub anchor: bool,
}

/// Strength over releases.
#[derive(Clone, Debug, PartialEq)]
pub struct EloCurve {
    /// What is shown.
    pub title: String,
    /// How it was measured.
    pub subtitle: String,
    /// By rising `x`.
    pub points: Vec<EloCurvePoint>,
}

/// Draws Elo over releases with its 95% band; anchors are set apart by colour.
///
/// # Errors
/// [`PlotError`].
pub fn elo_curve(curve: &EloCurve) -> Result<Plot, PlotError> {
    let finite = |point: &&EloCurvePoint| [point.x, point.elo, point.low, point.high].iter().all(|n| n.is_finite());
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
    let (low, high) = range(points.iter().flat_map(|point| [point.low, point.high]));
    let y = Axis::around(low, high, 0.08, 6);
    let key = [(palette::BLUE, "Elo, 95%"), (palette::GREEN, "anchor")].map(|(colour, name)| (colour, name.to_owned()));
    let keys = if points.iter().any(|point| point.anchor) { 2 } else { 1 };
    let key = key.into_iter().take(keys).collect();
    Sheet { title: &curve.title, subtitle: &curve.subtitle, key, height: HEIGHT }.draw(|body| {
        let (x, y) = (x.clone(), y.clone());
        let panel = Panel { title: "", x, y, x_label: "release", y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        let above = points.iter().map(|point| (point.x, point.high));
        let below = points.iter().rev().map(|point| (point.x, point.low));
        if points.len() > 1 {
            band(&mut chart, above.chain(below).collect(), palette::BLUE)?;
        }
        line(&mut chart, points.iter().map(|point| (point.x, point.elo)).collect(), palette::BLUE)?;
        for point in &points {
            let colour = if point.anchor { palette::GREEN } else { palette::BLUE };
            upright(&mut chart, (point.x, point.elo), (point.low, point.high), colour)?;
        }
        Ok(())
    })
}

/// One measurement on a [`Scaling`] curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingPoint {
    /// The resource: nodes, seconds or threads; positive.
    pub x: f64,
    /// Elo gained there.
    pub elo: f64,
    /// Lower end of its 95% interval.
    pub low: f64,
    /// Upper end of its 95% interval.
    pub high: f64,
}

/// Elo over a resource, on a scale of doublings.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// What is shown.
    pub title: String,
    /// How it was measured.
    pub subtitle: String,
    /// What the resource is, with its unit.
    pub x_label: String,
    /// By rising `x`.
    pub points: Vec<ScalingPoint>,
}

/// Draws Elo over a resource, the x axis in doublings.
///
/// # Errors
/// [`PlotError`].
pub fn scaling(scaling: &Scaling) -> Result<Plot, PlotError> {
    let finite = |p: &&ScalingPoint| p.x > 0.0 && [p.x, p.elo, p.low, p.high].iter().all(|n| n.is_finite());
    let points: Vec<ScalingPoint> = scaling.points.iter().filter(finite).copied().collect();
    if points.is_empty() {
        return Err(PlotError::Empty("measurements".to_owned()));
    }
    let log = |x: f64| libm::log2(x);
    let (first, last) = range(points.iter().map(|point| log(point.x)));
    let ticks = points.iter().map(|point| (log(point.x), resource(point.x))).collect();
    let x = Axis::with_ticks(first - 0.3, last + 0.3, ticks);
    let (low, high) = range(points.iter().flat_map(|point| [point.low, point.high]).chain([0.0]));
    let y = Axis::around(low, high, 0.08, 6);
    Sheet { title: &scaling.title, subtitle: &scaling.subtitle, key: Vec::new(), height: HEIGHT }.draw(|body| {
        let x_label = format!("{} (logarithmic)", scaling.x_label);
        let panel = Panel { title: "", x: x.clone(), y: y.clone(), x_label: &x_label, y_label: "Elo", left: 80 };
        let mut chart = panel.chart(body)?;
        dashed(&mut chart, (x.low, 0.0), (x.high, 0.0), palette::REFERENCE)?;
        line(&mut chart, points.iter().map(|point| (log(point.x), point.elo)).collect(), palette::BLUE)?;
        for point in &points {
            upright(&mut chart, (log(point.x), point.elo), (point.low, point.high), palette::BLUE)?;
            let at = (log(point.x), point.elo);
            note(&mut chart, format!("{:+.0}", point.elo), at, Place::Right, palette::TEXT)?;
        }
        Ok(())
    })
}

/// An amount with a suffix of thousands: 1k, 64k, 1.5M.
fn resource(x: f64) -> String {
    let (value, suffix) = match x {
        1e9.. => (x / 1e9, "G"),
        1e6.. => (x / 1e6, "M"),
        1e3.. => (x / 1e3, "k"),
        _ => (x, ""),
    };
    let text = format!("{value:.2}");
    format!("{}{suffix}", text.trim_end_matches('0').trim_end_matches('.'))
}
