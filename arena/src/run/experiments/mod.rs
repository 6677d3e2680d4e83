//! The experiments.

mod fixed;
mod sprt;
mod trace;

pub use fixed::Fixed;
pub use sprt::Sprt;

use super::experiment::Experiment;
use crate::config::ExperimentConfig;

/// The experiment of a configuration, before its first pair.
///
/// # Errors
/// What `stats` finds wrong with a test; a validated configuration has nothing wrong.
pub fn from_config(config: &ExperimentConfig) -> Result<Box<dyn Experiment>, stats::SprtError> {
    Ok(match *config {
        ExperimentConfig::Sprt { test, max_pairs } => Box::new(Sprt::new(test, max_pairs)?),
        ExperimentConfig::Match { pairs } => Box::new(Fixed::new(pairs)),
    })
}
