//! The design of a fit: the features of each position with their values, and the target of its evaluation.
//!
//! The matrix is sparse and compact: two bytes per feature and four per value. A tapered design has two weights for
//! each feature, and each position a phase that mixes them: `evaluation = sum of value (phase w + (1 - phase) w')`.
//! Models define the features.

use super::FitError;
use serde::Serialize;
use std::ops::Range;

/// The maximum number of features of a design.
pub const MOST_FEATURES: usize = 1 << 16;

/// The minimum number of positions to fit the scale of scores to.
const FEWEST: usize = 1_000;

/// The target of a position's evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Label {
    /// The score in the unit of the weights, if there is one.
    pub score: Option<f32>,
    /// Points of the side that the evaluation is for: 0, 0.5 or 1; any value between for user-defined features.
    pub result: Option<f32>,
}

/// Positions as rows of a sparse matrix.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// The names of the features, in the order of their weights.
    pub names: Vec<String>,
    /// Whether there are two weights for each feature.
    pub tapered: bool,
    ends: Vec<usize>,
    columns: Vec<u16>,
    values: Vec<f32>,
    phases: Vec<f32>,
    labels: Vec<Label>,
    /// The index of the first held-out row; earlier rows are trained on.
    training: usize,
}

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The features of the position, ascending.
    pub columns: &'a [u16],
    /// The value of each.
    pub values: &'a [f32],
    /// The share of the first weights, 0 to 1; 1 if each feature has only one weight.
    pub phase: f32,
    /// The target of the evaluation.
    pub label: Label,
}

/// A part of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The rows to fit to.
    Training,
    /// The held-out rows.
    HeldOut,
}

impl Design {
    /// An empty design with these features.
    pub fn new(names: Vec<String>, tapered: bool) -> Self {
        Self { names, tapered, ..Self::default() }
    }

    /// Adds a row. Features may be in any order; the values of equal ones are added. All rows to train on come before
    /// the held-out ones.
    pub fn push(&mut self, features: &mut [(u16, f32)], phase: f32, label: Label, part: Part) {
        features.sort_unstable_by_key(|(column, _)| *column);
        for of_column in features.chunk_by(|a, b| a.0 == b.0) {
            let value: f32 = of_column.iter().map(|(_, value)| value).sum();
            if value != 0.0 {
                self.columns.push(of_column[0].0);
                self.values.push(value);
            }
        }
        self.ends.push(self.columns.len());
        self.phases.push(if self.tapered { phase } else { 1.0 });
        self.labels.push(label);
        self.training += usize::from(part == Part::Training);
    }

    /// The number of weights.
    pub fn weights(&self) -> usize {
        self.names.len() * if self.tapered { 2 } else { 1 }
    }

    /// The rows of a part.
    pub fn part(&self, part: Part) -> Range<usize> {
        match part {
            Part::Training => 0..self.training,
            Part::HeldOut => self.training..self.ends.len(),
        }
    }

