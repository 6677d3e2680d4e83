//! The regression's columns: one for a graded parameter or a switch, and for a category one for each value but its
//! start.
//!
//! A category's column is 1 if the category has that value and 0 otherwise, so its coefficient is that value's Elo over
//! the start. All indices in this method are indices of columns; this file converts them from and to parameters.

use crate::parameter::{Kind, Parameter, same};
use crate::space::Space;

/// A column, with the index of its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Graded(usize),
    Switch(usize),
    /// A category's value, as its coordinate.
    Value(usize, f64),
}

/// All columns, in the order of the parameters.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// The first column of each parameter.
    firsts: Vec<usize>,
}

impl Columns {
    pub(super) fn new(space: &Space) -> Self {
        let (mut columns, mut firsts) = (Vec::new(), Vec::new());
        for (index, parameter) in space.parameters().iter().enumerate() {
            firsts.push(columns.len());
            match parameter.kind() {
                Kind::Real | Kind::Integer | Kind::Log => columns.push(Column::Graded(index)),
                Kind::Boolean => columns.push(Column::Switch(index)),
                Kind::Category => {
                    let others = coordinates(parameter).filter(|value| *value != 0.0);
                    columns.extend(others.map(|value| Column::Value(index, value)));
                }
            }
        }
        Self { columns, firsts }
    }

    /// The number of columns.
    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    /// Whether a column has a curvature.
    pub(super) fn is_graded(&self, column: usize) -> bool {
        matches!(self.columns[column], Column::Graded(_))
    }

    /// Whether each column has a curvature.
    pub(super) fn graded(&self) -> Vec<bool> {
        (0..self.count()).map(|column| self.is_graded(column)).collect()
    }

    /// Whether any parameter is a category.
    pub(super) fn has_categories(&self) -> bool {
        self.columns.iter().any(|column| matches!(column, Column::Value(..)))
    }

    /// The column of each parameter; `None` for a category, which may have several.
    pub(super) fn firsts(&self) -> impl Iterator<Item = Option<usize>> {
        self.firsts.iter().map(|&first| Some(first).filter(|&first| !matches!(self.columns[first], Column::Value(..))))
    }

    /// The parameter that a column belongs to.
    pub(super) fn parameter<'a>(&self, space: &'a Space, column: usize) -> &'a Parameter {
        let (Column::Graded(index) | Column::Switch(index) | Column::Value(index, _)) = self.columns[column];
        &space.parameters()[index]
    }

    /// The coordinates of a category's values that have a column, in the order of the columns.
    pub(super) fn values(&self, category: usize) -> impl Iterator<Item = f64> {
        self.columns[self.of(category)].iter().filter_map(|column| match *column {
            Column::Value(_, value) => Some(value),
            Column::Graded(_) | Column::Switch(_) => None,
        })
    }

    /// The columns of a parameter.
    pub(super) fn of(&self, parameter: usize) -> std::ops::Range<usize> {
        self.firsts[parameter]..self.firsts.get(parameter + 1).copied().unwrap_or(self.count())
    }

    /// The lowest and the highest coordinate of every column.
    pub(super) fn bounds(&self, space: &Space) -> Vec<(f64, f64)> {
        let bounds = |column: &Column| match *column {
            Column::Graded(index) | Column::Switch(index) => space.parameters()[index].bounds(),
            Column::Value(..) => (0.0, 1.0),
        };
        self.columns.iter().map(bounds).collect()
    }

    /// The coordinates of these values, by column.
    pub(super) fn coordinates(&self, space: &Space, values: &[f64]) -> Vec<f64> {
        let own = space.coordinates(values);
        let coordinate = |column: &Column| match *column {
            Column::Graded(index) | Column::Switch(index) => own[index],
            Column::Value(index, value) => f64::from(u8::from(same(own[index], value))),
        };
        self.columns.iter().map(coordinate).collect()
    }

    /// The coordinates of the parameters, from those of the columns.
    pub(super) fn parameters(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; self.firsts.len()];
        for (column, x) in self.columns.iter().zip(coordinates) {
            match *column {
                Column::Graded(index) | Column::Switch(index) => own[index] = *x,
                Column::Value(index, value) if *x > 0.5 => own[index] = value,
                Column::Value(..) => {}
            }
        }
        own
    }

    /// Leaves only the best of each category's columns at 1, by these coefficients; none if the start is best.
    pub(super) fn choose(&self, coefficients: &[f64], peaks: &mut [f64]) {
        for parameter in 0..self.firsts.len() {
            let columns = self.of(parameter);
            if !matches!(self.columns.get(columns.start), Some(Column::Value(..))) {
                continue;
            }
            let (best, _) = two_best(&coefficients[columns.clone()]);
            for (place, column) in columns.enumerate() {
                peaks[column] = f64::from(u8::from(best == Some(place)));
            }
        }
    }

    /// The two values of each category that meet, as coordinates: the best value by the coefficients `one`, and the
    /// best by `other` or, if the two are equal, the second best.
    pub(super) fn rivals(&self, space: &Space, one: &[f64], other: &[f64]) -> Vec<(f64, f64)> {
        let categories = (0..self.firsts.len()).filter(|&index| space.parameters()[index].kind() == Kind::Category);
        let rivals = |index: usize| {
            let columns = self.of(index);
            let value = |place: Option<usize>| match place.map(|place| self.columns[columns.start + place]) {
                Some(Column::Value(_, value)) => value,
                _ => 0.0,
            };
            let ((best, second), (rival, _)) = (two_best(&one[columns.clone()]), two_best(&other[columns.clone()]));
            (value(best), value(if rival == best { second } else { rival }))
        };
        categories.map(rivals).collect()
    }

    /// Brings the coordinates of graded columns into the order that constraints require.
    pub(super) fn arrange(&self, space: &Space, coordinates: &mut [f64], weights: &[f64]) {
        if !space.is_constrained() {
            return;
        }
        let mut own = self.parameters(coordinates);
        let weights: Vec<f64> = self.firsts.iter().map(|&first| weights[first]).collect();
        space.arrange(&mut own, &weights);
        for (column, x) in self.columns.iter().zip(coordinates) {
            if let Column::Graded(index) = *column {
                *x = own[index];
            }
        }
    }
}

/// The coordinates of a category's values.
fn coordinates(category: &Parameter) -> impl Iterator<Item = f64> {
    let (low, high) = category.bounds();
    (0..=(high - low) as u32).map(move |step| low + f64::from(step))
}

/// The indices of the best and the second best among the start, which has no index and is worth 0, and values of these
/// worths.
fn two_best(worths: &[f64]) -> (Option<usize>, Option<usize>) {
    let mut best = (None, 0.0);
    let mut second = (None, f64::NEG_INFINITY);
    for (place, &worth) in worths.iter().enumerate() {
        if worth > best.1 {
            (second, best) = (best, (Some(place), worth));
        } else if worth > second.1 {
            second = (Some(place), worth);
        }
    }
    (best.0, second.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_best_comes_after_the_best_wherever_they_stand() {
        assert_eq!(two_best(&[-1.0, 3.0, 2.0]), (Some(1), Some(2)));
        assert_eq!(two_best(&[2.0, 3.0]), (Some(1), Some(0)));
        assert_eq!(two_best(&[-2.0, -1.0]), (None, Some(1)), "the start is best");
        assert_eq!(two_best(&[1.0]), (Some(0), None), "the start is second");
    }
}
