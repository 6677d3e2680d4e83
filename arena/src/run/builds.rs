//! Build ids: what the players of a run are, so that a resumed run is known to be the same, one whose engines are rebuilt while
//! it runs is stopped, and a pair is played by these builds wherever it is played.
//!
//! In a pair's spec programs are named by their content. The path is known to those alone who start them.

use super::introductions::Introductions;
use super::journal::{BuildId, Header};
use crate::config::RunConfig;
use engine::{BENCH_DEPTH, EngineConfig, EvaluationKind, Params, bench};
use play::child::{Executable, ExecutableError, address, resolve};
use play::entrant::{Entrant, PlayerSpec, ProcessSpec};
use play::players::process::{Introduction, Programs};
use play::protocol::OptionError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The programs of a run's engine processes, as they were when the run began or went on. They are found by the command of the
/// configuration, and by the [name of their content](content_name).
#[derive(Debug, Default)]
pub struct Executables {
    by_name: BTreeMap<String, Arc<Mutex<Executable>>>,
    introductions: Arc<Introductions>,
}

impl Executables {
    /// Finds and reads the programs of all entrants. Relative paths start from `base`, which must be absolute.
    ///
    /// # Errors
    /// [`ExecutableError`] for the first that cannot be used.
    pub fn of(config: &RunConfig, base: &Path) -> Result<Self, ExecutableError> {
        let mut executables = Self::default();
        for process in config.entrants.iter().filter_map(|entrant| entrant.player.process()) {
            executables.add(&process.command, base)?;
        }
        let builds = config.entrants.iter().map(|entrant| executables.build(entrant));
        let travelling = config.entrants.iter().zip(builds).map(|(entrant, build)| by_content(entrant, &build));
        executables.introductions = Arc::new(Introductions::of(&travelling.collect::<Vec<_>>()));
        Ok(executables)
    }

    fn add(&mut self, command: &str, base: &Path) -> Result<(), ExecutableError> {
        if address(command).is_none() && !self.by_name.contains_key(command) {
            let executable = Executable::open(resolve(command, base)?)?;
            let content = content_name(&executable.content().to_string(), command);
            let executable = Arc::new(Mutex::new(executable));
            let _one_of_equals = self.by_name.entry(content).or_insert_with(|| Arc::clone(&executable));
            self.by_name.insert(command.to_owned(), executable);
        }
        Ok(())
    }

    /// What the engines say of themselves, as soon as they are started.
    pub fn introductions(&self) -> &Arc<Introductions> {
        &self.introductions
    }

    fn content(&self, command: &str) -> String {
        self.by_name.get(command).map_or_else(String::new, |executable| {
            executable.lock().unwrap_or_else(PoisonError::into_inner).content().to_string()
        })
    }

    fn build(&self, entrant: &Entrant) -> BuildId {
        match &entrant.player {
            PlayerSpec::Native(native) => native_build(native.evaluation).clone(),
            PlayerSpec::Random => BuildId::Random,
            PlayerSpec::Custom(_) => BuildId::Custom,
            PlayerSpec::Process(process) => match address(&process.command) {
                Some(address) => BuildId::Remote { address: address.to_owned() },
                None => BuildId::Process { sha256: self.content(&process.command) },
            },
        }
    }
}

