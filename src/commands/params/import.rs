//! `spar params import`: what engines and other tuners declare, as a `[tune]` section.

use crate::args::ImportParams;
use crate::commands::print;
use crate::failure::{Exit, Failure};
use crate::host;
use anyhow::{Context, anyhow};
use play::child::{ChildError, ChildSpec, Launcher, Spawner, resolve};
use session::declared::Declared;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// An engine has so long to say what it has.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn import(import: &ImportParams) -> Result<Exit, Failure> {
    let text = match (&import.engine, &import.file) {
        (Some(engine), _) => asked(engine)?,
        (None, Some(file)) if file == Path::new("-") => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.context("cannot read standard input").map_err(Failure::Usage)?;
            text
        }
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file);
            text.with_context(|| format!("cannot read {}", file.display())).map_err(Failure::Usage)?
        }
        (None, None) => return Err(Failure::usage("there is nothing to import: give a file, or --engine COMMAND")),
    };
    let declared = Declared::read(&text).map_err(|error| Failure::Usage(error.into()))?;
    print(declared.to_toml().trim_end())?;
    say!(
        "{} parameters, from {}. Add `pairs` to `[tune]`, and look at ranges and steps.",
        declared.parameters.len(),
        declared.spelling
    );
    for (name, why) in &declared.left_out {
        say!("left out: {name}: {why}");
    }
    Ok(Exit::Done)
}

/// What an engine says of itself; the lines for fishtest alone if it prints any, as Stockfish does that was built to be tuned.
fn asked(engine: &str) -> Result<String, Failure> {
    let base = std::env::current_dir().context("cannot tell the working directory").map_err(Failure::Environment)?;
    let program = resolve(engine, &base).map_err(|error| Failure::Usage(error.into()))?;
    let spawner = Spawner::start(Some(Launcher::this_program()));
    let spawner = spawner.context("cannot watch over engine processes").map_err(Failure::Environment)?;
    let mut child = spawner.spawn(&ChildSpec::new(program)).map_err(|error| Failure::Usage(error.into()))?;
    let (until, stop) = (Instant::now() + PATIENCE, host::stop_flag()?);
    let unanswered = |error: ChildError| Failure::Usage(anyhow!("{engine} did not answer `uci` with `uciok`: {error}"));
    child.send("uci\n", until).map_err(unanswered)?;
    let mut lines = Vec::new();
    loop {
        let line = child.receive(until, stop).map_err(unanswered)?;
        if line.trim() == "uciok" {
            break;
        }
        lines.push(line.to_owned());
    }
    let _how_it_ended = child.shut_down("quit\n", Duration::from_secs(1));
    let is_fishtest = |line: &&String| line.matches(',').count() == 5 && !line.starts_with("option ");
    let printed: Vec<&str> = lines.iter().filter(is_fishtest).map(String::as_str).collect();
    Ok(if printed.is_empty() { lines.join("\n") } else { printed.join("\n") })
}
