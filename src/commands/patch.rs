//! `spar patch`: is a change of an engine an improvement? Builds both revisions and tests one against the other.

use super::experiment;
use super::sessions::{self, read_plan};
use super::stages;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use arena::config::Job;
use session::{Session, work};
use std::path::Path;

pub(crate) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    let Patch { config, base, dev, allow_identical, building, working } = patch;
    let (base, dev, allow_identical) = (base.clone(), dev.clone(), *allow_identical);
    let plan = read_plan(config, working, Job::Sprt)?;
    let is_staged = !plan.keys.stage.is_empty();
    let sources = building.sources(config, working);
    let patch = work::Patch { plan, sources, base, dev, allow_identical };
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |desk| work::patch(desk, &patch));
    if is_staged { stages::show(session, working) } else { experiment::show(session, working) }
}
