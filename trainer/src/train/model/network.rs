//! The network: a first layer that both perspectives share, its activations clamped to 0..1, and one output.
//!
//! ```text
//! z = b + the rows of the active features        (H numbers for each perspective)
//! a = clamp(z, 0, 1)^2, or clamp(z, 0, 1)
//! logit = w . (a of the mover | a of the opponent) + c,  w and c by the position's bucket
//! ```
//!
//! [`Features`] defines the features, and which of them a position has. A row is the sum of its feature's own weights
//! and those that it shares with others. Samples see all weights *rounded* as the engine has them, in every step;
//! gradients pass through the rounding as if it were not there (Bengio, Léonard and Courville, "Estimating or
//! propagating gradients through stochastic neurons", 2013). So writing the network loses nothing, and the first layer
//! is computed as in the engine, in 16-bit integers.
//!
//! The first layer is nearly all the work, and it is bound by memory: some 60 rows per sample, forward and backward. So
//! only active rows are touched, and neurons are kept in *slabs* of [`LANES`]: a slab's rows for all features, and the
//! sums of their gradients, stay in the core's own cache while some hundred samples pass through it. Loops over lanes
//! use an index, so that lanes stay in registers; with iterators they take four times as long. Each thread has its own
//! sums; a step adds them in the order of threads.

use super::{Model, TOGETHER, cross_entropy, gather};
use crate::train::adam::{Part, Step, Weights};
use crate::train::input::Input;
use aligned_vec::{AVec, ConstAlign, avec};
use engine::eval::network::Buckets;
use rand::Rng;
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;
use std::marker::PhantomData;

/// The number of neurons of a slab.
const LANES: usize = 32;
/// The number of units per 1.0 in the first layer.
pub(in crate::train) const FIRST_SCALE: f32 = 255.0;
/// The largest output bias, in logits.
pub(in crate::train) const OUTPUT_BIAS_LIMIT: f32 = 16.0;
/// The standard deviation of the initial weights, and the initial bias.
const FIRST_SPREAD: f32 = 0.1;
const FIRST_BIAS: f32 = 0.1;

/// The size of a cache line in bytes. Rows are aligned to it; otherwise each would touch one more line.
const LINE: usize = 64;
/// Rows of a slab's neurons.
type Lines<T> = AVec<[T; LANES], ConstAlign<LINE>>;

/// The features of a network: their number, which of them a position has, and the limits that follow from their number.
pub(in crate::train) trait Features: Input {
    /// The number of features.
    const ROWS: usize;
    /// The number of adjacent rows that share a part of their weights.
    const SHARING: usize;
    /// Whether activations are squared.
    const SQUARED: bool;
    /// The largest own and the largest shared weight: the rows of a position, each with both weights, and a bias fit in
    /// 16 bits.
    const LIMIT: f32;
    /// The largest output weight, in its units.
    const OUTPUT_UNITS: f32;

    /// The active rows of the side to move, and of its opponent.
    fn rows(&self) -> [&[u16]; 2];

    /// The position's output among `buckets`.
    fn bucket(&self, buckets: Buckets) -> usize;
}

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct Shape {
    /// The number of neurons of each perspective. Padding neurons, whose weights are and stay 0, fill up the last slab.
    pub(in crate::train) hidden: usize,
    /// The outputs to choose from.
    pub(in crate::train) buckets: Buckets,
    /// The number of units per 1.0 of an output weight.
    pub(in crate::train) output_scale: u16,
    /// The engine's score for an output of 1.
    pub(in crate::train) score: u16,
}

impl Shape {
    /// The number of neurons including the padding.
    pub(in crate::train) fn padded(self) -> usize {
        self.hidden.next_multiple_of(LANES)
    }
}

