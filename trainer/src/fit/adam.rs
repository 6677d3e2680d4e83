//! Adam (Kingma and Ba 2015) over shuffled batches, with a learning rate that falls as half a cosine.
//!
//! One step of the method is an epoch, after which everything can be saved and resumed: the seed and the number of the
//! epoch determine its order.

use super::design::Part;
use super::objective::Objective;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// b1, b2 and epsilon of the paper.
const MOMENTUM: f64 = 0.9;
const VARIANCE: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// The number of adjacent rows that are shuffled as one run and summed together.
const RUN: usize = 256;

/// The settings of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdamSettings {
    /// The number of times that each position is used.
    pub epochs: u32,
    /// The number of positions per step.
    pub batch: usize,
    /// The initial learning rate: about the change of a weight in a step, in the weight's unit.
    pub learning_rate: f64,
}

impl Default for AdamSettings {
    fn default() -> Self {
        Self { epochs: 40, batch: 2_048, learning_rate: 4.0 }
    }
}

/// The state of Adam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    pub(super) weights: Vec<f64>,
    momenta: Vec<f64>,
    variances: Vec<f64>,
    steps: u32,
    pub(super) epoch: u32,
}

impl Adam {
    pub(super) fn begin(start: &[f64]) -> Self {
        let none = vec![0.0; start.len()];
        Self { weights: start.to_vec(), momenta: none.clone(), variances: none, steps: 0, epoch: 0 }
    }

    /// Runs an epoch, which uses each position once.
    pub(super) fn epoch(&mut self, objective: &Objective<'_>, settings: &AdamSettings, seed: u64) {
        let rows = objective.design.part(Part::Training);
        let mut runs: Vec<usize> = rows.clone().step_by(RUN).collect();
        let stream = stats::random::mix(seed ^ stats::random::mix(u64::from(self.epoch)));
        runs.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(stream));
        let batches = runs.len().div_ceil(settings.batch.div_ceil(RUN)).max(1);
        for (batch, runs) in runs.chunks(settings.batch.div_ceil(RUN)).enumerate() {
            let done = (f64::from(self.epoch) + batch as f64 / batches as f64) / f64::from(settings.epochs);
            let rate = settings.learning_rate * 0.5 * (1.0 + libm::cos(std::f64::consts::PI * done));
            let gradient = batch_gradient(objective, &self.weights, runs, rows.end);
            self.step(&gradient, rate);
        }
        self.epoch += 1;
    }

    fn step(&mut self, gradient: &[f64], rate: f64) {
        self.steps += 1;
        let scale = |beta: f64| 1.0 / (1.0 - libm::pow(beta, f64::from(self.steps)));
        let (of_momentum, of_variance) = (scale(MOMENTUM), scale(VARIANCE));
        let moments = self.momenta.iter_mut().zip(&mut self.variances);
        for ((weight, (momentum, variance)), slope) in self.weights.iter_mut().zip(moments).zip(gradient) {
            *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * slope;
            *variance = VARIANCE * *variance + (1.0 - VARIANCE) * slope * slope;
            *weight -= rate * (*momentum * of_momentum) / (libm::sqrt(*variance * of_variance) + EPSILON);
        }
    }
}

/// The mean gradient over runs of rows, including the ridge.
fn batch_gradient(objective: &Objective<'_>, weights: &[f64], runs: &[usize], end: usize) -> Vec<f64> {
    use rayon::prelude::*;
    let of_runs: Vec<(usize, Vec<f64>)> = runs
        .par_iter()
        .map(|&start| {
            let rows = start..(start + RUN).min(end);
            (rows.len(), objective.with_gradient(weights, rows).1)
        })
        .collect();
    let count: usize = of_runs.iter().map(|(rows, _)| rows).sum();
    let mut gradient = vec![0.0; weights.len()];
    for (rows, slopes) in of_runs {
        let share = rows as f64 / count as f64;
        gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += share * slope);
    }
    gradient
}
