//! Why an engine could not be built, and who can mend it.

use super::revision::{Revision, WORKTREE};
use crate::blame::Blame;
use reports::text::spoken;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to do about a repository without its history.
const SHALLOW: &str = "it is a shallow clone. Fetch the whole history: `git fetch --unshallow --tags`, or in CI \
    `fetch-depth: 0` of actions/checkout or `GIT_DEPTH: 0` on GitLab";

/// Why an engine could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The repository's folder is not there.
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
        /// What git says.
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
        /// What was asked for.
        asked: String,
        /// The name in the repository that is spelt most alike, if one is like it.
        nearest: Option<String>,
        /// Whether the repository lacks the older part of its history.
        is_shallow: bool,
    },
    /// A change and the branch that it is for have no commit in common.
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
        /// The change, as it was asked for.
        change: String,
        /// Whether the repository lacks the older part of its history.
        is_shallow: bool,
    },
    /// The working tree of a repository that has none was asked for.
    #[error("{} is a bare repository, without a working tree: give a commit, a tag or a branch", repository.display())]
    NoWorkingTree {
        /// The repository.
        repository: PathBuf,
    },
    /// A submodule has changes that are in no commit of its own.
    #[error(
        "the submodule `{path}` has changes that are not committed, and a checkout would lack them: \
         commit them in the submodule, or leave them out with --allow-dirty"
    )]
    DirtySubmodule {
        /// Where the submodule is, relative to the top of the repository.
        path: String,
    },
    /// A file of a patch cannot be read.
    #[error("cannot read the patch {}: {cause}", file.display())]
    UnreadablePatch {
        /// The file.
        file: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// A patch does not fit the revision that it is for.
    #[error("the patch {} does not apply to `{base}` ({commit}): {why}", file.display())]
    DoesNotApply {
        /// The file of the patch.
        file: PathBuf,
        /// The revision, as it was asked for.
        base: String,
        /// Its commit in short.
        commit: String,
        /// What git says.
        why: String,
    },
    /// Files were changed since the commit that is to be tested.
    #[error(
        "the working tree has changes that `{asked}` does not: commit them, test them with `--dev {WORKTREE}`, \
         or leave them out with --allow-dirty"
    )]
    Uncommitted {
        /// The revision, as it was asked for.
        asked: String,
    },
    /// The build command failed.
    #[error(transparent)]
    Failed(Box<FailedBuild>),
    /// The build command made something else.
    #[error(
        "{} ({}) has no `{file}` after `{command}`: is the engine elsewhere, or not yet there?",
        revision.asked, revision.short()
    )]
    NoFile {
        /// What was built.
        revision: Box<Revision>,
        /// The build command.
        command: String,
        /// What was expected, relative to the top of the repository.
        file: String,
    },
    /// The engine does not count the nodes that its commit's message says.
    #[error(
        "{} ({}) promises `Bench: {promised}`, but the bench of its build is {nodes}: the commit's \
            message is wrong, or something else was built", revision.asked, revision.short()
    )]
    BrokenPromise {
        /// What was built.
        revision: Box<Revision>,
        /// The nodes of the message.
        promised: u64,
        /// The nodes that were counted.
        nodes: u64,
    },
    /// What was built here searches otherwise than what was built elsewhere from the same sources.
    #[error(
        "the bench of {} ({}) is {} here, but {wanted} on the machine that sent it: this is another engine",
        revision.asked, revision.short(), nodes.map_or_else(|| "missing".to_owned(), |nodes| nodes.to_string())
    )]
    OtherEngine {
        /// What was built.
        revision: Box<Revision>,
        /// Its signature where it comes from.
        wanted: u64,
        /// Its signature here.
        nodes: Option<u64>,
    },
    /// The engine's bench says no signature.
    #[error("`{command}` {why}; its output is in {}", log.display())]
    NoSignature {
        /// The program and its arguments.
        command: String,
        /// What it did instead.
        why: String,
        /// Its output.
        log: PathBuf,
    },
    /// Two revisions that are to be tested against each other are one.
    #[error(
        "`{dev}` and `{base}` are the same {what}, and both sides have the same settings: there is nothing to test. \
         Is the change in `{dev}`, and does the build command use it? --allow-identical plays the test anyway"
    )]
    Identical {
        /// The change, as it was asked for.
        dev: String,
        /// What it is compared with, as it was asked for.
        base: String,
        /// The same what.
        what: &'static str,
    },
    /// Another process has been building the same for longer than that may take.
    #[error("another process has been building {asked} for {within:?}: end it, or wait for it")]
    Occupied {
        /// What is built, as it was asked for.
        asked: String,
        /// How long was waited.
        within: Duration,
    },
    /// Git failed.
    #[error("`git {command}` failed: {output}")]
    Git {
        /// What git was to do.
        command: String,
        /// All that git says of it.
        output: String,
    },
    /// Git did not end in time.
    #[error(
        "`git {command}` did not end within {} and was killed{}: does it wait for a network, for a disk or for an \
        answer? \
         `within` in [build] allows more", spoken(*within), output_before(output)
    )]
    GitTooLong {
        /// What git was to do.
        command: String,
        /// How long it was waited for.
        within: Duration,
        /// Its output by then.
        output: String,
    },
    /// Git cannot check a revision out.
    #[error("cannot check `{asked}` out into {}: {why}", folder.display())]
    CheckOut {
        /// The revision, as it was asked for.
        asked: String,
        /// Where to.
        folder: PathBuf,
        /// What git says.
        why: String,
    },
    /// There is nowhere to keep builds.
    #[error("there is no home folder to keep builds in: choose a place by --cache")]
    NoHome,
    /// The operating system refuses.
    #[error("{what}: {cause}")]
    Io {
        /// What was tried.
        what: String,
        /// Why not.
        cause: io::Error,
    },
    /// A file of the cache cannot be read or written; the error says which.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It was asked to stop.
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
    /// What was built.
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
    /// With the first line that looks like the reason, else the last one.
    fn in_brief(&self) -> String {
        let Self { revision, command, why, lines, .. } = self;
        let lines = || lines.lines().map(str::trim).filter(|line| !line.is_empty());
        let tells = |line: &&str| ["error", "not found", "No such", "cannot"].iter().any(|word| line.contains(word));
        let line = lines().find(tells).or_else(|| lines().next_back()).unwrap_or("it said nothing");
        format!("building {} ({}) failed ({why}): {command}: {line}", revision.asked, revision.short())
    }
}

impl BuildError {
    /// Makes the operating system's refusal an error that says what was tried.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }

    /// A one-line text for a user of another machine.
    pub fn in_brief(&self) -> String {
        match self {
            Self::Failed(failed) => failed.in_brief(),
            other => other.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    }

    /// Whether the commit is the cause, and not the machine: it does not build, or is not what it says.
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
