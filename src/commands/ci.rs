//! `spar patch --ci`: tests a pull request in a job of its forge, and writes a summary for the readers of the pull
//! request's page.
//!
//! The change is the checked-out commit. The base is the commit where it left its branch, named by variables of GitHub,
//! Forgejo, Gitea and GitLab. The exit code is that of the test.

use super::patch::play;
use crate::args::releases::Patch;
use crate::failure::{Exit, Failure};
use crate::optional::PNG;
use crate::progress::Lines;
use crate::watch::Ended;
use arena::run::{Check, replace_file};
use reports::{Again, Extent, Report, not_tested};
use session::builds::{Revision, WORKTREE, revisions};
use session::work::Base;
use session::{PageOfRun, SessionError};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file of the summary if neither an option nor the forge names one.
const SUMMARY: &str = "spar-summary.md";
/// The variable of GitHub, Forgejo and Gitea that names the file whose text a job's page shows.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";
/// The longest summary of a job, in bytes; the forge allows 1 MiB.
const LONGEST_SUMMARY: usize = 900_000;
/// The revision of the change, unless an option names one.
const CHECKED_OUT: &str = "HEAD";

/// A change and the version that it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PullRequest {
    /// The version before the change.
    pub(super) base: Base,
    /// The revision of the change.
    pub(super) dev: String,
    /// The ref to fetch for the change's commit, if any: forges keep merge commits apart from branches.
    pub(super) fetch: Option<String>,
}

impl PullRequest {
    /// Finds the pull request by the options, or else by the variables of a forge.
    fn find(patch: &Patch, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let target = || variable("GITHUB_BASE_REF").map(|branch| format!("origin/{branch}"));
        let on_gitlab =
            || variable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA").or_else(|| variable("CI_MERGE_REQUEST_DIFF_BASE_SHA"));
        let base = match &patch.base {
            Some(base) => Base::Revision(base.clone()),
            None => Base::ForkFrom(target().or_else(on_gitlab).ok_or_else(no_pull_request)?),
        };
        let is_merge = patch.dev.is_none() && patch.base.is_none();
        let fetch = variable("GITHUB_REF").filter(|name| is_merge && name.starts_with("refs/pull/"));
        Ok(Self { base, dev: patch.dev.clone().unwrap_or_else(|| CHECKED_OUT.to_owned()), fetch })
    }
}

fn no_pull_request() -> Failure {
    Failure::usage(
        "this is not the job of a pull request: neither GITHUB_BASE_REF nor CI_MERGE_REQUEST_DIFF_BASE_SHA is set. \
         Run the job for pull requests only, or give the version before the change by --base",
    )
}

/// Where the summary goes.
struct Summary {
    /// A separate file.
    file: Option<PathBuf>,
    /// The job's file, to which each step appends.
    job: Option<PathBuf>,
}

impl Summary {
    /// Opens the files that the options or the forge name. Fails before hours of play if one cannot be written.
    fn open(file: Option<PathBuf>, job: Option<PathBuf>) -> Result<Self, Failure> {
        let file = file.or_else(|| job.is_none().then(|| PathBuf::from(SUMMARY)));
        for path in file.iter().chain(&job) {
            append(path, "")?;
        }
        Ok(Self { file, job })
    }

    /// The path of a plot beside the file, if there is a file.
    fn plot(&self, number: usize, of: usize) -> Option<PathBuf> {
        let ending = if of > 1 { format!("{}.svg", number + 1) } else { "svg".to_owned() };
        self.file.as_ref().map(|file| file.with_extension(ending))
    }

    /// Writes the text to each file.
    fn write(&self, text: impl Fn(bool) -> String) -> Result<(), Failure> {
        if let Some(file) = &self.file {
            replace_file(file, text(true).as_bytes()).map_err(cannot_write(file))?;
            say!("summary  {}", file.display());
        }
        if let Some(job) = &self.job {
            let text = text(false);
            let end = (0..=LONGEST_SUMMARY.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
            append(job, &text[..end.unwrap_or(0)])?;
        }
        Ok(())
    }
}

fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(cannot_write(path))
}

fn cannot_write(path: &Path) -> impl FnOnce(std::io::Error) -> Failure + '_ {
    move |cause| Failure::Environment(anyhow::Error::new(cause).context(format!("cannot write {}", path.display())))
}

/// Tests the pull request, and writes the summary even if the test fails.
pub(super) fn patch(patch: &Patch, runs: &Path) -> Result<Exit, Failure> {
    let summary = Summary::open(patch.summary.clone(), std::env::var_os(STEP_SUMMARY).map(PathBuf::from))?;
    let (mut ended, mut fetch) = (Vec::new(), None);
    let done = PullRequest::find(patch, &|name| std::env::var(name).ok()).and_then(|change| {
        fetch.clone_from(&change.fetch);
        play(patch, &change, runs, Lines::Printed, &mut |run| ended.push(run.clone()))
    });
    let written = write(&summary, &ended, patch, fetch.as_deref(), done.as_ref().err());
    match (done, written) {
        (Ok(exit), written) => written.map(|()| exit),
        (Err(failure), Ok(())) => Err(failure),
        (Err(failure), Err(why)) => {
            say!("warning: there is no summary: {why}");
            Err(failure)
        }
    }
}

