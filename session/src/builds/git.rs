//! A git repository, through the `git` program: revisions, the state of the working tree, and checkouts beside it.
//!
//! Nothing of the repository that its owner would see is changed: no branch, no index, no file. A snapshot of the working
//! tree is made with an index of its own and becomes a commit that no branch knows.

use super::error::BuildError;
use super::process::{End, run as run_for};
use play::spelling::nearest;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What stands for the working tree where a revision is expected.
pub const WORKTREE: &str = "worktree";

/// Digits of an id that are shown.
const SHORT: usize = 8;

/// Variables by which git would be led to another repository, as when spar is called by a hook.
const LEADING_ASTRAY: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"];

/// A repository.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of its working tree, or the repository itself if it is bare.
    root: PathBuf,
}

/// A revision to be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// As it was asked for.
    pub asked: String,
    /// The commit's id.
    pub commit: String,
    /// What identifies it: the commit's id, or that of the tree of a snapshot.
    pub id: String,
    /// The commit's message.
    pub message: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

impl Revision {
    /// The first digits of what identifies it.
    pub fn short(&self) -> &str {
        &self.id[..SHORT.min(self.id.len())]
    }

    /// The first line of its message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

impl Repository {
    /// The repository that a folder belongs to.
    pub(super) fn open(folder: &Path) -> Result<Self, BuildError> {
        let here = Self { root: folder.to_owned() };
        if !folder.is_dir() {
            return Err(BuildError::NoFolder { path: folder.to_owned() });
        }
        let found = here.git(["rev-parse", "--is-bare-repository", "--absolute-git-dir"])?;
        if !found.status.success() {
            let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            return Err(BuildError::NoRepository { path, why: last_line(&found) });
        }
        let text = String::from_utf8_lossy(&found.stdout).into_owned();
        let (bare, folder) = text.split_once('\n').unwrap_or_default();
        if bare == "true" {
            return Ok(Self { root: folder.trim_end().into() });
        }
        Ok(Self { root: here.answer(["rev-parse", "--show-toplevel"])?.into() })
    }

    /// The top of its working tree, or the repository itself if it is bare.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where it is fetched from, if it has one such place or one that is called `origin`.
    pub(super) fn remote(&self) -> Option<String> {
        let names = self.answer(["remote"]).ok()?;
        let name = names.lines().find(|name| *name == "origin").or_else(|| names.lines().next())?;
        self.answer(["remote", "get-url", name]).ok()
    }

    /// A commit by any name git knows, or the working tree by the name of [`WORKTREE`]. `apart` are folders that are no part of
    /// the working tree's snapshot.
    pub(super) fn resolve(&self, asked: &str, apart: &[&Path]) -> Result<Revision, BuildError> {
        if asked == WORKTREE { self.snapshot(apart) } else { self.commit(asked) }
    }

    fn commit(&self, asked: &str) -> Result<Revision, BuildError> {
        let name = format!("{asked}^{{commit}}");
        let found = self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        if !found.status.success() {
            return Err(self.unknown(asked));
        }
        let commit = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        self.described(asked, commit.clone(), commit)
    }

    fn described(&self, asked: &str, commit: String, id: String) -> Result<Revision, BuildError> {
        let said = self.answer(["show", "--no-patch", "--no-show-signature", "--format=%ct%n%B", &commit])?;
        let (time, message) = said.split_once('\n').unwrap_or((&said, ""));
        let time = time.trim().parse().unwrap_or(0);
        Ok(Revision { asked: asked.to_owned(), commit, id, message: message.to_owned(), time })
    }

    fn unknown(&self, asked: &str) -> BuildError {
        let names = self.answer(["for-each-ref", "--format=%(refname:short)"]).unwrap_or_default();
        let nearest = nearest(asked, names.lines()).map(str::to_owned);
        BuildError::UnknownRevision { repository: self.root.clone(), asked: asked.to_owned(), nearest }
    }

    /// Whether tracked files differ from the commit checked out, and that commit's id.
    pub(super) fn uncommitted(&self) -> Result<Option<String>, BuildError> {
        let bare = self.answer(["rev-parse", "--is-bare-repository"])? == "true";
        if bare || self.answer(["status", "--porcelain", "--untracked-files=no"])?.is_empty() {
            return Ok(None);
        }
        self.answer(["rev-parse", "HEAD"]).map(Some)
    }

