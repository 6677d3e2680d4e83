//! `spar patch`: is a change of an engine an improvement? Builds both revisions and tests one against the other.

use super::engines::{Workshop, read_plan};
use super::experiment;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use arena::config::Job;
use session::plan::Contest;
use std::path::Path;

pub(crate) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    let plan = read_plan(&patch.config, &patch.working, Job::Sprt)?;
    let workshop = Workshop::open(&patch.building, &plan, runs)?;
    // Both names are looked up before the first build.
    let (base, dev) = (workshop.revision(&patch.base)?, workshop.candidate(&patch.dev)?);
    let (base, dev) = (workshop.build(&base)?, workshop.build(&dev)?);
    if dev.sha256 == base.sha256 {
        say!("Both revisions make the same program, byte for byte.");
    } else if dev.nodes.is_some() && dev.nodes == base.nodes {
        say!("Both count the same nodes: they search alike, and can differ in speed alone.");
    }
    let contest = Contest { dev: ("dev", &dev.built()), base: ("base", &base.built()), bounds: None };
    let loaded = plan.test_of_builds(&contest)?.resolve(Job::Sprt)?;
    experiment::begin(loaded, &patch.working, runs)
}
