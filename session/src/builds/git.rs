//! A git repository, accessed by the `git` program: revisions, the state of the working tree, and checkouts beside it.
//!
//! Nothing that the repository's owner would see changes: no branch, no index, no file. The [working tree's
//! tree](super::snapshot) becomes a commit on no branch.

use super::error::BuildError;
use super::process::{End, Printed, output, run as run_for};
use super::revision::Revision;
use super::snapshot::excluded::ExcludedPaths;
use play::spelling::nearest;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Environment variables that would make git use another repository, as when a hook calls spar, or read paths as
/// patterns.
const LEADING_ASTRAY: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// Settings of every command: no hooks, and nothing written beside an index.
const SETTINGS: [&str; 6] =
    ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false"];

/// The default timeout of a git command: a partial clone fetches missing objects.
const LONGEST: Duration = Duration::from_mins(10);

/// A flag that is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The timeout of git, and the flag that stops it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitTimeouts<'a> {
    /// The timeout of each command.
    pub(super) within: Duration,
    /// The flag that ends commands early.
    pub(super) stop: &'a AtomicBool,
}

impl Default for GitTimeouts<'_> {
    fn default() -> Self {
        Self { within: LONGEST, stop: &NEVER }
    }
}

/// A repository.
#[derive(Debug)]
pub(super) struct Repository<'a> {
    /// The top of its working tree, or the repository itself if it is bare.
    root: PathBuf,
    pub(super) is_bare: bool,
    timeouts: GitTimeouts<'a>,
}

impl<'a> Repository<'a> {
    /// Opens the repository that a folder belongs to.
    pub(super) fn open(folder: &Path, timeouts: GitTimeouts<'a>) -> Result<Self, BuildError> {
        let here = Self { root: folder.to_owned(), is_bare: false, timeouts };
        if !folder.is_dir() {
            return Err(BuildError::NoFolder { path: folder.to_owned() });
        }
        let found = here.git(["rev-parse", "--is-bare-repository", "--absolute-git-dir"])?;
        if !found.is_success() {
            let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            return Err(BuildError::NoRepository { path, why: words(&found) });
        }
        let path = |bytes: &[u8]| OsString::from_vec(bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec()).into();
        match found.stdout.strip_prefix(b"true\n") {
            Some(git_folder) => Ok(Self { root: path(git_folder), is_bare: true, ..here }),
            None => Ok(Self { root: path(&here.bytes(["rev-parse", "--show-toplevel"])?), ..here }),
        }
    }

    /// Returns the top of its working tree, or the repository itself if it is bare.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the address of its only remote, or of the one called `origin`.
    pub(super) fn remote(&self) -> Option<String> {
        let names = self.answer(["remote"]).ok()?;
        let name = names.lines().find(|name| *name == "origin").or_else(|| names.lines().next())?;
        self.answer(["remote", "get-url", name]).ok()
    }

    pub(super) fn apart(&self, paths: &[&Path]) -> ExcludedPaths {
        ExcludedPaths::new(&self.root, paths.iter().copied())
    }

    pub(super) fn commit(&self, asked: &str) -> Result<Revision, BuildError> {
        let name = format!("{asked}^{{commit}}");
        let found = self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        if !found.is_success() {
            return Err(self.unknown(asked));
        }
        let commit = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        self.described(asked, commit.clone(), commit)
    }

    fn described(&self, asked: &str, commit: String, id: String) -> Result<Revision, BuildError> {
        let output = self.answer(["show", "--no-patch", "--no-show-signature", "--format=%ct%n%B", &commit])?;
        let (time, message) = output.split_once('\n').unwrap_or((&output, ""));
        let time = time.trim().parse().unwrap_or(0);
        Ok(Revision { asked: asked.to_owned(), commit, id, message: message.to_owned(), time })
    }

    fn unknown(&self, asked: &str) -> BuildError {
        let names = self.answer(["for-each-ref", "--format=%(refname:short)"]).unwrap_or_default();
        let nearest = nearest(asked, names.lines()).map(str::to_owned);
        let is_shallow = self.is_shallow();
        BuildError::UnknownRevision { repository: self.root.clone(), asked: asked.to_owned(), nearest, is_shallow }
    }

