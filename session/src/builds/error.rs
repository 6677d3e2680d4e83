//! Errors of builds, and who can mend them.

use super::revision::{Revision, WORKTREE};
use crate::blame::Blame;
use reports::text::spoken;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The remedy for a repository without its history.
const SHALLOW: &str = "it is a shallow clone. Fetch the whole history: `git fetch --unshallow --tags`, or in CI \
    `fetch-depth: 0` of actions/checkout or `GIT_DEPTH: 0` on GitLab";

/// Why an engine could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The repository's folder does not exist.
    #[error("there is no folder {}: give a repository by --repo", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder belongs to no repository.
    #[error("{} is not a git repository ({why}): give one by --repo", path.display())]
    NoRepository {
        /// The folder.
        path: PathBuf,
        /// The error message of git.
        why: String,
    },
    /// The repository has no such revision.
    #[error("{} has no revision `{asked}`: {}", repository.display(), match nearest {
        _ if *is_shallow => SHALLOW.to_owned(),
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected a commit, a tag, a branch, or `{WORKTREE}`"),
    })]
    UnknownRevision {
        /// The repository.
        repository: PathBuf,
        /// The requested revision.
        asked: String,
        /// The most similar name in the repository, if one is similar.
        nearest: Option<String>,
        /// Whether the repository lacks the older part of its history.
        is_shallow: bool,
    },
    /// A change and its branch have no common commit.
    #[error("{} shows no commit that both `{branch}` and `{change}` have: {}", repository.display(), if *is_shallow {
        SHALLOW
    } else {
        "give the version before the change by --base"
    })]
    NoFork {
        /// The repository.
        repository: PathBuf,
        /// The branch.
        branch: String,
        /// The change, as requested.
        change: String,
        /// Whether the repository lacks the older part of its history.
        is_shallow: bool,
    },
    /// The working tree of a bare repository was requested.
    #[error("{} is a bare repository, without a working tree: give a commit, a tag or a branch", repository.display())]
    NoWorkingTree {
        /// The repository.
        repository: PathBuf,
    },
    /// A submodule has uncommitted changes.
    #[error(
        "the submodule `{path}` has changes that are not committed, and a checkout would lack them: \
         commit them in the submodule, or leave them out with --allow-dirty"
    )]
    DirtySubmodule {
        /// The path of the submodule, relative to the top of the repository.
        path: String,
    },
    /// A patch file cannot be read.
    #[error("cannot read the patch {}: {cause}", file.display())]
    UnreadablePatch {
        /// The file.
        file: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// A patch does not apply to its revision.
    #[error("the patch {} does not apply to `{base}` ({commit}): {why}", file.display())]
    DoesNotApply {
        /// The file of the patch.
        file: PathBuf,
        /// The revision, as requested.
        base: String,
        /// Its commit in short.
        commit: String,
        /// The error message of git.
        why: String,
    },
    /// Files were changed since the commit to be tested.
    #[error(
        "the working tree has changes that `{asked}` does not: commit them, test them with `--dev {WORKTREE}`, \
         or leave them out with --allow-dirty"
    )]
    Uncommitted {
        /// The revision, as requested.
        asked: String,
    },
    /// The build command failed.
    #[error(transparent)]
    Failed(Box<FailedBuild>),
    /// The build command did not make the expected file.
    #[error(
        "{} ({}) has no `{file}` after `{command}`: is the engine elsewhere, or not yet there?",
        revision.asked, revision.short()
    )]
    NoFile {
        /// The built revision.
        revision: Box<Revision>,
        /// The build command.
        command: String,
        /// The expected file, relative to the top of the repository.
        file: String,
    },
    /// The signature of the engine differs from the one in its commit's message.
    #[error(
        "{} ({}) promises `Bench: {promised}`, but the bench of its build is {nodes}: the commit's \
            message is wrong, or something else was built", revision.asked, revision.short()
    )]
    BrokenPromise {
        /// The built revision.
        revision: Box<Revision>,
        /// The promised signature.
        promised: u64,
        /// The measured signature.
        nodes: u64,
    },
    /// An engine that was built here searches differently from one that was built elsewhere from the same sources.
    #[error(
        "the bench of {} ({}) is {} here, but {wanted} on the machine that sent it: this is another engine",
        revision.asked, revision.short(), nodes.map_or_else(|| "missing".to_owned(), |nodes| nodes.to_string())
    )]
    OtherEngine {
        /// The built revision.
        revision: Box<Revision>,
        /// Its signature on the original machine.
        wanted: u64,
        /// Its signature here.
        nodes: Option<u64>,
    },
    /// The engine's bench does not print a signature.
    #[error("`{command}` {why}; its output is in {}", log.display())]
    NoSignature {
        /// The program and its arguments.
        command: String,
        /// What it did instead.
        why: String,
        /// Its output.
        log: PathBuf,
    },
    /// The two revisions of a test are identical.
    #[error(
        "`{dev}` and `{base}` are the same {what}, and both sides have the same settings: there is nothing to test. \
         Is the change in `{dev}`, and does the build command use it? --allow-identical plays the test anyway"
    )]
    Identical {
        /// The change, as requested.
        dev: String,
        /// The revision that it is compared with, as requested.
        base: String,
        /// The kind of thing that is identical.
        what: &'static str,
    },
    /// Another process has been building the same for longer than that may take.
    #[error("another process has been building {asked} for {within:?}: end it, or wait for it")]
    Occupied {
        /// The revision, as requested.
        asked: String,
        /// The waiting time.
        within: Duration,
    },
    /// Git failed.
    #[error("`git {command}` failed: {output}")]
    Git {
        /// The git command.
        command: String,
        /// Its full error output.
        output: String,
    },
    /// Git did not end in time.
    #[error(
        "`git {command}` did not end within {} and was killed{}: does it wait for a network, for a disk or for an \
        answer? \
         `within` in [build] allows more", spoken(*within), output_before(output)
    )]
    GitTooLong {
        /// The git command.
        command: String,
        /// The timeout.
        within: Duration,
        /// Its output so far.
        output: String,
    },
    /// Git cannot check a revision out.
    #[error("cannot check `{asked}` out into {}: {why}", folder.display())]
    CheckOut {
        /// The revision, as requested.
        asked: String,
        /// The target folder.
        folder: PathBuf,
        /// The error message of git.
        why: String,
    },
    /// There is no place for the cache.
    #[error("there is no home folder to keep builds in: choose a place by --cache")]
    NoHome,
    /// An error of the operating system.
    #[error("{what}: {cause}")]
    Io {
        /// The attempted action.
        what: String,
        /// Its error.
        cause: io::Error,
    },
    /// A file of the cache cannot be read or written; the error says which.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The build was told to stop.
    #[error("Interrupted.")]
    Interrupted,
}

