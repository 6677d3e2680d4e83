//! Trains evaluations on positions with scores and results.
//!
//! The target of a position is a probability of winning for the side to move,
//!
//! ```text
//! t = (1 - lambda) sigmoid(score) + lambda result        loss = -t log(s) - (1 - t) log(1 - s),  s = sigmoid(output)
//! ```
//!
//! Training minimises the mean loss over all positions, by AdamW (`adam`) on batches in random order; `weights` decides
//! how much each position counts. Models are in `model`. Their inputs are in `sample` for positions of 0.1 and in
//! `chess` for positions of chess. `export` and `pst_net` write the files for engines. The same data, settings and
//! number of threads give the same weights bit for bit, even if a training is stopped and resumed: each batch is cut
//! into one part per thread, sums are added in their order, and random numbers depend only on the seed and the epoch.

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
