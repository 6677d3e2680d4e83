//! Build ids identify the players of a run. With them a resumed run is known to be the same run, a run whose engines
//! are rebuilt meanwhile is stopped, and a pair is played by the same builds on every machine.
//!
//! A pair's spec names programs and weight files by their content. Only the code that starts or reads them knows their
//! paths.

use super::introductions::Introductions;
use super::journal::Header;
use crate::config::RunConfig;
use engine::{EngineConfig, EvaluationKind, Evaluator, Params, Policy, SearchKind};
use play::child::{Executable, ExecutableError, address, resolve};
use play::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec};
use play::players::process::{Introduction, Programs, unknown_network, unknown_policy};
use play::protocol::OptionError;
use play::{NetworkError, NetworkFile, PolicyFile, weights};
use record::BuildId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file named by an entrant cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The program of an engine process cannot be used.
    #[error(transparent)]
    Program(#[from] ExecutableError),
    /// The weights of an in-process engine cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The weights belong to a different evaluation than the entrant's.
    #[error("{file} holds the weights of the evaluation `{holds}`, and the entrant's is `{wanted}`")]
    OtherEvaluation {
        /// The file, as the entrant names it.
        file: String,
        /// The evaluation that the weights belong to.
        holds: EvaluationKind,
        /// The entrant's evaluation.
        wanted: EvaluationKind,
    },
    /// The policy does not fit the entrant's evaluation.
    #[error("{file}: {why}")]
    Policy {
        /// The file, as the entrant names it.
        file: String,
        /// The reason, in words.
        why: String,
    },
}

/// The programs of a run's engine processes and the weights of its in-process engines, as they were when the run began
/// or was resumed. They are found by their name in the configuration and by their [content name](content_name).
#[derive(Debug, Default)]
pub struct Executables {
    by_name: BTreeMap<String, Arc<Mutex<Executable>>>,
    networks: BTreeMap<String, Arc<NetworkFile>>,
    policies: BTreeMap<String, Arc<PolicyFile>>,
    /// The files, by the SHA-256 of their contents.
    files: BTreeMap<String, PathBuf>,
    introductions: Arc<Introductions>,
}

impl Executables {
    /// Finds and reads the programs and weights of all entrants. `base`, to which relative paths are resolved, must be
    /// absolute.
    ///
    /// # Errors
    /// [`FileError`] for the first file that cannot be used.
    pub fn of(config: &RunConfig, base: &Path) -> Result<Self, FileError> {
        let mut executables = Self::default();
        for entrant in &config.entrants {
            match &entrant.player {
                PlayerSpec::Process(process) => executables.add(&process.command, base)?,
                PlayerSpec::Native(native) => {
                    executables.add_network(native, base)?;
                    executables.add_policy(native, base)?;
                }
                PlayerSpec::Random | PlayerSpec::Custom(_) => {}
            }
        }
        let builds = config.entrants.iter().map(|entrant| executables.build(entrant));
        let travelling = config.entrants.iter().zip(builds).map(|(entrant, build)| by_content(entrant, &build));
        executables.introductions = Arc::new(Introductions::of(&travelling.collect::<Vec<_>>()));
        Ok(executables)
    }

    fn add(&mut self, command: &str, base: &Path) -> Result<(), ExecutableError> {
        if address(command).is_none() && !self.by_name.contains_key(command) {
            let executable = Executable::open(resolve(command, base)?)?;
            let sha256 = executable.content().to_string();
            let content = content_name(&sha256, command);
            self.files.insert(sha256, executable.path().to_owned());
            let executable = Arc::new(Mutex::new(executable));
            let _one_of_equals = self.by_name.entry(content).or_insert_with(|| Arc::clone(&executable));
            self.by_name.insert(command.to_owned(), executable);
        }
        Ok(())
    }

    fn add_network(&mut self, native: &NativeSpec, base: &Path) -> Result<(), FileError> {
        let Some(name) = &native.network else { return Ok(()) };
        if !self.networks.contains_key(name) {
            let path = base.join(name);
            let file = NetworkFile::read(&path)?;
            let sha256 = file.content().to_string();
            let content = content_name(&sha256, name);
            self.files.insert(sha256, path);
            // Entrants with equal files share one copy of the weights.
            let file = Arc::clone(self.networks.entry(content).or_insert_with(|| Arc::new(file)));
            self.networks.insert(name.clone(), file);
        }
        match self.networks.get(name).map(|file| file.evaluator().kind()) {
            Some(holds) if holds != native.evaluation => {
                Err(FileError::OtherEvaluation { file: name.clone(), holds, wanted: native.evaluation })
            }
            _ => Ok(()),
        }
    }

