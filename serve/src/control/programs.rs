//! Which programs a run starts, for the log: permission to start runs is permission to start programs.

use arena::config::RunConfig;
use arena::run::{BuildId, Executables, run_header};
use play::entrant::{PlayerSpec, ProcessSpec};
use play::players::process::Programs;

/// The programs of a run in words: of each entrant its command and the current SHA-256 of its file.
pub(crate) fn programs(config: &RunConfig, files: &Executables) -> String {
    let builds = run_header(config, files).builds;
    let programs: Vec<String> = config
        .entrants
        .iter()
        .zip(&builds)
        .flat_map(|(entrant, build)| {
            let commands = match &entrant.player {
                PlayerSpec::Process(process) => [Some(command(process, files)), None],
                PlayerSpec::Native(native) => [native.network.clone(), native.policy.clone()],
                PlayerSpec::Random | PlayerSpec::Custom(_) => [None, None],
            };
            commands.into_iter().zip(sha256(build)).filter_map(|(command, sha256)| {
                let command = command?;
                Some(match sha256 {
                    Some(sha256) => format!("{} = {command} (SHA-256 {sha256})", entrant.name),
                    None => format!("{} = {command}", entrant.name),
                })
            })
        })
        .collect();
    if programs.is_empty() { "no programs but spar itself".to_owned() } else { programs.join("; ") }
}

/// Of its program, or of the files of its evaluation and its policy.
fn sha256(build: &BuildId) -> [Option<&str>; 2] {
    match build {
        BuildId::Process { sha256 } => [Some(sha256), None],
        BuildId::Native { network, policy, .. } => [network.as_deref(), policy.as_deref()],
        BuildId::Random | BuildId::Custom | BuildId::Remote { .. } => [None, None],
    }
}

/// A command with all that decides what it does: its folder, its environment, its arguments.
fn command(process: &ProcessSpec, files: &Executables) -> String {
    let program = files.find(process).map_or_else(|_remote| process.command.clone(), |path| path.display().to_string());
    let folder = process.directory.iter().map(|folder| format!("in {}:", folder.display()));
    let environment = process.environment.iter().map(|(name, value)| format!("{name}={value:?}"));
    let words = std::iter::once(&program).chain(&process.arguments).map(|word| quoted(word));
    folder.chain(environment).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word unchanged, or in quotes if it would be taken for several.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"');
    if is_plain { word.to_owned() } else { format!("{word:?}") }
}
