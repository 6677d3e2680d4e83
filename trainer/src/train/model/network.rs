//! The network: a first layer that both perspectives share, its activations clamped to 0..1 and squared, and one output.
//!
//! ```text
//! z = b + the rows of the 31 active features     (H numbers for each perspective)
//! a = clamp(z, 0, 1)^2
//! logit = w . (a of the mover | a of the opponent) + c,  w and c by pieces on the board
//! ```
//!
//! A row is its feature's own weights plus those that the ten blocks share. What samples see of all weights is *rounded* as the engine
//! has them, in every step; gradients pass through the rounding as if it were not there (Bengio, Léonard and Courville, "Estimating or
//! propagating gradients through stochastic neurons", 2013). So nothing is lost when the network is written, and the first layer is
//! computed as the engine computes it, in 16-bit integers.
//!
//! The first layer is all the work, and that work is memory: 62 rows a sample, forward and backward. So only active rows are touched, and
//! neurons are kept in *slabs* of [`LANES`]: a slab's rows for all features, and the sums of their gradients, stay in the processor's
//! own cache while some hundred samples go through it. Loops over lanes are by index: so they stay in registers, and over iterators they take
//! four times as long. Each thread has sums of its own; a step takes them in the order of threads.

use super::{Model, TOGETHER, cross_entropy, gather};
use crate::train::adam::{Part, Step, Weights};
use crate::train::sample::{BLOCKS, Sample, row_of};
use aligned_vec::{AVec, ConstAlign, avec};
use engine::eval::features::{ACTIVE, BLOCK, FEATURES};
use engine::eval::network::NetworkParts;
use rand::Rng;
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;

/// Neurons of a slab.
const LANES: usize = 32;
/// Numbers of a slab: a row of each feature.
const SLAB: usize = FEATURES * LANES;
/// Numbers of a slab that are features of the same number within their blocks.
const GROUP: usize = BLOCKS * LANES;
/// Units of the first layer that are 1.
pub(in crate::train) const FIRST_SCALE: f32 = 255.0;
/// The largest output weight in its units.
const OUTPUT_UNITS: f32 = 127.0;
/// The largest own and the largest shared weight: 31 rows of both and a bias fit in 16 bits.
const LIMIT: f32 = 2.0;
/// The largest output bias, in logits.
const OUTPUT_BIAS_LIMIT: f32 = 16.0;
/// Pieces of both sides together.
const PIECES: usize = 32;
/// Standard deviation of the first weights, and their bias.
const FIRST_SPREAD: f32 = 0.1;
const FIRST_BIAS: f32 = 0.1;

/// Bytes of a line of the processor's caches. Rows begin where lines do: else each touches one line more.
const LINE: usize = 64;
/// Rows of a slab's neurons.
type Lines<T> = AVec<[T; LANES], ConstAlign<LINE>>;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct Shape {
    /// Neurons of each perspective, a multiple of [`LANES`].
    pub(in crate::train) hidden: usize,
    /// Outputs to choose from by pieces on the board.
    pub(in crate::train) buckets: usize,
    /// Units of output weights that are 1.
    pub(in crate::train) output_scale: u16,
}

/// The network in training. First layers are in order of slabs, rows, neurons.
#[derive(Clone, Debug)]
pub(in crate::train) struct Network {
    shape: Shape,
    own: Weights,
    shared: Weights,
    bias: Weights,
    output: Weights,
    output_bias: Weights,
    /// What samples see of own and shared weights, in units.
    rows: Lines<i16>,
    /// What samples see of the bias, in units.
    biases: Lines<i16>,
    /// What samples see of the output.
    seen_output: Lines<f32>,
}

/// Sums of gradients, and room for some samples.
pub(in crate::train) struct Sums {
    rows: Lines<f32>,
    bias: Vec<f32>,
    output: Vec<f32>,
    output_bias: Vec<f32>,
    /// z clamped, then the slopes of z: in order of slabs, samples, perspectives.
    clamped: Lines<f32>,
    logits: Vec<f32>,
}

