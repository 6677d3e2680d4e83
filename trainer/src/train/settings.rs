//! What is to be trained, and how: plain numbers, all in range.

use super::adam::Schedule;
use super::input::{Target, of_millilogits};
use super::weights::PositionWeights;
use serde::{Deserialize, Serialize};

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The linear model over wazir-piece-square features.
    Wps,
    /// The network over the same features.
    Network {
        /// Neurons of each perspective: a multiple of 32, at most 512.
        hidden: usize,
        /// Outputs to choose from by pieces on the board, 1 to 16.
        buckets: usize,
        /// Units of the output's weights that are 1; none is larger than 127 of them. 1 to 16,384.
        output_scale: u16,
    },
    /// The policy of 0.1: which move is played, from the hidden layer of a network that stays as it is.
    Policy {
        /// Units of weights that are 1; none is larger than 127 of them. 1 to 16,384.
        output_scale: u16,
    },
    /// The network of crazyhouse: value and policy together.
    Crazyhouse {
        /// Neurons: a multiple of 32, at most 256.
        hidden: usize,
        /// Centipawns that are 1 logit, of scores: 1 to 3,200.
        scale: u16,
    },
    /// The network of chess that `pst_engine` has.
    Chess {
        /// Neurons of each perspective: a multiple of 16, at most 2,048.
        hidden: usize,
        /// Units of the output's weights that are 1; none is larger than 1,000 of them. 1 to 16,384.
        output_scale: u16,
        /// Centipawns that are 1 logit, of scores and of what the network says: 1 to 3,200.
        scale: u16,
    },
}

impl Kind {
    /// What the simple evaluation is called that models of it are compared with.
    pub fn simple(self) -> &'static str {
        match self {
            Self::Wps | Self::Network { .. } => "piece-square",
            Self::Policy { .. } => "all moves equal",
            Self::Chess { .. } | Self::Crazyhouse { .. } => "material",
        }
    }

    /// The score of a record that is 1 logit.
    pub(super) fn logit(self) -> u16 {
        match self {
            Self::Wps | Self::Network { .. } | Self::Policy { .. } => 1_000,
            Self::Chess { scale, .. } | Self::Crazyhouse { scale, .. } => scale,
        }
    }
}

/// How it is trained. All of it decides the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is trained.
    pub kind: Kind,
    /// How often each position is seen, on average: above 0.
    pub epochs: f64,
    /// Positions of a step, from 1.
    pub batch: usize,
    /// The highest learning rate.
    pub learning_rate: f64,
    /// The learning rate at the end.
    pub final_learning_rate: f64,
    /// The share of all steps in which the learning rate rises, 0 to 1.
    pub warm_up: f64,
    /// What a weight loses in a step, as a share of it, in units of the learning rate.
    pub weight_decay: f64,
    /// The weight of the game's result in the target, 0 to 1.
    pub lambda: f64,
    /// Scores beyond are taken for this, in 1/1,000 logit.
    pub score_clip: i16,
    /// Of the first weights and the order of positions.
    pub seed: u64,
    /// Threads: as many parts as each batch has.
    pub threads: usize,
    /// How often the held-out set was evaluated, from 1.
    pub evaluations: u64,
    /// After how many evaluations without a better one the training ends; `None` for never.
    pub patience: Option<u64>,
    /// How much each position counts.
    pub weights: PositionWeights,
}

impl Settings {
    /// What is usual.
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