    /// The working tree as it is: every file that git does not ignore. If it is just as committed, that commit.
    fn snapshot(&self, apart: &[&Path]) -> Result<Revision, BuildError> {
        let head = self.commit("HEAD")?;
        let scratch = tempfile::Builder::new().prefix("spar-index-").tempdir()?;
        // The file itself must not exist: git takes an empty one for a damaged index.
        let index = scratch.path().join("index");
        let with_index = |arguments: &[&OsStr]| {
            let mut command = self.command(arguments);
            command.env("GIT_INDEX_FILE", &index);
            answer_of(&mut command)
        };
        let _nothing = with_index(&["read-tree".as_ref(), head.commit.as_ref()])?;
        let apart: Vec<String> = apart.iter().filter_map(|folder| self.exclusion(folder)).collect();
        let mut add: Vec<&OsStr> = ["add", "--all", "--", "."].map(OsStr::new).to_vec();
        add.extend(apart.iter().map(OsStr::new));
        let _nothing = with_index(&add)?;
        let tree = with_index(&["write-tree".as_ref()])?;
        if tree == self.answer(["rev-parse", &format!("{}^{{tree}}", head.commit)])? {
            return Ok(Revision { asked: WORKTREE.to_owned(), ..head });
        }
        let message = format!("uncommitted work on {}", head.short());
        let commit = self.commit_of(&tree, &head, &message)?;
        Ok(Revision { asked: WORKTREE.to_owned(), commit, id: tree, message, time: head.time })
    }

    /// A commit that no branch knows: always the same for the same tree on the same commit.
    fn commit_of(&self, tree: &str, parent: &Revision, message: &str) -> Result<String, BuildError> {
        let mut command = self.command(["commit-tree", "--no-gpg-sign", tree, "-p", &parent.commit, "-m", message]);
        let date = format!("{} +0000", parent.time);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "spar").env(format!("GIT_{role}_EMAIL"), "spar@localhost");
            command.env(format!("GIT_{role}_DATE"), &date);
        }
        answer_of(&mut command)
    }

    /// What leaves a folder out of a snapshot, if it is in the working tree.
    fn exclusion(&self, folder: &Path) -> Option<String> {
        let folder = folder.canonicalize().ok()?;
        let inside = folder.strip_prefix(self.root.canonicalize().ok()?).ok()?.to_str()?.to_owned();
        (!inside.is_empty()).then(|| format!(":(top,exclude,literal){inside}"))
    }

    /// Checks a revision out into a folder of its own, which must not exist.
    pub(super) fn check_out(&self, revision: &Revision, folder: &Path) -> Result<(), BuildError> {
        self.forget(folder);
        let add = ["worktree", "add", "--quiet", "--force", "--detach"].map(OsStr::new);
        let arguments = add.into_iter().chain([folder.as_os_str(), revision.commit.as_ref()]);
        let done = self.git(arguments)?;
        if done.status.success() {
            return Ok(());
        }
        let (asked, folder, why) = (revision.asked.clone(), folder.to_owned(), last_line(&done));
        Err(BuildError::CheckOut { asked, folder, why })
    }

    /// Writes the files of a revision into a tar archive, which is always the same. What git says is kept in `log`.
    pub(super) fn archive(
        &self,
        revision: &Revision,
        to: &Path,
        log: &Path,
        within: Duration,
        stop: &AtomicBool,
    ) -> Result<(), BuildError> {
        // Of the commit, not of its tree: that would be dated today.
        let arguments = ["archive", "--format=tar", "--output"].map(OsStr::new);
        let arguments = arguments.into_iter().chain([to.as_os_str(), revision.commit.as_ref()]);
        match run_for(&mut self.command(arguments), log, within, stop)? {
            End::Exited(status) if status.success() => Ok(()),
            End::Exited(_) => Err(BuildError::Git(last_line_of(&std::fs::read(log)?))),
            End::TooLong => Err(BuildError::Git(format!("`git archive` did not end within {within:?}"))),
            End::Stopped => Err(BuildError::Interrupted),
        }
    }

    /// Removes a checkout, if there is one. What cannot be removed is replaced by the next checkout, or says so then.
    pub(super) fn forget(&self, folder: &Path) {
        let _not_registered =
            self.git(["worktree".as_ref(), "remove".as_ref(), "--force".as_ref(), folder.as_os_str()]);
        let _not_there = std::fs::remove_dir_all(folder);
        let _nothing_to_prune = self.git(["worktree", "prune"]);
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        // Nobody's hooks, prompts or translations.
        command.arg("-C").arg(&self.root).args(["-c", "core.hooksPath=/dev/null"]).args(arguments);
        for name in LEADING_ASTRAY {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
        command
    }

    fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Output, BuildError> {
        run(&mut self.command(arguments))
    }

    /// What git prints, without the line break at its end.
    fn answer<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<String, BuildError> {
        answer_of(&mut self.command(arguments))
    }
}

fn run(command: &mut Command) -> Result<Output, BuildError> {
    command.output().map_err(BuildError::io("cannot start `git`"))
}

fn answer_of(command: &mut Command) -> Result<String, BuildError> {
    let output = run(command)?;
    if !output.status.success() {
        return Err(BuildError::Git(last_line(&output)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The line in which git says what went wrong.
fn last_line(output: &Output) -> String {
    last_line_of(&output.stderr)
}

fn last_line_of(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it did not say why").trim().to_owned()
}
