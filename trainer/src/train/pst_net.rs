//! The integer network of chess in `pst_engine`: its file, which that engine specifies to the byte, and its output.

use super::TrainError;
use super::chess::{BUCKETS, INPUTS, OUTPUTS, SETS, Sample, row_of};
use super::export::Export;
use super::input::{Input, Target};
use super::model::{FIRST_SCALE, Features, Network, OUTPUT_BIAS_LIMIT, Shape};
use crate::chess::{Labels, Record};
use shakmaty::Chess;

const MAGIC: &[u8; 8] = b"PST-NET\n";
const VERSION: i32 = 1;

/// A network of chess in the engine's integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PstNet {
    hidden: usize,
    /// The integers that represent 1.0 in activations, in output weights, and in the output.
    scales: [i32; 3],
    input_biases: Vec<i16>,
    /// By set, input and neuron.
    input_weights: Vec<i16>,
    /// By bucket, mover and opponent, and neuron.
    output_weights: Vec<i16>,
    output_biases: Vec<i32>,
}

/// Why bytes are not a network of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PstNetError {
    /// The bytes do not start like a network.
    #[error("this is not a network of chess: expected `PST-NET` at its beginning")]
    Foreign,
    /// A number of the header is out of range.
    #[error("the header says {0}, which it cannot")]
    Header(i32),
    /// The number of bytes is wrong.
    #[error("there are {found} bytes of weights: expected {expected}")]
    Length {
        /// The number of bytes found.
        found: usize,
        /// The number of bytes required.
        expected: usize,
    },
}

impl PstNet {
    /// Takes the weights as samples see them in training.
    fn of(network: &Network<Sample>) -> Self {
        let Shape { hidden, output_scale, score, .. } = network.shape();
        let rows = (0..SETS).flat_map(|set| (0..INPUTS).map(move |input| row_of(set, input)));
        let unit = f32::from(output_scale);
        Self {
            hidden,
            scales: [FIRST_SCALE as i32, i32::from(output_scale), i32::from(score)],
            input_biases: network.biases().to_vec(),
            input_weights: rows.flat_map(|row| network.row(row)).collect(),
            output_weights: network.output_weights().map(|weight| (weight * unit).round() as i16).collect(),
            output_biases: network
                .output_biases()
                .iter()
                .map(|bias| (bias * FIRST_SCALE * unit).round() as i32)
                .collect(),
        }
    }

    /// Returns the network in training: samples see exactly the same numbers. The network must be [within
    /// limits](Self::is_within_limits).
    pub(super) fn in_training(&self) -> Network<Sample> {
        let [_, output_scale, score] = self.scales.map(|scale| scale as u16);
        let shape = Shape { hidden: self.hidden, buckets: OUTPUTS, output_scale, score };
        let unit = f32::from(output_scale);
        let filled = |numbers: &[i16], unit: f32| -> Vec<f32> {
            let numbers = numbers.iter().map(|number| f32::from(*number) / unit);
            numbers.chain(std::iter::repeat(0.0)).take(shape.padded()).collect()
        };
        let first = |row: usize, neuron: usize| {
            let (input, set) = (row / SETS, row % SETS);
            let row = &self.input_weights[(INPUTS * set + input) * self.hidden..][..self.hidden];
            row.get(neuron).map_or(0.0, |weight| f32::from(*weight) / FIRST_SCALE)
        };
        let mut network = Network::blank(shape);
        network.take(
            first,
            filled(&self.input_biases, FIRST_SCALE),
            self.output_weights.chunks(self.hidden).flat_map(|half| filled(half, unit)).collect(),
            self.output_biases.iter().map(|bias| *bias as f32 / (FIRST_SCALE * unit)).collect(),
        );
        network
    }

    /// The number of neurons of each perspective, the units per 1.0 of output weights, and the centipawns per logit.
    pub(super) fn sizes(&self) -> [usize; 3] {
        let [_, output_scale, score] = self.scales.map(|scale| scale as usize);
        [self.hidden, output_scale, score]
    }

