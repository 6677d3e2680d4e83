//! `spar show`: where a run stands, whether it is being worked on or not.

use super::faults::list_faults;
use super::{print, print_json, run_path};
use crate::args::Show;
use crate::failure::{Exit, Failure};
use crate::jobs;
use crate::summary::RunSummary;
use arena::run::{Experiment, FaultCount, Header, RunFolder, StarvedCount, audit, replay};
use std::path::Path;

/// A run read back from its journal.
pub(super) struct ReadRun {
    pub(super) header: Header,
    pub(super) experiment: Box<dyn Experiment>,
    pub(super) faults: Vec<FaultCount>,
    pub(super) starved: StarvedCount,
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
    Ok(ReadRun { header, experiment, faults, starved })
}

pub(crate) fn show(show: &Show, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&show.run, runs);
    if show.faults {
        return list_faults(&path, show.json);
    }
    let run = read_run(&path)?;
    let standing = run.experiment.standing();
    let summary = RunSummary {
        config: &run.header.config,
        standing: &standing,
        verdict: run.experiment.verdict(),
        faults: run.faults,
        starved: run.starved,
        path: &path,
        elapsed: None,
    };
    if show.json {
        print_json(&summary.json())?;
    } else {
        print(summary.text())?;
    }
    Ok(Exit::Done)
}
