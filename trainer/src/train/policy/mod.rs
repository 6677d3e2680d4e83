//! The policy: a softmax over the safe moves, which learns the move played or how a tree search shared its visits among
//! the moves.
//!
//! ```text
//! logit(move) = h . (sum of its rows) + its biases        loss = log(sum of exp(logits)) - sum of share x logit
//! ```
//!
//! The shares are those of the visits, or 1 for the move played.
//!
//! h are the activations of a trained network's hidden layer, which is frozen. Samples see all weights *rounded* as the
//! engine has them, in every step; gradients pass through the rounding as if it were not there. The engine defines the
//! rows and biases of a move ([`engine::PolicyRows`]).
//!
//! A batch has a fixed number of parts, whose sums are added in order, so the weights do not depend on the number of
//! threads.

mod judge;
mod moves;
mod sample;
#[cfg(test)]
mod tests;

pub(super) use moves::{MoveSums, furthest};
pub(super) use sample::{MoveRecord, is_usable};

use super::TrainError;
use super::adam::{Step, Weights};
use super::judgement::Judgement;
use super::task::{HeldOut, Part, Task};
use engine::eval::network::{ACTIVATION_ONE, OUTPUT_LIMIT};
use engine::eval::policy::{BIASES, KINDS, MOVES, PLANS, ROWS};
use engine::{Network, Policy, PolicyParts, PolicyRow};
use rayon::prelude::*;
use sample::Sample;
use std::marker::PhantomData;
use std::sync::Arc;

/// The number of samples whose gradients are added together. A row of weights is then fetched once for several samples;
/// adding sample by sample would wait for memory most of the time.
const TOGETHER: usize = 128;
/// The number of parts of a batch.
const PARTS: usize = 16;
/// The number of values that are added at the same time.
const LANES: usize = 32;
/// The largest bias, in logits.
const BIAS_LIMIT: f32 = 16.0;
/// The number of rows that several moves of a position share.
const SHARED: usize = KINDS + PLANS;

/// A policy in training, for one kind of record.
pub(super) struct Head<R> {
    network: Arc<Network>,
    /// The number of activations of a position.
    width: usize,
    /// The number of units per 1.0 of a weight.
    scale: u16,
    /// [`ROWS`] of `width`.
    rows: Weights,
    biases: Weights,
    /// The rounded rows and biases that samples see.
    seen: Seen,
    learns_from: PhantomData<fn(&R)>,
}

/// The weights that logits are computed with.
#[derive(Clone, Debug)]
struct Seen {
    width: usize,
    rows: Vec<f32>,
    biases: Vec<f32>,
}

/// Sums of gradients, and room for a position.
pub(super) struct Sums {
    rows: Vec<f32>,
    biases: Vec<f32>,
    room: Room,
    pending: Pending,
}

/// The gradients of samples that are not yet added to the sums.
#[derive(Default)]
struct Pending {
    /// The activations of each sample.
    activations: Vec<f32>,
    /// Rows, each with the number of a sample and the factor of its activations.
    slopes: Vec<(u16, u16, f32)>,
    /// The same in order of rows.
    sorted: Vec<(u16, u16, f32)>,
    /// The number of slopes before each row.
    starts: Vec<u32>,
}

/// A position with the logits of its moves.
struct Room {
    sample: Sample,
    /// The logit of each move of the sample.
    logits: Vec<f32>,
    /// By kind and plan: the dot product, later its slope.
    shared: Vec<f32>,
    /// The distinct kinds and plans of the sample's moves.
    present: Vec<usize>,
    /// By kind and plan: whether `present` has it, while it is filled.
    known: Vec<bool>,
}

impl<R> Head<R> {
    /// A policy that gives all moves the same probability.
    pub(super) fn new(network: Arc<Network>, scale: u16) -> Self {
        let width = 2 * network.parts().hidden;
        let limit = f32::from(OUTPUT_LIMIT) / f32::from(scale);
        let (rows, biases) = (vec![0.0; ROWS * width], vec![0.0; BIASES]);
        let seen = Seen { width, rows: rows.clone(), biases: biases.clone() };
        let (rows, biases) = (Weights::new(rows, limit), Weights::new(biases, BIAS_LIMIT));
        Self { network, width, scale, rows, biases, seen, learns_from: PhantomData }
    }

    fn room(&self) -> Room {
        let sample = Sample::new(&self.network);
        Room { sample, logits: Vec::new(), shared: vec![0.0; SHARED], present: Vec::new(), known: vec![false; SHARED] }
    }

    /// The number of units per 1.0 of a bias.
    fn bias_scale(&self) -> f32 {
        ACTIVATION_ONE as f32 * f32::from(self.scale)
    }

