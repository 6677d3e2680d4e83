//! A run that this process works on: its locked folder, its journal and the programs that play. Made new or gone on with, then
//! played; what is said of it meanwhile is for whoever watches.

use crate::failure::Failure;
use crate::host;
use anyhow::{Context, anyhow};
use arena::child::{Launcher, Nursery};
use arena::config::{Loaded, RunConfig};
use arena::run::{
    Executables, Experiment, Finish, Journal, JournalError, Local, Processes, RunError, RunFolder, Session, Snapshot,
    drive, run_header,
};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// What a run's engine processes are given beside their configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equipment<'a> {
    /// The file that gets every line to and from them.
    pub(crate) trace: Option<&'a Path>,
    /// The processors of each worker's engines, by worker; a worker beyond the end has any.
    pub(crate) cpus: Vec<Vec<usize>>,
}

/// A run that this process works on.
pub(crate) struct OpenRun<'a> {
    /// Its folder.
    pub(crate) folder: RunFolder,
    /// Its journal.
    pub(crate) journal: Journal,
    /// Its configuration.
    pub(crate) loaded: &'a Loaded,
    processes: Option<Processes>,
}

impl<'a> OpenRun<'a> {
    /// A new run, in the next free folder of its name.
    pub(crate) fn create(loaded: &'a Loaded, equipment: Equipment<'_>, runs: &Path) -> Result<Self, Failure> {
        let executables = executables(&loaded.run)?;
        let header = run_header(&loaded.run, &executables);
        let processes = processes(&loaded.run, executables, equipment)?;
        let (folder, journal) = RunFolder::create(runs, &folder_name(loaded), &loaded.text, &header)?;
        Ok(Self { folder, journal, loaded, processes })
    }

    /// A run that there is, with the programs of its engine processes as they are now.
    pub(crate) fn new(
        (folder, journal): (RunFolder, Journal),
        loaded: &'a Loaded,
        executables: Executables,
        equipment: Equipment<'_>,
    ) -> Result<Self, Failure> {
        let processes = processes(&loaded.run, executables, equipment)?;
        Ok(Self { folder, journal, loaded, processes })
    }

    /// Plays until the run has its verdict or is stopped.
    pub(crate) fn play(
        &mut self,
        experiment: &mut dyn Experiment,
        workers: NonZeroUsize,
        observe: &mut dyn FnMut(&Snapshot),
    ) -> Result<Finish, Failure> {
        let stop = host::stop_flag()?;
        let executor = Local::start(workers, self.processes.as_ref());
        let mut executor = executor.context("cannot start workers").map_err(Failure::Environment)?;
        self.journal.begin_session(&Session {
            started_unix_ms: host::unix_ms(),
            host: host::name(),
            concurrency: workers.get(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })?;
        let Loaded { run, openings, .. } = self.loaded;
        let finish = drive(run, openings, experiment, &mut self.journal, &mut executor, stop, observe);
        finish.map_err(|error| resumable(error, self.folder.path()))
    }
}

/// What the run's folder is called, but for its number.
pub(crate) fn folder_name(loaded: &Loaded) -> String {
    format!("{}-{}", loaded.run.experiment.kind(), loaded.run.name)
}

/// The programs of a run's engine processes.
pub(crate) fn executables(run: &RunConfig) -> Result<Executables, Failure> {
    let base = std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)?;
    Executables::of(run, &base).map_err(|error| Failure::Usage(error.into()))
}

/// What workers need to play engine processes, if the run has any.
fn processes(
    run: &RunConfig,
    executables: Executables,
    equipment: Equipment<'_>,
) -> Result<Option<Processes>, Failure> {
    if run.entrants.iter().all(|entrant| entrant.player.process().is_none()) {
        return Ok(None);
    }
    let nursery = Nursery::start(Some(Launcher::this_program()));
    let nursery = nursery.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let trace = equipment.trace.map(host::trace_to).transpose()?;
    Ok(Some(Processes { nursery, programs: Arc::new(executables), cpus: equipment.cpus, trace }))
}

/// Adds how to go on, where the cause can be mended.
fn resumable(error: RunError, path: &Path) -> Failure {
    match error {
        RunError::Journal(JournalError::Storage { .. }) => {
            let path = path.display();
            Failure::Environment(anyhow!("{error}\nEvery committed pair is safe. To go on: spar resume {path}"))
        }
        other => other.into(),
    }
}
