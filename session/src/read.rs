//! Runs read back from their journals, also while another process works on them: their standings and summaries.

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

/// A run as its journal has it: its gapless prefix.
pub struct ReadRun {
    /// Its identity.
    pub header: Header,
    /// Its experiment, which has absorbed all pairs that count.
    pub experiment: Box<dyn Experiment>,
    /// How far that went.
    pub replayed: Replayed,
    /// Games lost by a fault, for each entrant.
    pub faults: Vec<FaultCount>,
    /// What the host starved.
    pub starved: StarvedCount,
    /// How long all its sessions have lasted.
    pub elapsed: Duration,
    /// The sessions, the first one first.
    pub sessions: Vec<StoredSession>,
    /// How long moves took, by entrant.
    pub move_times: Vec<MoveTimes>,
    /// What its result leaves out, if its limit was lowered below what was played.
    pub cut: Option<Cut>,
    /// Whether a process worked on it when it was opened.
    is_worked_on: bool,
}

/// Whether a run will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has its verdict.
    Finished,
    /// An entrant lost too many games by faults. It can be resumed if more are allowed.
    Faulty,
    /// A process works on it.
    Running,
    /// It was stopped, and can be resumed.
    Interrupted,
}

impl Progress {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Faulty => "too faulty",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
        }
    }
}

impl ReadRun {
    /// Reads the run in a folder. Every game is played over by the rules before it counts.
    ///
    /// # Errors
    /// [`SessionError`] if there is no run, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        // A process that has let go of the run has written its verdict.
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

    /// The run's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.replayed.finish.verdict()
    }

    /// How it ended. One that has not ended counts as stopped, also while it is being played.
    pub fn finish(&self) -> Finish {
        self.replayed.finish
    }

    /// Whether it would change when it was opened.
    pub fn progress(&self) -> Progress {
        match self.finish() {
            Finish::Verdict(_) => Progress::Finished,
            Finish::Faulty(_) => Progress::Faulty,
            Finish::Stopped if self.is_worked_on => Progress::Running,
            Finish::Stopped => Progress::Interrupted,
        }
    }

    /// Who played it, when and where.
    pub fn players(&self) -> Players<'_> {
        let Self { header, sessions, move_times, .. } = self;
        let is_worked_on = self.progress() == Progress::Running;
        Players { config: &header.config, sessions, move_times, is_worked_on }
    }

    /// Its summary. `standing` is its experiment's.
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
