//! A run that this process works on: its locked folder, its journal and the programs that play. Made new or gone on with, then
//! played; what is said of it meanwhile is for whoever watches.

use crate::failure::Failure;
use crate::host;
use crate::jobs;
use crate::openings;
use crate::text::grouped;
use anyhow::{Context, anyhow};
use arena::config::{ExperimentConfig, Loaded, RunConfig, TuneConfig};
use arena::run::{
    Executables, Experiment, Finish, Journal, JournalError, Local, Processes, RunError, RunFolder, Session, Snapshot,
    Unready, drive, rehearse, run_header,
};
use play::child::{Cpus, Launcher, Spawner};
use play::entrant::{PlayerSpec, ProcessSpec};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tuner::Parameter;

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
        let introductions = Arc::clone(executables.introductions());
        let processes = processes(loaded, executables, workers, trace)?;
        rehearse_all(loaded, processes.as_ref())?;
        let (folder, mut journal) = RunFolder::create(runs, &folder_name(loaded), &loaded.text, &header)?;
        journal.listen(introductions);
        Ok(Self { folder, journal, loaded, workers, processes })
    }

    /// A run that there is, with the programs of its engine processes as they are now.
    pub(crate) fn new(
        (folder, mut journal): (RunFolder, Journal),
        loaded: &'a Loaded,
        executables: Executables,
        workers: NonZeroUsize,
        trace: Option<&Path>,
    ) -> Result<Self, Failure> {
        journal.listen(Arc::clone(executables.introductions()));
        let processes = processes(loaded, executables, workers, trace)?;
        Ok(Self { folder, journal, loaded, workers, processes })
    }

    /// Plays until the run has its verdict or is stopped. A new run that fails before any pair is finished leaves nothing behind.
    pub(crate) fn play(
        &mut self,
        experiment: &mut dyn Experiment,
        observe: &mut dyn FnMut(&Snapshot),
    ) -> Result<Finish, Failure> {
        let stop = host::stop_flag()?;
        for remark in openings::remarks(self.loaded) {
            say!("{remark}");
        }
        let executor = Local::start(self.workers, self.processes.as_ref()).context("cannot start workers");
        let mut executor = executor.map_err(|error| {
            let _removed_if_empty = self.removed();
            Failure::Environment(error)
        })?;
        let begun = self.journal.begin_session(&Session {
            started_unix_ms: host::unix_ms(),
            host: host::name(),
            concurrency: self.workers.get(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        let Loaded { run, openings, .. } = self.loaded;
        let finish = begun
            .map_err(RunError::from)
            .and_then(|()| drive(run, openings, experiment, &mut self.journal, &mut executor, stop, observe));
        // Whatever else has happened: what has gone since the last commit would be lost.
        self.journal.in_place().map_err(|error| self.rescued(&error))?;
        finish.map_err(|error| self.failed(error))
    }

    /// Writes the pairs of a journal whose files have gone anew, and says where they are.
    fn rescued(&self, error: &JournalError) -> Failure {
        let elsewhere = [std::env::current_dir().unwrap_or_default(), std::env::temp_dir()];
        let pairs = self.journal.stored_pairs().map_or_else(|_| "the".to_owned(), grouped);
        Failure::Environment(match self.folder.rescue(&self.journal, &elsewhere) {
            Ok(path) => {
                let path = path.display();
                anyhow!(
                    "{error}\nIts {pairs} finished pairs were written anew into {path}. To go on: spar resume {path}"
                )
            }
            Err(why) => anyhow!("{error}\nIts {pairs} finished pairs could not be written anew: {why}"),
        })
    }

    /// What is said of a run that broke off.
    fn failed(&self, error: RunError) -> Failure {
        if !self.removed() {
            return resumable(error, self.folder.path());
        }
        let message = anyhow!("{error}\nNo pair was finished, and the run was removed");
        match error {
            RunError::NotReady { .. } => Failure::Usage(message),
            _ => Failure::Environment(message),
        }
    }

    /// Removes the run if it is new and empty; whether it did.
    fn removed(&self) -> bool {
        self.journal.stored_pairs().is_ok_and(|pairs| pairs == 0) && self.folder.discard()
    }
}

/// Has everybody get ready for a game: what cannot start leaves no run behind.
fn rehearse_all(loaded: &Loaded, processes: Option<&Processes>) -> Result<(), Failure> {
    let run = &loaded.run;
    let stop = host::stop_flag()?;
    let (varied, edges) = match &run.experiment {
        ExperimentConfig::Tune(tune) => edges(tune, &run.entrants[0].player)?,
        ExperimentConfig::Sprt { .. } | ExperimentConfig::Match { .. } | ExperimentConfig::Ladder(_) => {
            Default::default()
        }
    };
    match rehearse(run, &loaded.openings, &varied, &edges, processes, stop) {
        Ok(()) => Ok(()),
        Err(_) if stop.load(Ordering::Relaxed) => Err(Failure::Interrupted),
        Err(why @ Unready::Entrant { .. }) => Err(Failure::Usage(anyhow!(
            "{why}\nNothing was played, and no run was made. `spar check` tries an engine by itself; `start_within` says how \
             long its start may take"
        ))),
        Err(why) => Err(Failure::Usage(anyhow!("{why}\nNothing was played, and no run was made"))),
    }
}

/// The parameters that a tuning session varies, and the least and the greatest values that it may propose.
fn edges(tune: &TuneConfig, whose: &PlayerSpec) -> Result<(Vec<String>, Vec<Vec<f64>>), Failure> {
    let (space, _gains) = jobs::space(tune, whose)?;
    let parameters = space.parameters();
    let names = parameters.iter().map(|parameter| parameter.name().to_owned()).collect();
    let edges = [Parameter::min, Parameter::max].map(|edge| parameters.iter().map(edge).collect());
    Ok((names, edges.to_vec()))
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
    let spawner = Spawner::start(Some(Launcher::this_program()));
    let spawner = spawner.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let trace = trace.map(host::trace_to).transpose()?;
    Ok(Some(Processes { spawner, programs: Arc::new(executables), cpus: plan, trace }))
}

/// Adds how to go on, where the cause can be mended.
fn resumable(error: RunError, path: &Path) -> Failure {
    match error {
        RunError::Journal(JournalError::Storage { .. }) => {
            let path = path.display();
            Failure::Environment(anyhow!(
                "{error}\nEvery committed pair is safe. When this is mended: spar resume {path}"
            ))
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
