//! `spar patch`: tests whether a change improves an engine. Builds both revisions and plays one against the other.

use super::ci::{self, PullRequest};
use super::experiment;
use super::sessions::{self, read_plan};
use super::stages;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use crate::progress::Lines;
use crate::watch::Ended;
use arena::config::Job;
use session::work::Base;
use session::{Session, work};
use std::path::Path;

pub(crate) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    if patch.ci {
        return ci::patch(patch, runs);
    }
    // Without --ci, both are required.
    let (base, dev) = (patch.base.clone().unwrap_or_default(), patch.dev.clone().unwrap_or_default());
    let change = PullRequest { base: Base::Revision(base), dev, fetch: None };
    play(patch, &change, runs, Lines::Rewritten, &mut |_| ())
}

/// Plays the test of a change. Calls `seen` with each run as it ends.
pub(super) fn play(
    patch: &Patch,
    change: &PullRequest,
    runs: &Path,
    lines: Lines,
    seen: &mut dyn FnMut(&Ended),
) -> Result<Exit, Failure> {
    let Patch { config, allow_identical, building, working, .. } = patch;
    let plan = read_plan(config, working, Job::Sprt)?;
    let is_staged = !plan.keys.stage.is_empty();
    let PullRequest { base, dev, .. } = change.clone();
    let sources = building.sources(config, working);
    let test = work::Patch { plan, sources, base, dev, allow_identical: *allow_identical };
    let (players, place) = (sessions::players(working), sessions::place(working, runs));
    let session = Session::start(players, &place, move |runner| work::patch(runner, &test));
    if is_staged {
        stages::show(session, working, lines, seen)
    } else {
        experiment::show_by(session, working, lines, seen)
    }
}
