//! `spar patch`: is a change of an engine an improvement? Builds both revisions and tests one against the other.

use super::engines::{read_plan, tell};
use super::experiment;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use crate::host;
use arena::config::Job;
use session::builds::{BuildNews, Workshop};
use session::plan::Contest;
use std::path::Path;

pub(crate) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&patch.config, &patch.working, Job::Sprt)?;
    let sources = patch.building.sources();
    let workshop = Workshop::open(&sources, &plan, runs, host::stop_flag()?, &tell)?;
    // Both names are looked up before the first build.
    let (base, dev) = (workshop.revision(&patch.base)?, workshop.candidate(&patch.dev)?);
    let (base, dev) = (workshop.build(&base)?, workshop.build(&dev)?);
    BuildNews::comparing(&dev, &base).into_iter().for_each(tell);
    let contest = Contest { dev: ("dev", &dev.built()), base: ("base", &base.built()), bounds: None };
    let loaded = plan.test_of_builds(&contest)?.resolve(Job::Sprt)?;
    experiment::begin(loaded, &patch.working, runs)
}