/// The network in training. First layers are in order of slabs, rows, neurons.
#[derive(Clone, Debug)]
pub(in crate::train) struct Network<F> {
    shape: Shape,
    own: Weights,
    shared: Weights,
    bias: Weights,
    output: Weights,
    output_bias: Weights,
    /// The rounded sums of own and shared weights that samples see, in units.
    rows: Lines<i16>,
    /// The rounded bias that samples see, in units.
    biases: Lines<i16>,
    /// The rounded output weights that samples see.
    seen_output: Lines<f32>,
    features: PhantomData<fn() -> F>,
}

/// Sums of gradients, and room for some samples.
pub(in crate::train) struct Sums {
    rows: Lines<f32>,
    bias: Vec<f32>,
    output: Vec<f32>,
    output_bias: Vec<f32>,
    /// z clamped, later the slopes of z: in order of slabs, samples, perspectives.
    clamped: Lines<f32>,
    logits: Vec<f32>,
}

impl<F: Features> Network<F> {
    /// A network with random weights.
    pub(in crate::train) fn new(shape: Shape, random: &mut impl Rng) -> Self {
        let mut normal = |spread: f32, count: usize| -> Vec<f32> {
            // A constant finite standard deviation is never refused.
            let law = Normal::new(0.0, spread);
            law.map_or_else(|_| vec![0.0; count], |law| law.sample_iter(&mut *random).take(count).collect())
        };
        let Shape { hidden, buckets, .. } = shape;
        let padded = shape.padded();
        let mut network = Self::blank(shape);
        network.shared.values = normal(FIRST_SPREAD, F::ROWS / F::SHARING * padded);
        network.output.values = normal(1.0 / (2.0 * hidden as f32).sqrt(), 2 * padded).repeat(buckets.count());
        network.bias.values.fill(FIRST_BIAS);
        network.empty_padding();
        network.replaced();
        network
    }

    /// Zeroes the weights of the padding neurons of the last slab.
    fn empty_padding(&mut self) {
        let (hidden, padded) = (self.shape.hidden, self.shape.padded());
        let slab = F::ROWS / F::SHARING * LANES;
        let used = LANES - (padded - hidden);
        let last = self.shared.values.chunks_mut(slab).last().into_iter();
        last.flat_map(|slab| slab.chunks_mut(LANES)).for_each(|lanes| lanes[used..].fill(0.0));
        self.output.values.chunks_mut(padded).for_each(|output| output[hidden..].fill(0.0));
        self.bias.values[hidden..].fill(0.0);
    }

    /// A network of zeros.
    pub(in crate::train) fn blank(shape: Shape) -> Self {
        let Shape { buckets, output_scale, .. } = shape;
        let (hidden, buckets) = (shape.padded(), buckets.count());
        let output_limit = F::OUTPUT_UNITS / f32::from(output_scale);
        Self {
            shape,
            own: Weights::new(vec![0.0; F::ROWS * hidden], F::LIMIT),
            shared: Weights::new(vec![0.0; F::ROWS / F::SHARING * hidden], F::LIMIT),
            bias: Weights::new(vec![0.0; hidden], F::LIMIT),
            output: Weights::new(vec![0.0; 2 * hidden * buckets], output_limit),
            output_bias: Weights::new(vec![0.0; buckets], OUTPUT_BIAS_LIMIT),
            rows: avec!([LINE]| [0; LANES]; F::ROWS * hidden / LANES),
            biases: avec!([LINE]| [0; LANES]; hidden / LANES),
            seen_output: avec!([LINE]| [0.0; LANES]; 2 * hidden * buckets / LANES),
            features: PhantomData,
        }
    }

    /// Replaces the weights; those of the first layer are given by row and neuron.
    ///
    /// If rows share weights, the shared part is the mean of their weights.
    pub(in crate::train) fn take(
        &mut self,
        first: impl Fn(usize, usize) -> f32,
        bias: Vec<f32>,
        output: Vec<f32>,
        output_bias: Vec<f32>,
    ) {
        for (place, own) in self.own.values.iter_mut().enumerate() {
            let (slab, within) = (place / (F::ROWS * LANES), place % (F::ROWS * LANES));
            *own = first(within / LANES, slab * LANES + within % LANES);
        }
        let groups = self.own.values.chunks_exact_mut(F::SHARING * LANES);
        for (own, shared) in groups.zip(self.shared.values.chunks_exact_mut(LANES)) {
            for (lane, shared) in shared.iter_mut().enumerate() {
                let mean = own.iter().skip(lane).step_by(LANES).sum::<f32>() / F::SHARING as f32;
                *shared = mean.clamp(-F::LIMIT, F::LIMIT);
                own.iter_mut().skip(lane).step_by(LANES).for_each(|own| *own -= *shared);
            }
        }
        (self.bias.values, self.output.values, self.output_bias.values) = (bias, output, output_bias);
        self.replaced();
    }

