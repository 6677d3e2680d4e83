//! The cache of builds, by revision and recipe. Each build has a folder:
//!
//! ```text
//! <cache>/<revision>-<recipe>/build.json     what it is; written last, so that its presence means a whole build
//!                             build.log      what the command printed
//!                             engine/...     the program and what it needs, at their places in the repository
//!                             source/        the checkout, while it is being built or if that failed
//! ```

use super::build::{Build, ENGINE};
use super::error::{BuildError, FailedBuild};
use super::event::{BuildEvent, Step};
use super::process::{Clock, End, TICK, run_telling};
use super::recipe::{Bench, Recipe};
use super::revision::Revision;
use super::signature;
use super::tree::Tree;
use fs_err::{self as fs, File};
use plan::{BuildPlan, Built};
use play::child::ContentHash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The number of lines that are shown of a failed build's output.
const SHOWN_LINES: usize = 15;
/// The number of digits of a recipe's hash in the name of a folder.
const KEY_DIGITS: usize = 12;
/// The file that describes a build.
const LABEL: &str = "build.json";
/// The description of a build, stored beside it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Label {
    commit: String,
    command: String,
    sha256: String,
    pub(super) nodes: Option<u64>,
    /// The sources of the build, if they are on this machine.
    pub(super) source: Option<Source>,
}

/// The sources of a build.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Source {
    pub(super) repository: PathBuf,
    pub(super) revision: Revision,
    pub(super) recipe: Recipe,
}

/// Returns the folder that a program was built into, and its label, if spar built it and it is unchanged.
pub(super) fn built_into(program: &Path) -> Option<(PathBuf, Label)> {
    program.ancestors().skip(1).filter(|folder| folder.ends_with(ENGINE)).find_map(|engine| {
        let folder = engine.parent()?;
        let label = label(folder)?;
        (label.sha256 == sha256(program)?).then(|| (folder.to_owned(), label))
    })
}

/// Returns the commit of a program and how it was built, if spar built it from a commit and it is unchanged.
pub fn built_from(program: &Path) -> Option<(String, Option<BuildPlan>)> {
    let (_, Label { commit, source, .. }) = built_into(program)?;
    match source {
        // A snapshot of the working tree has no commit.
        Some(Source { revision, .. }) if revision.id != revision.commit => None,
        source => Some((commit, source.map(|source| source.recipe.plan()))),
    }
}

fn label(folder: &Path) -> Option<Label> {
    serde_json::from_slice(&fs::read(folder.join(LABEL)).ok()?).ok()
}

fn sha256(program: &Path) -> Option<String> {
    Some(ContentHash::of(File::open(program).ok()?).ok()?.to_string())
}

/// Builds revisions by a recipe.
pub(super) struct Builder<'a> {
    /// The source of their files.
    pub(super) tree: Tree<'a>,
    pub(super) recipe: &'a Recipe,
    /// The cache.
    pub(super) cache: &'a Path,
    /// Whether to rebuild cached builds.
    pub(super) rebuild: bool,
    /// The flag that interrupts a build.
    pub(super) stop: &'a AtomicBool,
    /// The receiver of the events.
    pub(super) tell: &'a dyn Fn(BuildEvent),
}

impl Build {
    /// Whether another build is the same program, byte for byte, and has the same files beside it.
    ///
    /// # Errors
    /// [`io::Error`] if such a file cannot be read.
    pub fn is_same_engine(&self, other: &Self) -> io::Result<bool> {
        if self.sha256 != other.sha256 {
            return Ok(false);
        }
        match (&self.directory, &other.directory) {
            (Some(one), Some(two)) => is_same(one, two),
            (one, two) => Ok(one.is_none() && two.is_none()),
        }
    }

    /// Returns the build as plans use it.
    pub fn built(&self) -> Built {
        let Self { revision, program, directory, .. } = self;
        let (id, subject) = (revision.short().to_owned(), revision.subject().to_owned());
        Built { program: program.clone(), directory: directory.clone(), id, subject, time: revision.time }
    }
}

