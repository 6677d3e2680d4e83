//! The network of crazyhouse: value and policy together, on one hidden layer.
//!
//! ```text
//! h           = clamp(bias + the sum of the input weights of the position's inputs, 0, 1)^2
//! value       = h . value weights + value bias
//! logit(move) = the sum over the move's rows of h . row weights + row bias
//! loss        = log(sum of exp(logits)) - logit(move played) - t log(s) - (1 - t) log(1 - s),   s = sigmoid(value)
//! ```
//!
//! Samples see all weights *rounded* as the program has them, in every step; gradients pass through the rounding as if
//! it were not there. The program defines the inputs and rows ([`crazyhouse::features`]).
//!
//! A batch has a fixed number of parts, whose sums are added in order, so the weights do not depend on the number of
//! threads.

mod judge;
pub(super) mod record;
mod sample;
#[cfg(test)]
mod tests;

use super::TrainError;
use super::adam::{Step, Weights};
use super::judgement::Judgement;
use super::model::cross_entropy;
use super::policy::{add, dot, gathered, softmax};
use super::task::{HeldOut, Part, Task};
use crazyhouse::Network;
use crazyhouse::features::{INPUTS, ROWS};
use crazyhouse::network::{self, BIAS_SCALE, INPUT_SCALE, OUTPUT_LIMIT, OUTPUT_SCALE};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use record::Record;
use sample::Sample;

/// The number of parts of a batch.
const PARTS: usize = 8;
/// The number of weights whose sums from all parts are added together.
const TOGETHER: usize = 1 << 14;
/// The largest weight of the hidden layer: the sum of 37 of them fits in 16 bits.
const INPUT_LIMIT: f32 = 3.0;
/// The largest absolute value of the other biases, in logits.
const BIAS_LIMIT: f32 = 16.0;
/// The largest absolute initial weight of the hidden layer: at most 36 inputs are 1.
const FIRST_INPUT: f32 = 0.15;
/// The initial bias of the hidden layer, with which most neurons are within their range.
const FIRST_BIAS: f32 = 0.3;

/// The number of groups of weights: inputs, hidden biases, the value, its bias, rows, biases of rows.
const GROUPS: usize = 6;
const HIDDEN_WEIGHTS: usize = 0;
const HIDDEN_BIASES: usize = 1;
const VALUE_WEIGHTS: usize = 2;
const VALUE_BIAS: usize = 3;
const ROW_WEIGHTS: usize = 4;
const ROW_BIASES: usize = 5;

/// The number of units per 1.0 of each group.
const SCALES: [f32; GROUPS] = [INPUT_SCALE, INPUT_SCALE, OUTPUT_SCALE, BIAS_SCALE, OUTPUT_SCALE, BIAS_SCALE];

/// A network in training.
pub(super) struct Net {
    width: usize,
    groups: [Weights; GROUPS],
    /// The rounded weights that samples see.
    seen: Seen,
}

/// The weights that outputs are computed with.
#[derive(Clone)]
struct Seen {
    width: usize,
    groups: [Vec<f32>; GROUPS],
}

/// Sums of gradients, and room for one position.
pub(super) struct Sums {
    groups: [Vec<f32>; GROUPS],
    room: Room,
}

/// A position with the outputs for it.
struct Room {
    sample: Sample,
    /// Clamped to 0..1, not squared.
    clamped: Vec<f32>,
    activations: Vec<f32>,
    /// The gradients of the activations.
    slopes: Vec<f32>,
    value: f32,
    /// The logit of each move.
    logits: Vec<f32>,
    /// By row: the dot product with the activations, later its gradient.
    shared: Vec<f32>,
    /// The distinct rows of the moves.
    present: Vec<usize>,
    /// By row: whether `present` has it, while it is filled.
    known: Vec<bool>,
}

fn lengths(width: usize) -> [usize; GROUPS] {
    [INPUTS * width, width, width, 1, ROWS * width, ROWS]
}

impl Net {
    /// A network of random weights that gives all moves the same probability.
    pub(super) fn new(width: usize, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut values = lengths(width).map(|length| vec![0.0; length]);
        values[HIDDEN_WEIGHTS].iter_mut().for_each(|weight| *weight = random.random_range(-FIRST_INPUT..FIRST_INPUT));
        values[HIDDEN_BIASES].fill(FIRST_BIAS);
        let first = 1.0 / libm::sqrtf(width as f32);
        values[VALUE_WEIGHTS].iter_mut().for_each(|weight| *weight = random.random_range(-first..first));
        Self::of_values(width, values)
    }

