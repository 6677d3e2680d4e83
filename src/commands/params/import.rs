//! `spar params import`: turns the parameters that engines and other tuners declare into a tuning configuration.

use crate::args::ImportParams;
use crate::commands::print;
use crate::failure::{Exit, Failure};
use crate::host;
use anyhow::{Context, anyhow};
use play::child::{ChildError, ChildSpec, resolve};
use reports::text::counted;
use session::declared::{Declared, LeftOut, Program};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};
use tuner::fishtest;

/// The timeout for an engine to list its options.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn import(import: &ImportParams) -> Result<Exit, Failure> {
    let program = import.engine.as_deref().map(program).transpose()?;
    let (origin, text) = match (&import.file, &program) {
        (Some(file), _) => read(file)?,
        (None, Some(program)) => (program.command.clone(), asked(program)?),
        (None, None) => return Err(Failure::usage("there is nothing to import: give a file, or --engine COMMAND")),
    };
    let declared = Declared::read(&text)
        .and_then(|declared| if import.only.is_empty() { Ok(declared) } else { declared.only(&import.only) });
    let declared = declared.map_err(|error| Failure::Usage(anyhow!("{origin}: {error}")))?;
    print(declared.to_toml(program.as_ref()).trim_end())?;
    tell(&declared, program.as_ref());
    Ok(Exit::Done)
}

/// Prints the imported and the skipped parameters.
fn tell(declared: &Declared, program: Option<&Program>) {
    let parameters = counted(declared.parameters.len() as u64, "parameter");
    say!("{parameters}, from {}. Look at ranges, steps, pairs and the limit.", declared.spelling);
    if program.is_none() {
        say!("Write your engine's program instead of ./engine, or name it: --engine COMMAND");
    }
    for note in &declared.notes {
        say!("note: {note}");
    }
    for aside in &declared.aside {
        say!("as a comment: {}: a {}; `--only` or removing the # tunes it", aside.name, aside.kind.name());
    }
    for LeftOut { name, why, .. } in &declared.left_out {
        say!("left out: {name}: {why}");
    }
}

/// The text of a file or of standard input, and the name of the source.
fn read(file: &Path) -> Result<(String, String), Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.context("cannot read standard input").map_err(Failure::Usage)?;
        return Ok(("standard input".to_owned(), text));
    }
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display())).map_err(Failure::Usage)?;
    Ok((file.display().to_string(), text))
}

/// The program of a command line, or a path with blanks in it.
pub(in crate::commands) fn program(line: &str) -> Result<Program, Failure> {
    if Path::new(line).is_file() {
        return Ok(Program { command: line.to_owned(), arguments: Vec::new() });
    }
    let unclosed = || Failure::usage(format!("`--engine {line}`: a quotation mark is not closed"));
    let mut words = shlex::split(line).ok_or_else(unclosed)?.into_iter();
    let command = words.next().ok_or_else(|| Failure::usage("`--engine` is empty: expected a command line"))?;
    Ok(Program { command, arguments: words.collect() })
}

/// What an engine declares. If it prints lines for fishtest, as a Stockfish built for tuning does, only those.
pub(in crate::commands) fn asked(program: &Program) -> Result<String, Failure> {
    let Program { command, arguments } = program;
    let found = resolve(command, &host::working_directory()?).map_err(|error| Failure::Usage(error.into()))?;
    let spec = ChildSpec { arguments: arguments.clone(), ..ChildSpec::new(found) };
    let mut child = host::spawner()?.spawn(&spec).map_err(|error| Failure::Usage(error.into()))?;
    let (until, stop) = (child.fair_deadline(Instant::now() + PATIENCE), host::stop_flag()?);
    let unanswered = |error: ChildError| match error {
        ChildError::Stopped => Failure::Interrupted,
        error => Failure::Usage(anyhow!(
            "{command} did not answer `uci` with `uciok`: {error}. Only UCI engines can be asked"
        )),
    };
    child.send("uci\n", until.at()).map_err(unanswered)?;
    let mut lines = Vec::new();
    loop {
        let line = child.receive_fairly(until, stop).map_err(unanswered)?;
        if line.trim() == "uciok" {
            break;
        }
        lines.push(line.to_owned());
    }
    let _how_it_ended = child.shut_down("quit\n", Duration::from_secs(1));
    let is_fishtest = |line: &&String| fishtest::parse_lines(line).is_ok_and(|lines| !lines.is_empty());
    let printed: Vec<&str> = lines.iter().filter(is_fishtest).map(String::as_str).collect();
    Ok(if printed.is_empty() { lines.join("\n") } else { printed.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_a_command_line_or_a_path() {
        let words = |line: &str| program(line).map(|Program { command, arguments }| (command, arguments));
        let python = ("python3".to_owned(), vec!["my engine.py".to_owned(), "-q".to_owned()]);
        assert_eq!(words("python3 'my engine.py' -q").unwrap(), python);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(words(path).unwrap(), (path.to_owned(), Vec::new()));
        assert!(words("python3 'x").is_err() && words(" ").is_err());
    }
}
