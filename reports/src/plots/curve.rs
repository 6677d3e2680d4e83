//! The drawable part of a series: its points with finite coordinates, and the axes that they need.

use super::axis::Axis;
use super::plot::PlotError;
use arena::run::{Point, Series};

/// The maximum number that is drawn: differences of the remaining ones stay finite.
pub(super) const LARGEST: f64 = 1e100;
/// Bands in the first of this many parts of the points may leave the panel: they are often so wide that they would
/// flatten the rest.
const EARLY_PART: usize = 4;
/// The part of a panel's height that stays free above and below.
const MARGIN: f64 = 0.06;
const X_TICKS: u32 = 5;
const Y_TICKS: u32 = 6;

/// A drawable point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    /// The position on the x axis, usually in pairs.
    pub(super) x: f64,
    /// The value.
    pub(super) y: f64,
    /// Lower and upper end of its band, in this order.
    pub(super) band: Option<(f64, f64)>,
}

/// A series that can be drawn: it has at least one mark.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// The name of the series.
    pub(super) name: String,
    /// The points, never empty.
    pub(super) marks: Vec<Mark>,
}

impl Curve {
    /// The drawable points of a series; [`PlotError::Empty`] if there is none.
    pub(super) fn new(series: &Series) -> Result<Self, PlotError> {
        let marks: Vec<Mark> = series.points.iter().filter_map(mark).collect();
        if marks.is_empty() {
            return Err(PlotError::Empty(series.name.clone()));
        }
        Ok(Self { name: series.name.clone(), marks })
    }

    /// An axis of pairs, starting from none.
    pub(super) fn x_axis(&self) -> Axis {
        let (low, high) = range(self.marks.iter().map(|mark| mark.x).chain([0.0]));
        let high = if high > low { high } else { low + 1.0 };
        Axis::new(low, high, X_TICKS)
    }

    /// An axis from the first point to the last.
    pub(super) fn x_span(&self) -> Axis {
        let (low, high) = range(self.marks.iter().map(|mark| mark.x));
        Axis::new(low, high, X_TICKS)
    }

    /// An axis for every value, every band that is not an early one, and `also`.
    pub(super) fn y_axis(&self, also: Option<f64>) -> Axis {
        let early = self.marks.len() / EARLY_PART;
        let bands = self.marks[early..].iter().filter_map(|mark| mark.band).flat_map(|(low, high)| [low, high]);
        let (low, high) = range(self.marks.iter().map(|mark| mark.y).chain(bands).chain(also));
        Axis::around(low, high, MARGIN, Y_TICKS)
    }

    /// The outlines of bands, one for each stretch of marks that all have a band: along its upper end and back.
    pub(super) fn bands(&self, axis: &Axis) -> Vec<Vec<(f64, f64)>> {
        let outline = |marks: &[Mark]| {
            let end = |high: bool| {
                let place = move |mark: &Mark| mark.band.map(|band| (mark.x, if high { band.1 } else { band.0 }));
                marks.iter().filter_map(place).map(|(x, y)| (x, axis.clamped(y)))
            };
            end(true).chain(end(false).rev()).collect()
        };
        let stretches = self.marks.chunk_by(|a, b| a.band.is_some() == b.band.is_some());
        stretches.filter(|marks| marks.len() > 1 && marks[0].band.is_some()).map(outline).collect()
    }
}

/// The minimum and the maximum of at least one value.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

fn mark(point: &Point) -> Option<Mark> {
    let drawable = |value: f64| (value.abs() <= LARGEST).then_some(value);
    let band = point.low.and_then(drawable).zip(point.high.and_then(drawable));
    let band = band.map(|(low, high)| (low.min(high), low.max(high)));
    Some(Mark { x: drawable(point.x)?, y: drawable(point.y)?, band })
}
