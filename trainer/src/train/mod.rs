//! Training: evaluations fitted to positions with scores and results.
//!
//! The target of a position is a probability of winning for the side to move,
//!
//! ```text
//! t = (1 - lambda) sigmoid(score) + lambda result        loss = -t log(s) - (1 - t) log(1 - s),  s = sigmoid(output)
//! ```
//!
//! and what is minimised is the mean loss over all positions, by AdamW (`adam`) on batches in random order; how much
//! each of them counts is in `weights`. Models are in `model`, what they see of a position of 0.1 in `sample` and of
//! one of chess in `chess`; what engines get is written by `export` and `pst_net`. The same data, settings and number
//! of threads give the same weights bit for bit, stopped and resumed anywhere: each batch is cut into one part for each
//! thread, sums are taken in their order, and random numbers belong to the seed and the epoch.

mod adam;
mod checkpoint;
mod chess;
mod crazyhouse;
mod dataset;
mod error;
mod export;
mod fit;
pub(crate) mod input;
mod judge;
mod judgement;
mod model;
mod policy;
mod pst_net;
pub(crate) mod sample;
mod settings;
mod start;
mod task;
#[cfg(test)]
mod tests;
mod weights;

pub use dataset::{Choice, Dataset, Identity, Moves, Source};
pub use error::{CheckpointFault, Misfit, TrainError};
pub use fit::{CHECKPOINT, Control, Point, Progress, Trained, train};
pub use judgement::{Baselines, Both, Figures, Judgement, Losses, PolicyJudgement, QuantisationError, Value};
pub use pst_net::{PstNet, PstNetError};
pub use settings::{Kind, Settings};
pub use start::{Start, fits};
pub use weights::PositionWeights;
