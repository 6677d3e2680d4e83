//! `spar patch`: is a change of an engine an improvement? Builds both revisions and tests one against the other.

use super::engines::{SourceFile, Workshop};
use super::experiment;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use crate::releases::{Contest, test_text};
use arena::config::Job;
use session::plan::load;
use std::path::Path;

pub(crate) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    let (file, working) = SourceFile::read_amended(&patch.config, Job::Sprt, &patch.working)?;
    let workshop = Workshop::open(&patch.building, &file, runs)?;
    // Both names are looked up before the first build.
    let (base, dev) = (workshop.revision(&patch.base)?, workshop.candidate(&patch.dev)?);
    let (base, dev) = (workshop.build(&base)?, workshop.build(&dev)?);
    if dev.sha256 == base.sha256 {
        say!("Both revisions make the same program, byte for byte.");
    } else if dev.nodes.is_some() && dev.nodes == base.nodes {
        say!("Both count the same nodes: they search alike, and can differ in speed alone.");
    }
    let contest = Contest { dev_name: "dev", dev: &dev, base_name: "base", base: &base, bounds: None };
    let text = test_text(&file.text, &file.name, &file.stem, &contest)?;
    let loaded = load(&text, &format!("{}, with both builds", file.name), &file.stem, &working.settings, Job::Sprt)?;
    experiment::begin(&loaded, &working, runs, None)
}