    /// A network in training that begins with the weights of `weights`.
    pub(super) fn from_weights(weights: &network::Weights) -> Self {
        let value_bias = [weights.value_bias];
        let groups: [&[i16]; GROUPS] = [
            &weights.input_weights,
            &weights.input_biases,
            &weights.value_weights,
            &value_bias,
            &weights.row_weights,
            &weights.row_biases,
        ];
        let values =
            std::array::from_fn(|group| groups[group].iter().map(|&units| f32::from(units) / SCALES[group]).collect());
        Self::of_values(weights.hidden, values)
    }

    fn of_values(width: usize, values: [Vec<f32>; GROUPS]) -> Self {
        let output_limit = f32::from(OUTPUT_LIMIT) / OUTPUT_SCALE;
        let limits = [INPUT_LIMIT, INPUT_LIMIT, output_limit, BIAS_LIMIT, output_limit, BIAS_LIMIT];
        let mut limits = limits.into_iter();
        let groups = values.map(|values| Weights::new(values, limits.next().unwrap_or(BIAS_LIMIT)));
        let seen = Seen { width, groups: lengths(width).map(|length| vec![0.0; length]) };
        let mut net = Self { width, groups, seen };
        net.see();
        net
    }

    fn room(&self) -> Room {
        Room {
            sample: Sample::default(),
            clamped: vec![0.0; self.width],
            activations: vec![0.0; self.width],
            slopes: vec![0.0; self.width],
            value: 0.0,
            logits: Vec::new(),
            shared: vec![0.0; ROWS],
            present: Vec::new(),
            known: vec![false; ROWS],
        }
    }

    fn see(&mut self) {
        let places = self.seen.groups.iter_mut().zip(&self.groups).zip(SCALES);
        for ((seen, weights), scale) in places {
            let parts = seen.par_chunks_mut(TOGETHER).zip(weights.values.par_chunks(TOGETHER));
            parts.for_each(|(seen, values)| {
                seen.iter_mut().zip(values).for_each(|(seen, value)| *seen = (value * scale).round() / scale);
            });
        }
    }

    /// The unrounded weights.
    fn unrounded(&self) -> Seen {
        Seen { width: self.width, groups: self.groups.each_ref().map(|weights| weights.values.clone()) }
    }

    /// The network in the program's integers.
    fn network(&self) -> Result<Network, TrainError> {
        let units = |group: usize| -> Vec<i16> {
            self.seen.groups[group].iter().map(|value| (value * SCALES[group]).round() as i16).collect()
        };
        Ok(Network::new(network::Weights {
            hidden: self.width,
            input_biases: units(HIDDEN_BIASES),
            input_weights: units(HIDDEN_WEIGHTS),
            value_weights: units(VALUE_WEIGHTS),
            value_bias: units(VALUE_BIAS).first().copied().unwrap_or_default(),
            row_weights: units(ROW_WEIGHTS),
            row_biases: units(ROW_BIASES),
        })?)
    }
}

impl Seen {
    fn row(&self, group: usize, number: usize) -> &[f32] {
        &self.groups[group][number * self.width..][..self.width]
    }

    /// Computes the value and the logits of the moves of the room's sample.
    fn outputs(&self, room: &mut Room) {
        let Room { sample, clamped, activations, value, logits, shared, present, known, .. } = room;
        clamped.copy_from_slice(&self.groups[HIDDEN_BIASES]);
        for &input in &sample.inputs {
            add(clamped, 1.0, self.row(HIDDEN_WEIGHTS, usize::from(input)));
        }
        for (activation, clamped) in activations.iter_mut().zip(clamped) {
            *clamped = clamped.clamp(0.0, 1.0);
            *activation = *clamped * *clamped;
        }
        *value = dot(activations, &self.groups[VALUE_WEIGHTS]) + self.groups[VALUE_BIAS][0];
        present.clear();
        for row in sample.rows.iter().flat_map(|row| row.rows).map(usize::from) {
            if !std::mem::replace(&mut known[row], true) {
                shared[row] = dot(activations, self.row(ROW_WEIGHTS, row)) + self.groups[ROW_BIASES][row];
                present.push(row);
            }
        }
        for &row in &*present {
            known[row] = false;
        }
        logits.clear();
        logits.extend(sample.rows.iter().map(|row| row.rows.iter().map(|&row| shared[usize::from(row)]).sum::<f32>()));
    }
}

