//! The report of a run of a session, with its headline and verdict in words, and the result of the test after a tuning
//! session. The report of a running run is updated. Jobs of several runs have their own page.

use crate::builds::diff;
use crate::error::SessionError;
use crate::read::ReadRun;
use crate::work::{JobSummary, Part, Series, carried_over, measured, runs_of, test_of};
use arena::config::RunConfig;
use arena::run::{Check, Finish, RunFolder, Standing};
use plan::jobs;
use reports::explain::{Explanation, explain};
use reports::summary::{RunSummary, interval, title};
use reports::tuned::against_test;
use reports::{Captions, Cut, Digest, Extent, Follow, FollowUp, JobPage, JobPart, Report, ReportError, ScaledOn};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most pairs of a run with an explanation on its page, since the explanation reads all games again. `spar explain`
/// prints it for any run.
const MOST_EXPLAINED: u64 = 10_000;

/// A written report.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its page.
    pub page: PathBuf,
    /// Its summary.
    pub digest: Arc<Digest>,
}

/// A run whose reports are made repeatedly while it runs.
pub struct PageOfRun {
    run: Follow,
    check: Check,
    /// The folder of the page.
    folder: PathBuf,
}

impl PageOfRun {
    /// Opens the run in a folder for reading, even while another process works on it. Reads nothing yet.
    ///
    /// # Errors
    /// [`SessionError`] if there is no run or its header cannot be read.
    pub fn open(path: &Path, check: Check) -> Result<Self, SessionError> {
        Ok(Self { run: follow(path, check)?, check, folder: path.to_owned() })
    }