/// The output of git before it was killed.
fn output_before(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!(" (it said: {output})") }
}

/// A build command that failed.
#[derive(Debug, thiserror::Error)]
#[error(
    "building {} ({}) failed ({why}): {command}\n{lines}\nThe whole output is in {}, the sources are in {}",
    revision.asked, revision.short(), log.display(), checkout.display()
)]
pub struct FailedBuild {
    /// The built revision.
    pub revision: Revision,
    /// The build command.
    pub command: String,
    /// How it ended.
    pub why: String,
    /// The end of its output.
    pub lines: String,
    /// The file with its whole output.
    pub log: PathBuf,
    /// The checkout, which was kept.
    pub checkout: PathBuf,
}

impl FailedBuild {
    /// Returns a line with the first line of output that looks like the reason, else with the last one.
    fn in_brief(&self) -> String {
        let Self { revision, command, why, lines, .. } = self;
        let lines = || lines.lines().map(str::trim).filter(|line| !line.is_empty());
        let tells = |line: &&str| ["error", "not found", "No such", "cannot"].iter().any(|word| line.contains(word));
        let line = lines().find(tells).or_else(|| lines().next_back()).unwrap_or("it said nothing");
        format!("building {} ({}) failed ({why}): {command}: {line}", revision.asked, revision.short())
    }
}

impl BuildError {
    /// Converts an error of the operating system, with the action that was attempted.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }

    /// Returns a one-line text for a user of another machine.
    pub fn in_brief(&self) -> String {
        match self {
            Self::Failed(failed) => failed.in_brief(),
            other => other.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    }

    /// Whether the commit is the cause, rather than the machine: it does not build, or differs from its message.
    pub(crate) fn is_of_the_commit(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::NoFile { .. } | Self::NoSignature { .. } | Self::BrokenPromise { .. })
    }

    /// Who can mend it.
    pub fn blame(&self) -> Blame {
        match self {
            Self::NoFolder { .. }
            | Self::NoRepository { .. }
            | Self::UnknownRevision { .. }
            | Self::NoFork { .. }
            | Self::Uncommitted { .. }
            | Self::UnreadablePatch { .. }
            | Self::DoesNotApply { .. }
            | Self::NoWorkingTree { .. }
            | Self::DirtySubmodule { .. }
            | Self::Failed(_)
            | Self::NoFile { .. }
            | Self::BrokenPromise { .. }
            | Self::OtherEngine { .. }
            | Self::Identical { .. }
            | Self::NoSignature { .. } => Blame::User,
            Self::Occupied { .. }
            | Self::Git { .. }
            | Self::GitTooLong { .. }
            | Self::CheckOut { .. }
            | Self::NoHome
            | Self::Io { .. }
            | Self::File(_) => Blame::Machine,
            Self::Interrupted => Blame::Nobody,
        }
    }
}