    pub(in crate::train) fn shape(&self) -> Shape {
        self.shape
    }

    /// The rounded weights of a row, neuron by neuron, in units.
    pub(in crate::train) fn row(&self, row: usize) -> impl Iterator<Item = i16> + '_ {
        (0..self.slabs()).flat_map(move |slab| self.rows[slab * F::ROWS + row]).take(self.shape.hidden)
    }

    /// The rounded biases of the first layer, in units.
    pub(in crate::train) fn biases(&self) -> &[i16] {
        &self.biases.as_flattened()[..self.shape.hidden]
    }

    /// The rounded output weights: those of each bucket, the mover's before the opponent's.
    pub(in crate::train) fn output_weights(&self) -> impl Iterator<Item = f32> + '_ {
        let halves = self.seen_output.as_flattened().chunks(self.shape.padded());
        halves.flat_map(|half| &half[..self.shape.hidden]).copied()
    }

    /// The output's biases by bucket.
    pub(in crate::train) fn output_biases(&self) -> &[f32] {
        &self.output_bias.values
    }

    fn slabs(&self) -> usize {
        self.shape.padded() / LANES
    }

    #[inline]
    fn bucket(&self, sample: &F) -> usize {
        sample.bucket(self.shape.buckets)
    }

    /// The output weights for a sample: those of the mover's slabs, then those of the opponent's.
    #[inline]
    fn output_of(&self, bucket: usize) -> [&[[f32; LANES]]; 2] {
        let slabs = self.slabs();
        let (mover, opponent) = self.seen_output[2 * slabs * bucket..][..2 * slabs].split_at(slabs);
        [mover, opponent]
    }

    /// Fills `clamped` with z clamped.
    fn first_layer(&self, samples: &[F], clamped: &mut [[f32; LANES]]) {
        let slabs = self.rows.chunks_exact(F::ROWS).zip(self.biases.iter()).zip(clamped.chunks_exact_mut(2 * TOGETHER));
        for ((slab, bias), clamped) in slabs {
            let places = clamped.as_chunks_mut::<2>().0.iter_mut();
            for (sample, places) in samples.iter().zip(places) {
                for (rows, place) in sample.rows().into_iter().zip(places) {
                    *place = clamp(sum(slab, bias, rows));
                }
            }
        }
    }

    fn second_layer(&self, samples: &[F], clamped: &[[f32; LANES]], logits: &mut [f32]) {
        for (number, (sample, logit)) in samples.iter().zip(logits).enumerate() {
            let bucket = self.bucket(sample);
            let mut lanes = [0.0; LANES];
            for (side, output) in self.output_of(bucket).into_iter().enumerate() {
                for (slab, weights) in output.iter().enumerate() {
                    let clamped = &clamped[slab * 2 * TOGETHER + 2 * number + side];
                    for lane in 0..LANES {
                        lanes[lane] += weights[lane] * activation::<F>(clamped[lane]).0;
                    }
                }
            }
            *logit = lanes.iter().sum::<f32>() + self.output_bias.values[bucket];
        }
    }

    /// Adds the gradient of the output for one sample, and replaces z by the slopes of z.
    #[inline]
    fn back_to_first(&self, number: usize, bucket: usize, slope: f32, sums: &mut Sums) {
        let slabs = self.slabs();
        sums.output_bias[bucket] += slope;
        let (gradient, _) = sums.output[2 * slabs * LANES * bucket..][..2 * slabs * LANES].as_chunks_mut::<LANES>();
        let gradients = gradient.chunks_exact_mut(slabs);
        for (side, (output, gradients)) in self.output_of(bucket).into_iter().zip(gradients).enumerate() {
            for (slab, (weights, gradient)) in output.iter().zip(gradients).enumerate() {
                let z = &mut sums.clamped[slab * 2 * TOGETHER + 2 * number + side];
                for lane in 0..LANES {
                    let (activation, steepness) = activation::<F>(z[lane]);
                    gradient[lane] += slope * activation;
                    z[lane] = slope * weights[lane] * steepness;
                }
            }
        }
    }

    fn see_rest(&mut self) {
        for (seen, value) in self.biases.as_flattened_mut().iter_mut().zip(&self.bias.values) {
            *seen = units(*value);
        }
        let scale = f32::from(self.shape.output_scale);
        for (seen, value) in self.seen_output.as_flattened_mut().iter_mut().zip(&self.output.values) {
            *seen = rounded(*value * scale) / scale;
        }
    }
}

