//! The cost and the power of a test, before it runs.
//!
//! * [`Conditions`]: how noisy pairs are (draws, opening bias), and the law of a pair at a given strength;
//! * [`Prospect`]: chance to pass and expected length of a sequential test, by Wald's formulas;
//! * [`OperatingCharacteristic`]: the same at a range of true differences;
//! * [`fixed`]: power and size of a test of fixed length;
//! * [`bounds_for`]: bounds that fit a budget of games;
//! * [`simulate`]: the true sequential procedure, seeded, pair by pair.

mod conditions;
pub mod fixed;
mod operating;
mod prospect;
pub mod simulate;

pub use conditions::{Conditions, PairLaw};
pub use operating::{OperatingCharacteristic, OperatingPoint};
pub use prospect::{Goal, Prospect, bounds_for, duration};

use crate::sprt::SprtError;
use thiserror::Error;

/// The reason why nothing can be planned.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum PlanError {
    /// The draw ratio is out of range.
    #[error("the draw ratio is {0}: expected a number from 0 to less than 1")]
    DrawRatio(f64),
    /// The bias is out of range.
    #[error("the RMS opening bias is {0} Elo: expected 0 or more")]
    Bias(f64),
    /// The draws and the bias leave no room for wins and losses.
    #[error(
        "no pair can have a draw ratio of {draw_ratio}, an opening bias of {rms_bias} Elo and an expected score of \
            {score}: \
         expected fewer draws, less bias or a score closer to 0.5"
    )]
    NoSuchPair {
        /// Draws per game.
        draw_ratio: f64,
        /// RMS opening bias in Elo.
        rms_bias: f64,
        /// Expected score.
        score: f64,
    },
    /// The budget is no number of games.
    #[error("the budget is {0} games: expected a positive number")]
    Budget(f64),
    /// An error rate is out of range.
    #[error("the error rate is {0:?}: expected {least:?} or more, and less than \
        0.5", least = crate::sprt::LEAST_ERROR_RATE)]
    ErrorRate(f64),
    /// The test is invalid.
    #[error(transparent)]
    Test(#[from] SprtError),
}