    fn add_policy(&mut self, native: &NativeSpec, base: &Path) -> Result<(), FileError> {
        let Some(name) = &native.policy else { return Ok(()) };
        if !self.policies.contains_key(name) {
            let path = base.join(name);
            let file = PolicyFile::read(&path)?;
            let sha256 = file.content().to_string();
            let content = content_name(&sha256, name);
            self.files.insert(sha256, path);
            let file = Arc::clone(self.policies.entry(content).or_insert_with(|| Arc::new(file)));
            self.policies.insert(name.clone(), file);
        }
        match weights(native, Some(self)) {
            Ok(_) => Ok(()),
            Err(why) => Err(FileError::Policy { file: name.clone(), why }),
        }
    }

    /// Returns the program and weight files, by the SHA-256 that the content had when the file was read, in
    /// hexadecimal.
    pub fn files(&self) -> &BTreeMap<String, PathBuf> {
        &self.files
    }

    /// Returns what the engines report about themselves once they are started.
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
            PlayerSpec::Native(native) => {
                let network = native.network.as_ref().and_then(|name| self.networks.get(name));
                let policy = native.policy.as_ref().and_then(|name| self.policies.get(name));
                let evaluation =
                    network.map_or_else(|| native.evaluation.into(), |network| network.evaluator().clone());
                let config = config(native.search, evaluation, policy.map(|policy| Arc::clone(policy.policy())));
                let files = [
                    network.map(|network| network.content().to_string()),
                    policy.map(|policy| policy.content().to_string()),
                ];
                native_build(&config, files)
            }
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

    fn network(&self, native: &NativeSpec) -> Result<Evaluator, String> {
        let file = native.network.as_ref().and_then(|name| self.networks.get(name));
        file.map(|file| file.evaluator().clone()).ok_or_else(|| unknown_network(native))
    }

    fn policy(&self, native: &NativeSpec) -> Result<Arc<Policy>, String> {
        let file = native.policy.as_ref().and_then(|name| self.policies.get(name));
        file.map(|file| Arc::clone(file.policy())).ok_or_else(|| unknown_policy(native))
    }

    fn introduced(&self, process: &ProcessSpec, introduction: &Introduction) {
        self.introductions.hear(process, introduction);
    }

    fn passed_over(&self, process: &ProcessSpec, why: &OptionError) {
        self.introductions.pass_over(process, why);
    }
}

/// Returns the identity of a run that starts or resumes now, with this build of the engine and these programs.
pub fn run_header(config: &RunConfig, executables: &Executables) -> Header {
    let builds = config.entrants.iter().map(|entrant| executables.build(entrant));
    Header { builds: builds.collect(), config: config.clone() }
}

/// Returns the name that replaces a path in a pair's spec: the SHA-256 of the file's content in hexadecimal, and the
/// file name, since some programs depend on the name they are called by.
pub fn content_name(sha256: &str, command: &str) -> String {
    let name = Path::new(command).file_name().map_or_else(|| command.into(), |name| name.to_string_lossy());
    format!("sha256:{sha256}/{name}")
}

/// Splits a [`content_name`] into the SHA-256 and the file name.
pub fn content_of(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("sha256:")?.split_once('/')
}

/// Returns an entrant as it appears in a pair's spec, with its program and weights named by content.
pub fn by_content(entrant: &Entrant, build: &BuildId) -> Entrant {
    let mut entrant = entrant.clone();
    match (&mut entrant.player, build) {
        (PlayerSpec::Process(process), BuildId::Process { sha256 }) => {
            process.command = content_name(sha256, &process.command);
        }
        (PlayerSpec::Native(native), BuildId::Native { network, policy, .. }) => {
            for (name, sha256) in [(&mut native.network, network), (&mut native.policy, policy)] {
                *name = name.take().zip(sha256.as_ref()).map(|(name, sha256)| content_name(sha256, &name));
            }
        }
        _ => {}
    }
    entrant
}

/// Checks that an in-process entrant is played by the run's build, with the run's weights. Programs are checked by the
/// code that finds them.
///
/// # Errors
/// The build that this program has instead, or that the weights are missing, in words.
pub(super) fn check_build(entrant: &Entrant, build: &BuildId, programs: Option<&dyn Programs>) -> Result<(), String> {
    let PlayerSpec::Native(native) = &entrant.player else { return Ok(()) };
    let name = &entrant.name;
    let weights = weights(native, programs).map_err(|why| format!("entrant \"{name}\": {why}"))?;
    let files = [&native.network, &native.policy]
        .map(|name| name.as_deref().map(|name| content_of(name).unwrap_or_default().0.to_owned()));
    let config = config(native.search, weights.evaluation().clone(), weights.policy().cloned());
    let own = native_build(&config, files);
    if own == *build {
        return Ok(());
    }
    Err(format!("entrant \"{name}\" is another build of the 0.1 engine than this program has: {build:?}, here {own:?}"))
}

