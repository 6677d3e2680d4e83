//! Time controls that are scaled to the host's speed, so that a test means the same on slow and on fast hosts. What
//! they are scaled to is part of what a run is; how fast a host is, and so by how much, is the host's.

use super::{ExperimentConfig, RunConfig};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::time::Duration;

/// What the time controls of a run are scaled to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScale {
    /// To a host on which the bench of an entrant is so fast.
    Bench(ReferenceSpeed),
    /// By a factor that is given on each host.
    Given,
}

/// The host for which time controls are written: how fast an entrant's bench is on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceSpeed {
    /// The entrant's name.
    pub entrant: String,
    /// Arguments with which its program does its bench; the engine of 0.1 needs none.
    pub arguments: Vec<String>,
    /// Nodes a second.
    pub nps: NonZeroU64,
}

/// Where a host's factor comes from: no part of what a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleBy {
    /// It is given.
    Factor(f64),
    /// The bench is run, for this long at most.
    Bench {
        /// Its deadline.
        within: Duration,
    },
}

/// By how much time controls are scaled on a host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostScale {
    /// They are multiplied by this.
    pub factor: f64,
    /// The nodes a second that the bench did, if it was run.
    pub measured: Option<NonZeroU64>,
}

/// The least factor: below it, or above [`MOST_FACTOR`], it is rather the reference that is wrong.
pub const LEAST_FACTOR: f64 = 0.01;
/// The greatest factor.
pub const MOST_FACTOR: f64 = 100.0;

/// Whether time controls can be multiplied by this.
pub fn is_factor(factor: f64) -> bool {
    (LEAST_FACTOR..=MOST_FACTOR).contains(&factor)
}

impl RunConfig {
    /// The run as played on a host: all times of the wall clock are multiplied by this.
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