/// Adds the gradient of the first layer, given the slopes of z.
fn back_to_rows<F: Features>(samples: &[F], sums: &mut Sums) {
    let (biases, _) = sums.bias.as_chunks_mut::<LANES>();
    let slabs = sums.rows.chunks_exact_mut(F::ROWS).zip(biases).zip(sums.clamped.chunks_exact(2 * TOGETHER));
    for ((slab, bias), slopes) in slabs {
        for (sample, slopes) in samples.iter().zip(slopes.as_chunks::<2>().0) {
            for (rows, slope) in sample.rows().into_iter().zip(slopes) {
                add(bias, slope);
                add_to_rows(slab, rows, slope);
            }
        }
    }
}

/// The sum of a bias and some rows. Their limits rule out overflow.
#[inline]
fn sum(slab: &[[i16; LANES]], bias: &[i16; LANES], rows: &[u16]) -> [i16; LANES] {
    let mut sum = *bias;
    for &row in rows {
        let row = &slab[usize::from(row)];
        for lane in 0..LANES {
            sum[lane] = sum[lane].wrapping_add(row[lane]);
        }
    }
    sum
}

/// An activation and its slope, from clamped z.
#[inline]
fn activation<F: Features>(clamped: f32) -> (f32, f32) {
    let is_inside = if F::SQUARED { clamped < 1.0 } else { clamped > 0.0 && clamped < 1.0 };
    let slope = if F::SQUARED { 2.0 * clamped } else { 1.0 };
    (if F::SQUARED { clamped * clamped } else { clamped }, if is_inside { slope } else { 0.0 })
}

/// z clamped, converted from units.
#[inline]
fn clamp(sum: [i16; LANES]) -> [f32; LANES] {
    let mut clamped = [0.0; LANES];
    for lane in 0..LANES {
        clamped[lane] = f32::from(sum[lane].clamp(0, FIRST_SCALE as i16)) * (1.0 / FIRST_SCALE);
    }
    clamped
}

#[inline]
fn add_to_rows(slab: &mut [[f32; LANES]], rows: &[u16], slope: &[f32; LANES]) {
    let slope = *slope;
    for &row in rows {
        add(&mut slab[usize::from(row)], &slope);
    }
}

#[inline]
fn add(sum: &mut [f32; LANES], more: &[f32; LANES]) {
    for lane in 0..LANES {
        sum[lane] += more[lane];
    }
}

/// The nearest whole number, ties to even, for numbers below 2^22.
#[inline]
fn rounded(value: f32) -> f32 {
    /// Adding and subtracting this leaves no bits for the fraction.
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT) - SHIFT
}

/// Converts a number of the first layer to units.
#[inline]
fn units(value: f32) -> i16 {
    rounded(value * FIRST_SCALE) as i32 as i16
}

impl<F: Features> Model for Network<F> {
    type Sample = F;
    type Sums = Sums;