    /// Whether a training can have these weights: its first step would not clip any of them.
    pub(super) fn is_within_limits(&self) -> bool {
        let own = (Sample::LIMIT * FIRST_SCALE).round() as i32;
        let (one, other) = self.input_weights.split_at(INPUTS * self.hidden);
        let apart = |(one, other): (&i16, &i16)| (i32::from(*one) - i32::from(*other)).abs() <= 2 * own;
        let within = |numbers: &[i16], limit: i32| numbers.iter().all(|number| i32::from(*number).abs() <= limit);
        let bias_limit = OUTPUT_BIAS_LIMIT * FIRST_SCALE * self.scales[1] as f32;
        self.scales[0] == FIRST_SCALE as i32
            && within(&self.input_weights, 2 * own)
            && one.iter().zip(other).all(apart)
            && within(&self.input_biases, own)
            && within(&self.output_weights, Sample::OUTPUT_UNITS as i32)
            && self.output_biases.iter().all(|bias| bias.unsigned_abs() as f32 <= bias_limit)
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// [`PstNetError`] for invalid bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PstNetError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(PstNetError::Foreign)?;
        let (header, rest) = rest.split_first_chunk::<28>().ok_or(PstNetError::Foreign)?;
        let header: Vec<i32> = header.as_chunks().0.iter().map(|number| i32::from_le_bytes(*number)).collect();
        let ranges = [VERSION..=VERSION, 16..=2_048, SETS as i32..=SETS as i32, BUCKETS as i32..=BUCKETS as i32];
        let ranges = ranges.into_iter().chain(std::iter::repeat_n(1..=i32::from(i16::MAX), 3));
        if let Some((&wrong, _)) = header.iter().zip(ranges).find(|(number, range)| !range.contains(number)) {
            return Err(PstNetError::Header(wrong));
        }
        let hidden = header[1] as usize;
        let counts = [hidden, SETS * INPUTS * hidden, BUCKETS * 2 * hidden];
        let expected = 2 * counts.iter().sum::<usize>() + 4 * BUCKETS;
        if rest.len() != expected {
            return Err(PstNetError::Length { found: rest.len(), expected });
        }
        let (weights, output_biases) = rest.split_at(expected - 4 * BUCKETS);
        let mut weights = weights.as_chunks().0.iter().map(|number| i16::from_le_bytes(*number));
        let [input_biases, input_weights, output_weights] =
            counts.map(|count| weights.by_ref().take(count).collect::<Vec<_>>());
        let output_biases = output_biases.as_chunks().0.iter().map(|number| i32::from_le_bytes(*number)).collect();
        let scales = [header[4], header[5], header[6]];
        Ok(Self { hidden, scales, input_biases, input_weights, output_weights, output_biases })
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let sizes = [VERSION, self.hidden as i32, SETS as i32, BUCKETS as i32];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(sizes.into_iter().chain(self.scales).flat_map(i32::to_le_bytes));
        let weights = [&self.input_biases, &self.input_weights, &self.output_weights];
        bytes.extend(weights.into_iter().flatten().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes
    }

    /// Centipawns for the side to move; `None` for a board of more than 32 pieces.
    pub fn centipawns(&self, position: &Chess) -> Option<i64> {
        self.of_record(&Record::new(position, &Labels::default()).ok()?)
    }

    /// The centipawns of a record's position; `None` for a record that is not a position.
    fn of_record(&self, record: &Record) -> Option<i64> {
        let mut sample = Sample::EMPTY;
        sample.read(record, Target::NONE)?;
        let bucket = sample.bucket(OUTPUTS);
        let weights = self.output_weights[bucket * 2 * self.hidden..][..2 * self.hidden].chunks_exact(self.hidden);
        let sum =
            sample.rows().into_iter().zip(weights).map(|(rows, weights)| self.weighted(rows, weights)).sum::<i64>();
        let [one, output_one, scale] = self.scales.map(i64::from);
        Some((i64::from(self.output_biases[bucket]) + sum) * scale / (one * output_one))
    }

    /// The contribution of a side to the sum.
    fn weighted(&self, rows: &[u16], weights: &[i16]) -> i64 {
        let mut half = self.input_biases.clone();
        for &row in rows {
            let (input, set) = (usize::from(row) / SETS, usize::from(row) % SETS);
            let row = &self.input_weights[(INPUTS * set + input) * self.hidden..][..self.hidden];
            half.iter_mut().zip(row).for_each(|(unit, weight)| *unit = unit.wrapping_add(*weight));
        }
        let one = self.scales[0];
        let product = |(unit, weight): (&i16, &i16)| i64::from(i32::from(*unit).clamp(0, one)) * i64::from(*weight);
        half.iter().zip(weights).map(product).sum()
    }
}

#[cfg(test)]
impl PstNet {
    /// Replaces a weight of the first layer, given in its units.
    pub(super) fn with_weight(mut self, at: usize, weight: i16) -> Self {
        self.input_weights[at] = weight;
        self
    }
}

impl Export for Network<Sample> {
    const FILE: &str = "network.bin";

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        Ok(PstNet::of(self).to_bytes())
    }

    fn evaluator(&self) -> Result<impl Fn(&Record) -> Option<f64> + Sync, TrainError> {
        let (network, scale) = (PstNet::of(self), f64::from(self.shape().score));
        Ok(move |record: &Record| Some(network.of_record(record)? as f64 / scale))
    }
}
