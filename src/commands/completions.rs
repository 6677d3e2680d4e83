//! `spar completions`: completion scripts for shells. The scripts call spar for the candidates.

use crate::args::help;
use crate::failure::{Exit, Failure};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use std::io::Write;
use std::process::ExitCode;

/// The variable by which a script asks for candidates; its value is the shell's name.
const ASKS: &str = "SPAR_COMPLETE";
/// Zsh loads a script as the completion function when it is first used.
const FIRST_USE: &str = "\n[ \"$funcstack[1]\" = _spar ] && _clap_dynamic_completer_spar \"$@\"\n";

pub(crate) fn completions(shell: Shell) -> Result<Exit, Failure> {
    std::io::stdout().write_all(&script(shell)?)?;
    Ok(Exit::Done)
}

/// The script of a shell.
pub(super) fn script(shell: Shell) -> Result<Vec<u8>, Failure> {
    let name = shell.to_string();
    let known = Shells::builtins();
    let writer = known.completer(&name).ok_or_else(|| Failure::usage(format!("there is no script for {name}")))?;
    let mut script = Vec::new();
    writer.write_registration(ASKS, "spar", "spar", "spar", &mut script)?;
    if shell == Shell::Zsh {
        script.extend_from_slice(FIRST_USE.as_bytes());
    }
    Ok(script)
}

/// Answers a script that asks for candidates; `None` if this process was not started by one.
pub(crate) fn answer() -> Option<ExitCode> {
    std::env::var_os(ASKS)?;
    let env = CompleteEnv::with_factory(help::command).var(ASKS).bin("spar").completer("spar");
    let folder = std::env::current_dir().ok();
    match env.try_complete(std::env::args_os(), folder.as_deref()) {
        Ok(true) => Some(ExitCode::SUCCESS),
        Ok(false) => None,
        // In the middle of a line, a shell cannot show an error.
        Err(_) => Some(ExitCode::FAILURE),
    }
}
