//! Builds engines from a repository, by the recipe of a plan, with a cache.

use super::build::Build;
use super::cache::Builder;
use super::error::BuildError;
use super::event::BuildEvent;
use super::git::{GitTimeouts, Repository};
use super::patches::Merged;
use super::range::{RangeCommit, RangeError};
use super::recipe::Recipe;
use super::revision::{Revision, WORKTREE};
use super::tree::Tree;
use crate::error::SessionError;
use plan::RunPlan;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The sources of engines, and the cache of their builds.
#[derive(Clone, Debug)]
pub struct Sources {
    /// A folder of the repository.
    pub repository: PathBuf,
    /// The cache; `None` for `spar` in the user's cache folder.
    pub cache: Option<PathBuf>,
    /// Whether to rebuild cached builds.
    pub rebuild: bool,
    /// Whether to allow a test of the checked-out commit despite changed files, or of a working tree with changed
    /// submodules.
    pub allow_dirty: bool,
    /// Files and folders in the repository that are not part of the engine, such as the configuration of the test;
    /// their changes are ignored. The runs folder and the cache are always among them.
    pub apart: Vec<PathBuf>,
}

impl Sources {
    /// The repository of a folder, with the user's cache.
    pub fn at(repository: impl Into<PathBuf>) -> Self {
        Self { repository: repository.into(), cache: None, rebuild: false, allow_dirty: false, apart: Vec::new() }
    }
}

/// Builds engines of one repository by one recipe.
pub struct EngineBuilder<'a> {
    repository: Repository<'a>,
    recipe: Recipe,
    cache: PathBuf,
    sources: &'a Sources,
    runs: &'a Path,
    stop: &'a AtomicBool,
    tell: &'a dyn Fn(BuildEvent),
}

impl<'a> EngineBuilder<'a> {
    /// Opens a builder with the recipe of a plan. The folder `runs` is not part of the working tree's snapshots;
    /// setting `stop` interrupts builds; `tell` gets the events.
    ///
    /// # Errors
    /// [`SessionError`] if the recipe cannot be used, or if there is no repository or no place for the cache.
    pub fn open(
        sources: &'a Sources,
        plan: &RunPlan,
        runs: &'a Path,
        stop: &'a AtomicBool,
        tell: &'a dyn Fn(BuildEvent),
    ) -> Result<Self, SessionError> {
        let recipe = Recipe::of(plan)?;
        let repository = Repository::open(&sources.repository, GitTimeouts { within: recipe.within, stop })?;
        let cache = sources.cache.clone().map_or_else(default_cache, Ok)?;
        Ok(Self { repository, recipe, cache, sources, runs, stop, tell })
    }

    /// Finds a revision to test. Refuses the checked-out commit if files were changed since, since it lacks the
    /// changes.
    ///
    /// # Errors
    /// [`BuildError`] if there is no such revision, or if there are changes that it lacks.
    pub fn candidate(&self, asked: &str) -> Result<Revision, BuildError> {
        let revision = self.revision(asked)?;
        if asked == WORKTREE || self.sources.allow_dirty {
            return Ok(revision);
        }
        match self.repository.uncommitted(&self.apart())? {
            Some(head) if head == revision.commit => Err(BuildError::Uncommitted { asked: asked.to_owned() }),
            _ => Ok(revision),
        }
    }

    /// Finds a revision: any that git knows, or the working tree by the name [`WORKTREE`].
    ///
    /// # Errors
    /// [`BuildError`] if there is no such revision.
    pub fn revision(&self, asked: &str) -> Result<Revision, BuildError> {
        self.repository.resolve(asked, &self.apart(), self.sources.allow_dirty)
    }

    /// Finds the fork point of a change: the newest commit that it shares with a branch. If the change is a merge into
    /// the branch, this is the branch as it was merged.
    ///
    /// # Errors
    /// [`BuildError`] if there is no such branch or commit.
    pub fn fork(&self, branch: &str, change: &Revision) -> Result<Revision, BuildError> {
        self.repository.fork(branch, change)
    }

    /// Returns the commits from a good revision, which comes first, to a bad one, by first parent; with a path, only
    /// those that touch it.
    ///
    /// # Errors
    /// [`RangeError`] if there are no such commits.
    pub fn range(&self, good: &str, bad: &str, path: Option<&str>) -> Result<Vec<RangeCommit>, RangeError> {
        self.repository.range(good, bad, path)
    }

    /// Applies a patch file of `git format-patch` or `git diff` to a revision. The result is called `name`.
    ///
    /// # Errors
    /// [`BuildError`] if the file cannot be read or does not apply.
    pub fn apply(&self, base: &Revision, name: &str, file: &Path) -> Result<Revision, BuildError> {
        self.repository.apply(base, name, file)
    }

    /// Merges several changes of a revision in order. Leaves out a change that conflicts with earlier ones.
    ///
    /// # Errors
    /// [`BuildError`] if git fails.
    pub fn merge(&self, base: &Revision, changes: &[&Revision]) -> Result<Merged, BuildError> {
        self.repository.merge(base, changes)
    }

    /// Returns the top of the repository's working tree, or the repository itself if it is bare.
    pub fn root(&self) -> &Path {
        self.repository.root()
    }

    /// The files and folders that are not part of the engine.
    fn apart(&self) -> Vec<&Path> {
        [self.runs, &self.cache].into_iter().chain(self.sources.apart.iter().map(PathBuf::as_path)).collect()
    }

    /// Returns the engine of a revision from the cache, or builds it.
    ///
    /// # Errors
    /// [`BuildError`] if it cannot be built, or if its signature is not the one in its commit message.
    pub fn build(&self, revision: &Revision) -> Result<Build, BuildError> {
        let Self { repository, recipe, cache, sources, stop, tell, .. } = self;
        let build = Builder { tree: Tree::Repository(repository), recipe, cache, rebuild: sources.rebuild, stop, tell };
        let build = build.build(revision)?;
        tell(BuildEvent::Ready(build.clone()));
        Ok(build)
    }
}

/// `spar` in the user's cache folder.
///
/// # Errors
/// [`BuildError::NoHome`] for a user without a home folder.
pub fn default_cache() -> Result<PathBuf, BuildError> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("spar")).ok_or(BuildError::NoHome)
}
