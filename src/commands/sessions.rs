//! What all playing commands start with: the plan in a file, the entrants, the place of a session, and the session that
//! resumes a run.

use crate::args::Working;
use crate::failure::Failure;
use crate::players::Players;
use anyhow::Context;
use arena::config::Job;
use plan::{Disk, RunPlan};
use session::work::Changes;
use session::{Place, Session};
use std::num::NonZeroU64;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The plan in a file, with the settings of the command line applied.
pub(super) fn read_plan(path: &Path, working: &Working, job: impl Into<Option<Job>>) -> Result<RunPlan, Failure> {
    let stem = path.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
    let text = read_config(path)?;
    Ok(RunPlan::read(&text, &path.display().to_string(), &stem, &working.settings(), job.into(), Disk)?)
}

pub(super) fn read_config(path: &Path) -> Result<String, Failure> {
    let cannot_read = || format!("cannot read the configuration {}", path.display());
    let bytes = std::fs::read(path).with_context(cannot_read).map_err(Failure::Usage)?;
    if is_program(path, &bytes) {
        let shown = path.display();
        return Err(Failure::usage(format!(
            "{shown} is a program, and not a configuration. `spar match --engine cmd={shown} --engine cmd=OTHER --tc \
                10+0.1` plays engines \
             without one"
        )));
    }
    let not_text = || Failure::usage(format!("{} is not a configuration: expected a text in TOML", path.display()));
    String::from_utf8(bytes).map_err(|_| not_text())
}

/// Whether an executable file is a program, not a plan.
fn is_program(path: &Path, bytes: &[u8]) -> bool {
    let can_be_executed = path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
    can_be_executed && (bytes.starts_with(b"#!") || std::str::from_utf8(bytes).is_err())
}

/// A session that resumes the run or job in a folder.
pub(super) fn resumed(path: &Path, pairs: Option<NonZeroU64>, working: &Working) -> Session {
    let beside = path.parent().unwrap_or(path);
    let changes = Changes { settings: working.settings(), pairs };
    Session::resume(path, changes, players(working), &place(working, beside))
}

/// The place of a session and its number of workers.
pub(super) fn place(working: &Working, runs: &Path) -> Place {
    Place { concurrency: working.concurrency, ..Place::at(runs) }
}

/// The entrants.
pub(super) fn players(working: &Working) -> Players {
    Players::new(working)
}