    /// The unrounded weights.
    fn unrounded(&self) -> Seen {
        Seen { width: self.width, rows: self.rows.values.clone(), biases: self.biases.values.clone() }
    }

    fn see(&mut self) {
        let (scale, bias_scale) = (f32::from(self.scale), self.bias_scale());
        let round = |seen: &mut [f32], values: &[f32], scale: f32| {
            let places = seen.par_chunks_mut(1 << 16).zip(values.par_chunks(1 << 16));
            places.for_each(|(seen, values)| {
                seen.iter_mut().zip(values).for_each(|(seen, value)| *seen = (value * scale).round() / scale);
            });
        };
        round(&mut self.seen.rows, &self.rows.values, scale);
        round(&mut self.seen.biases, &self.biases.values, bias_scale);
    }
}

impl Seen {
    fn row(&self, number: usize) -> &[f32] {
        &self.rows[number * self.width..][..self.width]
    }

    /// Computes the logits of the moves of the room's sample.
    fn logits(&self, room: &mut Room) {
        let Room { sample, logits, shared, present, known } = room;
        present.clear();
        for row in &sample.rows {
            let [_, kind, plan] = row.weights();
            for number in [kind, plan] {
                if !std::mem::replace(&mut known[number - MOVES], true) {
                    shared[number - MOVES] = dot(&sample.activations, self.row(number));
                    present.push(number);
                }
            }
        }
        for &number in &*present {
            known[number - MOVES] = false;
        }
        logits.clear();
        logits.extend(sample.rows.iter().map(|row| {
            let [mv, kind, plan] = row.weights();
            let biases: f32 = row.biases().iter().map(|&number| self.biases[number]).sum();
            dot(&sample.activations, self.row(mv)) + shared[kind - MOVES] + shared[plan - MOVES] + biases
        }));
    }
}

impl Sums {
    /// Adds the gradient of the loss of the room's sample, times `scale`; the logits must be computed. Returns the
    /// loss.
    fn add(&mut self, scale: f32) -> f64 {
        let Self { biases, room, pending, .. } = self;
        let Room { sample, logits, shared, present, .. } = room;
        let number = (pending.activations.len() / sample.activations.len().max(1)) as u16;
        pending.activations.extend_from_slice(&sample.activations);
        let loss = softmax(logits, &sample.shares);
        logits.iter_mut().zip(&sample.shares).for_each(|(slope, share)| *slope -= share);
        for &number in &*present {
            shared[number - MOVES] = 0.0;
        }
        for (row, slope) in sample.rows.iter().zip(&*logits) {
            let slope = scale * slope;
            let [mv, kind, plan] = PolicyRow::weights(*row);
            shared[kind - MOVES] += slope;
            shared[plan - MOVES] += slope;
            row.biases().iter().for_each(|&number| biases[number] += slope);
            pending.slopes.push((mv as u16, number, slope));
        }
        pending.slopes.extend(present.iter().map(|&row| (row as u16, number, shared[row - MOVES])));
        f64::from(loss)
    }

    /// Adds the pending gradients, row by row, in the order of samples.
    fn flush(&mut self) {
        let Self { rows, pending, .. } = self;
        let width = rows.len() / ROWS;
        pending.sort();
        for &(row, sample, slope) in &pending.sorted {
            let activations = &pending.activations[usize::from(sample) * width..][..width];
            add(&mut rows[usize::from(row) * width..][..width], slope, activations);
        }
        pending.activations.clear();
        pending.slopes.clear();
    }
}

impl Pending {
    /// Sorts the slopes by row, with a counting sort.
    fn sort(&mut self) {
        let Self { slopes, sorted, starts, .. } = self;
        starts.clear();
        starts.resize(ROWS + 1, 0);
        for &(row, _, _) in &*slopes {
            starts[usize::from(row) + 1] += 1;
        }
        for row in 0..ROWS {
            starts[row + 1] += starts[row];
        }
        sorted.clear();
        sorted.resize(slopes.len(), (0, 0, 0.0));
        for &slope in &*slopes {
            let place = &mut starts[usize::from(slope.0)];
            sorted[*place as usize] = slope;
            *place += 1;
        }
    }
}

/// Turns logits into shares; returns the loss against the target shares, whose sum is 1.
pub(super) fn softmax(logits: &mut [f32], shares: &[f32]) -> f32 {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let expected: f32 = logits.iter().zip(shares).map(|(logit, share)| logit * share).sum();
    for logit in &mut *logits {
        *logit = libm::expf(*logit - highest);
    }
    let sum: f32 = logits.iter().sum();
    for share in &mut *logits {
        *share /= sum;
    }
    libm::logf(sum) + highest - expected
}

