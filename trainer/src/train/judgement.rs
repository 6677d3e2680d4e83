//! What is known of a training's result: figures alone. `judge` and `policy` compute them.

use serde::{Deserialize, Serialize};

/// How good what was trained is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Judgement {
    /// An evaluation.
    Value(Value),
    /// A policy.
    Policy(PolicyJudgement),
    /// A network with a value and a policy.
    Both(Both),
}

impl Judgement {
    /// The engine's numbers beside the training's; at the end only.
    pub fn quantisation(&self) -> Option<&QuantisationError> {
        match self {
            Self::Value(value) => value.quantisation.as_ref(),
            Self::Policy(policy) | Self::Both(Both { policy, .. }) => policy.quantisation.as_ref(),
        }
    }
}

/// How good a network with a value and a policy is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Both {
    /// The policy. Its figures of quantisation are of the value, too.
    pub policy: PolicyJudgement,
    /// The value.
    pub value: Value,
}

/// How good an evaluation is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// What the last weights make of the held-out set.
    pub losses: Losses,
    /// What others make of it.
    pub baselines: Baselines,
    /// The engine's numbers beside the training's; at the end only.
    pub quantisation: Option<QuantisationError>,
}

/// Mean losses over the held-out set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// With the target that is trained on.
    pub target: f64,
    /// With the score alone.
    pub score: f64,
    /// With the game's result alone.
    pub result: f64,
}

/// What others make of the held-out set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baselines {
    /// The targets themselves: no model can do better.
    pub targets: Losses,
    /// The mean target, for all positions.
    pub constant: Losses,
    /// A simple evaluation, [`Kind::simple`](super::Kind::simple).
    pub simple: Losses,
}

/// How well moves are predicted, over the held-out set, by the weights of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The mean of -log(the share of the move played), in nats.
    pub cross_entropy: f64,
    /// The share of positions in which the move played is the first.
    pub top_1: f64,
    /// In which it is among the first three.
    pub top_3: f64,
    /// In which it is among the first five.
    pub top_5: f64,
}

/// What is known of a policy at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyJudgement {
    /// The policy's figures.
    pub policy: Figures,
    /// Those of a policy that takes all moves for equally likely.
    pub uniform: Figures,
    /// Safe moves of a position, on average.
    pub moves: f64,
    /// The engine's logits beside the training's; at the end only.
    pub quantisation: Option<QuantisationError>,
}

/// How far the engine's output is from the one in training, in logits, over held-out positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantisationError {
    /// Half of the positions are nearer.
    pub median: f64,
    /// 99 of 100 are nearer.
    pub percentile_99: f64,
    /// The worst.
    pub largest: f64,
    /// The 99th percentile before weights are rounded: what rounding does that training has made up for.
    pub unrounded_percentile_99: f64,
}
