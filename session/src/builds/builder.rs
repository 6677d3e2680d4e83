//! Where builds are asked for: a repository, the recipe of a plan, and the cache.

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

/// Where engines come from, and where their builds are kept.
#[derive(Clone, Debug)]
pub struct Sources {
    /// A folder of the repository.
    pub repository: PathBuf,
    /// Where builds are kept; `spar` in the user's cache folder if not given.
    pub cache: Option<PathBuf>,
    /// Build again what the cache holds.
    pub rebuild: bool,
    /// Test the commit that is checked out although files were changed since, or a working tree whose submodules were.
    pub allow_dirty: bool,
    /// Files and folders in the repository that are not part of the engine, such as the configuration of the test:
    /// changes of them do not count. The runs folder and the cache are always such.
    pub apart: Vec<PathBuf>,
}

impl Sources {
    /// The repository of a folder, and the user's cache.
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
    /// Builds by the recipe in a plan. The folder `runs` is not part of the working tree's snapshots; `stop` interrupts
    /// when it is raised; `tell` gets the events.
    ///
    /// # Errors
    /// [`SessionError`] if the recipe cannot be used, if there is no repository, or nowhere to keep builds.
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

    /// A revision to be tested. The commit that is checked out is refused if files were changed since: they would be
    /// missed.
    ///
    /// # Errors
    /// [`BuildError`] if there is no such revision, or for changes that it does not have.
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

    /// A revision: any that git knows, or the working tree by the name of [`WORKTREE`].
    ///
    /// # Errors
    /// [`BuildError`] if there is no such revision.
    pub fn revision(&self, asked: &str) -> Result<Revision, BuildError> {
        self.repository.resolve(asked, &self.apart(), self.sources.allow_dirty)
    }

    /// The commit at which a change left a branch: the newest that both have. If the change is a merge into the branch,
    /// that is the branch as it was merged.
    ///
    /// # Errors
    /// [`BuildError`] if there is no such branch, or no such commit.
    pub fn fork(&self, branch: &str, change: &Revision) -> Result<Revision, BuildError> {
        self.repository.fork(branch, change)
    }

    /// The commits from a good revision, which comes first, to a bad one, by first parent; with a path those of them
    /// that touch it.
    ///
    /// # Errors
    /// [`RangeError`] if there are none.
    pub fn range(&self, good: &str, bad: &str, path: Option<&str>) -> Result<Vec<RangeCommit>, RangeError> {
        self.repository.range(good, bad, path)
    }

    /// A revision with the changes of a patch file: what `git format-patch` or `git diff` wrote. It is called `name`.
    ///
    /// # Errors
    /// [`BuildError`] if the file cannot be read, or does not apply.
    pub fn apply(&self, base: &Revision, name: &str, file: &Path) -> Result<Revision, BuildError> {
        self.repository.apply(base, name, file)
    }

    /// A revision with several changes of it, merged in turn. A change that conflicts with those before it is left out.
    ///
    /// # Errors
    /// [`BuildError`] if git fails.
    pub fn merge(&self, base: &Revision, changes: &[&Revision]) -> Result<Merged, BuildError> {
        self.repository.merge(base, changes)
    }

    /// The top of the repository's working tree, or the repository itself if it is bare.
    pub fn root(&self) -> &Path {
        self.repository.root()
    }

    /// What is not part of the engine.
    fn apart(&self) -> Vec<&Path> {
        [self.runs, &self.cache].into_iter().chain(self.sources.apart.iter().map(PathBuf::as_path)).collect()
    }

    /// Its engine: from the cache, or built now.
    ///
    /// # Errors
    /// [`BuildError`] if it cannot be built, or if it is not what its commit says.
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
/// [`BuildError::NoHome`] for a user without one.
pub fn default_cache() -> Result<PathBuf, BuildError> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("spar")).ok_or(BuildError::NoHome)
}
