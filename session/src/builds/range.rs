//! The commits between two revisions, by first parent: the range of a bisection.

use super::error::BuildError;
use super::git::Repository;
use super::revision::{Revision, WORKTREE};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// The fields that git prints for each commit, each ended by a zero byte.
const FIELDS: [&str; 6] = ["%H", "%P", "%ct", "%at", "%an", "%B"];

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeCommit {
    /// The revision to build.
    pub revision: Revision,
    /// Its author.
    pub author: String,
    /// When it was written, in seconds since 1970.
    pub authored: i64,
}

/// Why the commits between two revisions cannot be bisected. The user can mend all these errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// A revision of the range was not found.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The working tree was requested.
    #[error("--{end} {WORKTREE}: a bisection looks at commits. Commit the work, and give `HEAD`")]
    NoCommit {
        /// `good` or `bad`.
        end: &'static str,
    },
    /// Both ends are one commit.
    #[error("`{good}` and `{bad}` are the same commit ({commit}): there is nothing between them")]
    Same {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// The commit in short.
        commit: String,
    },
    /// The bad end is older than the good one.
    #[error("`{bad}` is an ancestor of `{good}`: --good is the older of the two. To search what gained, swap them")]
    Swapped {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
    },
    /// The ends are on two branches.
    #[error(
        "`{good}` is not an ancestor of `{bad}`: they are on two branches, which left each other at {fork}. \
        Give that commit by --good"
    )]
    Diverged {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// Their newest common commit, in short.
        fork: String,
    },
    /// The ends have no common commit.
    #[error("`{good}` and `{bad}` have unrelated histories: no commit is an ancestor of both{}", if *is_shallow {
        ". This is a shallow clone: `git fetch --unshallow --tags` fetches the whole history"
    } else {
        ""
    })]
    Unrelated {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// Whether the repository lacks the older part of its history.
        is_shallow: bool,
    },
    /// The good end was merged into the line of the bad one.
    #[error(
        "`{good}` is an ancestor of `{bad}`, but was merged into it from another branch: it is not one of its first \
        parents. Give --good {before}, the first parent before that merge"
    )]
    Merged {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// The newest first-parent ancestor of the bad end that is also an ancestor of the good end, in short.
        before: String,
    },
    /// The path cannot be in the repository.
    #[error("--path {path}: expected a folder or a file below the top of the repository, such as `src`")]
    Outside {
        /// The path.
        path: String,
    },
    /// No commit of the range changes the path.
    #[error("no commit from `{good}` to `{bad}` touches {path}: paths start at {}", repository.display())]
    Untouched {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// The path.
        path: String,
        /// The top of the repository.
        repository: PathBuf,
    },
    /// The engine of an end cannot be built.
    #[error("{}\nBoth ends of the range must build. Give another --{end}", cause)]
    EndDoesNotBuild {
        /// `good` or `bad`.
        end: &'static str,
        /// The reason.
        cause: Box<BuildError>,
    },
    /// Neither end can be built.
    #[error("{}\nThe other end does not build either: {}\nMend `[build]`, or give other ends", good, bad.in_brief())]
    NothingBuilds {
        /// Why the good end cannot be built.
        good: Box<BuildError>,
        /// Why the bad end cannot be built.
        bad: Box<BuildError>,
    },
    /// Both ends are the same engine.
    #[error("`{good}` and `{bad}` are the same engine ({what}): nothing was lost between them")]
    SameEngine {
        /// The good end, as requested.
        good: String,
        /// The bad end, as requested.
        bad: String,
        /// The evidence for this.
        what: &'static str,
    },
}

