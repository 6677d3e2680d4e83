//! What the commands on releases share: a configuration from a file, with the settings of the command line.

use super::experiment::read_config;
use crate::args::Working;
use crate::failure::Failure;
use arena::config::Job;
use session::plan::RunPlan;
use std::path::Path;

/// The plan in a file, with the settings of the command line applied.
pub(super) fn read_plan(path: &Path, working: &Working, job: Job) -> Result<RunPlan, Failure> {
    let stem = path.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
    let text = read_config(path)?;
    Ok(RunPlan::read(&text, &path.display().to_string(), &stem, &working.settings, Some(job))?)
}
