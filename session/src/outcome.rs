//! The outcome of one session on a run.

use arena::config::RunConfig;
use arena::run::{FaultCount, Finish, Standing, StarvedCount, Verdict};
use reports::summary::RunSummary;
use reports::{Cut, ScaledOn};
use std::path::PathBuf;
use std::time::Duration;

/// The outcome of one session on a run, as plain numbers; other modules word and draw it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub config: RunConfig,
    /// Its folder.
    pub path: PathBuf,
    /// How the session ended.
    pub finish: Finish,
    /// The standing of the run.
    pub standing: Standing,
    /// Games lost by faults, by entrant.
    pub faults: Vec<FaultCount>,
    /// The effect of starvation by the host on the pairs that count.
    pub starved: StarvedCount,
    /// The time spent on the run in all its sessions.
    pub elapsed: Duration,
    /// The factors of its time controls on each host.
    pub scaled: ScaledOn,
    /// The pairs that the result leaves out, if the limit was lowered below the number of played pairs.
    pub cut: Option<Cut>,
    /// Whether this session finished any pair.
    pub played: bool,
}

impl Outcome {
    /// Returns the run's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.finish.verdict()
    }

    /// Returns its summary, in words and as JSON.
    pub fn summary(&self) -> RunSummary<'_> {
        RunSummary {
            config: &self.config,
            standing: &self.standing,
            verdict: self.verdict(),
            too_faulty: self.finish.too_faulty(),
            faults: self.faults.clone(),
            starved: self.starved,
            path: &self.path,
            elapsed: Some(self.elapsed),
            scaled: self.scaled.clone(),
            cut: self.cut,
        }
    }
}
