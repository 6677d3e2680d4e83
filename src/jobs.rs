//! From a configuration to the experiment it asks for: the one place that knows all kinds of them.

use crate::failure::Failure;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{Experiment, Fixed, Sprt};

/// The experiment of a run, before its first pair.
pub(crate) fn experiment(config: &RunConfig) -> Result<Box<dyn Experiment>, Failure> {
    Ok(match &config.experiment {
        ExperimentConfig::Sprt { test, max_pairs } => {
            Box::new(Sprt::new(*test, *max_pairs).map_err(|error| Failure::Usage(error.into()))?)
        }
        ExperimentConfig::Match { pairs, opponents } => Box::new(Fixed::new(*pairs, *opponents)),
        ExperimentConfig::Tune(_) => return Err(Failure::usage("tuning comes with the tuner")),
    })
}
