//! Runs read back from their journals, even while another process works on them: their standings and summaries.

use crate::error::SessionError;
use arena::run::{
    Experiment, FaultCount, Finish, Header, Replayed, RunFolder, Standing, StarvedCount, StoredSession, Verdict, audit,
    replay,
};
use plan::jobs;
use play::MoveTimes;
use reports::summary::{Players, RunSummary};
use reports::{Cut, ScaledOn};
use std::path::Path;
use std::time::Duration;

/// A run as read from its journal, up to the first missing pair.
pub struct ReadRun {
    /// Its identity.
    pub header: Header,
    /// Its experiment, which has absorbed all pairs that count.
    pub experiment: Box<dyn Experiment>,
    /// The extent of the replay.
    pub replayed: Replayed,
    /// Games lost by a fault, for each entrant.
    pub faults: Vec<FaultCount>,
    /// The effect of starvation by the host.
    pub starved: StarvedCount,
    /// The total time of all its sessions.
    pub elapsed: Duration,
    /// The sessions, the first one first.
    pub sessions: Vec<StoredSession>,
    /// The times of moves, by entrant.
    pub move_times: Vec<MoveTimes>,
    /// The pairs that the result leaves out, if the limit was lowered below the number of played pairs.
    pub cut: Option<Cut>,
    /// Whether another process worked on the run when it was opened.
    is_worked_on: bool,
}

/// Whether a run will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has its verdict.
    Finished,
    /// An entrant lost too many games by faults. The run can be resumed with a higher allowed share.
    Faulty,
    /// A process is working on it.
    Running,
    /// It was stopped, and can be resumed.
    Interrupted,
}

impl Progress {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Faulty => "too faulty",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Finish> for Progress {
    /// The progress of a run that no process is working on.
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Verdict(_) => Self::Finished,
            Finish::Faulty(_) => Self::Faulty,
            Finish::Stopped => Self::Interrupted,
        }
    }
}

impl ReadRun {
    /// Reads the run in a folder. Every game is replayed by the rules before it counts.
    ///
    /// # Errors
    /// [`SessionError`] if there is no run, or if it is damaged.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        // Checked first: a process that has released the run has written its verdict.
        let is_worked_on = RunFolder::is_worked_on(path);
        let journal = RunFolder::open_journal(path)?;
        let header = journal.header()?;
        audit(&journal, &header.config)?;
        let mut experiment = jobs::experiment(&header.config)?;
        let replayed = replay(experiment.as_mut(), &journal)?;
        let faults = journal.faults(replayed.pairs, header.config.entrants.len())?;
        let starved = journal.starved(replayed.pairs)?;
        let (elapsed, sessions) = (journal.played_time()?, journal.sessions()?);
        let move_times = journal.move_times(header.config.entrants.len())?;
        let cut = Cut::of(&header.config.experiment, replayed.finish.verdict(), replayed.pairs, journal.end()?);
        Ok(Self { header, experiment, replayed, faults, starved, elapsed, sessions, move_times, cut, is_worked_on })
    }

    /// Returns the run's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replayed.finish.verdict()
    }

    /// Returns how it ended. A run that has not ended counts as stopped, even while it is being played.
    pub fn finish(&self) -> Finish {
        self.replayed.finish
    }

    /// Returns its progress when it was opened.
    pub fn progress(&self) -> Progress {
        match Progress::from(self.finish()) {
            Progress::Interrupted if self.is_worked_on => Progress::Running,
            progress => progress,
        }
    }

    /// Returns the players, with the times and hosts of the sessions.
    pub fn players(&self) -> Players<'_> {
        let Self { header, sessions, move_times, .. } = self;
        let is_worked_on = self.progress() == Progress::Running;
        Players { config: &header.config, sessions, move_times, is_worked_on }
    }

    /// Returns its summary. `standing` is that of its experiment.
    pub fn summary<'a>(&'a self, path: &'a Path, standing: &'a Standing) -> RunSummary<'a> {
        RunSummary {
            config: &self.header.config,
            standing,
            verdict: self.verdict(),
            too_faulty: self.replayed.finish.too_faulty(),
            faults: self.faults.clone(),
            starved: self.starved,
            path,
            elapsed: Some(self.elapsed),
            scaled: ScaledOn::new(&self.sessions),
            cut: self.cut,
        }
    }
}
