//! What the engine gets: weights in its integers, as its files.

use super::TrainError;
use super::model::{FIRST_SCALE, Linear, Model, Network};
use super::sample::row_of;
use engine::eval::features::FEATURES;
use engine::eval::network::NetworkParts;
use engine::{Evaluator, Position, WazirPieceSquare, WeightsError};

/// The engine's score is in 1/10,000 logit.
const SCORE_UNITS: f32 = 10_000.0;

/// A model that the engine has, too.
pub(super) trait Export: Model + Sized {
    /// The name of its file.
    const FILE: &str;

    /// The bytes of the engine's file.
    fn bytes(&self) -> Result<Vec<u8>, WeightsError>;

    /// The engine's output for a position, in logits.
    fn evaluator(&self) -> Result<impl Fn(&Position) -> f64 + Sync, TrainError> {
        let evaluator = Evaluator::from_bytes(&self.bytes()?)?;
        Ok(move |position: &Position| evaluator.evaluate(position).logit())
    }
}

impl Export for Linear {
    const FILE: &str = "wps.bin";

    fn bytes(&self) -> Result<Vec<u8>, WeightsError> {
        let units = |logit: f32| (logit * SCORE_UNITS).round();
        let weights = (0..FEATURES).map(|feature| units(self.merged()[row_of(feature)]) as i16).collect();
        Ok(WazirPieceSquare::new(weights, units(self.tempo()) as i32)?.to_bytes())
    }
}

impl Export for Network {
    const FILE: &str = "network.bin";

    fn bytes(&self) -> Result<Vec<u8>, WeightsError> {
        let shape = self.shape();
        let (weights, biases) = self.output();
        let scale = f32::from(shape.output_scale);
        let parts = NetworkParts {
            hidden: shape.hidden,
            buckets: shape.buckets,
            feature_weights: (0..FEATURES).flat_map(|feature| self.row(row_of(feature))).collect(),
            feature_biases: self.biases().to_vec(),
            output_scale: shape.output_scale,
            output_weights: weights.iter().map(|weight| (weight * scale).round() as i16).collect(),
            output_biases: biases.iter().map(|bias| (bias * FIRST_SCALE * scale).round() as i32).collect(),
        };
        Ok(engine::Network::new(&parts)?.to_bytes())
    }
}