/// Writes the full report of each run into its folder, and one summary of all runs.
fn write(
    summary: &Summary,
    ended: &[Ended],
    patch: &Patch,
    fetch: Option<&str>,
    failure: Option<&Failure>,
) -> Result<(), Failure> {
    let reports: Vec<(Report, Again)> =
        ended.iter().map(|run| Ok((report(run)?, again(run, patch, fetch)))).collect::<Result<_, Failure>>()?;
    let mut plots = Vec::new();
    for (number, (report, _)) in reports.iter().enumerate() {
        plots.push(draw(report, summary.plot(number, ended.len()))?);
    }
    summary.write(|is_file| {
        let mut text = String::new();
        for ((run, (report, again)), plot) in ended.iter().zip(&reports).zip(&plots) {
            let stage = run.phase.as_ref().map(|phase| phase.name.as_str());
            text += &report.pull_request(stage, again, plot.as_deref().filter(|_| is_file));
        }
        if let Some(failure) = failure {
            text += &not_tested(&failure.to_string());
        }
        text
    })
}

/// Makes the report of a run, and writes it into the run's folder.
fn report(run: &Ended) -> Result<Report, Failure> {
    let path = &run.outcome.path;
    let report = PageOfRun::open(path, Check::Trust)?.report()?;
    report.write(path, Extent::Everything { png: PNG }).map_err(SessionError::from)?;
    Ok(report)
}

/// Draws the path of the ratio into a file and returns the file's name. Without such a path, removes the file that an
/// earlier test left.
fn draw(report: &Report, file: Option<PathBuf>) -> Result<Option<String>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let Some(figure) = report.figures.iter().find(|figure| figure.id == "llr") else {
        let _there_was_none = std::fs::remove_file(&file);
        return Ok(None);
    };
    replace_file(&file, figure.svg.as_bytes()).map_err(cannot_write(&file))?;
    Ok(file.file_name().map(|name| name.to_string_lossy().into_owned()))
}

/// How to repeat a test: by commits instead of names that will move.
fn again(run: &Ended, patch: &Patch, fetch: Option<&str>) -> Again {
    let built = revisions(&run.outcome.config);
    let named = |revision: &Revision| {
        if revision.asked == WORKTREE { WORKTREE.to_owned() } else { revision.commit.clone() }
    };
    let mut words = vec!["spar".to_owned(), "patch".to_owned(), patch.config.display().to_string()];
    if let [(_, dev), (_, base)] = built.as_slice() {
        words.extend(["--base".to_owned(), named(base), "--dev".to_owned(), named(dev)]);
    }
    for setting in patch.working.settings() {
        words.extend(["--set".to_owned(), setting]);
    }
    if patch.allow_identical {
        words.push("--allow-identical".to_owned());
    }
    let fetch = fetch.and_then(|name| command(["git", "fetch", "origin", name]));
    let rows =
        built.iter().map(|(name, revision)| [name.clone(), revision.commit.clone(), revision.subject().to_owned()]);
    let spar = command(words.iter().map(String::as_str));
    Again { revisions: rows.collect(), commands: fetch.into_iter().chain(spar).collect() }
}

/// The command as typed in a shell; `None` if no shell can express it.
fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    shlex::try_join(words).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use clap::Parser;

    fn found(words: &str, variables: &[(&str, &str)]) -> Result<PullRequest, Failure> {
        let arguments =
            Arguments::parse_from(["spar", "patch", "p.toml", "--ci"].into_iter().chain(words.split_whitespace()));
        let Command::Patch(patch) = arguments.command else { panic!("another command") };
        let get = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        PullRequest::find(&patch, &get)
    }

    fn fork(branch: &str, dev: &str, fetch: Option<&str>) -> PullRequest {
        PullRequest { base: Base::ForkFrom(branch.to_owned()), dev: dev.to_owned(), fetch: fetch.map(str::to_owned) }
    }

    #[test]
    fn each_forge_names_the_branch_of_a_pull_request() {
        let github = [("GITHUB_BASE_REF", "main"), ("GITHUB_REF", "refs/pull/7/merge"), ("GITHUB_SHA", "1")];
        assert_eq!(found("", &github).expect("found"), fork("origin/main", "HEAD", Some("refs/pull/7/merge")));
        assert_eq!(found("--dev topic", &github).expect("found"), fork("origin/main", "topic", None));
        let gitlab = [("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "a1")];
        assert_eq!(found("", &gitlab).expect("found"), fork("a1", "HEAD", None));
        let merged = [("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "b2"), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "a1")];
        assert_eq!(found("", &merged).expect("found"), fork("b2", "HEAD", None));
    }

    #[test]
    fn an_option_names_the_base_exactly_and_else_it_is_required() {
        let given = found("--base v1", &[("GITHUB_BASE_REF", "main"), ("GITHUB_REF", "refs/pull/7/merge")]);
        let base = Base::Revision("v1".to_owned());
        assert_eq!(given.expect("found"), PullRequest { base, dev: "HEAD".to_owned(), fetch: None });
        for push in [&[("GITHUB_BASE_REF", ""), ("GITHUB_REF", "refs/heads/main")][..], &[]] {
            let said = found("", push).expect_err("no pull request").to_string();
            assert!(said.contains("not the job of a pull request") && said.contains("--base"), "{said}");
        }
    }
}
