//! What shells offer for an argument that is a run or a key of a configuration.

use arena::run::RunFolder;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use plan::{KeySchema, Takes};
use session::work::{BisectJob, CampaignJob, LearnJob, Series};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The names of the runs and jobs in the runs folder.
pub(super) fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let runs = runs_folder(&std::env::args_os().collect::<Vec<_>>(), std::env::var_os("SPAR_RUNS"));
        matching(typed, names(&runs).into_iter().map(CompletionCandidate::new))
    })
}

/// The keys of a configuration, with the sections that they are in.
pub(super) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut keys = Vec::new();
        flatten(&plan::schema(), "", &mut keys);
        let candidate = |(key, says): (String, String)| CompletionCandidate::new(key).help(Some(says.into()));
        matching(typed, keys.into_iter().map(candidate))
    })
}

/// Those that begin with what is typed.
fn matching(typed: &OsStr, all: impl Iterator<Item = CompletionCandidate>) -> Vec<CompletionCandidate> {
    let typed = typed.as_encoded_bytes();
    all.filter(|candidate| candidate.get_value().as_encoded_bytes().starts_with(typed)).collect()
}

/// The folder of the runs by the words of a command line.
fn runs_folder(words: &[OsString], variable: Option<OsString>) -> PathBuf {
    let given = words.iter().enumerate().find_map(|(at, word)| match word.to_str()? {
        "--runs" => words.get(at + 1).cloned(),
        word => word.strip_prefix("--runs=").map(OsString::from),
    });
    given.or(variable.filter(|folder| !folder.is_empty())).unwrap_or_else(|| "runs".into()).into()
}

fn names(runs: &Path) -> Vec<String> {
    let jobs =
        [Series::list(runs).ok(), LearnJob::list(runs).ok(), BisectJob::list(runs).ok(), CampaignJob::list(runs).ok()];
    let lists = std::iter::once(RunFolder::list(runs).ok()).chain(jobs);
    let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = lists.into_iter().flatten().flatten().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// `section.key=` and what each key is for. Sections of which there may be many have names of their own.
fn flatten(keys: &[KeySchema], path: &str, into: &mut Vec<(String, String)>) {
    for key in keys {
        match &key.takes {
            _ if key.says.starts_with("Written by spar") => {}
            Takes::Section(keys) => flatten(keys, &format!("{path}{}.", key.key), into),
            Takes::Sections(_) => {}
            Takes::Names => into.push((format!("{path}{}.", key.key), key.says.clone())),
            _ => into.push((format!("{path}{}=", key.key), key.says.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_that_of_the_command() {
        let folder = |words: &[&str], variable: Option<&str>| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            runs_folder(&words, variable.map(OsString::from)).display().to_string()
        };
        assert_eq!(folder(&["spar", "show", ""], None), "runs");
        assert_eq!(folder(&["spar", "show", ""], Some("here")), "here");
        assert_eq!(folder(&["spar", "--runs", "there", "show", ""], Some("here")), "there");
        assert_eq!(folder(&["spar", "show", "--runs=there"], None), "there");
    }
}