impl Network {
    /// A network with random weights.
    pub(in crate::train) fn new(shape: Shape, random: &mut impl Rng) -> Self {
        let mut normal = |spread: f32, count: usize| -> Vec<f32> {
            // A standard deviation that is a finite constant is never refused.
            let law = Normal::new(0.0, spread);
            law.map_or_else(|_| vec![0.0; count], |law| law.sample_iter(&mut *random).take(count).collect())
        };
        let Shape { hidden, buckets, .. } = shape;
        let mut network = Self::blank(shape);
        network.shared.values = normal(FIRST_SPREAD, BLOCK * hidden);
        network.output.values = normal(1.0 / (2.0 * hidden as f32).sqrt(), 2 * hidden).repeat(buckets);
        network.bias.values.fill(FIRST_BIAS);
        network.replaced();
        network
    }

    /// A network of zeros.
    fn blank(shape: Shape) -> Self {
        let Shape { hidden, buckets, output_scale } = shape;
        let output_limit = OUTPUT_UNITS / f32::from(output_scale);
        Self {
            shape,
            own: Weights::new(vec![0.0; FEATURES * hidden], LIMIT),
            shared: Weights::new(vec![0.0; BLOCK * hidden], LIMIT),
            bias: Weights::new(vec![0.0; hidden], LIMIT),
            output: Weights::new(vec![0.0; 2 * hidden * buckets], output_limit),
            output_bias: Weights::new(vec![0.0; buckets], OUTPUT_BIAS_LIMIT),
            rows: avec!([LINE]| [0; LANES]; FEATURES * hidden / LANES),
            biases: avec!([LINE]| [0; LANES]; hidden / LANES),
            seen_output: avec!([LINE]| [0.0; LANES]; 2 * hidden * buckets / LANES),
        }
    }

    /// The network that the engine has with these weights: what samples see is the same, number by number.
    ///
    /// What the blocks share is the mean of their weights.
    pub(in crate::train) fn from_parts(parts: &NetworkParts) -> Self {
        let NetworkParts { hidden, buckets, output_scale, .. } = *parts;
        let mut network = Self::blank(Shape { hidden, buckets, output_scale });
        let scale = f32::from(output_scale);
        let of =
            |numbers: &[i16], unit: f32| numbers.iter().map(|&number| f32::from(number) / unit).collect::<Vec<_>>();
        let first = of(&parts.feature_weights, FIRST_SCALE);
        for feature in 0..FEATURES {
            for neuron in 0..hidden {
                let (slab, lane) = (neuron / LANES, neuron % LANES);
                network.own.values[slab * SLAB + row_of(feature) * LANES + lane] = first[feature * hidden + neuron];
            }
        }
        let groups = network.own.values.chunks_exact_mut(GROUP).zip(network.shared.values.chunks_exact_mut(LANES));
        for (own, shared) in groups {
            for (lane, shared) in shared.iter_mut().enumerate() {
                *shared = own.iter().skip(lane).step_by(LANES).sum::<f32>() / BLOCKS as f32;
                own.iter_mut().skip(lane).step_by(LANES).for_each(|own| *own -= *shared);
            }
        }
        network.bias.values = of(&parts.feature_biases, FIRST_SCALE);
        network.output.values = of(&parts.output_weights, scale);
        let biases = parts.output_biases.iter();
        network.output_bias.values = biases.map(|&bias| bias as f32 / (FIRST_SCALE * scale)).collect();
        network.replaced();
        network
    }

    pub(in crate::train) fn shape(&self) -> Shape {
        self.shape
    }

