//! `spar show`: where a run stands, whether it is being worked on or not.

use super::faults::list_faults;
use super::game::tell_game;
use super::runs::State;
use super::{print, print_json, run_path};
use crate::args::Show;
use crate::failure::{Exit, Failure};
use crate::summary::RunSummary;
use arena::run::{Experiment, FaultCount, Header, RunFolder, StarvedCount, audit, replay};
use serde_json::json;
use session::jobs;
use std::path::Path;
use std::time::Duration;

/// A run read back from its journal.
pub(super) struct ReadRun {
    pub(super) header: Header,
    pub(super) experiment: Box<dyn Experiment>,
    pub(super) faults: Vec<FaultCount>,
    pub(super) starved: StarvedCount,
    pub(super) elapsed: Option<Duration>,
}

/// Reads a run back by absorbing its journal.
pub(super) fn read_run(path: &Path) -> Result<ReadRun, Failure> {
    let journal = RunFolder::open_journal(path)?;
    let header = journal.header()?;
    audit(&journal, &header.config)?;
    let mut experiment = jobs::experiment(&header.config)?;
    let absorbed = replay(experiment.as_mut(), &journal)?;
    let faults = journal.faults(absorbed, header.config.entrants.len())?;
    let starved = journal.starved(absorbed)?;
    let elapsed = journal.played_time()?;
    Ok(ReadRun { header, experiment, faults, starved, elapsed })
}

pub(crate) fn show(show: &Show, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&show.run, runs);
    if let Some(game) = show.game {
        return tell_game(&path, game, show.json);
    }
    if show.faults {
        return list_faults(&path, show.json);
    }
    let run = read_run(&path)?;
    let (standing, state) = (run.experiment.standing(), State::of(&path, &run));
    let summary = RunSummary {
        config: &run.header.config,
        standing: &standing,
        verdict: run.experiment.verdict(),
        faults: run.faults,
        starved: run.starved,
        path: &path,
        elapsed: run.elapsed,
    };
    if show.json {
        let mut json = summary.json();
        json["state"] = json!(state.name());
        print_json(&json)?;
    } else {
        print(summary.text())?;
    }
    Ok(Exit::Done)
}