impl Repository<'_> {
    /// Returns the commits from a good one, which comes first, to a bad one; with a path, only those that touch it.
    pub(super) fn range(&self, good: &str, bad: &str, path: Option<&str>) -> Result<Vec<RangeCommit>, RangeError> {
        for (end, asked) in [("good", good), ("bad", bad)] {
            if asked == WORKTREE {
                return Err(RangeError::NoCommit { end });
            }
        }
        let ends = [self.commit(good)?, self.commit(bad)?];
        self.check_ends(&ends)?;
        let [first, last] = &ends;
        let all = self.log(&ends, &[])?;
        let oldest = all.first().map(|(commit, parent)| (commit, parent.clone()));
        if let Some((_, parent)) = oldest.filter(|(_, parent)| *parent != first.commit) {
            let before = parent[..8.min(parent.len())].to_owned();
            return Err(RangeError::Merged { good: good.to_owned(), bad: bad.to_owned(), before });
        }
        let mut commits = match path {
            None => all,
            Some(path) => self.log(&ends, &["--".to_owned(), format!(":(literal){}", below(path)?)])?,
        };
        if commits.is_empty() {
            let (path, repository) = (path.unwrap_or_default().to_owned(), self.root().to_owned());
            return Err(RangeError::Untouched { good: good.to_owned(), bad: bad.to_owned(), path, repository });
        }
        let count = commits.len();
        for (number, (commit, _)) in (1..).zip(&mut commits) {
            let revision = &mut commit.revision;
            let is_last = revision.commit == last.commit;
            revision.asked = if is_last { bad.to_owned() } else { format!("commit {number} of {count}") };
        }
        let start = self.show(first)?;
        Ok(std::iter::once(start).chain(commits.into_iter().map(|(commit, _)| commit)).collect())
    }

    /// Checks that the first revision is an ancestor of the second.
    fn check_ends(&self, [first, last]: &[Revision; 2]) -> Result<(), RangeError> {
        let (good, bad) = (first.asked.clone(), last.asked.clone());
        if first.commit == last.commit {
            return Err(RangeError::Same { good, bad, commit: first.short().to_owned() });
        }
        let base = self.common_ancestor(&first.commit, &last.commit)?;
        match base {
            Some(base) if base == first.commit => Ok(()),
            Some(base) if base == last.commit => Err(RangeError::Swapped { good, bad }),
            Some(base) => Err(RangeError::Diverged { good, bad, fork: base[..8.min(base.len())].to_owned() }),
            None => Err(RangeError::Unrelated { good, bad, is_shallow: self.is_shallow() }),
        }
    }

    /// Returns the first parents after one commit up to another, oldest first, each with its own first parent.
    fn log(&self, [first, last]: &[Revision; 2], of: &[String]) -> Result<Vec<(RangeCommit, String)>, BuildError> {
        let range = format!("{}..{}", first.commit, last.commit);
        let printed = self.bytes(log_arguments(&["--first-parent", "--reverse", &range], of))?;
        Ok(read(&printed))
    }

    fn show(&self, revision: &Revision) -> Result<RangeCommit, BuildError> {
        let printed = self.bytes(log_arguments(&["--max-count=1", &revision.commit], &[]))?;
        let found = read(&printed).into_iter().next();
        let (author, authored) = found.map_or_else(Default::default, |(commit, _)| (commit.author, commit.authored));
        Ok(RangeCommit { revision: revision.clone(), author, authored })
    }
}

/// Returns the arguments of `git log` with the fields of a commit, independent of the user's configuration.
fn log_arguments(which: &[&str], of: &[String]) -> Vec<String> {
    let format = format!("--format=tformat:{}%x00", FIELDS.join("%x00"));
    let fixed =
        ["-c", "log.follow=false", "log", "--no-show-signature", "--no-color", "--no-patch", "--no-notes", &format];
    fixed.iter().chain(which).map(|word| (*word).to_owned()).chain(of.iter().cloned()).collect()
}

/// Parses the output of git.
fn read(printed: &[u8]) -> Vec<(RangeCommit, String)> {
    let text = String::from_utf8_lossy(printed);
    let fields: Vec<&str> = text.split('\0').collect();
    let commit = |fields: &[&str]| {
        let [id, parents, committed, authored, author, message] = fields else { return None };
        let (commit, asked) = (id.trim().to_owned(), String::new());
        let time = committed.parse().unwrap_or(0);
        let revision = Revision { asked, id: commit.clone(), commit, message: (*message).to_owned(), time };
        let parent = parents.split(' ').next().unwrap_or_default().to_owned();
        Some((
            RangeCommit { revision, author: (*author).to_owned(), authored: authored.parse().unwrap_or(time) },
            parent,
        ))
    };
    fields.chunks_exact(FIELDS.len()).filter_map(commit).collect()
}

/// Checks that a path is below the top of the repository.
fn below(path: &str) -> Result<&str, RangeError> {
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || !Path::new(path).components().all(is_below) {
        return Err(RangeError::Outside { path: path.to_owned() });
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_whatever_their_messages_hold() {
        let one = b"aaaaaaaaaaaa\0p1 p2\x005\x004\0Ann \xff\0One\n\nBody\n\0\n";
        let other = b"bbbbbbbbbbbb\0aaaaaaaaaaaa\x007\x006\0Bob\0\0\n";
        let read = read(&[&one[..], other].concat());
        assert_eq!(read.len(), 2);
        let (one, parent) = &read[0];
        assert_eq!((one.revision.subject(), one.revision.time, one.authored, parent.as_str()), ("One", 5, 4, "p1"));
        assert_eq!(
            (read[1].0.revision.short(), read[1].0.revision.subject(), read[1].1.as_str()),
            ("bbbbbbbb", "", "aaaaaaaaaaaa")
        );
    }

    #[test]
    fn paths_lie_below_the_top() {
        for path in ["src", "./src/search", "a b"] {
            assert!(below(path).is_ok(), "{path}");
        }
        for path in ["", "..", "src/../..", "/src"] {
            assert!(below(path).is_err(), "{path}");
        }
    }
}