/// The sum of products, in a fixed order. Both lengths are a multiple of [`LANES`].
#[inline]
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    for (one, other) in one.as_chunks::<LANES>().0.iter().zip(other.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            lanes[lane] += one[lane] * other[lane];
        }
    }
    lanes.iter().sum()
}

/// Adds a multiple of `values`.
#[inline]
pub(super) fn add(sums: &mut [f32], slope: f32, values: &[f32]) {
    for (sums, values) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(values.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += slope * values[lane];
        }
    }
}

impl<R: MoveRecord> Task for Head<R> {
    type Record = R;
    type Sums = Sums;
    const FILE: &str = "policy.bin";

    fn sums(&self, _: usize) -> Vec<Sums> {
        let sums = || {
            let (rows, biases) = (vec![0.0; ROWS * self.width], vec![0.0; BIASES]);
            Sums { rows, biases, room: self.room(), pending: Pending::default() }
        };
        (0..PARTS).map(|_| sums()).collect()
    }

    fn learn(&self, part: &Part<'_, R>, sums: &mut Sums) -> f64 {
        let mut total = 0.0;
        for indices in part.indices.chunks(TOGETHER) {
            for &index in indices {
                let record = &part.records[index as usize];
                if sums.room.sample.read(record, &self.network).is_some() {
                    let weight = part.weighing.of(record);
                    self.seen.logits(&mut sums.room);
                    total += f64::from(weight) * sums.add(part.scale * weight);
                }
            }
            sums.flush();
        }
        total
    }

    fn step(&mut self, sums: &mut [Sums], step: Step) {
        let length = LANES * self.width;
        let parts = |of: fn(&mut Sums) -> &mut Vec<f32>, sums: &mut [Sums], length: usize| -> Vec<Vec<f32>> {
            let mut chunks: Vec<_> = sums.iter_mut().map(|sums| of(sums).chunks_mut(length)).collect();
            let count = chunks.first().map_or(0, ExactSizeIterator::len);
            let all: Vec<Vec<&mut [f32]>> =
                (0..count).map(|_| chunks.iter_mut().filter_map(Iterator::next).collect()).collect();
            all.into_par_iter().map(gathered).collect()
        };
        let rows = parts(|sums| &mut sums.rows, sums, length);
        let biases = parts(|sums| &mut sums.biases, sums, BIASES);
        let places: Vec<_> = self.rows.parts(length).zip(rows).collect();
        places.into_par_iter().for_each(|(mut part, mut gradient)| part.update(&mut gradient, step));
        for (mut part, mut gradient) in self.biases.parts(BIASES).zip(biases) {
            part.update(&mut gradient, step);
        }
        self.see();
    }

    fn weights(&self) -> Vec<&Weights> {
        vec![&self.rows, &self.biases]
    }

    fn weights_mut(&mut self) -> Vec<&mut Weights> {
        vec![&mut self.rows, &mut self.biases]
    }

    fn replaced(&mut self) {
        self.see();
    }

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.policy()?.to_bytes())
    }

    fn held_out_loss(&self, held_out: &HeldOut<'_, R>) -> f64 {
        judge::mean_loss(self, held_out)
    }

    fn judgement(&self, held_out: &HeldOut<'_, R>, stopped: bool) -> Result<Judgement, TrainError> {
        judge::judgement(self, held_out, stopped).map(Judgement::Policy)
    }
}

impl<R> Head<R> {
    /// The policy in the engine's integers.
    fn policy(&self) -> Result<Policy, TrainError> {
        let units = |values: &[f32], scale: f32| -> Vec<i32> {
            values.iter().map(|value| (value * scale).round() as i32).collect()
        };
        Ok(Policy::new(PolicyParts {
            network: self.network.hash(),
            hidden: self.width / 2,
            scale: self.scale,
            weights: units(&self.seen.rows, f32::from(self.scale)).into_iter().map(|unit| unit as i16).collect(),
            biases: units(&self.seen.biases, self.bias_scale()),
        })?)
    }
}

/// Adds the same part of all gradients, in order, and resets the parts to 0.
pub(super) fn gathered(parts: Vec<&mut [f32]>) -> Vec<f32> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().map(|first| {
        let copy = first.to_vec();
        first.fill(0.0);
        copy
    });
    for part in parts {
        for (sum, more) in sum.iter_mut().flatten().zip(part) {
            *sum += std::mem::replace(more, 0.0);
        }
    }
    sum.unwrap_or_default()
}