    /// Whether the repository lacks the older part of its history.
    pub(super) fn is_shallow(&self) -> bool {
        self.answer(["rev-parse", "--is-shallow-repository"]).is_ok_and(|answer| answer == "true")
    }

    /// Returns the newest commit that a branch and a change have in common, under the name of the branch.
    pub(super) fn fork(&self, branch: &str, change: &Revision) -> Result<Revision, BuildError> {
        let tip = self.commit(branch)?;
        let Some(commit) = self.common_ancestor(&tip.commit, &change.commit)? else {
            let (branch, change, is_shallow) = (branch.to_owned(), change.asked.clone(), self.is_shallow());
            return Err(BuildError::NoFork { repository: self.root.clone(), branch, change, is_shallow });
        };
        self.described(branch, commit.clone(), commit)
    }

    /// Returns the id of the newest common commit of two revisions, if there is one.
    pub(super) fn common_ancestor(&self, one: &str, other: &str) -> Result<Option<String>, BuildError> {
        let found = self.git(["merge-base", one, other])?;
        let commit = || String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok(found.is_success().then(commit))
    }

    /// Returns the id of the checked-out commit if tracked files differ from it, other than those in `apart`.
    pub(super) fn uncommitted(&self, apart: &[&Path]) -> Result<Option<String>, BuildError> {
        if self.is_bare {
            return Ok(None);
        }
        let apart = self.apart(apart);
        let status = self.bytes(["status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"])?;
        // Each path follows two letters and a space.
        let mut changed = status.split(|&byte| byte == 0).filter_map(|record| record.get(3..));
        if !changed.any(|path| !apart.has(path)) {
            return Ok(None);
        }
        self.answer(["rev-parse", "HEAD"]).map(Some)
    }

    /// Makes a commit on no branch; it is always the same for the same tree and parent.
    pub(super) fn commit_of(&self, tree: &str, parent: &Revision, message: &str) -> Result<String, BuildError> {
        let mut command = self.command(["commit-tree", "--no-gpg-sign", tree, "-p", &parent.commit, "-m", message]);
        as_spar(&mut command, parent.time);
        text_of(self.run(&mut command))
    }

    /// Checks a revision out into a new folder, which must not exist.
    pub(super) fn check_out(&self, revision: &Revision, folder: &Path) -> Result<(), BuildError> {
        self.forget(folder);
        let add = ["worktree", "add", "--quiet", "--force", "--force", "--detach"].map(OsStr::new);
        let arguments = add.into_iter().chain([folder.as_os_str(), revision.commit.as_ref()]);
        let done = self.git(arguments)?;
        if done.is_success() {
            return Ok(());
        }
        let (asked, folder, why) = (revision.asked.clone(), folder.to_owned(), words(&done));
        Err(BuildError::CheckOut { asked, folder, why })
    }

    /// Writes the files of a revision into a tar archive, which is always the same. The output of git goes to `log`.
    pub(super) fn archive(
        &self,
        revision: &Revision,
        to: &Path,
        log: &Path,
        within: Duration,
        stop: &AtomicBool,
    ) -> Result<(), BuildError> {
        // Archives the commit, since files of its tree would get the current date.
        let arguments = ["archive", "--format=tar", "--output"].map(OsStr::new);
        let arguments = arguments.into_iter().chain([to.as_os_str(), revision.commit.as_ref()]);
        match run_for(&mut self.command(arguments), log, within, stop)? {
            End::Exited(status) if status.success() => Ok(()),
            End::Exited(status) => Err(failed("archive", &std::fs::read(log)?, status)),
            End::TooLong => {
                Err(BuildError::GitTooLong { command: "archive".to_owned(), within, output: String::new() })
            }
            End::Stopped => Err(BuildError::Interrupted),
        }
    }

