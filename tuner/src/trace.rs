//! The course of a session as data: bounded series for plots, thinned as the session grows; and slices of the fitted
//! surface.

use serde::Serialize;

/// The most points; at this many, every other point is dropped.
const CAPACITY: usize = 256;

/// One point of a parameter's course.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Pairs absorbed.
    pub pairs: u64,
    /// The answer's value at that time.
    pub value: f64,
    /// One standard error below the value, or the value itself for a method without a model.
    pub low: f64,
    /// One standard error above the value, or the value itself.
    pub high: f64,
}

/// One parameter's course.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// The parameter.
    pub name: String,
    /// The points, oldest first, at most a few hundred.
    pub points: Vec<Point>,
}

/// The fitted strength along one parameter, with all others at the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slice {
    /// The parameter.
    pub name: String,
    /// The points, by rising value.
    pub points: Vec<SlicePoint>,
}

/// A point of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SlicePoint {
    /// The parameter's value, not rounded.
    pub value: f64,
    /// Elo over the answer.
    pub elo: f64,
    /// One standard error below.
    pub low: f64,
    /// One standard error above.
    pub high: f64,
}

/// Records coordinates and their spread at a stride that doubles whenever the record is full.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    stride: u64,
    rows: Vec<(u64, Vec<Point>)>,
}

impl Recorder {
    /// Makes an empty record that keeps one row per `stride` pairs.
    pub(crate) fn new(stride: u64) -> Self {
        Self { stride: stride.max(1), rows: Vec::new() }
    }

    /// Whether a row is due after `pairs` pairs.
    pub(crate) fn is_due(&self, pairs: u64) -> bool {
        self.rows.last().is_none_or(|(last, _)| pairs >= last + self.stride)
    }

    /// Appends a row: value, low and high of every parameter.
    pub(crate) fn push(&mut self, pairs: u64, row: impl Iterator<Item = (f64, f64, f64)>) {
        self.rows.push((pairs, row.map(|(value, low, high)| Point { pairs, value, low, high }).collect()));
        if self.rows.len() >= CAPACITY {
            let mut index = 0;
            self.rows.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The record, one series per name.
    pub(crate) fn traces<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Trace> {
        let column = |i: usize| self.rows.iter().filter_map(|(_, row)| row.get(i).copied()).collect();
        names.enumerate().map(|(i, name)| Trace { name: name.to_owned(), points: column(i) }).collect()
    }
}
