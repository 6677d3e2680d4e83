//! Builds that are repeated on another machine, for its own processor: the sources and the recipe of a program, to be
//! sent.
//!
//! The archive of the sources is sent beside it. The other machine's program may differ; its signature shows that it
//! searches alike, so only engines with a signature have a [`BuildSpec`].

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

/// The archive of the sources, next to the build made from them.
const ARCHIVE: &str = "source.tar.zst";

/// How to build an engine from an archive of its sources, and how to check that it is the same engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildSpec {
    revision: Revision,
    recipe: Recipe,
    /// The signature that its bench must have.
    signature: u64,
    /// The SHA-256 of the archive, in hexadecimal.
    archive: String,
    /// Its working directory on the original machine, if it needs files beside it.
    directory: Option<PathBuf>,
}

impl BuildSpec {
    /// Returns the spec of a program that spar built from a repository of this machine, and the archive of its sources;
    /// `None` for any other program, and for one without a signature.
    ///
    /// # Errors
    /// [`BuildError`] if the sources no longer exist, or if `stop` is set meanwhile.
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
            // A faster writer has written the same bytes.
            let _kept = packed.persist(&path).map_err(|error| error.error)?;
        }
        let archive = ContentHash::of(File::open(&path)?)?.to_string();
        let directory = recipe.directory(&folder);
        Ok(Some((Self { revision, recipe, signature, archive, directory }, path)))
    }

    /// Returns the SHA-256 of the archive of its sources, in hexadecimal.
    pub fn archive(&self) -> &str {
        &self.archive
    }

    /// Returns its working directory on the original machine, if it needs files beside it.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Builds the engine from the archive in a folder of `cache`, or returns an earlier build there. Setting `stop`
    /// interrupts the build; `tell` gets the events.
    ///
    /// # Errors
    /// [`BuildError`] if it cannot be built here, or if it is a different engine.
    pub fn build(
        &self,
        archive: &Path,
        cache: &Path,
        stop: &AtomicBool,
        tell: &dyn Fn(BuildEvent),
    ) -> Result<Build, BuildError> {
        let Self { revision, recipe, signature, archive: name, .. } = self;
        // Several machines may share the folder, and programs may only run on one kind of processor.
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

/// The kind of this processor, as the kernel names it.
static PROCESSOR: LazyLock<String> = LazyLock::new(|| Machine::this().processor());
