//! The events of a session, in the order in which they happen, and the state that results from them.

use crate::builds::BuildEvent;
use crate::outcome::Outcome;
use crate::warning::Warning;
use crate::work::JobTable;
use crate::work::learn::record::Generation;
use arena::config::RunConfig;
use arena::run::{PairIndex, Snapshot};
use play::Fault;
use stats::Outcome as Counted;
use std::path::PathBuf;
use std::sync::Arc;

/// News of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The current state, for a watcher that starts late or was too slow for the events.
    Resync(Arc<State>),
    /// A job of several runs begins with one of its parts.
    Phase(Phase),
    /// An event of a build of an engine.
    Build(Arc<BuildEvent>),
    /// A run is about to be made or resumed, as described. Nothing has been tried yet.
    Planned(Arc<Planned>),
    /// A warning; the session continues.
    Warning(Warning),
    /// The run has its folder, and its pairs are being played.
    Started(PathBuf),
    /// Pairs were committed: their numbers, rising, and how each is counted.
    Committed(Arc<[(PairIndex, Counted)]>),
    /// A player made a fault in a committed game.
    Fault(Arc<FaultEvent>),
    /// The standing of the run.
    Standing(Arc<Snapshot>),
    /// The session was paused, or continues.
    Paused(bool),
    /// The progress of a training.
    Training(TrainingProgress),
    /// A generation of learning has been tested.
    Generation(Arc<Generation>),
    /// The folder of a bisection or a campaign that is in progress. Its runs are in the same parent folder.
    Job(PathBuf),
    /// A lasting fact about a job of several runs, such as a result.
    Note(Arc<str>),
    /// The standing of a job of several runs. A later table replaces it.
    Table(Arc<JobTable>),
    /// A run has its verdict or was stopped.
    Ended(Arc<Outcome>),
    /// The session has ended; no event follows. The handle's `wait` returns the error itself.
    Finished {
        /// The reason if it failed.
        failure: Option<Arc<str>>,
    },
}

/// A part of a job of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, such as the release that a regression test plays against.
    pub name: String,
    /// Its number, from 1.
    pub number: usize,
    /// The number of parts, as far as it is known.
    pub of: usize,
}

/// A description of a run.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its configuration, which becomes its identity.
    pub config: RunConfig,
    /// The number of pairs that are played at a time; 0 for as many as other machines can play.
    pub workers: usize,
}

/// A fault of a player.
#[derive(Clone, Debug)]
pub struct FaultEvent {
    /// The pair, from 0.
    pub pair: PairIndex,
    /// Its game, 0 or 1.
    pub game: usize,
    /// The entrant.
    pub entrant: String,
    /// What it did wrong.
    pub fault: Fault,
}

/// The progress of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// The positions learnt from so far.
    pub positions: u64,
    /// The total number of positions.
    pub of: u64,
    /// Mean loss of the last batch.
    pub loss: f64,
    /// Mean loss of the held-out positions at the last evaluation.
    pub held_out: Option<f64>,
    /// Positions a second.
    pub speed: f64,
}

impl From<&trainer::train::Progress<'_>> for TrainingProgress {
    fn from(progress: &trainer::train::Progress<'_>) -> Self {
        let trainer::train::Progress { positions, of, speed, loss, points } = *progress;
        Self { positions, of, loss, held_out: points.last().map(|point| point.held_out), speed }
    }
}

/// The state that results from a session's events: everything that a late watcher needs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The current part of the job, if it has several.
    pub phase: Option<Phase>,
    /// The last event of a build, if no run has been planned since.
    pub build: Option<Arc<BuildEvent>>,
    /// The current run.
    pub planned: Option<Arc<Planned>>,
    /// Its folder, once it has one.
    pub path: Option<PathBuf>,
    /// Its standing.
    pub standing: Option<Arc<Snapshot>>,
    /// The progress of the current training.
    pub training: Option<TrainingProgress>,
    /// The standing of the job of several runs, if it has a table.
    pub table: Option<Arc<JobTable>>,
    /// Whether the session is paused.
    pub paused: bool,
    /// The warnings, the oldest first; at most [`MOST_KEPT`].
    pub warnings: Vec<Warning>,
    /// The latest fault of a player.
    pub last_fault: Option<Arc<FaultEvent>>,
    /// The runs that have ended.
    pub ended: Vec<Arc<Outcome>>,
    /// The part of the job that each of these runs played, if the job has several.
    pub ended_in: Vec<Option<Phase>>,
    /// Whether the session has ended, and the reason if it failed.
    pub finished: Option<Option<Arc<str>>>,
}

/// The most warnings that are kept for late watchers.
pub const MOST_KEPT: usize = 100;

impl State {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Resync(state) => self.clone_from(state),
            Event::Phase(phase) => {
                self.training = None;
                self.phase = Some(phase.clone());
            }
            Event::Build(news) => self.build = Some(Arc::clone(news)),
            Event::Planned(planned) => {
                self.build = None;
                self.planned = Some(Arc::clone(planned));
                (self.path, self.standing, self.last_fault) = (None, None, None);
            }
            Event::Warning(warning) => {
                if self.warnings.len() == MOST_KEPT {
                    self.warnings.remove(0);
                }
                self.warnings.push(warning.clone());
            }
            Event::Started(path) => self.path = Some(path.clone()),
            Event::Committed(_) | Event::Generation(_) | Event::Job(_) | Event::Note(_) => {}
            Event::Training(progress) => self.training = Some(*progress),
            Event::Table(table) => self.table = Some(Arc::clone(table)),
            Event::Fault(fault) => self.last_fault = Some(Arc::clone(fault)),
            Event::Standing(standing) => self.standing = Some(Arc::clone(standing)),
            Event::Paused(paused) => self.paused = *paused,
            Event::Ended(outcome) => {
                self.ended.push(Arc::clone(outcome));
                self.ended_in.push(self.phase.clone());
            }
            Event::Finished { failure } => self.finished = Some(failure.clone()),
        }
    }
}
