//! Builds, kept by what they were made from: a revision and a recipe. One folder each:
//!
//! ```text
//! <cache>/<revision>-<recipe>/build.json     what it is; written last, so that its presence means a whole build
//!                             build.log      what the command printed
//!                             engine/...     the program and what it needs, at their places in the repository
//!                             source/        the checkout, while it is being built or if that failed
//! ```

use super::git::{Repository, Revision};
use super::process::{End, run};
use super::recipe::Recipe;
use super::signature;
use crate::failure::Failure;
use anyhow::{Context, anyhow};
use fs_err::{self as fs, File};
use play::child::ContentHash;
use serde::{Deserialize, Serialize};
use session::plan::Built;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Lines of a failed build's output that are shown.
const SHOWN_LINES: usize = 15;
/// Digits of a recipe's hash in the name of a folder.
const KEY_DIGITS: usize = 12;

/// A built engine.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// What it was built from.
    pub(crate) revision: Revision,
    /// The program.
    pub(crate) program: PathBuf,
    /// Where to run it, if it needs files beside it: their paths are relative to this folder.
    pub(crate) directory: Option<PathBuf>,
    /// SHA-256 of the program, in hexadecimal.
    pub(crate) sha256: String,
    /// Its signature, if it was taken.
    pub(crate) nodes: Option<u64>,
    /// Whether it was there already.
    pub(crate) cached: bool,
}

/// What is kept beside a build.
#[derive(Debug, Serialize, Deserialize)]
struct Label {
    commit: String,
    command: String,
    sha256: String,
    nodes: Option<u64>,
}

/// Builds revisions of a repository by a recipe.
pub(crate) struct Builder<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) recipe: &'a Recipe,
    /// Where builds are kept.
    pub(crate) cache: &'a Path,
    /// Build again what is there already.
    pub(crate) anew: bool,
    /// Raised to interrupt.
    pub(crate) stop: &'a AtomicBool,
}

impl Build {
    /// What a plan needs to know of it.
    pub(crate) fn built(&self) -> Built {
        let Self { revision, program, directory, .. } = self;
        let (id, subject) = (revision.short().to_owned(), revision.subject().to_owned());
        Built { program: program.clone(), directory: directory.clone(), id, subject, time: revision.time }
    }
}

