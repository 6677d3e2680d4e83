//! The quality of a training's result: figures only. `judge` and `policy` compute them.

use serde::{Deserialize, Serialize};

/// The quality of a trained model.
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
    /// The difference between the engine's numbers and the training's; only at the end.
    pub fn quantisation(&self) -> Option<&QuantisationError> {
        match self {
            Self::Value(value) => value.quantisation.as_ref(),
            Self::Policy(policy) | Self::Both(Both { policy, .. }) => policy.quantisation.as_ref(),
        }
    }
}

/// The quality of a network with a value and a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Both {
    /// The policy. Its quantisation figures include the value.
    pub policy: PolicyJudgement,
    /// The value.
    pub value: Value,
}

/// The quality of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The losses of the last weights on the held-out set.
    pub losses: Losses,
    /// The losses of the baselines.
    pub baselines: Baselines,
    /// The difference between the engine's numbers and the training's; only at the end.
    pub quantisation: Option<QuantisationError>,
}

/// Mean losses over the held-out set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// The loss with the target of the training.
    pub target: f64,
    /// The loss with the score as target.
    pub score: f64,
    /// The loss with the game's result as target.
    pub result: f64,
}

/// The losses of baselines on the held-out set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baselines {
    /// The targets themselves: the lower bound for every model.
    pub targets: Losses,
    /// The mean target as the output for all positions.
    pub constant: Losses,
    /// A simple evaluation, [`Kind::simple`](super::Kind::simple).
    pub simple: Losses,
}

/// How well moves are predicted on the held-out set, weighted by the weights of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The mean cross-entropy to the target, in nats: for the move played, -log(its share).
    pub cross_entropy: f64,
    /// The share of positions in which the move played is ranked first.
    pub top_1: f64,
    /// The share in which it is among the first three.
    pub top_3: f64,
    /// The share in which it is among the first five.
    pub top_5: f64,
}

/// The quality of a policy at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyJudgement {
    /// The policy's figures.
    pub policy: Figures,
    /// The figures of a policy that gives all moves the same probability.
    pub uniform: Figures,
    /// The mean number of safe moves per position.
    pub moves: f64,
    /// The difference between the engine's logits and the training's; only at the end.
    pub quantisation: Option<QuantisationError>,
}

/// The distance between the engine's output and the training's, in logits, over held-out positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantisationError {
    /// The median.
    pub median: f64,
    /// The 99th percentile.
    pub percentile_99: f64,
    /// The maximum.
    pub largest: f64,
    /// The 99th percentile before weights are rounded, which shows the effect of rounding that training compensates
    /// for.
    pub unrounded_percentile_99: f64,
}
