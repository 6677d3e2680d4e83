//! A run that this process works on: its locked folder, its journal and the programs that play. Made new or gone on with, then
//! played; what is said of it meanwhile is for whoever watches.

use crate::failure::Failure;
use crate::host;
use crate::openings;
use anyhow::{Context, anyhow};
use arena::child::{Cpus, Launcher, Nursery};
use arena::config::{Loaded, RunConfig};
use arena::entrant::ProcessSpec;
use arena::run::{
    Executables, Experiment, Finish, Journal, JournalError, Local, Processes, RunError, RunFolder, Session, Snapshot,
    drive, run_header,
};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// A run that this process works on.
pub(crate) struct OpenRun<'a> {
    /// Its folder.
    pub(crate) folder: RunFolder,
    /// Its journal.
    pub(crate) journal: Journal,
    /// Its configuration.
    pub(crate) loaded: &'a Loaded,
    /// How many pairs are played at a time.
    pub(crate) workers: NonZeroUsize,
    processes: Option<Processes>,
}

impl<'a> OpenRun<'a> {
    /// A new run, in the next free folder of its name. `trace` is the file that gets every line to and from its engine processes.
    pub(crate) fn create(
        loaded: &'a Loaded,
        workers: NonZeroUsize,
        trace: Option<&Path>,
        runs: &Path,
    ) -> Result<Self, Failure> {
        let executables = executables(&loaded.run)?;
        let header = run_header(&loaded.run, &executables);
        let processes = processes(loaded, executables, workers, trace)?;
        let (folder, journal) = RunFolder::create(runs, &folder_name(loaded), &loaded.text, &header)?;
        Ok(Self { folder, journal, loaded, workers, processes })
    }

    /// A run that there is, with the programs of its engine processes as they are now.
    pub(crate) fn new(
        (folder, journal): (RunFolder, Journal),
        loaded: &'a Loaded,
        executables: Executables,
        workers: NonZeroUsize,
        trace: Option<&Path>,
    ) -> Result<Self, Failure> {
        let processes = processes(loaded, executables, workers, trace)?;
        Ok(Self { folder, journal, loaded, workers, processes })
    }

    /// Plays until the run has its verdict or is stopped.
    pub(crate) fn play(
        &mut self,
        experiment: &mut dyn Experiment,
        observe: &mut dyn FnMut(&Snapshot),
    ) -> Result<Finish, Failure> {
        let stop = host::stop_flag()?;
        for remark in openings::remarks(self.loaded) {
            say!("{remark}");
        }
        let executor = Local::start(self.workers, self.processes.as_ref());
        let mut executor = executor.context("cannot start workers").map_err(Failure::Environment)?;
        if let Some(news) = self.processes.as_ref().and_then(|processes| processes.programs.introductions()) {
            self.journal.listen(Arc::clone(news));
        }
        self.journal.begin_session(&Session {
            started_unix_ms: host::unix_ms(),
            host: host::name(),
            concurrency: self.workers.get(),
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
    loaded: &Loaded,
    executables: Executables,
    workers: NonZeroUsize,
    trace: Option<&Path>,
) -> Result<Option<Processes>, Failure> {
    let engines = || loaded.run.entrants.iter().filter_map(|entrant| entrant.player.process());
    if engines().next().is_none() {
        if let Some(trace) = trace {
            say!(
                "note: nothing is written to {}: all players are spar's own, and no lines are exchanged",
                trace.display()
            );
        }
        return Ok(None);
    }
    let threads = engines().map(ProcessSpec::threads).max().unwrap_or(NonZeroUsize::MIN);
    let cpus = Cpus::of_this_process().map_err(|error| Failure::Environment(error.into()))?;
    if workers.get() * threads.get() > cpus.count() {
        say!(
            "warning: {workers} games at a time with engines of {threads} threads want {} processors, and there are {}",
            workers.get() * threads.get(),
            cpus.count()
        );
    }
    let plan = loaded.affinity.plan(&cpus, workers, threads).map_err(|error| Failure::Usage(error.into()))?;
    let nursery = Nursery::start(Some(Launcher::this_program()));
    let nursery = nursery.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let trace = trace.map(host::trace_to).transpose()?;
    Ok(Some(Processes { nursery, programs: Arc::new(executables), cpus: plan, trace }))
}

/// Adds how to go on, where the cause can be mended.
fn resumable(error: RunError, path: &Path) -> Failure {
    match error {
        RunError::Journal(JournalError::Storage { .. }) => {
            let path = path.display();
            Failure::Environment(anyhow!("{error}\nEvery committed pair is safe. To go on: spar resume {path}"))
        }
        RunError::NotReady { .. } | RunError::Broken { .. } | RunError::Lost { .. } => {
            let path = path.display();
            Failure::Environment(anyhow!(
                "{error}\nEvery committed pair is kept. When this is mended: spar resume {path}"
            ))
        }
        other => other.into(),
    }
}