    fn sums(&self) -> Sums {
        let (hidden, buckets) = (self.shape.padded(), self.shape.buckets.count());
        Sums {
            rows: avec!([LINE]| [0.0; LANES]; F::ROWS * self.slabs()),
            bias: vec![0.0; hidden],
            output: vec![0.0; 2 * hidden * buckets],
            output_bias: vec![0.0; buckets],
            clamped: avec!([LINE]| [0.0; LANES]; 2 * TOGETHER * self.slabs()),
            logits: vec![0.0; TOGETHER],
        }
    }

    fn logits(&self, samples: &[F], sums: &mut Sums, logits: &mut [f32]) {
        self.first_layer(samples, &mut sums.clamped);
        self.second_layer(samples, &sums.clamped, logits);
    }

    fn learn(&self, samples: &[F], weights: &[f32], scale: f32, sums: &mut Sums) -> f64 {
        let mut logits = std::mem::take(&mut sums.logits);
        self.logits(samples, sums, &mut logits);
        let mut total = 0.0;
        for (number, (sample, (logit, weight))) in samples.iter().zip(logits.iter().zip(weights)).enumerate() {
            let (loss, slope) = cross_entropy(*logit, sample.target());
            total += f64::from(*weight) * f64::from(loss);
            self.back_to_first(number, self.bucket(sample), scale * (weight * slope), sums);
        }
        back_to_rows(samples, sums);
        sums.logits = logits;
        total
    }

    fn unrounded(&self, sample: &F) -> f64 {
        let (hidden, bucket) = (self.shape.padded(), self.bucket(sample));
        let mut logit = f64::from(self.output_bias.values[bucket]);
        for (side, rows) in sample.rows().into_iter().enumerate() {
            for neuron in 0..hidden {
                let (slab, lane) = (neuron / LANES, neuron % LANES);
                let weight = |&row: &u16| {
                    let row = usize::from(row);
                    let shared = self.shared.values[(slab * F::ROWS + row) / F::SHARING * LANES + lane];
                    f64::from(self.own.values[(slab * F::ROWS + row) * LANES + lane] + shared)
                };
                let z = f64::from(self.bias.values[neuron]) + rows.iter().map(weight).sum::<f64>();
                let output = self.output.values[(2 * bucket + side) * hidden + neuron];
                let clamped = z.clamp(0.0, 1.0);
                logit += f64::from(output) * if F::SQUARED { clamped * clamped } else { clamped };
            }
        }
        logit
    }

    fn step(&mut self, sums: &mut [Sums], step: Step) {
        let group = F::SHARING * LANES;
        let mut of_threads: Vec<_> = sums.iter_mut().map(|sums| sums.rows.chunks_mut(F::SHARING)).collect();
        let weights = self.own.parts(group).zip(self.shared.parts(LANES)).zip(self.rows.chunks_mut(F::SHARING));
        let groups: Vec<_> = weights
            .map(|((own, shared), rows)| {
                let sums = of_threads.iter_mut().filter_map(Iterator::next).map(<[_]>::as_flattened_mut);
                Group { own, shared, rows, sums: sums.collect() }
            })
            .collect();
        groups.into_par_iter().with_min_len(64).for_each(|group| group.update(step));
        let Some((first, later)) = sums.split_first_mut() else { return };
        gather(&mut first.bias, &mut later.iter_mut().map(|sums| &mut sums.bias[..]).collect::<Vec<_>>());
        gather(&mut first.output, &mut later.iter_mut().map(|sums| &mut sums.output[..]).collect::<Vec<_>>());
        gather(&mut first.output_bias, &mut later.iter_mut().map(|sums| &mut sums.output_bias[..]).collect::<Vec<_>>());
        self.bias.update(&mut first.bias, step);
        self.output.update(&mut first.output, step);
        self.output_bias.update(&mut first.output_bias, step);
        self.see_rest();
    }

    fn weights(&self) -> Vec<&Weights> {
        vec![&self.own, &self.shared, &self.bias, &self.output, &self.output_bias]
    }

