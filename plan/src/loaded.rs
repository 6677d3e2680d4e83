//! The result of resolving a plan: the run, ready to play, and settings outside its identity.

use crate::jobs;
use arena::config::{ExecutorKind, RunConfig, ScaleBy, TuneNote};
use arena::run::Experiment;
use play::child::Affinity;
use play::openings::Openings;
use std::num::NonZeroUsize;
use std::time::Duration;
use tuner::Layout;

/// A parsed configuration file: the run, and settings outside its identity.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The run's identity.
    pub run: RunConfig,
    /// Its experiment before the first pair; a session plays with a copy.
    pub experiment: Box<dyn Experiment>,
    /// Its openings, read from the book if there is one.
    pub openings: Openings,
    /// The number of pairs that are played at a time, if the file sets it.
    pub concurrency: Option<NonZeroUsize>,
    /// The entrants.
    pub executor: ExecutorKind,
    /// The processors that engine processes run on.
    pub affinity: Affinity,
    /// The source of the factor of its time controls, if they are scaled.
    pub scale_by: Option<ScaleBy>,
    /// The pause of a worker's engine processes between two games.
    pub pause: Duration,
    /// Whether the text sets the action on starved pairs.
    pub names_starvation_action: bool,
    /// Whether the text sets the share of its games that an entrant may lose by faults.
    pub names_max_fault_share: bool,
    /// Settings of tuned parameters that are not taken literally.
    pub notes: Vec<TuneNote>,
    /// The effective text: the file with all settings from the command line applied.
    pub text: String,
}

impl Loaded {
    /// The layout of a tuning session: the tuned parameters, and the parameters that the engine gets.
    pub fn layout(&self) -> Option<&Layout> {
        jobs::tune_of(self.experiment.as_ref()).map(arena::run::Tune::layout)
    }
}
