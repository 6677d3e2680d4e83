//! The settings of a training: plain numbers, all in range.

use super::adam::Schedule;
use super::input::{Target, of_millilogits};
use super::weights::PositionWeights;
use serde::{Deserialize, Serialize};

/// The kind of model to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The linear model over wazir-piece-square features.
    Wps,
    /// The network over the same features.
    Network {
        /// Neurons of each perspective: a multiple of 32, at most 512.
        hidden: usize,
        /// The number of output buckets by pieces on the board, 1 to 16.
        buckets: usize,
        /// The number of output buckets by plies made, 1 to 16.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        ply_buckets: usize,
        /// The number of units per 1.0 of an output weight, 1 to 16,384; no weight exceeds 127.
        output_scale: u16,
    },
    /// The policy of 0.1: predicts the move played from the hidden layer of a frozen network.
    Policy {
        /// The number of units per 1.0 of a weight, 1 to 16,384; no weight exceeds 127.
        output_scale: u16,
    },
    /// The network of crazyhouse: value and policy together.
    Crazyhouse {
        /// Neurons: a multiple of 32, at most 256.
        hidden: usize,
        /// Centipawns per logit of scores: 1 to 3,200.
        scale: u16,
    },
    /// The chess network of `pst_engine`.
    Chess {
        /// Neurons of each perspective: a multiple of 16, at most 2,048.
        hidden: usize,
        /// The number of units per 1.0 of an output weight, 1 to 16,384; no weight exceeds 1,000.
        output_scale: u16,
        /// Centipawns per logit, of scores and of the network's output: 1 to 3,200.
        scale: u16,
    },
}

impl Kind {
    /// The name of the simple evaluation that is the baseline for models of this kind.
    pub fn simple(self) -> &'static str {
        match self {
            Self::Wps | Self::Network { .. } => "piece-square",
            Self::Policy { .. } => "all moves equal",
            Self::Chess { .. } | Self::Crazyhouse { .. } => "material",
        }
    }

    /// The score of a record that equals 1 logit.
    pub(super) fn logit(self) -> u16 {
        match self {
            Self::Wps | Self::Network { .. } | Self::Policy { .. } => 1_000,
            Self::Chess { scale, .. } | Self::Crazyhouse { scale, .. } => scale,
        }
    }
}

fn one() -> usize {
    1
}

fn is_one(number: &impl PartialEq<usize>) -> bool {
    *number == 1
}

/// The settings of a training. All of them affect the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The kind of model.
    pub kind: Kind,
    /// The mean number of times that each position is used: above 0.
    pub epochs: f64,
    /// The number of positions per step, from 1.
    pub batch: usize,
    /// The highest learning rate.
    pub learning_rate: f64,
    /// The learning rate at the end.
    pub final_learning_rate: f64,
    /// The share of all steps in which the learning rate rises, 0 to 1.
    pub warm_up: f64,
    /// The share of a weight that decays in a step, in units of the learning rate.
    pub weight_decay: f64,
    /// The weight of the game's result in the target, 0 to 1.
    pub lambda: f64,
    /// The limit that scores are clamped to, in 1/1,000 logit.
    pub score_clip: i16,
    /// The seed of the initial weights and of the order of positions.
    pub seed: u64,
    /// The number of threads, and of the parts of each batch.
    pub threads: usize,
    /// The number of evaluations on the held-out set, from 1.
    pub evaluations: u64,
    /// The number of evaluations without improvement that ends the training; `None` for never.
    pub patience: Option<u64>,
    /// The weights of positions in the loss.
    pub weights: PositionWeights,
}

impl Settings {
    /// The default settings.
    pub fn new(kind: Kind) -> Self {
        let (learning_rate, final_learning_rate, weight_decay) = match kind {
            Kind::Wps => (0.01, 1e-4, 0.01),
            Kind::Network { .. } | Kind::Chess { .. } => (1e-3, 1e-6, 0.3),
            Kind::Policy { .. } => (2e-3, 1e-6, 0.01),
            Kind::Crazyhouse { .. } => (2e-3, 1e-6, 0.1),
        };
        let (batch, lambda) = if let Kind::Crazyhouse { .. } = kind { (4_096, 0.3) } else { (16_384, 0.1) };
        Self {
            kind,
            epochs: 10.0,
            batch,
            learning_rate,
            final_learning_rate,
            warm_up: 0.02,
            weight_decay,
            lambda,
            score_clip: 8_000,
            seed: 1,
            threads: 2,
            evaluations: 40,
            patience: None,
            weights: PositionWeights::default(),
        }
    }

    pub(super) fn target(&self) -> Target {
        let logit = self.kind.logit();
        Target { lambda: self.lambda as f32, clip: of_millilogits(self.score_clip, logit), logit: f32::from(logit) }
    }

    pub(super) fn schedule(&self, steps: u64) -> Schedule {
        Schedule {
            steps,
            warm_up: (self.warm_up * steps as f64) as u64,
            highest: self.learning_rate,
            last: self.final_learning_rate,
            decay: self.weight_decay,
        }
    }
}