    /// Returns a row. Panics if `index` is out of range.
    pub fn row(&self, index: usize) -> Row<'_> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let entries = start..self.ends[index];
        Row {
            columns: &self.columns[entries.clone()],
            values: &self.values[entries],
            phase: self.phases[index],
            label: self.labels[index],
        }
    }

    /// The evaluation of a row.
    pub fn evaluation(&self, index: usize, weights: &[f64]) -> f64 {
        let row = self.row(index);
        let (first, second) = weights.split_at(self.names.len());
        let sum = |weights: &[f64]| -> f64 {
            let terms = row.columns.iter().zip(row.values);
            terms.map(|(&column, &value)| f64::from(value) * weights[usize::from(column)]).sum()
        };
        if self.tapered {
            let phase = f64::from(row.phase);
            phase * sum(first) + (1.0 - phase) * sum(second)
        } else {
            sum(first)
        }
    }

    /// The derivatives of a row's evaluation by its weights.
    pub fn slopes(&self, index: usize, slopes: &mut Vec<(usize, f64)>) {
        let row = self.row(index);
        slopes.clear();
        let phases = [f64::from(row.phase), 1.0 - f64::from(row.phase)];
        for (of_phase, phase) in phases.into_iter().enumerate().take(if self.tapered { 2 } else { 1 }) {
            let terms = row.columns.iter().zip(row.values).filter(|_| phase != 0.0);
            slopes.extend(terms.map(|(&column, &value)| {
                (of_phase * self.names.len() + usize::from(column), phase * f64::from(value))
            }));
        }
    }

    /// For each weight, whether no row to train on uses it.
    pub fn unseen(&self) -> Vec<bool> {
        let mut unseen = vec![true; self.weights()];
        let mut slopes = Vec::new();
        for index in self.part(Part::Training) {
            self.slopes(index, &mut slopes);
            for (weight, _) in &slopes {
                unseen[*weight] = false;
            }
        }
        unseen
    }

    /// The positions to train on with their scores as the only feature and their results as labels; `None` if positions
    /// lack scores or results, or there are too few.
    pub(super) fn scores_alone(&self) -> Option<Self> {
        let mut alone = Self::new(vec!["score".to_owned()], false);
        for row in self.part(Part::Training) {
            if let Label { score: Some(score), result: Some(_) } = self.labels[row] {
                alone.push(&mut [(0, score)], 1.0, Label { score: None, ..self.labels[row] }, Part::Training);
            }
        }
        (alone.training >= FEWEST).then_some(alone)
    }

    /// The labels of the rows, for changing them.
    #[cfg(test)]
    pub(super) fn labels_mut(&mut self) -> &mut [Label] {
        &mut self.labels
    }

    /// A checksum of everything, in order.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        self.columns.iter().for_each(|column| hasher.update(&column.to_le_bytes()));
        self.values.iter().chain(&self.phases).for_each(|value| hasher.update(&value.to_le_bytes()));
        for Label { score, result } in &self.labels {
            hasher.update(&score.unwrap_or(f32::NAN).to_le_bytes());
            hasher.update(&result.unwrap_or(f32::NAN).to_le_bytes());
        }
        hasher.update(&(self.training as u64).to_le_bytes());
        hasher.finalize()
    }

    /// Checks that there is something to fit to.
    ///
    /// # Errors
    /// [`FitError::TooFew`], [`FitError::ConstantLabels`].
    pub fn check(&self) -> Result<(), FitError> {
        let (training, held_out) = (self.part(Part::Training).len(), self.part(Part::HeldOut).len());
        if training == 0 || held_out == 0 {
            return Err(FitError::TooFew { training, held_out });
        }
        match self.labels.split_first() {
            Some((first, rest)) if rest.iter().all(|label| label == first) => Err(FitError::ConstantLabels),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_evaluate_as_their_features_say() {
        let mut design = Design::new(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], true);
        let label = Label { score: None, result: Some(1.0) };
        design.push(&mut [(2, 1.0), (0, -1.0), (2, 1.0), (1, 1.0), (1, -1.0)], 0.25, label, Part::Training);
        design.push(&mut [], 1.0, Label::default(), Part::HeldOut);
        let weights = [10.0, 1e9, 3.0, 100.0, 1e9, 7.0];
        assert!((design.evaluation(0, &weights) - (0.25 * -4.0 + 0.75 * -86.0)).abs() < 1e-9);
        let mut slopes = Vec::new();
        design.slopes(0, &mut slopes);
        let by_slopes: f64 = slopes.iter().map(|(weight, slope)| weights[*weight] * slope).sum();
        assert!((by_slopes - design.evaluation(0, &weights)).abs() < 1e-9);
        assert_eq!(design.unseen(), [false, true, false, false, true, false]);
        assert_eq!((design.part(Part::Training), design.part(Part::HeldOut)), (0..1, 1..2));
    }

    #[test]
    fn nothing_and_constant_labels_are_refused() {
        let mut design = Design::new(vec!["a".to_owned()], false);
        assert!(matches!(design.check(), Err(FitError::TooFew { training: 0, held_out: 0 })));
        let label = Label { score: Some(5.0), result: None };
        design.push(&mut [(0, 1.0)], 1.0, label, Part::Training);
        design.push(&mut [(0, 1.0)], 1.0, label, Part::HeldOut);
        assert!(matches!(design.check(), Err(FitError::ConstantLabels)));
    }
}
