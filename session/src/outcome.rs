//! What a session of work on one run came to.

use arena::config::RunConfig;
use arena::run::{FaultCount, Finish, Standing, StarvedCount, Verdict};
use reports::summary::RunSummary;
use reports::{Cut, ScaledOn};
use std::path::PathBuf;
use std::time::Duration;

/// What a session of work on one run came to: plain numbers, for others to word and to draw.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub config: RunConfig,
    /// Its folder.
    pub path: PathBuf,
    /// How the session ended.
    pub finish: Finish,
    /// Where the run stands.
    pub standing: Standing,
    /// Games lost by faults, by entrant.
    pub faults: Vec<FaultCount>,
    /// What the host's starving of players has left in the pairs that count.
    pub starved: StarvedCount,
    /// How long the run was worked on, over all its sessions.
    pub elapsed: Duration,
    /// By how much its time controls were scaled on each host.
    pub scaled: ScaledOn,
    /// What its result leaves out, if its limit was lowered below what was played.
    pub cut: Option<Cut>,
    /// Whether this session finished any pair.
    pub played: bool,
}

impl Outcome {
    /// The run's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.finish.verdict()
    }

    /// Its summary, in words and as JSON.
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