/// Uses the default parameters, because the entrant's own are already part of the configuration.
fn config(search: SearchKind, evaluation: Evaluator, policy: Option<Arc<Policy>>) -> EngineConfig {
    EngineConfig { search, evaluation, policy, ..EngineConfig::default() }
}

/// Returns the build of an engine with this configuration; `network` and `policy` are the SHA-256 of its weight files.
fn native_build(config: &EngineConfig, [network, policy]: [Option<String>; 2]) -> BuildId {
    let params = format!("{:016x}", Params::table_hash(config.search));
    BuildId::Native { bench: signature(config), params, network, policy }
}

/// Returns the bench of a search with its weights. It takes a while and is deterministic, so it is cached.
fn signature(config: &EngineConfig) -> u64 {
    type Known = BTreeMap<(SearchKind, EvaluationKind, u64, Option<u64>), u64>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    // The lock is held during the bench, so that concurrent callers wait and the bench runs once.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let EngineConfig { search, evaluation, policy, .. } = config;
    let weights = (*search, evaluation.kind(), evaluation.hash(), policy.as_ref().map(|policy| policy.hash()));
    *known.entry(weights).or_insert_with(|| engine::signature(config).nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::entrant::{EngineTimeouts, Handling, Options, Protocol, Restart};
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
            timeouts: EngineTimeouts::default(),
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
        // A content name contains no folder of this machine.
        assert_eq!(content_name("ab", "/opt/engines/dev"), "sha256:ab/dev");
    }

    /// Returns an in-process engine that uses this weights file.
    fn weighted(file: &str) -> NativeSpec {
        NativeSpec {
            search: SearchKind::default(),
            evaluation: EvaluationKind::WazirPieceSquare,
            network: Some(file.to_owned()),
            policy: None,
            table_bytes: 1 << 16,
            limit: play::Limit::Nodes(NonZeroU64::MIN),
            source: play::TimeSource::Wall,
            params: Params::default(),
        }
    }

    fn seated(native: NativeSpec) -> Entrant {
        Entrant { name: "engine".to_owned(), player: PlayerSpec::Native(Box::new(native)) }
    }

    #[test]
    fn weights_are_found_by_what_they_are_and_make_a_build_of_their_own() {
        let folder = tempfile::TempDir::new().unwrap();
        let weights = engine::WazirPieceSquare::new((0..6360).map(|feature| feature % 700).collect(), 5).unwrap();
        std::fs::write(folder.path().join("third"), weights.to_bytes()).unwrap();
        let mut executables = Executables::default();
        executables.add_network(&weighted("third"), folder.path()).unwrap();
        let build = executables.build(&seated(weighted("third")));
        let BuildId::Native { bench, network: Some(sha256), .. } = &build else { panic!("{build:?}") };
        let shipped =
            native_build(&config(SearchKind::default(), EvaluationKind::WazirPieceSquare.into(), None), [None, None]);
        assert!(!matches!(shipped, BuildId::Native { bench: same, .. } if same == *bench), "{shipped:?}");

        let travelling = by_content(&seated(weighted("third")), &build);
        assert!(travelling.player.weights().eq([format!("sha256:{sha256}/third").as_str()]));
        let PlayerSpec::Native(native) = &travelling.player else { panic!("{travelling:?}") };
        let (found, of_file) = (executables.network(native).unwrap(), executables.network(&weighted("third")).unwrap());
        let [Evaluator::WazirPieceSquare(one), Evaluator::WazirPieceSquare(other)] = [&found, &of_file] else {
            panic!()
        };
        assert!(Arc::ptr_eq(one, other) && **one == weights, "all share one");

        assert_eq!(check_build(&travelling, &build, Some(&executables)), Ok(()));
        let refused = check_build(&travelling, &shipped, Some(&executables)).unwrap_err();
        assert!(refused.contains("is another build of the 0.1 engine"), "{refused}");
        let refused = check_build(&travelling, &build, Some(&Executables::default())).unwrap_err();
        assert!(refused.ends_with("/third` is not a network of this run"), "{refused}");
        let elsewhere = NativeSpec { evaluation: EvaluationKind::Network, ..weighted("third") };
        let refused = executables.add_network(&elsewhere, folder.path()).unwrap_err().to_string();
        let expected = "third holds the weights of the evaluation `wps`, and the entrant's is `network`";
        assert_eq!(refused, expected);
    }
}
