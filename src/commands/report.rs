//! `spar report`: everything a run found, as a page, a summary, tables and pictures.

use super::{print, print_json, run_path};
use crate::args::Report as Arguments;
use crate::failure::{Exit, Failure};
use crate::jobs;
use crate::summary::{RunSummary, title};
use arena::run::{Experiment, Header, Journal, RunFolder, replay};
use reports::gather::Gathered;
use reports::{Extent, Report, ReportError, RunFacts};
use std::path::{Path, PathBuf};

pub(crate) fn report(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&arguments.run, runs);
    let report = ReportOfRun::open(&path)?.read()?;
    let page = report.write(arguments.out.as_deref().unwrap_or(&path), Extent::Everything)?;
    if arguments.json {
        print_json(&report.json())?;
    } else {
        print(page.display())?;
    }
    Ok(Exit::Done)
}

/// Writes the whole report of a run into its folder, and returns the page's path.
pub(super) fn write_beside(path: &Path) -> Result<PathBuf, Failure> {
    Ok(ReportOfRun::open(path)?.read()?.write(path, Extent::Everything)?)
}

/// A run that reports are made of, again and again if it goes on: what was gathered stays, and only new pairs are read.
pub(crate) struct ReportOfRun {
    path: PathBuf,
    journal: Journal,
    header: Header,
    gathered: Gathered,
}

impl ReportOfRun {
    /// Opens a run to look at it, whoever works on it.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let journal = RunFolder::open_journal(path)?;
        let header = journal.header()?;
        let gathered = Gathered::new(&header);
        Ok(Self { path: path.to_owned(), journal, header, gathered })
    }

    /// The report of the run as its journal has it.
    pub(crate) fn read(&mut self) -> Result<Report, Failure> {
        let mut experiment = jobs::experiment(&self.header.config)?;
        let _absorbed = replay(experiment.as_mut(), &self.journal)?;
        self.of(experiment.as_ref())
    }

    /// The report of the run as far as `experiment`, which is its own, has absorbed it: cheap while a run goes on.
    pub(crate) fn of(&mut self, experiment: &dyn Experiment) -> Result<Report, Failure> {
        let standing = experiment.standing();
        self.gathered.catch_up(&self.journal, standing.pairs)?;
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        let summary = RunSummary {
            config: &self.header.config,
            standing: &standing,
            verdict: experiment.verdict(),
            faults: Vec::new(),
            starved: 0,
            path: &self.path,
            elapsed: None,
        };
        let facts = RunFacts {
            name: &name,
            headline: &title(&self.header.config),
            says: &summary.verdict_in_words(),
            header: &self.header,
            standing: &standing,
            verdict: summary.verdict,
        };
        let (series, slices) = (experiment.series(), experiment.slices());
        Ok(Report::new(&facts, &self.gathered, &self.journal, &series, &slices)?)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::Environment(error.into())
    }
}
