//! What the commands on releases share: a configuration that says how engines are built, and the builds it asks for.

use super::experiment::read_config;
use crate::args::Working;
use crate::args::releases::Building;
use crate::builds::{Build, Builder, Recipe, Repository, Revision, WORKTREE};
use crate::failure::Failure;
use crate::host;
use crate::text::grouped;
use anyhow::anyhow;
use arena::config::Job;
use session::plan::RunPlan;
use std::path::{Path, PathBuf};

/// The plan in a file, with the settings of the command line applied.
pub(super) fn read_plan(path: &Path, working: &Working, job: Job) -> Result<RunPlan, Failure> {
    let stem = path.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
    let text = read_config(path)?;
    Ok(RunPlan::read(&text, &path.display().to_string(), &stem, &working.settings, Some(job))?)
}

/// Builds engines of one repository.
pub(super) struct Workshop<'a> {
    repository: Repository,
    recipe: Recipe,
    building: &'a Building,
    cache: PathBuf,
    runs: &'a Path,
}

impl<'a> Workshop<'a> {
    pub(super) fn open(building: &'a Building, plan: &RunPlan, runs: &'a Path) -> Result<Self, Failure> {
        let recipe = Recipe::of(plan)?;
        let repository = Repository::open(&building.repo)?;
        let cache = building.cache.clone().map_or_else(default_cache, Ok)?;
        Ok(Self { repository, recipe, building, cache, runs })
    }

    /// A revision to be tested. The commit that is checked out is refused if files were changed since: they would be missed.
    pub(super) fn candidate(&self, asked: &str) -> Result<Revision, Failure> {
        let revision = self.revision(asked)?;
        if asked == WORKTREE || self.building.allow_dirty {
            return Ok(revision);
        }
        match self.repository.uncommitted()? {
            Some(head) if head == revision.commit => Err(Failure::usage(format!(
                "the working tree has changes that `{asked}` does not: commit them, test them with `--dev {WORKTREE}`, \
                 or leave them out with --allow-dirty"
            ))),
            _ => Ok(revision),
        }
    }

    /// A revision as it is.
    pub(super) fn revision(&self, asked: &str) -> Result<Revision, Failure> {
        self.repository.resolve(asked, &[self.runs, &self.cache])
    }

    /// Its engine, and a line on standard error on what it is.
    pub(super) fn build(&self, revision: &Revision) -> Result<Build, Failure> {
        let stop = host::stop_flag()?;
        let Self { repository, recipe, cache, building, .. } = self;
        let build = Builder { repository, recipe, cache, anew: building.rebuild, stop }.build(revision)?;
        let bench = build.nodes.map_or(String::new(), |nodes| format!(", bench {}", grouped(nodes)));
        let how = if build.cached { "from the cache" } else { "built" };
        say!("{} is {} {}{bench} ({how})", revision.asked, revision.short(), revision.subject());
        Ok(build)
    }
}

/// `spar` in the user's cache folder.
fn default_cache() -> Result<PathBuf, Failure> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    let none = || Failure::Environment(anyhow!("there is no home folder to keep builds in: choose a place by --cache"));
    cache.map(|cache| cache.join("spar")).ok_or_else(none)
}
