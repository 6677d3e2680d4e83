//! The engines that work on books: one program, in processes that are started as needed.

use crate::failure::Failure;
use crate::host;
use play::Limit;
use play::child::resolve;
use play::entrant::{EngineTimeouts, Handling, Options, ProcessSpec, Protocol, Restart};
use play::players::process::{Programs, StandbyPlayers, Starter};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The engine's only program.
struct Program(PathBuf);

impl Programs for Program {
    fn find(&self, _process: &ProcessSpec) -> Result<PathBuf, String> {
        Ok(self.0.clone())
    }
}

/// Starts processes of a command: a path, or a name in PATH.
pub(super) fn starter(command: &str) -> Result<Starter, Failure> {
    let program = resolve(command, &host::working_directory()?).map_err(|error| Failure::Usage(error.into()))?;
    Ok(Starter {
        spawner: host::spawner()?,
        cpus: Vec::new(),
        trace: None,
        programs: Arc::new(Program(program)),
        standby: StandbyPlayers::default(),
        pause: Duration::ZERO,
    })
}

/// Describes a process of a command.
pub(super) fn process(
    command: &str,
    arguments: &[String],
    options: Options,
    protocol: Protocol,
    limit: Limit,
) -> ProcessSpec {
    ProcessSpec {
        command: command.to_owned(),
        arguments: arguments.to_vec(),
        directory: None,
        environment: BTreeMap::new(),
        protocol,
        options,
        init: Vec::new(),
        limit,
        margin: Duration::ZERO,
        restart: Restart::WhenNeeded,
        timeouts: EngineTimeouts::default(),
        nice: None,
        handling: Handling::default(),
    }
}
