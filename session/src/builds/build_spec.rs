//! Builds that are made again on another machine, for its own processor: what a program was built from, as it travels.
//!
//! The archive of the sources travels beside it. What comes out may be another program; that it searches alike is known
//! by its signature, so that only engines with one have blueprints.

use super::build::Build;
use super::cache::{Builder, Label, built_into};
use super::error::BuildError;
use super::event::BuildEvent;
use super::git::{GitTimeouts, Repository};
use super::recipe::Recipe;
use super::revision::Revision;
use super::tree::{Tree, pack};
use play::child::ContentHash;
use play::platform::Machine;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use tempfile::NamedTempFile;

/// The archive of the sources, beside the build that was made from them.
const ARCHIVE: &str = "source.tar.zst";

/// How an engine is built from an archive of its sources, and how it is known to be the same engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildSpec {
    revision: Revision,
    recipe: Recipe,
    /// What its bench must count.
    signature: u64,
    /// The SHA-256 of the archive, in hexadecimal.
    archive: String,
    /// The folder that it runs in on the machine that it comes from, if it needs files beside it.
    directory: Option<PathBuf>,
}

impl BuildSpec {
    /// Of a program that spar built from a repository of this machine, and the archive of its sources; `None` for any
    /// other program, and for one without a signature.
    ///
    /// # Errors
    /// [`BuildError`] if the sources are there no more, or `stop` is raised meanwhile.
    pub fn of(program: &Path, stop: &AtomicBool) -> Result<Option<(Self, PathBuf)>, BuildError> {
        let Some((folder, label)) = built_into(program) else { return Ok(None) };
        let Label { nodes: Some(signature), source: Some(source), .. } = label else { return Ok(None) };
        let path = folder.join(ARCHIVE);
        let (revision, recipe) = (source.revision, source.recipe);
        if !path.exists() {
            let repository = Repository::open(&source.repository, GitTimeouts { within: recipe.within, stop })?;
            let tar = NamedTempFile::new_in(&folder)?;
            repository.archive(&revision, tar.path(), &folder.join("archive.log"), recipe.within, stop)?;
            let mut packed = NamedTempFile::new_in(&folder)?;
            pack(tar.path(), packed.as_file_mut())?;
            // A quicker writer has written the same.
            let _kept = packed.persist(&path).map_err(|error| error.error)?;
        }
        let archive = ContentHash::of(File::open(&path)?)?.to_string();
        let directory = recipe.directory(&folder);
        Ok(Some((Self { revision, recipe, signature, archive, directory }, path)))
    }

    /// The SHA-256 of the archive of its sources, in hexadecimal.
    pub fn archive(&self) -> &str {
        &self.archive
    }

    /// The folder that it runs in on the machine that it comes from, if it needs files beside it.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The engine built here from the archive, in a folder of `cache`, or an earlier build there. `stop` interrupts
    /// when it is raised; `tell` gets the events.
    ///
    /// # Errors
    /// [`BuildError`] if it cannot be built here, or is not the same engine.
    pub fn build(
        &self,
        archive: &Path,
        cache: &Path,
        stop: &AtomicBool,
        tell: &dyn Fn(BuildEvent),
    ) -> Result<Build, BuildError> {
        let Self { revision, recipe, signature, archive: name, .. } = self;
        // Several machines may share the folder, and programs be for one processor alone.
        let place = (name, recipe, PROCESSOR.as_str());
        let builder = Builder { tree: Tree::Archive(archive), recipe, cache, rebuild: false, stop, tell };
        let build =
            builder.build_in(&cache.join(ContentHash::of(format!("{place:?}").as_bytes())?.to_string()), revision)?;
        match build.nodes {
            Some(nodes) if nodes == *signature => Ok(build),
            nodes => Err(BuildError::OtherEngine { revision: Box::new(revision.clone()), wanted: *signature, nodes }),
        }
    }
}

/// What kind of processor this is, in the kernel's words.
static PROCESSOR: LazyLock<String> = LazyLock::new(|| Machine::this().processor());