impl Programs for Executables {
    fn find(&self, process: &ProcessSpec) -> Result<PathBuf, String> {
        let executable = self.by_name.get(&process.command);
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
    let builds = config.entrants.iter().map(|entrant| executables.build(entrant));
    Header { builds: builds.collect(), config: config.clone() }
}

/// What stands for a program's path in the spec of a pair: the SHA-256 of its content in hexadecimal, and the name of the file that
/// it is called by, since some programs look at it.
pub fn content_name(sha256: &str, command: &str) -> String {
    let name = Path::new(command).file_name().map_or_else(|| command.into(), |name| name.to_string_lossy());
    format!("sha256:{sha256}/{name}")
}

/// An entrant as it is in the spec of a pair: its program is named by its content.
pub(super) fn by_content(entrant: &Entrant, build: &BuildId) -> Entrant {
    let mut entrant = entrant.clone();
    if let (PlayerSpec::Process(process), BuildId::Process { sha256 }) = (&mut entrant.player, build) {
        process.command = content_name(sha256, &process.command);
    }
    entrant
}

/// Makes sure that an entrant is played by the build that the run has. What becomes of programs is for those who find them.
///
/// # Errors
/// Which build of the engine this is instead.
pub(super) fn check_build(entrant: &Entrant, build: &BuildId) -> Result<(), String> {
    let PlayerSpec::Native(native) = &entrant.player else { return Ok(()) };
    let own = native_build(native.evaluation);
    if own == build {
        return Ok(());
    }
    let name = &entrant.name;
    Err(format!("entrant \"{name}\" is another build of the 0.1 engine than this program has: {build:?}, here {own:?}"))
}

/// With the default parameters: those of the entrant are part of the configuration already. A bench takes a while, and is the same
/// whenever it is made.
fn native_build(evaluation: EvaluationKind) -> &'static BuildId {
    static MATERIAL: LazyLock<BuildId> = LazyLock::new(|| measure(EvaluationKind::Material));
    static PIECE_SQUARE: LazyLock<BuildId> = LazyLock::new(|| measure(EvaluationKind::PieceSquare));
    static WPS: LazyLock<BuildId> = LazyLock::new(|| measure(EvaluationKind::WazirPieceSquare));
    static NETWORK: LazyLock<BuildId> = LazyLock::new(|| measure(EvaluationKind::Network));
    match evaluation {
        EvaluationKind::Material => &MATERIAL,
        EvaluationKind::PieceSquare => &PIECE_SQUARE,
        EvaluationKind::WazirPieceSquare => &WPS,
        EvaluationKind::Network => &NETWORK,
    }
}

fn measure(evaluation: EvaluationKind) -> BuildId {
    let nodes = bench(&EngineConfig { evaluation: evaluation.into(), ..EngineConfig::default() }, BENCH_DEPTH).nodes;
    BuildId::Native { bench: nodes, params: format!("{:016x}", Params::table_hash()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::entrant::{Handling, Options, Patience, Protocol, Restart};
    use std::num::NonZeroU64;
    use std::time::Duration;

    fn shell(command: &str) -> Entrant {
        let process = ProcessSpec {
            command: command.to_owned(),
            arguments: Vec::new(),
            directory: None,
            environment: BTreeMap::new(),
            protocol: Protocol::Uci,
            options: Options::default(),
            init: Vec::new(),
            limit: play::Limit::Nodes(NonZeroU64::MIN),
            margin: Duration::ZERO,
            restart: Restart::WhenNeeded,
            patience: Patience::default(),
            nice: None,
            handling: Handling::default(),
        };
        Entrant { name: "shell".to_owned(), player: PlayerSpec::Process(Box::new(process)) }
    }

    #[test]
    fn programs_are_found_by_what_they_are_and_keep_the_name_they_are_called_by() {
        let mut executables = Executables::default();
        executables.add("sh", Path::new("/")).unwrap();
        let entrant = shell("sh");
        let build = executables.build(&entrant);
        let BuildId::Process { sha256 } = &build else { panic!("{build:?}") };
        let travelling = by_content(&entrant, &build);
        let process = travelling.player.process().unwrap();
        assert_eq!(process.command, format!("sha256:{sha256}/sh"));
        let found = executables.find(process).unwrap();
        assert_eq!(found, executables.find(entrant.player.process().unwrap()).unwrap());
        assert_eq!(Executable::open(found).unwrap().content().to_string(), *sha256);
        let elsewhere = by_content(&entrant, &BuildId::Process { sha256: "0".repeat(64) });
        let refused = executables.find(elsewhere.player.process().unwrap()).unwrap_err();
        assert!(refused.contains("is not a program of this run"), "{refused}");
        // What stands for a path has no folder of this machine in it.
        assert_eq!(content_name("ab", "/opt/engines/dev"), "sha256:ab/dev");
    }
}