    /// What samples see of a row, neuron by neuron, in units.
    pub(in crate::train) fn row(&self, row: usize) -> impl Iterator<Item = i16> + '_ {
        (0..self.slabs()).flat_map(move |slab| self.rows[slab * FEATURES + row])
    }

    /// What samples see of the biases of the first layer, in units.
    pub(in crate::train) fn biases(&self) -> &[i16] {
        self.biases.as_flattened()
    }

    /// What samples see of the output: weights by bucket, biases.
    pub(in crate::train) fn output(&self) -> (&[f32], &[f32]) {
        (self.seen_output.as_flattened(), &self.output_bias.values)
    }

    fn slabs(&self) -> usize {
        self.shape.hidden / LANES
    }

    /// The bucket of a sample, as the engine has it.
    #[inline]
    fn bucket(&self, sample: &Sample) -> usize {
        (usize::from(sample.on_board) * self.shape.buckets / PIECES).min(self.shape.buckets - 1)
    }

    /// The output weights for a sample: of the mover's slabs, then of the opponent's.
    #[inline]
    fn output_of(&self, bucket: usize) -> [&[[f32; LANES]]; 2] {
        let slabs = self.slabs();
        let (mover, opponent) = self.seen_output[2 * slabs * bucket..][..2 * slabs].split_at(slabs);
        [mover, opponent]
    }

    /// Fills the room with z clamped.
    fn first_layer(&self, samples: &[Sample], clamped: &mut [[f32; LANES]]) {
        let slabs =
            self.rows.chunks_exact(FEATURES).zip(self.biases.iter()).zip(clamped.chunks_exact_mut(2 * TOGETHER));
        for ((slab, bias), clamped) in slabs {
            let places = clamped.as_chunks_mut::<2>().0.iter_mut();
            for (sample, places) in samples.iter().zip(places) {
                for (rows, place) in sample.rows.iter().zip(places) {
                    *place = activate(sum(slab, bias, rows));
                }
            }
        }
    }

    fn second_layer(&self, samples: &[Sample], clamped: &[[f32; LANES]], logits: &mut [f32]) {
        for (number, (sample, logit)) in samples.iter().zip(logits).enumerate() {
            let bucket = self.bucket(sample);
            let mut lanes = [0.0; LANES];
            for (side, output) in self.output_of(bucket).into_iter().enumerate() {
                for (slab, weights) in output.iter().enumerate() {
                    let clamped = &clamped[slab * 2 * TOGETHER + 2 * number + side];
                    for lane in 0..LANES {
                        lanes[lane] += weights[lane] * (clamped[lane] * clamped[lane]);
                    }
                }
            }
            *logit = lanes.iter().sum::<f32>() + self.output_bias.values[bucket];
        }
    }

    /// Adds the gradient of the output for one sample, and puts the slopes of z in the place of z.
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
                    let clamped = z[lane];
                    gradient[lane] += slope * (clamped * clamped);
                    let inside = if clamped < 1.0 { 2.0 * slope } else { 0.0 };
                    z[lane] = inside * weights[lane] * clamped;
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
fn back_to_rows(samples: &[Sample], sums: &mut Sums) {
    let (biases, _) = sums.bias.as_chunks_mut::<LANES>();
    let slabs = sums.rows.chunks_exact_mut(FEATURES).zip(biases).zip(sums.clamped.chunks_exact(2 * TOGETHER));
    for ((slab, bias), slopes) in slabs {
        for (sample, slopes) in samples.iter().zip(slopes.as_chunks::<2>().0) {
            for (rows, slope) in sample.rows.iter().zip(slopes) {
                add(bias, slope);
                add_to_rows(slab, rows, slope);
            }
        }
    }
}

/// The sum of a bias and some rows. Their limits leave no room for an overflow.
#[inline]
fn sum(slab: &[[i16; LANES]], bias: &[i16; LANES], rows: &[u16; ACTIVE]) -> [i16; LANES] {
    let mut sum = *bias;
    for &row in rows {
        let row = &slab[usize::from(row)];
        for lane in 0..LANES {
            sum[lane] = sum[lane].wrapping_add(row[lane]);
        }
    }
    sum
}