impl Sums {
    /// Adds the gradient of the loss of the room's sample, times `scale`; the outputs must be computed. Returns the
    /// loss.
    fn add(&mut self, seen: &Seen, scale: f32) -> f64 {
        let Self { groups, room } = self;
        let Room { sample, clamped, activations, slopes, value, logits, shared, present, .. } = room;
        let (value_loss, value_slope) = cross_entropy(*value, sample.target);
        let loss = softmax(logits, &sample.shares) + value_loss;
        logits[sample.played] -= 1.0;
        for &row in &*present {
            shared[row] = 0.0;
        }
        for (rows, slope) in sample.rows.iter().zip(&*logits) {
            for row in rows.rows {
                shared[usize::from(row)] += scale * slope;
            }
        }
        let width = activations.len();
        let value_slope = scale * value_slope;
        slopes.fill(0.0);
        add(slopes, value_slope, &seen.groups[VALUE_WEIGHTS]);
        add(&mut groups[VALUE_WEIGHTS], value_slope, activations);
        groups[VALUE_BIAS][0] += value_slope;
        for &row in &*present {
            add(slopes, shared[row], seen.row(ROW_WEIGHTS, row));
            add(&mut groups[ROW_WEIGHTS][row * width..][..width], shared[row], activations);
            groups[ROW_BIASES][row] += shared[row];
        }
        for (slope, clamped) in slopes.iter_mut().zip(clamped) {
            let is_within = *clamped > 0.0 && *clamped < 1.0;
            *slope *= if is_within { 2.0 * *clamped } else { 0.0 };
        }
        add(&mut groups[HIDDEN_BIASES], 1.0, slopes);
        for &input in &sample.inputs {
            add(&mut groups[HIDDEN_WEIGHTS][usize::from(input) * width..][..width], 1.0, slopes);
        }
        f64::from(loss)
    }
}

impl Task for Net {
    type Record = Record;
    type Sums = Sums;
    const FILE: &str = "network.bin";

    fn sums(&self, _: usize) -> Vec<Sums> {
        let sums = || Sums { groups: lengths(self.width).map(|length| vec![0.0; length]), room: self.room() };
        (0..PARTS).map(|_| sums()).collect()
    }

    fn learn(&self, part: &Part<'_, Record>, sums: &mut Sums) -> f64 {
        let mut total = 0.0;
        for &index in part.indices {
            let record = &part.records[index as usize];
            if sums.room.sample.read(record, part.target).is_some() {
                let weight = part.weighing.of(record);
                self.seen.outputs(&mut sums.room);
                total += f64::from(weight) * sums.add(&self.seen, part.scale * weight);
            }
        }
        total
    }

    fn step(&mut self, sums: &mut [Sums], step: Step) {
        for (group, weights) in self.groups.iter_mut().enumerate() {
            let mut chunks: Vec<_> = sums.iter_mut().map(|sums| sums.groups[group].chunks_mut(TOGETHER)).collect();
            let parts: Vec<_> = weights
                .parts(TOGETHER)
                .map(|part| (part, chunks.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()))
                .collect();
            parts.into_par_iter().for_each(|(mut part, gradients)| part.update(&mut gathered(gradients), step));
        }
        self.see();
    }

    fn weights(&self) -> Vec<&Weights> {
        self.groups.iter().collect()
    }

    fn weights_mut(&mut self) -> Vec<&mut Weights> {
        self.groups.iter_mut().collect()
    }

    fn replaced(&mut self) {
        self.see();
    }

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.network()?.to_bytes())
    }

    fn held_out_loss(&self, held_out: &HeldOut<'_, Record>) -> f64 {
        judge::mean_loss(self, held_out)
    }

    fn judgement(&self, held_out: &HeldOut<'_, Record>, stopped: bool) -> Result<Judgement, TrainError> {
        judge::judgement(self, held_out, stopped)
    }
}
