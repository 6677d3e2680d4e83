//! How the command line names runs: by a path, or by a name in the runs folder.

use crate::failure::Failure;
use arena::run::{JOURNAL, RunFolder};
use play::spelling::nearest;
use session::work::{BisectJob, CampaignJob, LearnJob, Series};
use std::path::{Path, PathBuf};

/// The folder of a run, or of a job of several runs.
///
/// # Errors
/// [`Failure::Usage`] if there is none; the message suggests the most similar name.
pub(crate) fn run_path(run: &Path, runs: &Path) -> Result<PathBuf, Failure> {
    let named = runs.join(run);
    match [&named, &run.to_owned()].into_iter().find(|path| is_run(path) || is_job(path)) {
        Some(path) => Ok(path.clone()),
        None => Err(missing(run, if run.is_dir() && !named.is_dir() { run } else { &named }, runs)),
    }
}

/// The folder of a run, for commands that need a single run.
///
/// # Errors
/// [`Failure::Usage`] if there is none, or if the folder is a job of several runs; the message lists its runs.
pub(crate) fn one_run_path(run: &Path, runs: &Path) -> Result<PathBuf, Failure> {
    let path = run_path(run, runs)?;
    if is_run(&path) {
        return Ok(path);
    }
    let campaign = CampaignJob::read(&path, &[])?;
    let names = match (Series::read(&path)?, BisectJob::read(&path, &[])?, campaign) {
        (Some(series), ..) => series.parts().iter().filter_map(|part| part.run.clone()).collect(),
        (None, Some(job), _) => job.runs(),
        (None, None, Some(job)) => job.runs(),
        (None, None, None) => {
            RunFolder::list(&path)?.iter().map(|run| path.join(name_of(run)).display().to_string()).collect()
        }
    };
    let which: Vec<String> = names;
    let job = path.display();
    Err(Failure::usage(match which.as_slice() {
        [] => format!("{job} is a job of several runs, and none of them has been played yet"),
        names => format!("{job} is a job of several runs: name one of them: {}", names.join(", ")),
    }))
}

/// Whether the folder holds a job of several runs.
fn is_job(path: &Path) -> bool {
    Series::is_at(path) || LearnJob::is_at(path) || BisectJob::is_at(path) || CampaignJob::is_at(path)
}

fn is_run(path: &Path) -> bool {
    path.join(JOURNAL).is_file()
}

fn missing(run: &Path, looked_at: &Path, runs: &Path) -> Failure {
    let jobs =
        [Series::list(runs).ok(), LearnJob::list(runs).ok(), BisectJob::list(runs).ok(), CampaignJob::list(runs).ok()];
    let known: Vec<String> = std::iter::once(RunFolder::list(runs).ok())
        .chain(jobs)
        .flatten()
        .flatten()
        .map(|path| name_of(&path))
        .collect();
    let meant = nearest(&name_of(run), known.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |name| format!("did you mean `{name}`? "));
    Failure::usage(format!("there is no run at {}: {meant}`spar runs` lists all runs", looked_at.display()))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_mistyped_is_answered_by_the_nearest() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = folder.path().join("runs");
        for name in ["sprt-null-move-1", "match-a-b-1"] {
            std::fs::create_dir_all(runs.join(name)).expect("a folder");
            std::fs::write(runs.join(name).join(JOURNAL), "").expect("a file");
        }
        let error = |name: &str| run_path(Path::new(name), &runs).expect_err("no such run").to_string();
        for name in ["sprt-nul-move-1", "sprt-null-move-2", "runs/sprt-null-move", "SPRT-null-move-1/"] {
            assert!(
                error(name).contains("did you mean `sprt-null-move-1`? `spar runs` lists"),
                "{name}: {}",
                error(name)
            );
        }
        assert!(!error("xyz").contains("did you mean"), "{}", error("xyz"));
        assert_eq!(run_path(Path::new("match-a-b-1"), &runs).expect("a run"), runs.join("match-a-b-1"));
    }
}
