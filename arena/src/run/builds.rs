//! Build ids: what the players of a run are, so that a resumed run is known to be the same, and one whose engines are
//! rebuilt while it runs is stopped.

use super::introductions::Introductions;
use super::journal::{BuildId, Header};
use crate::config::RunConfig;
use engine::{BENCH_DEPTH, EngineConfig, EvaluationKind, Params, bench};
use play::child::{Executable, ExecutableError, resolve};
use play::entrant::{PlayerSpec, ProcessSpec};
use play::players::process::{Introduction, Programs};
use play::protocol::OptionError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The programs of a run's engine processes, as they were when the run began or went on.
#[derive(Debug, Default)]
pub struct Executables {
    by_command: BTreeMap<String, Mutex<Executable>>,
    introductions: Arc<Introductions>,
}

impl Executables {
    /// Finds and reads the programs of all entrants. Relative paths start from `base`, which must be absolute.
    ///
    /// # Errors
    /// [`ExecutableError`] for the first that cannot be used.
    pub fn of(config: &RunConfig, base: &Path) -> Result<Self, ExecutableError> {
        let introductions = Arc::new(Introductions::of(config));
        let mut executables = Self { introductions, ..Self::default() };
        for process in config.entrants.iter().filter_map(|entrant| entrant.player.process()) {
            executables.add(&process.command, base)?;
        }
        Ok(executables)
    }

    fn add(&mut self, command: &str, base: &Path) -> Result<(), ExecutableError> {
        if !self.by_command.contains_key(command) {
            let executable = Executable::open(resolve(command, base)?)?;
            self.by_command.insert(command.to_owned(), Mutex::new(executable));
        }
        Ok(())
    }

    /// What the engines say of themselves, as soon as they are started.
    pub fn introductions(&self) -> &Arc<Introductions> {
        &self.introductions
    }

    fn content(&self, command: &str) -> String {
        self.by_command.get(command).map_or_else(String::new, |executable| {
            executable.lock().unwrap_or_else(PoisonError::into_inner).content().to_string()
        })
    }
}

impl Programs for Executables {
    fn find(&self, process: &ProcessSpec) -> Result<PathBuf, String> {
        let executable = self.by_command.get(&process.command);
        let executable = executable.ok_or_else(|| format!("`{}` is not a program of this run", process.command))?;
        let mut executable = executable.lock().unwrap_or_else(PoisonError::into_inner);
        executable.check().map_err(|error| error.to_string())?;
        Ok(executable.path().to_owned())
    }

    fn introduced(&self, process: &ProcessSpec, introduction: &Introduction) {
        self.introductions.hear(process, introduction);
    }

    fn passed_over(&self, process: &ProcessSpec, why: &OptionError) {
        self.introductions.pass_over(process, why);
    }
}

/// The identity of a run that starts or goes on now, with this build of the engine and these programs.
pub fn run_header(config: &RunConfig, executables: &Executables) -> Header {
    // A bench takes a while, and is the same for all entrants with the same evaluation.
    let mut known: Vec<(EvaluationKind, BuildId)> = Vec::new();
    let mut native_build = |evaluation| {
        if let Some((_, build)) = known.iter().find(|(of, _)| *of == evaluation) {
            return build.clone();
        }
        let build = native_build(evaluation);
        known.push((evaluation, build.clone()));
        build
    };
    let builds = config.entrants.iter().map(|entrant| match &entrant.player {
        PlayerSpec::Native(native) => native_build(native.evaluation),
        PlayerSpec::Random => BuildId::Random,
        PlayerSpec::Custom(_) => BuildId::Custom,
        PlayerSpec::Process(process) => BuildId::Process { sha256: executables.content(&process.command) },
    });
    Header { builds: builds.collect(), config: config.clone() }
}

/// With the default parameters: those of the entrant are part of the configuration already.
fn native_build(evaluation: EvaluationKind) -> BuildId {
    let nodes = bench(&EngineConfig { evaluation, ..EngineConfig::default() }, BENCH_DEPTH).nodes;
    BuildId::Native { bench: nodes, params: format!("{:016x}", Params::table_hash()) }
}
