//! Finds the run or job to resume.

use super::bisect::BisectJob;
use super::campaign::CampaignJob;
use super::learn::record::LearnJob;
use super::series::record::Series;
use std::path::{Path, PathBuf};

/// Returns the path to resume for a run: the job that it is a part of, or the run itself.
pub fn resumable(run: &Path) -> PathBuf {
    let learning = run.parent().filter(|folder| LearnJob::is_at(folder));
    let job = Series::of_run(run).or_else(|| BisectJob::of_run(run)).or_else(|| CampaignJob::of_run(run));
    job.or_else(|| learning.map(Path::to_owned)).unwrap_or_else(|| run.to_owned())
}
