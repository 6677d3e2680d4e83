//! The artifacts of a run for its workers: programs, weights, sources to build programs from, and the workers' setup.

use crate::error::FleetError;
use crate::worker_setup::{ToBuild, ToMeasure, WorkerSetup};
use arena::config::{ScaleBy, TimeScale};
use arena::run::{BuildId, Notice, by_content, content_name};
use play::entrant::{PlayerSpec, ProcessSpec};
use session::builds::{BuildError, BuildSpec};
use session::{Busy, Call, SessionError, Warning};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files of a run that are uploaded to the server.
pub(crate) struct Artifacts {
    /// The files, by the SHA-256 of their content, in hexadecimal.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// The file with the workers' setup, if they need any.
    pub(crate) worker_setup: Option<String>,
    /// Whether workers scale time controls to their own speeds.
    pub(crate) is_scaled: bool,
    /// The folder of the setup file.
    _folder: Option<TempDir>,
}

impl Artifacts {
    /// Collects the artifacts of a run that is about to begin. Workers build the programs that spar built from git,
    /// unless `send_programs` is set.
    pub(crate) fn pack(call: &Call<'_>, send_programs: bool) -> Result<Self, SessionError> {
        let (mut files, mut worker_setup) = (call.programs.files().clone(), WorkerSetup::default());
        let (mut built, mut sent) = (BTreeSet::new(), BTreeSet::new());
        for (entrant, build) in call.run.run.entrants.iter().zip(&call.header.builds) {
            let (PlayerSpec::Process(process), BuildId::Process { sha256 }) = (&entrant.player, build) else {
                continue;
            };
            let build_spec = if send_programs { None } else { build_spec(call, process)? };
            let Some((build_spec, archive)) = build_spec else {
                sent.insert(sha256);
                continue;
            };
            built.insert(sha256);
            files.insert(build_spec.archive().to_owned(), archive);
            let named = (content_name(sha256, &process.command), process.directory.clone());
            if worker_setup.builds.iter().all(|other| other.named != named) {
                worker_setup.builds.push(ToBuild { named, build_spec });
            }
        }
        for sha256 in built.difference(&sent) {
            files.remove(*sha256);
        }
        worker_setup.speed = to_measure(call);
        if worker_setup.is_empty() {
            return Ok(Self { files, worker_setup: None, is_scaled: false, _folder: None });
        }
        let (folder, sha256, path) =
            write(&worker_setup).map_err(|cause| FleetError::io("cannot write a file", cause))?;
        files.insert(sha256.clone(), path);
        Ok(Self { files, worker_setup: Some(sha256), is_scaled: worker_setup.speed.is_some(), _folder: Some(folder) })
    }
}

/// Returns the bench that each worker measures, if time controls are scaled to the speeds of hosts.
fn to_measure(call: &Call<'_>) -> Option<ToMeasure> {
    let run = &call.run.run;
    let (Some(TimeScale::Bench(reference)), Some(ScaleBy::Bench { within })) = (&run.scale, call.run.scale_by) else {
        return None;
    };
    let number = run.entrants.iter().position(|entrant| entrant.name == reference.entrant)?;
    let entrant = by_content(&run.entrants[number], call.header.builds.get(number)?);
    Some(ToMeasure { entrant, reference: reference.clone(), within, threads: Busy::of(&run.entrants).threads })
}

/// Returns how to build a program, and the archive of its sources, if it was built from git and has a signature.
fn build_spec(call: &Call<'_>, process: &ProcessSpec) -> Result<Option<(BuildSpec, PathBuf)>, SessionError> {
    match BuildSpec::of(Path::new(&process.command), call.messages.stop_flag()) {
        Ok(build_spec) => Ok(build_spec),
        Err(BuildError::Interrupted) => Err(SessionError::Interrupted),
        Err(why) => {
            let text =
                format!("{} is sent to the workers as a binary: its sources are not available: {why}", process.command);
            call.messages.warn(Warning::Elsewhere(Notice { text, is_serious: true }));
            Ok(None)
        }
    }
}

fn write(worker_setup: &WorkerSetup) -> std::io::Result<(TempDir, String, PathBuf)> {
    let (bytes, sha256) = worker_setup.file()?;
    let folder = TempDir::new()?;
    let path = folder.path().join("worker_setup.json");
    std::fs::write(&path, bytes)?;
    Ok((folder, sha256, path))
}