impl Builder<'_> {
    /// Returns the engine of a revision from the cache, or builds it.
    pub(super) fn build(&self, revision: &Revision) -> Result<Build, BuildError> {
        let key = ContentHash::of(format!("{:?}", self.recipe).as_bytes())?.to_string();
        self.build_in(&self.cache.join(format!("{}-{}", &revision.id, &key[..KEY_DIGITS])), revision)
    }

    /// Returns the engine of a revision in this folder of the cache, or builds it there.
    pub(super) fn build_in(&self, folder: &Path, revision: &Revision) -> Result<Build, BuildError> {
        fs::create_dir_all(folder).map_err(BuildError::io(unwritable(folder)))?;
        // Relative paths would differ for processes with another working directory.
        let folder = folder.canonicalize()?;
        let _held_until_built = self.lock(&folder, revision)?;
        let build = match self.kept(&folder, revision) {
            Some(build) if !self.rebuild => build,
            _ => self.make(&folder, revision)?,
        };
        Self::check_promise(&build)?;
        Ok(build)
    }

    /// Returns a cached build, if it is complete and unchanged.
    fn kept(&self, folder: &Path, revision: &Revision) -> Option<Build> {
        let mut label = label(folder)?;
        let program = folder.join(ENGINE).join(&self.recipe.binary);
        let sha256 = sha256(&program)?;
        let whole =
            sha256 == label.sha256 && self.recipe.keep.iter().all(|file| folder.join(ENGINE).join(file).exists());
        if !whole {
            return None;
        }
        if label.source.is_none() {
            label.source = self.source(revision);
            let _known_next_time = write_label(folder, &label);
        }
        let (directory, revision) = (self.recipe.directory(folder), revision.clone());
        Some(Build { revision, program, directory, sha256, nodes: label.nodes, cached: true })
    }

    fn make(&self, folder: &Path, revision: &Revision) -> Result<Build, BuildError> {
        (self.tell)(BuildEvent::Building(revision.clone()));
        let source = folder.join("source");
        let _none_there = fs::remove_file(folder.join(LABEL));
        self.tree.lay_out(revision, &source)?;
        self.run_command(folder, &source, revision)?;
        let engine = folder.join(ENGINE);
        let _none_there = fs::remove_dir_all(&engine);
        for file in std::iter::once(&self.recipe.binary).chain(&self.recipe.keep) {
            self.keep(&source, &engine, file, revision)?;
        }
        let program = engine.join(&self.recipe.binary);
        let sha256 = ContentHash::of(File::open(&program)?)?.to_string();
        let nodes =
            self.recipe.bench.as_ref().map(|bench| self.bench(bench, &program, folder, revision)).transpose()?;
        let label = Label {
            commit: revision.commit.clone(),
            command: self.recipe.command.clone(),
            sha256: sha256.clone(),
            nodes,
            source: self.source(revision),
        };
        write_label(folder, &label)?;
        self.tree.remove(&source);
        let directory = self.recipe.directory(folder);
        Ok(Build { revision: revision.clone(), program, directory, sha256, nodes, cached: false })
    }

    /// Measures the signature of a program.
    fn bench(&self, bench: &Bench, program: &Path, folder: &Path, revision: &Revision) -> Result<u64, BuildError> {
        (self.tell)(BuildEvent::Benching(revision.clone()));
        let log = folder.join("bench.log");
        let tell = self.clock_of(Step::Bench, revision);
        signature::take(bench, program, &log, self.recipe.within, self.stop, &tell)
    }

    /// Returns a function that reports the time of a build's step so far.
    fn clock_of(&self, step: Step, revision: &Revision) -> impl Fn(Duration) {
        move |elapsed| (self.tell)(BuildEvent::Working { step, revision: revision.clone(), elapsed })
    }

    /// Waits until no other process builds the same, at most as long as the build and the signature may take.
    fn lock(&self, folder: &Path, revision: &Revision) -> Result<File, BuildError> {
        let path = folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(BuildError::io(unwritable(&path)))?;
        let (within, mut since) = (self.recipe.within.saturating_mul(2), None);
        let tell = self.clock_of(Step::Waiting, revision);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(cause)) => {
                    return Err(BuildError::Io { what: format!("cannot lock {}", path.display()), cause });
                }
                Err(TryLockError::WouldBlock) if self.stop.load(Ordering::Relaxed) => {
                    return Err(BuildError::Interrupted);
                }
                Err(TryLockError::WouldBlock) => {}
            }
            let (since, clock) = since.get_or_insert_with(|| {
                (self.tell)(BuildEvent::Waiting(revision.clone()));
                let now = Instant::now();
                (now, Clock::new(now))
            });
            clock.tick(&tell);
            if since.elapsed() >= within {
                return Err(BuildError::Occupied { asked: revision.asked.clone(), within });
            }
            std::thread::sleep(TICK);
        }
    }

    /// Returns the sources, if they are on this machine.
    fn source(&self, revision: &Revision) -> Option<Source> {
        let Tree::Repository(repository) = self.tree else { return None };
        let (repository, revision) = (repository.root().canonicalize().ok()?, revision.clone());
        Some(Source { repository, revision, recipe: self.recipe.clone() })
    }

    fn run_command(&self, folder: &Path, source: &Path, revision: &Revision) -> Result<(), BuildError> {
        let log = folder.join("build.log");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&self.recipe.command).current_dir(source);
        // Unpacked sources must not count as part of a repository above their folder.
        if let Tree::Archive(_) = self.tree {
            shell.env("GIT_CEILING_DIRECTORIES", folder);
        }
        let tell = self.clock_of(Step::Building, revision);
        let why = match run_telling(&mut shell, &log, self.recipe.within, self.stop, &tell)? {
            End::Exited(status) if status.success() => return Ok(()),
            End::Exited(status) => status.to_string(),
            End::TooLong => format!("it did not end within {:?}", self.recipe.within),
            End::Stopped => {
                self.tree.remove(source);
                return Err(BuildError::Interrupted);
            }
        };
        Err(BuildError::Failed(Box::new(FailedBuild {
            revision: revision.clone(),
            command: self.recipe.command.clone(),
            why,
            lines: last_lines(&log),
            log,
            checkout: source.to_owned(),
        })))
    }

    /// Copies a file or a folder of the checkout into the program's folder.
    fn keep(&self, source: &Path, engine: &Path, file: &str, revision: &Revision) -> Result<(), BuildError> {
        let (from, to) = (source.join(file), engine.join(file));
        if !from.exists() {
            let (revision, command) = (Box::new(revision.clone()), self.recipe.command.clone());
            return Err(BuildError::NoFile { revision, command, file: file.to_owned() });
        }
        let what = format!("cannot copy {} to {}", from.display(), to.display());
        copy(&from, &to).map_err(BuildError::io(what))
    }

    /// Checks the signature that a commit's message may promise.
    fn check_promise(build: &Build) -> Result<(), BuildError> {
        match (signature::promised(&build.revision), build.nodes) {
            (Some(promised), Some(nodes)) if promised != nodes => {
                Err(BuildError::BrokenPromise { revision: Box::new(build.revision.clone()), promised, nodes })
            }
            _ => Ok(()),
        }
    }
}

fn write_label(folder: &Path, label: &Label) -> io::Result<()> {
    fs::write(folder.join(LABEL), serde_json::to_vec_pretty(label).map_err(io::Error::from)?)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
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

/// Whether two paths are files with the same bytes, or folders with the same content.
fn is_same(one: &Path, two: &Path) -> io::Result<bool> {
    if !one.is_dir() || !two.is_dir() {
        return Ok(one.is_file() && two.is_file() && fs::read(one)? == fs::read(two)?);
    }
    let names = |folder: &Path| {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<BTreeSet<_>>>()
    };
    let (names, others) = (names(one)?, names(two)?);
    for name in &names {
        if !others.contains(name) || !is_same(&one.join(name), &two.join(name))? {
            return Ok(false);
        }
    }
    Ok(names.len() == others.len())
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}: choose another place for builds by --cache", path.display())
}

/// Returns the end of a log, indented.
fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(SHOWN_LINES)..].iter().map(|line| format!("  {line}"));
    shown.collect::<Vec<_>>().join("\n")
}
