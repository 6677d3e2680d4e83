//! What a plan resolves to: the run, ready to be played, and settings outside its identity.

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
    /// Its experiment, before the first pair: a session plays on with a copy.
    pub experiment: Box<dyn Experiment>,
    /// Its openings, read from their file if they come from one.
    pub openings: Openings,
    /// How many pairs are played at a time, if the file says.
    pub concurrency: Option<NonZeroUsize>,
    /// The entrants.
    pub executor: ExecutorKind,
    /// Which processors engine processes run on.
    pub affinity: Affinity,
    /// Where the factor of its time controls comes from, if they are scaled.
    pub scale_by: Option<ScaleBy>,
    /// How long the engine processes of a worker rest between two games.
    pub pause: Duration,
    /// Whether the text says what becomes of starved pairs, or leaves it to spar.
    pub names_starvation_action: bool,
    /// Whether the text says which share of its games an entrant may lose by faults.
    pub names_max_fault_share: bool,
    /// What it says of tuned parameters and is not taken word for word.
    pub notes: Vec<TuneNote>,
    /// The effective text: the file with all settings from the command line applied.
    pub text: String,
}

impl Loaded {
    /// Of a tuning session what is tuned, and the parameters that the engine gets.
    pub fn layout(&self) -> Option<&Layout> {
        jobs::tune_of(self.experiment.as_ref()).map(arena::run::Tune::layout)
    }
}
