//! The fitted surface, cut along one parameter at a time through the answer.
//!
//! From the answer x, moving parameter i to c changes the strength by
//! `g_i (c - x_i) + h_i (c^2 - x_i^2) / 2 + t_i (c^3 - x_i^3) / 6`, whose mean and standard deviation the posterior
//! gives. A slice spans the region in which the answer was searched: beyond it the model is a guess.

use super::{GAIN_MISFIT, Quadratic};
use crate::parameter::same;
use crate::trace::{Slice, SlicePoint};

/// The number of points of a slice; a switch has two, a category one for each value.
const POINTS: u32 = 41;

impl Quadratic {
    /// One slice per parameter, of a state that has absorbed every pair.
    pub(super) fn cuts(&self) -> Vec<Slice> {
        let of = |(index, column): (usize, Option<usize>)| match column {
            Some(column) => self.cut(column),
            None => self.values(index),
        };
        self.columns.firsts().enumerate().map(of).collect()
    }

    /// The slice of a category: its values.
    fn values(&self, index: usize) -> Slice {
        let parameter = &self.space.parameters()[index];
        let (low, high) = parameter.bounds();
        let point = |step: u32| {
            let own = low + f64::from(step);
            let mut weights = vec![0.0; self.posterior.mean.len()];
            for (column, value) in self.columns.of(index).zip(self.columns.values(index)) {
                weights[column] = f64::from(u8::from(same(value, own))) - self.best[column];
            }
            let (elo, sd) = self.posterior.combination(weights);
            let sd = sd * libm::sqrt(GAIN_MISFIT);
            SlicePoint { value: parameter.value(own), elo, low: elo - sd, high: elo + sd }
        };
        Slice { name: parameter.name().to_owned(), points: (0..=(high - low) as u32).map(point).collect() }
    }

    fn cut(&self, i: usize) -> Slice {
        let parameter = self.columns.parameter(&self.space, i);
        let (low, high) = self.region[i];
        let last = if self.is_graded(i) { POINTS - 1 } else { 1 };
        let at = |point: u32| low + (high - low) * f64::from(point) / f64::from(last);
        let points = (0..=last).map(at).map(|c| {
            let (elo, sd) = self.change(i, c);
            SlicePoint { value: parameter.value(c), elo, low: elo - sd, high: elo + sd }
        });
        Slice { name: parameter.name().to_owned(), points: points.collect() }
    }

    /// Elo over the answer with parameter `i` at the coordinate `c`, and its standard deviation.
    fn change(&self, i: usize, c: f64) -> (f64, f64) {
        let x = self.best[i];
        let mut weights = vec![0.0; self.posterior.mean.len()];
        self.posterior.terms.put_move(&mut weights, i, self.is_graded(i), (x, c));
        let mut moved = self.best.clone();
        moved[i] = c;
        self.posterior.terms.put_crosses(&mut weights, &self.best, &moved);
        let (elo, sd) = self.posterior.combination(weights);
        (elo, sd * libm::sqrt(GAIN_MISFIT))
    }
}
