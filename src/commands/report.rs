//! `spar report`: everything a run found, as a page, a summary, tables and pictures.

use super::{follow_up, print, print_json, run_path};
use crate::args::Report as Arguments;
use crate::failure::{Exit, Failure};
use crate::summary::{RunSummary, title};
use arena::run::{Experiment, Header, JournalReader, RunFolder, audit, replay};
use reports::gather::Gathered;
use reports::{Extent, Report, ReportError, RunFacts};
use session::jobs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) fn report(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&arguments.run, runs);
    let folder = arguments.out.as_deref().unwrap_or(&path);
    let mut run = ReportOfRun { page: folder.to_owned(), ..ReportOfRun::open(&path)? };
    audit(&run.journal, &run.header.config)?;
    let report = run.read()?;
    let page = report.write(folder, Extent::Everything)?;
    if arguments.json {
        print_json(&report.json())?;
    } else {
        print(page.display())?;
    }
    Ok(Exit::Done)
}

/// How long a run goes on before its page is written anew.
const REFRESH: Duration = Duration::from_mins(1);
/// The page is written anew after so many times the time that it takes, so that it never costs much.
const RARITY: u32 = 30;

/// Writes a run's page now and then, until it is dropped.
pub(crate) struct Refresher {
    running: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Refresher {
    /// Begins with the page of the run in a folder.
    pub(crate) fn start(path: &Path) -> Self {
        let (running, ended) = sync_channel::<()>(0);
        let path = path.to_owned();
        let body = move || {
            let mut pause = REFRESH;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let started = Instant::now();
                write_page(&path);
                pause = REFRESH.max(started.elapsed() * RARITY);
            }
        };
        // Without a thread there is one page, at the end.
        let thread = Builder::new().name("page".to_owned()).spawn(body).ok();
        Self { running: Some(running), thread }
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.running = None;
        if let Some(thread) = self.thread.take() {
            // Whatever has become of it, the page is written once more.
            let _ended = thread.join();
        }
    }
}

/// Writes a run's page beside its journal; `None` if that cannot be done, which is said and ends nothing.
pub(crate) fn write_page(path: &Path) -> Option<PathBuf> {
    let write = || {
        let report = ReportOfRun::open(path)?.read()?;
        Ok::<_, Failure>(report.write(path, Extent::Page)?)
    };
    write().map_err(|why| say!("warning: there is no report: {why}")).ok()
}

/// A run that reports are made of, again and again if it goes on: what was gathered stays, and only new pairs are read.
pub(crate) struct ReportOfRun {
    path: PathBuf,
    /// The folder that the page will lie in.
    page: PathBuf,
    journal: JournalReader,
    header: Header,
    gathered: Gathered,
}

impl ReportOfRun {
    /// Opens a run to look at it, whoever works on it.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let journal = RunFolder::open_journal(path)?;
        let header = journal.header()?;
        let gathered = Gathered::new(&header);
        Ok(Self { path: path.to_owned(), page: path.to_owned(), journal, header, gathered })
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
            faults: self.journal.faults(standing.pairs, self.header.config.entrants.len())?,
            starved: self.journal.starved(standing.pairs)?,
            path: &self.path,
            elapsed: None,
        };
        let says = summary.verdict_in_words();
        let says = summary.warning().map_or(says.clone(), |warning| format!("{says} {warning}"));
        let test = match summary.verdict {
            Some(_) => follow_up::of(&self.header.config, &self.journal.text()?, &standing, &self.path, &self.page)?,
            None => None,
        };
        let facts = RunFacts {
            name: &name,
            headline: &title(&self.header.config),
            says: &says,
            header: &self.header,
            standing: &standing,
            verdict: summary.verdict,
            test: test.as_ref(),
        };
        let (series, slices) = (experiment.series(), jobs::slices(experiment));
        Ok(Report::new(&facts, &self.gathered, &self.journal, &series, &slices)?)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::Environment(error.into())
    }
}
