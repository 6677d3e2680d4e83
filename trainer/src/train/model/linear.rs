//! The linear model: `logit = S(mover) - S(opponent) + tempo`, where `S` sums a weight for each active feature of a
//! perspective.
//!
//! A feature's weight is the sum of its own weight and one that the ten blocks share.

use super::{Model, cross_entropy};
use crate::train::adam::{Step, Weights};
use crate::train::input::Input;
use crate::train::sample::{BLOCKS, Sample};
use engine::eval::features::{ACTIVE, BLOCK, FEATURES};

/// The largest own and the largest shared weight in logits: their sum times 10,000 must fit in 16 bits.
const LIMIT: f32 = 1.6;
/// The largest bonus for the side to move, in logits.
const TEMPO_LIMIT: f32 = 8.0;

/// The linear model in training.
#[derive(Clone, Debug)]
pub(in crate::train) struct Linear {
    own: Weights,
    shared: Weights,
    tempo: Weights,
    /// The sum of own and shared weights, by row.
    merged: Vec<f32>,
}

/// Sums of gradients: by row, and for the tempo.
pub(in crate::train) struct Sums {
    rows: Vec<f32>,
    tempo: f32,
}

#[cfg(test)]
impl Sums {
    /// The gradient sum of a row.
    pub(in crate::train) fn row(&self, row: usize) -> f32 {
        self.rows[row]
    }
}

impl Linear {
    /// All weights are 0: the loss is convex, so the start does not matter.
    pub(in crate::train) fn new() -> Self {
        Self {
            own: Weights::new(vec![0.0; FEATURES], LIMIT),
            shared: Weights::new(vec![0.0; BLOCK], LIMIT),
            tempo: Weights::new(vec![0.0], TEMPO_LIMIT),
            merged: vec![0.0; FEATURES],
        }
    }

    /// The weights by row, in logits.
    pub(in crate::train) fn merged(&self) -> &[f32] {
        &self.merged
    }

    /// The bonus for the side to move, in logits.
    pub(in crate::train) fn tempo(&self) -> f32 {
        self.tempo.values[0]
    }

    #[inline]
    fn sum(&self, rows: &[u16; ACTIVE]) -> f32 {
        rows.iter().map(|&row| self.merged[usize::from(row)]).sum()
    }

    #[inline]
    fn logit(&self, sample: &Sample) -> f32 {
        let [mover, opponent] = &sample.rows;
        self.sum(mover) - self.sum(opponent) + self.tempo()
    }
}

impl Model for Linear {
    type Sample = Sample;
    type Sums = Sums;

    fn sums(&self) -> Sums {
        Sums { rows: vec![0.0; FEATURES], tempo: 0.0 }
    }

    fn logits(&self, samples: &[Sample], _: &mut Sums, logits: &mut [f32]) {
        logits.iter_mut().zip(samples).for_each(|(logit, sample)| *logit = self.logit(sample));
    }

    fn learn(&self, samples: &[Sample], weights: &[f32], scale: f32, sums: &mut Sums) -> f64 {
        let mut total = 0.0;
        for (sample, weight) in samples.iter().zip(weights) {
            let (loss, slope) = cross_entropy(self.logit(sample), sample.target());
            total += f64::from(*weight) * f64::from(loss);
            let slope = scale * (weight * slope);
            let [mover, opponent] = &sample.rows;
            for &row in mover {
                sums.rows[usize::from(row)] += slope;
            }
            for &row in opponent {
                sums.rows[usize::from(row)] -= slope;
            }
            sums.tempo += slope;
        }
        total
    }

    fn unrounded(&self, sample: &Sample) -> f64 {
        f64::from(self.logit(sample))
    }

    fn step(&mut self, sums: &mut [Sums], step: Step) {
        let Some((first, later)) = sums.split_first_mut() else { return };
        super::gather(&mut first.rows, &mut later.iter_mut().map(|sums| &mut sums.rows[..]).collect::<Vec<_>>());
        let mut tempo = first.tempo + later.iter().map(|sums| sums.tempo).sum::<f32>();
        for sums in sums.iter_mut() {
            sums.tempo = 0.0;
        }
        let rows = &mut sums[0].rows;
        let mut shared: Vec<f32> = rows.chunks(BLOCKS).map(|blocks| blocks.iter().sum()).collect();
        self.own.update(rows, step);
        self.shared.update(&mut shared, step);
        self.tempo.update(std::slice::from_mut(&mut tempo), step);
        self.replaced();
    }

    fn weights(&self) -> Vec<&Weights> {
        vec![&self.own, &self.shared, &self.tempo]
    }

    fn weights_mut(&mut self) -> Vec<&mut Weights> {
        vec![&mut self.own, &mut self.shared, &mut self.tempo]
    }

    fn replaced(&mut self) {
        for (row, merged) in self.merged.iter_mut().enumerate() {
            *merged = self.own.values[row] + self.shared.values[row / BLOCKS];
        }
    }
}
