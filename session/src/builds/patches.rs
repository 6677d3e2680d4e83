//! Changes of a revision: applies patch files, and merges several changes. Each result is a commit on no branch, always
//! the same for the same change of the same revision.

use super::error::BuildError;
use super::git::{Repository, as_spar};
use super::revision::Revision;
use std::ffi::OsStr;
use std::path::Path;

/// The start of a patch file's subject line.
const SUBJECT: &str = "Subject:";

/// Several changes of a revision, merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The revision with the changes.
    pub revision: Revision,
    /// The changes that were left out, by their places in the list, and the reasons.
    pub left_out: Vec<(usize, String)>,
}

impl Repository<'_> {
    /// Applies a patch file to a revision. The result is called `name`.
    pub(super) fn apply(&self, base: &Revision, name: &str, file: &Path) -> Result<Revision, BuildError> {
        let unreadable = |cause| BuildError::UnreadablePatch { file: file.to_owned(), cause };
        let text = std::fs::read(file).map_err(unreadable)?;
        // Git runs in another folder.
        let path = std::path::absolute(file).map_err(unreadable)?;
        let folder = tempfile::tempdir()?;
        let index = folder.path().join("index");
        let git = |arguments: &[&OsStr]| {
            let mut command = self.command(arguments);
            command.env("GIT_INDEX_FILE", &index);
            self.run(&mut command)
        };
        let wrong = |why: String| BuildError::DoesNotApply {
            file: file.to_owned(),
            base: base.asked.clone(),
            commit: base.short().to_owned(),
            why,
        };
        let _nothing = git(&["read-tree".as_ref(), base.commit.as_ref()])?;
        let apply = ["apply".as_ref(), "--cached".as_ref(), "--whitespace=nowarn".as_ref(), path.as_os_str()];
        match git(&apply) {
            Ok(_) => {}
            Err(BuildError::Git { output, .. }) => return Err(wrong(in_a_line(&output))),
            Err(why) => return Err(why),
        }
        let tree = String::from_utf8_lossy(&git(&["write-tree".as_ref()])?).trim().to_owned();
        if tree == self.answer(["rev-parse", &format!("{}^{{tree}}", base.commit)])? {
            return Err(wrong("it changes no file".to_owned()));
        }
        let message = subject(&String::from_utf8_lossy(&text)).unwrap_or_else(|| name.to_owned());
        let commit = self.commit_of(&tree, base, &message)?;
        Ok(Revision { asked: name.to_owned(), id: commit.clone(), commit, message, time: base.time })
    }

    /// Merges changes of a revision in order. Leaves out a change that conflicts with earlier ones.
    pub(super) fn merge(&self, base: &Revision, changes: &[&Revision]) -> Result<Merged, BuildError> {
        let home = tempfile::tempdir()?;
        let folder = home.path().join("merged");
        self.check_out(base, &folder)?;
        let merged = self.merge_in(&folder, base, changes);
        self.forget(&folder);
        merged
    }

    fn merge_in(&self, folder: &Path, base: &Revision, changes: &[&Revision]) -> Result<Merged, BuildError> {
        let here = |arguments: &[&str]| {
            let arguments = ["-C".as_ref(), folder.as_os_str()].into_iter().chain(arguments.iter().map(OsStr::new));
            let mut command = self.command(arguments);
            as_spar(&mut command, base.time);
            self.run(&mut command).map(|printed| String::from_utf8_lossy(&printed).trim_end().to_owned())
        };
        let (mut commit, mut names, mut left_out) = (base.commit.clone(), Vec::new(), Vec::new());
        for (number, change) in changes.iter().enumerate() {
            // With `merge.ff = false` in the user's configuration, git refuses to squash.
            let own = ["-c", "rerere.enabled=false", "-c", "merge.ff=true"];
            let merge = [&own[..], &["merge", "--squash", "--quiet", "--no-verify-signatures"]].concat();
            match here(&[&merge[..], &[&change.commit]].concat()) {
                Ok(_) => {
                    names.push(change.asked.as_str());
                    let tree = here(&["write-tree"])?;
                    commit = self.commit_of(&tree, base, &message(&names))?;
                }
                Err(BuildError::Git { output, .. }) => {
                    let files = here(&["diff", "--name-only", "--diff-filter=U"])?;
                    let files: Vec<&str> = files.lines().collect();
                    let conflict = || format!("it conflicts with those before it in {}", files.join(", "));
                    left_out.push((number, if files.is_empty() { in_a_line(&output) } else { conflict() }));
                }
                Err(why) => return Err(why),
            }
            let _says = here(&["reset", "--hard", "--quiet", &commit])?;
        }
        let (asked, message) = ("together".to_owned(), message(&names));
        let revision = Revision { asked, id: commit.clone(), commit, message, time: base.time };
        Ok(Merged { revision, left_out })
    }
}

/// Returns the message of a merge.
fn message(names: &[&str]) -> String {
    format!("Merge {}", names.join(", "))
}

/// Returns the output of git in one line.
fn in_a_line(output: &str) -> String {
    let lines = output.lines().map(|line| line.trim().trim_start_matches("error: "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Returns the subject of a patch file, if it has one before its changes.
fn subject(text: &str) -> Option<String> {
    let mut lines = text.lines().take_while(|line| !line.starts_with("diff ") && *line != "---");
    let first = lines.by_ref().find_map(|line| line.strip_prefix(SUBJECT))?;
    let more = lines.take_while(|line| line.starts_with([' ', '\t']));
    let whole = std::iter::once(first).chain(more).map(str::trim).collect::<Vec<_>>().join(" ");
    let tagged = whole.strip_prefix("[PATCH").and_then(|rest| rest.split_once(']'));
    let plain = tagged.map_or(whole.as_str(), |(_, rest)| rest).trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_files_say_what_they_are_about() {
        let patch = "From 1234 Mon\nFrom: Ann\nSubject: [PATCH 2/3] Reduce late\n moves more\n\nBench: 5\n---\n\
                     diff --git a b\n";
        assert_eq!(subject(patch).as_deref(), Some("Reduce late moves more"));
        assert_eq!(subject("Subject: Plain\n").as_deref(), Some("Plain"));
        for none in ["", "diff --git a b\nSubject: no\n", "Subject: [PATCH] \n", "---\nSubject: no"] {
            assert_eq!(subject(none), None, "{none}");
        }
    }

    #[test]
    fn what_git_says_fits_a_line() {
        assert_eq!(
            in_a_line("error: patch failed: a:1\n\nerror: a: patch does not apply\n"),
            "patch failed: a:1; a: patch does not apply"
        );
    }
}
