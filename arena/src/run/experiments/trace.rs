//! A series in bounded memory: when full, it drops every other point.

use crate::run::experiment::Point;

/// The most points kept; enough for any plot.
const MOST_POINTS: usize = 2048;

/// A bounded series of points, evenly thinned.
#[derive(Clone, Debug)]
pub struct Trace {
    points: Vec<Point>,
    /// Only points whose number is a multiple of this are kept.
    stride: u64,
    seen: u64,
}

impl Default for Trace {
    fn default() -> Self {
        Self { points: Vec::new(), stride: 1, seen: 0 }
    }
}

impl Trace {
    /// Adds the next point. `point` is called only if the point is kept.
    pub fn push(&mut self, point: impl FnOnce() -> Point) {
        self.seen += 1;
        if !self.seen.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(point());
        if self.points.len() == MOST_POINTS {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.stride *= 2;
        }
    }

    /// Returns the kept points, in order: at most 2048.
    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_points_stay_even() {
        let mut trace = Trace::default();
        for x in 1..=100_000 {
            trace.push(|| Point { x: f64::from(x), y: 0.0, low: None, high: None });
        }
        assert!(trace.points().len() < MOST_POINTS);
        let gaps: Vec<f64> = trace.points().windows(2).map(|pair| pair[1].x - pair[0].x).collect();
        assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 0.5), "{gaps:?}");
        assert!(trace.points().last().unwrap().x > 99_000.0);
    }
}
