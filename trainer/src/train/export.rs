//! Writes weights as the integers of engines, in their files. Networks of chess are in `pst_net`.

use super::TrainError;
use super::model::{FIRST_SCALE, Linear, Model, Network, RecordOf, Shape};
use super::sample::{Sample, feature_of, row_of};
use crate::data::Record;
use engine::eval::features::FEATURES;
use engine::eval::network::{Buckets, NetworkParts};
use engine::{Evaluator, WazirPieceSquare};

/// The engine's score is in 1/10,000 logit.
pub(super) const SCORE_UNITS: u16 = 10_000;

/// A model that an engine implements.
pub(super) trait Export: Model + Sized {
    /// The name of the engine's weights file.
    const FILE: &str;

    /// The bytes of the engine's weights file.
    fn bytes(&self) -> Result<Vec<u8>, TrainError>;

    /// Returns the engine's output with these weights, in logits; `None` for a record that is not a position.
    fn evaluator(&self) -> Result<impl Fn(&RecordOf<Self>) -> Option<f64> + Sync, TrainError>;
}

/// Returns the output of the 0.1 engine with the weights of a file.
fn evaluator(bytes: &[u8]) -> Result<impl Fn(&Record) -> Option<f64> + Sync + use<>, TrainError> {
    let evaluator = Evaluator::from_bytes(bytes)?;
    Ok(move |record: &Record| Some(evaluator.evaluate(&record.position().ok()?).logit()))
}

impl Export for Linear {
    const FILE: &str = "wps.bin";

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        let units = |logit: f32| (logit * f32::from(SCORE_UNITS)).round();
        let weights = (0..FEATURES).map(|feature| units(self.merged()[row_of(feature)]) as i16).collect();
        Ok(WazirPieceSquare::new(weights, units(self.tempo()) as i32)?.to_bytes())
    }

    fn evaluator(&self) -> Result<impl Fn(&Record) -> Option<f64> + Sync, TrainError> {
        evaluator(&self.bytes()?)
    }
}

impl Export for Network<Sample> {
    const FILE: &str = "network.bin";

    fn bytes(&self) -> Result<Vec<u8>, TrainError> {
        let shape = self.shape();
        let scale = f32::from(shape.output_scale);
        let parts = NetworkParts {
            hidden: shape.hidden,
            buckets: shape.buckets,
            feature_weights: (0..FEATURES).flat_map(|feature| self.row(row_of(feature))).collect(),
            feature_biases: self.biases().to_vec(),
            output_scale: shape.output_scale,
            output_weights: self.output_weights().map(|weight| (weight * scale).round() as i16).collect(),
            output_biases: self
                .output_biases()
                .iter()
                .map(|bias| (bias * FIRST_SCALE * scale).round() as i32)
                .collect(),
        };
        Ok(engine::Network::new(&parts)?.to_bytes())
    }

    fn evaluator(&self) -> Result<impl Fn(&Record) -> Option<f64> + Sync, TrainError> {
        evaluator(&self.bytes()?)
    }
}

impl Network<Sample> {
    /// Makes a network in training from the engine's network: samples see exactly the same numbers. A network with one
    /// bucket by plies can get more, which begin alike.
    pub(in crate::train) fn from_parts(parts: &NetworkParts, ply_buckets: usize) -> Self {
        let NetworkParts { hidden, buckets: Buckets { pieces, plies }, output_scale, .. } = *parts;
        let scale = f32::from(output_scale);
        let of =
            |numbers: &[i16], unit: f32| numbers.iter().map(|&number| f32::from(number) / unit).collect::<Vec<_>>();
        let first = of(&parts.feature_weights, FIRST_SCALE);
        let copies = if plies == 1 { ply_buckets } else { 1 };
        let buckets = Buckets { pieces, plies: plies * copies };
        let mut network = Self::blank(Shape { hidden, buckets, output_scale, score: SCORE_UNITS });
        network.take(
            |row, neuron| first[feature_of(row) * hidden + neuron],
            of(&parts.feature_biases, FIRST_SCALE),
            of(&parts.output_weights, scale).repeat(copies),
            parts
                .output_biases
                .iter()
                .map(|&bias| bias as f32 / (FIRST_SCALE * scale))
                .collect::<Vec<_>>()
                .repeat(copies),
        );
        network
    }
}