    fn weights_mut(&mut self) -> Vec<&mut Weights> {
        vec![&mut self.own, &mut self.shared, &mut self.bias, &mut self.output, &mut self.output_bias]
    }

    fn replaced(&mut self) {
        let own = self.own.values.chunks(F::SHARING * LANES).zip(self.shared.values.chunks(LANES));
        for (rows, (own, shared)) in self.rows.chunks_mut(F::SHARING).zip(own) {
            merge(rows, own, shared);
        }
        self.see_rest();
    }
}

/// The rows of a slab that share weights, and the shared weights.
struct Group<'a> {
    own: Part<'a>,
    shared: Part<'a>,
    rows: &'a mut [[i16; LANES]],
    /// The gradient sums of each thread.
    sums: Vec<&'a mut [f32]>,
}

impl Group<'_> {
    fn update(mut self, step: Step) {
        let Some((first, later)) = self.sums.split_first_mut() else { return };
        gather(first, later);
        let mut shared = [0.0; LANES];
        for block in first.as_chunks().0 {
            add(&mut shared, block);
        }
        self.own.update(first, step);
        self.shared.update(&mut shared, step);
        merge(self.rows, self.own.values, self.shared.values);
    }
}

/// Computes the rounded rows of a group.
fn merge(rows: &mut [[i16; LANES]], own: &[f32], shared: &[f32]) {
    for (row, own) in rows.iter_mut().zip(own.as_chunks::<LANES>().0) {
        for ((row, own), shared) in row.iter_mut().zip(own).zip(shared) {
            *row = units(*own + *shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::records;
    use crate::train::adam::Schedule;
    use crate::train::chess;
    use crate::train::input::Target;
    use crate::train::sample::{BLOCKS, Sample};
    use engine::eval::features::FEATURES;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    const SHAPE: Shape =
        Shape { hidden: 64, buckets: Buckets { pieces: 3, plies: 2 }, output_scale: 127, score: 10_000 };
    /// Two slabs, the second half empty.
    const OF_CHESS: Shape = Shape { hidden: 48, buckets: chess::OUTPUTS, output_scale: 256, score: 400 };

    fn seen<F: Features>(records: &[F::Record]) -> Vec<F> {
        let read = |record| {
            let mut sample = F::EMPTY;
            sample.read(record, Target { lambda: 0.5, clip: 8_000, logit: 1_000.0 }).unwrap();
            sample
        };
        records.iter().map(read).collect()
    }

    fn samples(count: usize) -> Vec<Sample> {
        seen(&records(count))
    }

    fn network() -> Network<Sample> {
        network_of(SHAPE)
    }

    /// A network in which every weight is different, as after some steps.
    fn network_of<F: Features>(shape: Shape) -> Network<F> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut network = Network::new(shape, &mut random);
        let law = Normal::new(0.0_f32, 0.05).unwrap();
        for weights in network.weights_mut() {
            let [values, ..] = weights.state_mut();
            for value in values {
                *value += law.sample(&mut random);
            }
        }
        network.replaced();
        network
    }

    /// The loss by the formulas, in f64, with the rounded weights; `change` is added to one number.
    fn loss<F: Features>(network: &Network<F>, samples: &[F], (place, change): (Place, f64)) -> f64 {
        let hidden = network.shape.padded();
        let (output, output_bias) = (network.seen_output.as_flattened(), network.output_biases());
        let more = |at: Place| if at == place { change } else { 0.0 };
        let mut total = 0.0;
        for sample in samples {
            let bucket = network.bucket(sample);
            let mut logit = f64::from(output_bias[bucket]) + more(Place::OutputBias(bucket));
            for (side, rows) in sample.rows().into_iter().enumerate() {
                for neuron in 0..hidden {
                    let weight = |&row: &u16| {
                        let row = usize::from(row);
                        let seen = network.rows[neuron / LANES * F::ROWS + row][neuron % LANES];
                        f64::from(seen) / 255.0 + more(Place::Row(row, neuron))
                    };
                    let seen = network.biases.as_flattened()[neuron];
                    let bias = f64::from(seen) / 255.0 + more(Place::Bias(neuron));
                    let z = (bias + rows.iter().map(weight).sum::<f64>()).clamp(0.0, 1.0);
                    let at = (2 * bucket + side) * hidden + neuron;
                    logit += (f64::from(output[at]) + more(Place::Output(at))) * if F::SQUARED { z * z } else { z };
                }
            }
            total += libm::log1p(libm::exp(logit)) - f64::from(sample.target()) * logit;
        }
        total
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Place {
        Nowhere,
        Row(usize, usize),
        Bias(usize),
        Output(usize),
        OutputBias(usize),
    }

    /// Compares gradients of all kinds of weights with differences of the loss.
    fn compare<F: Features>(network: &Network<F>, samples: &[F]) {
        let mut sums = network.sums();
        let found = network.learn(samples, &vec![1.0; samples.len()], 1.0, &mut sums);
        assert!((found - loss(network, samples, (Place::Nowhere, 0.0))).abs() < 1e-3);
        let active = |number: usize| {
            let rows = samples[number % samples.len()].rows()[number % 2];
            usize::from(rows[number % rows.len()])
        };
        let places = (0..60).map(|number| Place::Row(active(number), 7 * number % network.shape.hidden));
        let places = places.chain((0..network.shape.hidden / 8).map(|number| Place::Bias(8 * number + 3)));
        let places = places.chain((0..network.shape.buckets.count()).map(Place::OutputBias));
        let mut not_zero = 0;
        for place in places.chain((0..20).map(|number| Place::Output(19 * number))) {
            let gradient = f64::from(match place {
                Place::Row(row, neuron) => sums.rows[neuron / LANES * F::ROWS + row][neuron % LANES],
                Place::Bias(neuron) => sums.bias[neuron],
                Place::Output(at) => sums.output[at],
                Place::OutputBias(bucket) => sums.output_bias[bucket],
                Place::Nowhere => 0.0,
            });
            let at = |change: f64| loss(network, samples, (place, change));
            let [below, above] = [at(0.0) - at(-1e-6), at(1e-6) - at(0.0)].map(|difference| difference / 1e-6);
            if (above - below).abs() > 1e-4 {
                // Some z is exactly at a clipping point.
                continue;
            }
            let expected = f64::midpoint(below, above);
            assert!((gradient - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{place:?}: {gradient} {expected}");
            not_zero += usize::from(gradient.abs() > 1e-3);
        }
        assert!(not_zero > 30, "{not_zero} gradients that say anything");
    }

    #[test]
    #[ignore = "slow"]
    fn gradients_are_those_of_finite_differences() {
        compare(&network(), &samples(20));
        compare::<chess::Sample>(&network_of(OF_CHESS), &seen(&chess::tests::records(20)));
    }

    #[test]
    fn a_sample_of_weight_two_is_two_samples_and_one_of_none_is_none() {
        let (network, samples) = (network_of(OF_CHESS), seen::<chess::Sample>(&chess::tests::records(60)));
        let weights: Vec<f32> = (0..60_u8).map(|number| f32::from(number % 3)).collect();
        let many: Vec<_> =
            samples.iter().zip(&weights).flat_map(|(sample, weight)| vec![sample.clone(); *weight as usize]).collect();
        let (mut weighed, mut repeated) = (network.sums(), network.sums());
        let found = network.learn(&samples, &weights, 0.5, &mut weighed);
        let expected = network.learn(&many, &vec![1.0; many.len()], 0.5, &mut repeated);
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        let all = |sums: &Sums| [sums.rows.as_flattened(), &sums.bias, &sums.output, &sums.output_bias].concat();
        let pairs: Vec<_> = all(&weighed).into_iter().zip(all(&repeated)).collect();
        assert!(pairs.iter().all(|(found, expected)| (found - expected).abs() < 1e-4 * (1.0 + expected.abs())));
        assert!(pairs.iter().filter(|(found, _)| found.abs() > 1e-2).count() > 100);
    }

    #[test]
    fn what_fills_up_a_slab_stays_zero() {
        let mut network = Network::<chess::Sample>::new(OF_CHESS, &mut Xoshiro256PlusPlus::seed_from_u64(5));
        let (samples, mut sums) = (seen(&chess::tests::records(100)), [network.sums()]);
        let schedule = Schedule { steps: 5, warm_up: 0, highest: 0.1, last: 0.1, decay: 0.1 };
        for step in 0..5 {
            network.learn(&samples, &[1.0; 100], 0.01, &mut sums[0]);
            network.step(&mut sums, schedule.step(step));
        }
        let padding = |lanes: &[f32]| lanes[LANES / 2..].iter().all(|&weight| weight == 0.0);
        let rows = chess::Sample::ROWS;
        assert!(network.own.values.chunks(LANES).skip(rows).all(padding));
        assert!(network.own.values.chunks(LANES).take(rows).any(|lanes| !padding(lanes)));
        assert!(network.output.values.chunks(LANES).skip(1).step_by(2).all(padding));
    }

    #[test]
    fn rounding_moves_the_logit_a_little_and_no_weight_beyond_a_half_unit() {
        let (network, samples) = (network(), samples(40));
        let (mut sums, mut logits) = (network.sums(), vec![0.0; 40]);
        network.logits(&samples, &mut sums, &mut logits);
        for (sample, logit) in samples.iter().zip(&logits) {
            let difference = (network.unrounded(sample) - f64::from(*logit)).abs();
            assert!(difference < 0.2, "{difference}");
        }
        for value in [-1.999_f32, -0.5, -0.001, 0.0, 0.2, 1.0, 3.9] {
            assert!((f32::from(units(value)) - value * 255.0).abs() <= 0.5, "{value}");
        }
    }

    #[test]
    fn a_step_shares_gradients_between_blocks_and_leaves_no_sums() {
        let (mut network, samples) = (network(), samples(50));
        let mut sums = [network.sums(), network.sums()];
        network.learn(&samples[..25], &[1.0; 25], 0.02, &mut sums[0]);
        network.learn(&samples[25..], &[1.0; 25], 0.02, &mut sums[1]);
        let used = usize::from(samples[0].rows[0][3]);
        let (before, schedule) =
            (network.clone(), Schedule { steps: 1, warm_up: 0, highest: 0.01, last: 0.01, decay: 0.0 });
        network.step(&mut sums, schedule.step(0));
        for sums in &sums {
            assert!(sums.rows.as_flattened().iter().chain(&sums.output).all(|&sum| sum == 0.0));
        }
        let changed = |row: usize, lane: usize| {
            (network.shared.values[row / BLOCKS * LANES + lane] - before.shared.values[row / BLOCKS * LANES + lane])
                .abs()
        };
        assert!((0..LANES).any(|lane| changed(used, lane) > 0.009), "shared weights of a feature in use move");
        let seen_elsewhere = (0..SHAPE.hidden / LANES).any(|slab| {
            let other = used / BLOCKS * BLOCKS + (used + 1) % BLOCKS;
            network.rows[slab * FEATURES + other] != before.rows[slab * FEATURES + other]
        });
        assert!(seen_elsewhere, "and so do other blocks' rows");
    }

    #[test]
    fn the_largest_weights_do_not_overflow() {
        for (active, limit) in [(engine::eval::features::ACTIVE, Sample::LIMIT), (32, chess::Sample::LIMIT)] {
            let half = active as i32 * i32::from(units(limit + limit)) + i32::from(units(limit));
            assert!(half <= i32::from(i16::MAX), "{half}");
        }
        let (one, widest) = (i64::from(units(1.0)), 2 * 2_048);
        let bias = (OUTPUT_BIAS_LIMIT * FIRST_SCALE) as i64 * 16_384;
        let sum = widest * one * chess::Sample::OUTPUT_UNITS as i64 + bias;
        assert!(sum < 1 << 31, "{sum}");
    }
}
