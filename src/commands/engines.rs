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
use session::plan::with_settings;
use std::path::{Path, PathBuf};

/// A configuration file, as its author wrote it.
pub(super) struct SourceFile {
    pub(super) text: String,
    /// What messages call it.
    pub(super) name: String,
    /// What runs are called if it does not say.
    pub(super) stem: String,
}

impl SourceFile {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let stem = path.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy());
        Ok(Self { text: read_config(path)?, name: path.display().to_string(), stem: stem.into_owned() })
    }
}

impl SourceFile {
    /// The file of a command that makes configurations out of it, with those settings applied that only this file can have; the others
    /// are left to the configurations.
    pub(super) fn read_amended(path: &Path, job: Job, working: &Working) -> Result<(Self, Working), Failure> {
        let Self { text, name, stem } = Self::read(path)?;
        let (own, settings) =
            working.settings.iter().cloned().partition::<Vec<_>, _>(|setting| is_of_the_file(setting));
        let text = with_settings(&text, &name, &own, job)?;
        Ok((Self { text, name, stem }, Working { settings, ..working.clone() }))
    }
}

/// Whether a setting is of a section or a key that no longer is when a configuration has been made.
fn is_of_the_file(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or_default().trim();
    let section = key.split('.').next().unwrap_or_default();
    ["build", "dev", "base", "scaling"].contains(&section)
        || key == "ladder.order"
        || key.rsplit('.').next() == Some("rev")
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
    pub(super) fn open(building: &'a Building, file: &SourceFile, runs: &'a Path) -> Result<Self, Failure> {
        let recipe = Recipe::read(&file.text, &file.name)?;
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