    /// Removes a checkout, if there is one. The next checkout replaces files that cannot be removed, or fails. Other
    /// checkouts of the repository stay, even if their folders are missing at the moment.
    ///
    /// Git locks a checkout while it writes the files, so one that was interrupted stays locked. Only with two
    /// `--force` does git remove or replace it.
    pub(super) fn forget(&self, folder: &Path) {
        let arguments =
            ["worktree", "remove", "--force", "--force"].map(OsStr::new).into_iter().chain([folder.as_os_str()]);
        // This runs even after a request to stop, so that nothing is left behind.
        let timeouts = GitTimeouts { stop: &NEVER, ..self.timeouts };
        let remove = || output_of(&mut self.command(arguments.clone()), timeouts);
        let _not_registered = remove();
        // Git does not remove a damaged checkout, but it does once the folder is missing.
        if std::fs::remove_dir_all(folder).is_ok() {
            let _not_registered = remove();
        }
    }

    /// Returns a git command in this repository.
    pub(super) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        // No hooks, prompts or translations.
        command.arg("-C").arg(&self.root).args(SETTINGS).args(arguments);
        for name in LEADING_ASTRAY {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
        // Also stops ssh from asking at the terminal, where no answer would reach it.
        command.env("SSH_ASKPASS_REQUIRE", "force");
        if std::env::var_os("SSH_ASKPASS").is_none() {
            command.env("SSH_ASKPASS", "false");
        }
        command
    }

    fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Output, BuildError> {
        output_of(&mut self.command(arguments), self.timeouts)
    }

    /// Returns the output of a [`command`](Self::command).
    ///
    /// # Errors
    /// [`BuildError::Git`] with git's full error output if it fails.
    pub(super) fn run(&self, command: &mut Command) -> Result<Vec<u8>, BuildError> {
        let output = output_of(command, self.timeouts)?;
        if output.is_success() {
            Ok(output.stdout)
        } else {
            Err(failed(&given(command), &output.stderr, output.status))
        }
    }

    /// Returns the output of git, byte for byte.
    pub(super) fn bytes<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Vec<u8>, BuildError> {
        self.run(&mut self.command(arguments))
    }

    /// Returns the output of git as text, without the line break at its end.
    pub(super) fn answer<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<String, BuildError> {
        text_of(self.bytes(arguments))
    }
}

/// Makes spar the author of commits, at this time in seconds since 1970, since the user may have no name set.
pub(super) fn as_spar(command: &mut Command, time: i64) {
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "spar").env(format!("GIT_{role}_EMAIL"), "spar@localhost");
        command.env(format!("GIT_{role}_DATE"), format!("{time} +0000"));
    }
}

/// The output of a git command that ended by itself.
struct Output {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output {
    fn is_success(&self) -> bool {
        self.status.success()
    }
}

/// Runs git to its end.
fn output_of(command: &mut Command, timeouts: GitTimeouts<'_>) -> Result<Output, BuildError> {
    let GitTimeouts { within, stop } = timeouts;
    let Printed { end, stdout, stderr } = output(command, within, stop)?;
    match end {
        End::Exited(status) => Ok(Output { status, stdout, stderr }),
        End::TooLong => {
            let output = String::from_utf8_lossy(&stderr).trim().to_owned();
            Err(BuildError::GitTooLong { command: given(command), within, output })
        }
        End::Stopped => Err(BuildError::Interrupted),
    }
}

/// Returns the arguments of a git command, as typed.
fn given(command: &Command) -> String {
    let given = command.get_args().skip(2 + SETTINGS.len()).map(OsStr::to_string_lossy);
    given.collect::<Vec<_>>().join(" ")
}

fn text_of(printed: Result<Vec<u8>, BuildError>) -> Result<String, BuildError> {
    printed.map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

fn failed(command: &str, stderr: &[u8], status: ExitStatus) -> BuildError {
    BuildError::Git { command: command.to_owned(), output: words_of(stderr, status) }
}

/// Returns git's full error output.
fn words(output: &Output) -> String {
    words_of(&output.stderr, output.status)
}

fn words_of(output: &[u8], status: ExitStatus) -> String {
    let output = String::from_utf8_lossy(output).trim().to_owned();
    if output.is_empty() { format!("it did not say why ({status})") } else { output }
}
