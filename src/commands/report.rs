//! `spar report`: everything a run found, as a page, a summary, tables and pictures.

use super::{follow_up, print, print_json, run_path};
use crate::args::Report as Arguments;
use crate::failure::{Exit, Failure};
use crate::summary::{RunSummary, title};
use arena::run::{Check, RunFolder};
use reports::{Captions, Extent, Follow, Report, ReportError};
use session::jobs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) fn report(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&arguments.run, runs);
    let folder = arguments.out.as_deref().unwrap_or(&path);
    let mut run = ReportOfRun { page: folder.to_owned(), ..ReportOfRun::open(&path, Check::Audit)? };
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
            let (mut pause, mut followed) = (REFRESH, None);
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let started = Instant::now();
                followed = told(write_page_of(followed, &path)).map(|(run, _page)| run);
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
    told(write_page_of(None, path)).map(|(_run, page)| page)
}

fn told<T>(written: Result<T, Failure>) -> Option<T> {
    written.map_err(|why| say!("warning: there is no report: {why}")).ok()
}

/// Writes the page of a run that may have been followed so far. Its pairs were checked when it was opened, or played here.
fn write_page_of(followed: Option<ReportOfRun>, path: &Path) -> Result<(ReportOfRun, PathBuf), Failure> {
    let mut run = followed.map_or_else(|| ReportOfRun::open(path, Check::Trust), Ok)?;
    let page = run.read()?.write(path, Extent::Page)?;
    Ok((run, page))
}

/// A run that reports are made of, again and again if it goes on, and what is said of it in words.
pub(crate) struct ReportOfRun {
    run: Follow,
    /// The folder that the page will lie in.
    page: PathBuf,
}

impl ReportOfRun {
    /// Opens a run to look at it, whoever works on it.
    pub(crate) fn open(path: &Path, check: Check) -> Result<Self, Failure> {
        Ok(Self {
            run: Follow::open(path, check, |run| jobs::experiment(run).map_err(Failure::from))?,
            page: path.to_owned(),
        })
    }

    /// The report of the run as its journal has it: pairs that were read before are not read again.
    pub(crate) fn read(&mut self) -> Result<Report, Failure> {
        let _new = self.run.refresh()?;
        let run = &self.run;
        let (config, standing) = (&run.header().config, run.experiment().standing());
        let summary = RunSummary {
            config,
            standing: &standing,
            verdict: run.experiment().verdict(),
            faults: run.fault_counts().to_vec(),
            starved: run.starved(),
            path: run.path(),
            elapsed: None,
        };
        let says = summary.verdict_in_words();
        let says = summary.warning().map_or(says.clone(), |warning| format!("{says} {warning}"));
        let test = match summary.verdict {
            Some(_) => {
                let text = RunFolder::open_journal(run.path())?.text()?;
                follow_up::of(config, &text, &standing, run.path(), &self.page)?
            }
            None => None,
        };
        let captions = Captions { headline: &title(config), says: &says, test: test.as_ref() };
        Ok(run.report(&captions, jobs::slices(run.experiment()))?)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Folder(error) => error.into(),
            error => Self::Environment(error.into()),
        }
    }
}
