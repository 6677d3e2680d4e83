//! Time controls scaled to the host's speed, so that a test means the same on slow and fast hosts. The reference speed
//! belongs to the run's identity; the host's speed, and so the factor, does not.

use super::{ExperimentConfig, RunConfig};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::time::Duration;

/// The reference to which a run's time controls are scaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScale {
    /// A host on which an entrant's bench reaches this speed.
    Bench(ReferenceSpeed),
    /// A factor given on each host.
    Given,
}

/// The host for which time controls are written, as the speed of an entrant's bench on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceSpeed {
    /// The entrant's name.
    pub entrant: String,
    /// The arguments that make the entrant's program run its bench; the engine of 0.1 needs none.
    pub arguments: Vec<String>,
    /// Nodes per second.
    pub nps: NonZeroU64,
}

/// The source of a host's factor. It is not part of the run's identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleBy {
    /// The given factor.
    Factor(f64),
    /// The bench, which runs for at most this long.
    Bench {
        /// The deadline of the bench.
        within: Duration,
    },
}

/// The factor by which a host scales time controls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostScale {
    /// The factor.
    pub factor: f64,
    /// The bench speed in nodes per second, if the bench was run.
    pub measured: Option<NonZeroU64>,
}

/// The least valid factor. Below it, or above [`MOST_FACTOR`], the reference is more likely wrong.
pub const LEAST_FACTOR: f64 = 0.01;
/// The greatest valid factor.
pub const MOST_FACTOR: f64 = 100.0;

/// Whether `factor` is a valid factor for time controls.
pub fn is_factor(factor: f64) -> bool {
    (LEAST_FACTOR..=MOST_FACTOR).contains(&factor)
}

impl RunConfig {
    /// Returns the run as played on a host: every wall-clock time is multiplied by `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut run = self.clone();
        if let ExperimentConfig::Tune(tune) = &mut run.experiment
            && self.entrants.iter().any(|entrant| entrant.player.is_timed_by_the_wall())
        {
            tune.limits.iter_mut().for_each(|limit| *limit = limit.scaled(factor));
        }
        run.entrants.iter_mut().for_each(|entrant| entrant.player.scale_time(factor));
        run
    }
}
