//! The programs that a run starts, for the log: permission to start runs is permission to start programs.

use arena::config::RunConfig;
use arena::run::{BuildId, Executables, run_header};
use play::entrant::{PlayerSpec, ProcessSpec};
use play::players::process::Programs;
use serde::Serialize;

/// A program, or a file that decides what a program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Program {
    /// The owner: an entrant, a patch, or `build` for the command that builds engines.
    pub(crate) of: String,
    /// The command with everything that affects it: its folder, its environment, its arguments.
    pub(crate) command: String,
    /// The path of its file, if that is on this machine.
    pub(crate) path: Option<String>,
    /// The SHA-256 of its file when the run began.
    pub(crate) sha256: Option<String>,
}

/// Returns the programs of a run, and the files of weights that its native players read.
pub(crate) fn programs(config: &RunConfig, files: &Executables) -> Vec<Program> {
    let builds = run_header(config, files).builds;
    let of_entrant = |(entrant, build): (&play::entrant::Entrant, &BuildId)| {
        let commands = match &entrant.player {
            PlayerSpec::Process(process) => {
                let path = files.find(process).ok().map(|path| path.display().to_string());
                [Some((command(process, path.as_ref()), path)), None]
            }
            PlayerSpec::Native(native) => {
                [&native.network, &native.policy].map(|file| file.clone().map(|file| (file.clone(), Some(file))))
            }
            PlayerSpec::Random | PlayerSpec::Custom(_) => [None, None],
        };
        let program = |((command, path), sha256): ((String, Option<String>), Option<&str>)| Program {
            of: entrant.name.clone(),
            command,
            path,
            sha256: sha256.map(str::to_owned),
        };
        let known = commands.into_iter().zip(sha256(build)).filter_map(|(command, sha256)| Some((command?, sha256)));
        known.map(program).collect::<Vec<_>>()
    };
    config.entrants.iter().zip(&builds).flat_map(of_entrant).collect()
}

/// Returns the SHA-256 of the program, or of the files of the evaluation and the policy.
fn sha256(build: &BuildId) -> [Option<&str>; 2] {
    match build {
        BuildId::Process { sha256 } => [Some(sha256), None],
        BuildId::Native { network, policy, .. } => [network.as_deref(), policy.as_deref()],
        BuildId::Random | BuildId::Custom | BuildId::Remote { .. } => [None, None],
    }
}

/// Returns a command with its folder, its environment and its arguments.
fn command(process: &ProcessSpec, path: Option<&String>) -> String {
    let folder = process.directory.iter().map(|folder| format!("in {}:", folder.display()));
    let environment = process.environment.iter().map(|(name, value)| format!("{name}={value:?}"));
    let words = std::iter::once(path.unwrap_or(&process.command)).chain(&process.arguments).map(|word| quoted(word));
    folder.chain(environment).chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns a word unchanged, or in quotes if it would be taken for several.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"');
    if is_plain { word.to_owned() } else { format!("{word:?}") }
}
