//! What a session tells: events, in the order in which things happen, and the state that they add up to.

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
    /// A watcher that comes late, or that was too slow for the events, gets the current state instead.
    Resync(Arc<State>),
    /// A job of several runs begins with one of its parts.
    Phase(Phase),
    /// Something happens to the build of an engine.
    Build(Arc<BuildEvent>),
    /// A run is about to be made or resumed: its description. Nothing has been tried yet.
    Planned(Arc<Planned>),
    /// A warning; the session continues.
    Warning(Warning),
    /// The run has its folder, and its pairs are being played.
    Started(PathBuf),
    /// Pairs were committed: their numbers, rising, and what each counts as.
    Committed(Arc<[(PairIndex, Counted)]>),
    /// A player made a fault in a committed game.
    Fault(Arc<FaultEvent>),
    /// Where the run stands.
    Standing(Arc<Snapshot>),
    /// The session was paused, or continues.
    Paused(bool),
    /// How far a training is.
    Training(TrainingProgress),
    /// A generation of learning has been tested.
    Generation(Arc<Generation>),
    /// A bisection or a campaign is worked on in this folder. Its runs lie beside it.
    Job(PathBuf),
    /// A job of several runs tells something that stays true, such as what it has found.
    Note(Arc<str>),
    /// Where a job of several runs stands. A later one replaces it.
    Table(Arc<JobTable>),
    /// A run has its verdict or was stopped.
    Ended(Arc<Outcome>),
    /// The session is over; nothing follows. If it failed, why: the handle's `wait` has the error itself.
    Finished {
        /// Why it failed, if it did.
        failure: Option<Arc<str>>,
    },
}

/// A part of a job of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, such as the release that a regression test is against.
    pub name: String,
    /// Its number, from 1.
    pub number: usize,
    /// How many there are, as far as is known.
    pub of: usize,
}

/// What a run is.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its configuration, as it will be its identity.
    pub config: RunConfig,
    /// How many pairs are played at a time; 0: as many as other machines can.
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

/// How far a training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Positions that have been learnt from.
    pub positions: u64,
    /// Positions in all.
    pub of: u64,
    /// Mean loss of the last batch.
    pub loss: f64,
    /// Mean loss of the held-out positions when they were last looked at.
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

/// The sum of a session's events: all that a late watcher needs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The part of the job that is at work, if it has several.
    pub phase: Option<Phase>,
    /// The last event of builds, if no run has been planned since.
    pub build: Option<Arc<BuildEvent>>,
    /// The run that is at work.
    pub planned: Option<Arc<Planned>>,
    /// Its folder, once it has one.
    pub path: Option<PathBuf>,
    /// Where it stands.
    pub standing: Option<Arc<Snapshot>>,
    /// How far the training is that is at work.
    pub training: Option<TrainingProgress>,
    /// Where the job of several runs stands, if it has a table.
    pub table: Option<Arc<JobTable>>,
    /// Whether it is paused.
    pub paused: bool,
    /// What was warned of, the oldest first; at most [`MOST_KEPT`].
    pub warnings: Vec<Warning>,
    /// The latest fault of a player.
    pub last_fault: Option<Arc<FaultEvent>>,
    /// The runs that have ended.
    pub ended: Vec<Arc<Outcome>>,
    /// Whether the session is over, and why it failed if it did.
    pub finished: Option<Option<Arc<str>>>,
}

/// This many warnings are kept for those who come late.
pub const MOST_KEPT: usize = 100;

impl State {
    /// Takes an event in.
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
            Event::Ended(outcome) => self.ended.push(Arc::clone(outcome)),
            Event::Finished { failure } => self.finished = Some(failure.clone()),
        }
    }
}