impl Builder<'_> {
    /// The engine of a revision: from the cache, or built now.
    pub(crate) fn build(&self, revision: &Revision) -> Result<Build, Failure> {
        let key = ContentHash::of(format!("{:?}", self.recipe).as_bytes())?.to_string();
        let folder = self.cache.join(format!("{}-{}", &revision.id, &key[..KEY_DIGITS]));
        fs::create_dir_all(&folder).with_context(|| unwritable(&folder)).map_err(Failure::Environment)?;
        // Relative paths would mean something else to the processes that are started elsewhere.
        let folder = folder.canonicalize()?;
        let _held_until_built = lock(&folder, revision)?;
        let build = match self.kept(&folder, revision) {
            Some(build) if !self.anew => build,
            _ => self.make(&folder, revision)?,
        };
        Self::check_promise(&build)?;
        Ok(build)
    }

    /// A whole build that is still what it was.
    fn kept(&self, folder: &Path, revision: &Revision) -> Option<Build> {
        let label: Label = serde_json::from_slice(&fs::read(folder.join("build.json")).ok()?).ok()?;
        let program = folder.join("engine").join(&self.recipe.binary);
        let sha256 = ContentHash::of(File::open(&program).ok()?).ok()?.to_string();
        let whole =
            sha256 == label.sha256 && self.recipe.keep.iter().all(|file| folder.join("engine").join(file).exists());
        let directory = self.directory(folder);
        whole.then(|| Build {
            revision: revision.clone(),
            program,
            directory,
            sha256,
            nodes: label.nodes,
            cached: true,
        })
    }

    fn make(&self, folder: &Path, revision: &Revision) -> Result<Build, Failure> {
        say!("Building {} ({}): {}", revision.asked, revision.short(), revision.subject());
        let source = folder.join("source");
        let _none_there = fs::remove_file(folder.join("build.json"));
        self.repository.check_out(revision, &source)?;
        self.run_command(folder, &source, revision)?;
        let engine = folder.join("engine");
        let _none_there = fs::remove_dir_all(&engine);
        for file in std::iter::once(&self.recipe.binary).chain(&self.recipe.keep) {
            self.keep(&source, &engine, file, revision)?;
        }
        let program = engine.join(&self.recipe.binary);
        let sha256 = ContentHash::of(File::open(&program)?)?.to_string();
        let take = |bench| signature::take(bench, &program, &folder.join("bench.log"), self.recipe.within, self.stop);
        let nodes = self.recipe.bench.as_ref().map(take).transpose()?;
        let label = Label {
            commit: revision.commit.clone(),
            command: self.recipe.command.clone(),
            sha256: sha256.clone(),
            nodes,
        };
        let text = serde_json::to_vec_pretty(&label).map_err(|error| Failure::Environment(error.into()))?;
        fs::write(folder.join("build.json"), text)?;
        self.repository.forget(&source);
        let directory = self.directory(folder);
        Ok(Build { revision: revision.clone(), program, directory, sha256, nodes, cached: false })
    }

    fn directory(&self, folder: &Path) -> Option<PathBuf> {
        (!self.recipe.keep.is_empty()).then(|| folder.join("engine"))
    }

    fn run_command(&self, folder: &Path, source: &Path, revision: &Revision) -> Result<(), Failure> {
        let log = folder.join("build.log");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&self.recipe.command).current_dir(source);
        let why = match run(&mut shell, &log, self.recipe.within, self.stop)? {
            End::Exited(status) if status.success() => return Ok(()),
            End::Exited(status) => status.to_string(),
            End::TooLong => format!("it did not end within {:?}", self.recipe.within),
            End::Stopped => {
                self.repository.forget(source);
                return Err(Failure::Interrupted);
            }
        };
        let (asked, short, command) = (&revision.asked, revision.short(), &self.recipe.command);
        let (lines, log, source) = (last_lines(&log), log.display(), source.display());
        Err(Failure::usage(format!(
            "building {asked} ({short}) failed ({why}): {command}\n{lines}\nThe whole output is in {log}, the sources are in {source}"
        )))
    }

    /// Copies a file or a folder of the checkout beside the program.
    fn keep(&self, source: &Path, engine: &Path, file: &str, revision: &Revision) -> Result<(), Failure> {
        let (from, to) = (source.join(file), engine.join(file));
        if !from.exists() {
            let (asked, short, command) = (&revision.asked, revision.short(), &self.recipe.command);
            let message = format!(
                "{asked} ({short}) has no `{file}` after `{command}`: is the engine elsewhere, or not yet there?"
            );
            return Err(Failure::usage(message));
        }
        copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
            .map_err(Failure::Environment)
    }

    /// A commit's message may say which signature the engine must have.
    fn check_promise(build: &Build) -> Result<(), Failure> {
        match (signature::promised(&build.revision), build.nodes) {
            (Some(promised), Some(nodes)) if promised != nodes => {
                let (asked, short) = (&build.revision.asked, build.revision.short());
                Err(Failure::usage(format!(
                    "{asked} ({short}) says `Bench: {promised}`, and its build counts {nodes}: \
                     the commit's message is wrong, or the build is not what was committed"
                )))
            }
            _ => Ok(()),
        }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Waits until no other process builds the same.
fn lock(folder: &Path, revision: &Revision) -> Result<File, Failure> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| unwritable(&path)).map_err(Failure::Environment)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            say!("Waiting for another process that builds {}", revision.asked);
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => {
            return Err(Failure::Environment(anyhow!("cannot lock {}: {error}", path.display())));
        }
    }
    Ok(file)
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}: choose another place for builds by --cache", path.display())
}

/// The end of a log, indented.
fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(SHOWN_LINES)..].iter().map(|line| format!("  {line}"));
    shown.collect::<Vec<_>>().join("\n")
}