    /// Sets another folder for the page than the run's; links are relative to it.
    #[must_use]
    pub fn lying_in(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Returns the report of the run from its journal; reads only new pairs.
    ///
    /// # Errors
    /// [`SessionError`] if the journal cannot be read.
    pub fn report(&mut self) -> Result<Report, SessionError> {
        match self.run.refresh() {
            Ok(_new) => {}
            // Pairs that were read no longer count.
            Err(ReportError::Changed { path }) => {
                self.run = follow(&path, self.check)?;
                let _all = self.run.refresh()?;
            }
            Err(error) => return Err(error.into()),
        }
        let run = &self.run;
        let (config, standing) = (&run.header().config, run.experiment().standing());
        let summary = RunSummary {
            config,
            standing: &standing,
            verdict: run.verdict(),
            too_faulty: run.too_faulty(),
            faults: run.fault_counts().to_vec(),
            starved: run.starved(),
            path: run.path(),
            elapsed: None,
            scaled: ScaledOn::default(),
            cut: Cut::of(&config.experiment, run.verdict(), run.pairs(), RunFolder::open_journal(run.path())?.end()?),
        };
        let says = summary.verdict_in_words();
        let says = summary.warning().map_or(says.clone(), |warning| format!("{says} {warning}"));
        let test = match summary.verdict {
            Some(_) => {
                let text = RunFolder::open_journal(run.path())?.text()?;
                follow_up(config, &text, &standing, run.path(), &self.folder)?
            }
            None => None,
        };
        let captions = Captions { headline: &title(config), says: &says, test: test.as_ref() };
        let mut report = run.report(&captions, jobs::slices(run.experiment()))?;
        report.numbers.diff = diff(config);
        report.explanation = self.explanation()?;
        Ok(report)
    }

    /// Explains the score of the first of two entrants, once the run has its verdict and if evaluations were recorded.
    fn explanation(&self) -> Result<Option<Explanation>, SessionError> {
        let run = &self.run;
        let config = &run.header().config;
        if run.verdict().is_none() || run.pairs() > MOST_EXPLAINED || config.entrants.len() != 2 || !config.rules.track
        {
            return Ok(None);
        }
        let journal = RunFolder::open_journal(run.path())?;
        Ok(Some(explain(run.header(), &journal, run.pairs(), [0, 1])?))
    }

    /// Whether the folder still holds the run of the last report. Reads hardly anything of the journal.
    ///
    /// # Errors
    /// [`SessionError`] if the journal cannot be read.
    pub fn is_the_same(&self) -> Result<bool, SessionError> {
        Ok(self.run.is_the_same()?)
    }

    /// Writes the report into its folder.
    ///
    /// # Errors
    /// [`SessionError`] if the journal cannot be read, or if the folder cannot be written.
    pub fn write(&mut self, extent: Extent) -> Result<Written, SessionError> {
        let report = self.report()?;
        let page = report.write(&self.folder, extent)?;
        Ok(Written { page, digest: Arc::new(self.digest(&report)) })
    }

    /// Returns the summary of the report.
    fn digest(&self, report: &Report) -> Digest {
        report.digest(&self.run.experiment().standing())
    }
}

fn follow(path: &Path, check: Check) -> Result<Follow, SessionError> {
    Follow::open(path, check, |run| jobs::experiment(run).map_err(SessionError::from))
}

/// A played run of a job.
#[derive(Clone, Debug)]
pub struct Done {
    /// How it ended.
    pub finish: Finish,
    /// Its summary, if it has a page.
    pub digest: Option<Arc<Digest>>,
}

/// Writes the page of a job of several runs into its folder, with the runs that have begun, and returns its path.
///
/// # Errors
/// [`SessionError`] if it cannot be written.
pub fn write_job(series: &Series, done: &[Done]) -> Result<PathBuf, SessionError> {
    let finishes: Vec<Finish> = done.iter().map(|done| done.finish).collect();
    let wording = series.rule().wording();
    let part = |(number, part): (usize, &Part)| {
        let done = done.get(number);
        let state = done.map_or_else(|| series.state_unplayed(&finishes), |done| wording.says(done.finish));
        let digest = done.and_then(|done| done.digest.clone());
        JobPart { name: part.name.clone(), state: state.to_owned(), digest }
    };
    let parts: Vec<JobPart> = series.parts().iter().enumerate().map(part).collect();
    let (title, says) = (series.title(), series.says(&finishes));
    let JobSummary { verdict, words: badge, by: main } = series.summary(&finishes);
    let page = JobPage { title, verdict, badge, says: &says, head: wording.head, parts: &parts, main };
    Ok(page.write(series.folder())?)
}

/// Writes the page of a job from the journals of its runs, and returns its path.
///
/// # Errors
/// [`SessionError`] if a journal cannot be read, or if the page cannot be written.
pub fn write_job_read_back(series: &Series) -> Result<PathBuf, SessionError> {
    let begun = series.parts().iter().map_while(|part| series.run_of(part));
    let read = |path: PathBuf| {
        let mut run = PageOfRun::open(&path, Check::Audit)?;
        let report = run.report()?;
        let finish = run.run.finish();
        Ok(Done { finish, digest: Some(Arc::new(run.digest(&report))) })
    };
    write_job(series, &begun.map(read).collect::<Result<Vec<_>, SessionError>>()?)
}

/// Returns the result of the latest test of the finished session in the folder `path`, for the session's page in the
/// folder `page`.
fn follow_up(
    run: &RunConfig,
    text: &str,
    standing: &Standing,
    path: &Path,
    page: &Path,
) -> Result<Option<FollowUp>, SessionError> {
    let Some(test) = test_of(run, text, standing)? else { return Ok(None) };
    let runs = path.parent().unwrap_or(path);
    let Some(latest) = runs_of(&test, runs)?.pop() else { return Ok(None) };
    let name = latest.file_name().unwrap_or(latest.as_os_str()).to_string_lossy().into_owned();
    // A page in the session's folder has a relative link, which stays valid when the runs move together.
    let folder = if page == path { format!("../{name}") } else { absolute(&latest) };
    Ok(Some(FollowUp { link: format!("{folder}/{}", reports::PAGE), run: name, says: says(run, standing, &latest)? }))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// Returns the verdict of a session's test and its estimate, in words.
fn says(session: &RunConfig, tuned: &Standing, path: &Path) -> Result<String, SessionError> {
    let read = ReadRun::open(path)?;
    let standing = read.experiment.standing();
    let verdict = read.summary(path, &standing).verdict_in_words();
    let verdict = carried_over(session, read.verdict()).map_or(verdict.clone(), |says| format!("{says} {verdict}"));
    let Some(elo) = measured(&standing) else { return Ok(verdict) };
    let against = tuned.tune().and_then(|tuned| against_test(tuned, elo)).map(|against| format!(" {against}"));
    Ok(format!("{verdict} Elo {}.{}", interval(Some(elo), 1), against.unwrap_or_default()))
}