/// z clamped, from units.
#[inline]
fn activate(sum: [i16; LANES]) -> [f32; LANES] {
    let mut clamped = [0.0; LANES];
    for lane in 0..LANES {
        clamped[lane] = f32::from(sum[lane].clamp(0, FIRST_SCALE as i16)) * (1.0 / FIRST_SCALE);
    }
    clamped
}

#[inline]
fn add_to_rows(slab: &mut [[f32; LANES]], rows: &[u16; ACTIVE], slope: &[f32; LANES]) {
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

/// The nearest whole number, ties to even, of a number below 2^22.
#[inline]
fn rounded(value: f32) -> f32 {
    /// Added and taken away, it leaves no room for fractions.
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT) - SHIFT
}

/// A number of the first layer in units.
#[inline]
fn units(value: f32) -> i16 {
    rounded(value * FIRST_SCALE) as i32 as i16
}

impl Model for Network {
    type Sums = Sums;

    fn sums(&self) -> Sums {
        let Shape { hidden, buckets, .. } = self.shape;
        Sums {
            rows: avec!([LINE]| [0.0; LANES]; FEATURES * self.slabs()),
            bias: vec![0.0; hidden],
            output: vec![0.0; 2 * hidden * buckets],
            output_bias: vec![0.0; buckets],
            clamped: avec!([LINE]| [0.0; LANES]; 2 * TOGETHER * self.slabs()),
            logits: vec![0.0; TOGETHER],
        }
    }

    fn logits(&self, samples: &[Sample], sums: &mut Sums, logits: &mut [f32]) {
        self.first_layer(samples, &mut sums.clamped);
        self.second_layer(samples, &sums.clamped, logits);
    }

    fn learn(&self, samples: &[Sample], weight: f32, sums: &mut Sums) -> f64 {
        let mut logits = std::mem::take(&mut sums.logits);
        self.logits(samples, sums, &mut logits);
        let mut total = 0.0;
        for (number, (sample, logit)) in samples.iter().zip(&logits).enumerate() {
            let (loss, slope) = cross_entropy(*logit, sample.target);
            total += f64::from(loss);
            self.back_to_first(number, self.bucket(sample), weight * slope, sums);
        }
        back_to_rows(samples, sums);
        sums.logits = logits;
        total
    }

    fn unrounded(&self, sample: &Sample) -> f64 {
        let (hidden, bucket) = (self.shape.hidden, self.bucket(sample));
        let mut logit = f64::from(self.output_bias.values[bucket]);
        for (side, rows) in sample.rows.iter().enumerate() {
            for neuron in 0..hidden {
                let (slab, lane) = (neuron / LANES, neuron % LANES);
                let weight = |&row: &u16| {
                    let row = usize::from(row);
                    let shared = self.shared.values[(slab * BLOCK + row / BLOCKS) * LANES + lane];
                    f64::from(self.own.values[slab * SLAB + row * LANES + lane] + shared)
                };
                let z = f64::from(self.bias.values[neuron]) + rows.iter().map(weight).sum::<f64>();
                let output = self.output.values[(2 * bucket + side) * hidden + neuron];
                logit += f64::from(output) * z.clamp(0.0, 1.0) * z.clamp(0.0, 1.0);
            }
        }
        logit
    }

    fn step(&mut self, sums: &mut [Sums], step: Step) {
        let mut of_threads: Vec<_> = sums.iter_mut().map(|sums| sums.rows.chunks_mut(BLOCKS)).collect();
        let weights = self.own.parts(GROUP).zip(self.shared.parts(LANES)).zip(self.rows.chunks_mut(BLOCKS));
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
        let own = self.own.values.chunks(GROUP).zip(self.shared.values.chunks(LANES));
        for (rows, (own, shared)) in self.rows.chunks_mut(BLOCKS).zip(own) {
            merge(rows, own, shared);
        }
        self.see_rest();
    }
}

/// A slab's rows of a feature within its block, for all blocks, and what they share.
struct Group<'a> {
    own: Part<'a>,
    shared: Part<'a>,
    rows: &'a mut [[i16; LANES]],
    /// Of each thread.
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

/// What samples see of a group.
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
    use crate::train::sample::Target;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    const SHAPE: Shape = Shape { hidden: 64, buckets: 3, output_scale: 127 };

    fn samples(count: usize) -> Vec<Sample> {
        let read = |record: &crate::data::Record| {
            let mut sample = Sample::EMPTY;
            sample.read(record, Target { lambda: 0.5, clip: 8_000 }).unwrap();
            sample
        };
        records(count).iter().map(read).collect()
    }

    /// A network whose every weight is different, as after some steps.
    fn network() -> Network {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut network = Network::new(SHAPE, &mut random);
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

    /// The loss by the formulas, in f64, at the rounded weights; `change` is added to one number.
    fn loss(network: &Network, samples: &[Sample], (place, change): (Place, f64)) -> f64 {
        let hidden = SHAPE.hidden;
        let (output, output_bias) = network.output();
        let more = |at: Place| if at == place { change } else { 0.0 };
        let mut total = 0.0;
        for sample in samples {
            let bucket = network.bucket(sample);
            let mut logit = f64::from(output_bias[bucket]) + more(Place::OutputBias(bucket));
            for (side, rows) in sample.rows.iter().enumerate() {
                for neuron in 0..hidden {
                    let weight = |&row: &u16| {
                        let row = usize::from(row);
                        let seen = network.rows[neuron / LANES * FEATURES + row][neuron % LANES];
                        f64::from(seen) / 255.0 + more(Place::Row(row, neuron))
                    };
                    let bias = f64::from(network.biases()[neuron]) / 255.0 + more(Place::Bias(neuron));
                    let a = (bias + rows.iter().map(weight).sum::<f64>()).clamp(0.0, 1.0);
                    let at = (2 * bucket + side) * hidden + neuron;
                    logit += (f64::from(output[at]) + more(Place::Output(at))) * a * a;
                }
            }
            total += libm::log1p(libm::exp(logit)) - f64::from(sample.target) * logit;
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

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (network, samples) = (network(), samples(20));
        let mut sums = network.sums();
        let found = network.learn(&samples, 1.0, &mut sums);
        assert!((found - loss(&network, &samples, (Place::Nowhere, 0.0))).abs() < 1e-3);
        let row = |number: usize| usize::from(samples[number % 20].rows[number % 2][number % ACTIVE]);
        let places = (0..60).map(|number| Place::Row(row(number), 7 * number % SHAPE.hidden));
        let places = places.chain((0..8).map(|number| Place::Bias(8 * number + 3)));
        let places = places.chain((0..3).map(Place::OutputBias));
        let mut not_zero = 0;
        for place in places.chain((0..20).map(|number| Place::Output(19 * number))) {
            let gradient = f64::from(match place {
                Place::Row(row, neuron) => sums.rows[neuron / LANES * FEATURES + row][neuron % LANES],
                Place::Bias(neuron) => sums.bias[neuron],
                Place::Output(at) => sums.output[at],
                Place::OutputBias(bucket) => sums.output_bias[bucket],
                Place::Nowhere => 0.0,
            });
            let at = |change: f64| loss(&network, &samples, (place, change));
            let expected = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((gradient - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{place:?}: {gradient} {expected}");
            not_zero += usize::from(gradient.abs() > 1e-3);
        }
        assert!(not_zero > 30, "{not_zero} gradients that say anything");
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
        network.learn(&samples[..25], 0.02, &mut sums[0]);
        network.learn(&samples[25..], 0.02, &mut sums[1]);
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
        let most = vec![2.0_f32; FEATURES];
        let rows = ACTIVE as i32 * i32::from(units(most[0] + 2.0)) + i32::from(units(2.0));
        assert!(rows <= i32::from(i16::MAX), "{rows}");
    }
}
