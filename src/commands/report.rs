//! `spar report`: everything a run found, as a page, a summary, tables and pictures.

use super::{learn, print, print_json, run_path};
use crate::args::Report as Arguments;
use crate::failure::{Exit, Failure};
use crate::optional::PNG;
use crate::watch::Ended;
use arena::run::Check;
use reports::Extent;
use session::work::Series;
use session::{Done, PageOfRun, SessionError, Written, write_job, write_job_read_back};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) fn report(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&arguments.run, runs)?;
    if let Some(series) = Series::read(&path)? {
        return report_of_job(arguments, &series);
    }
    if let Some(job) = learn::read(&path)? {
        refuse_options_of_runs(arguments)?;
        return learn::report(&job);
    }
    let folder = arguments.out.as_deref().unwrap_or(&path);
    let report = PageOfRun::open(&path, Check::Audit)?.lying_in(folder).report()?;
    let page = report.write(folder, Extent::Everything { png: PNG }).map_err(SessionError::from)?;
    if arguments.json {
        print_json(&report.json())?;
    } else {
        print(page.display())?;
    }
    Ok(Exit::Done)
}

/// The page of a job of several runs, which has no numbers of its own.
fn report_of_job(arguments: &Arguments, series: &Series) -> Result<Exit, Failure> {
    refuse_options_of_runs(arguments)?;
    print(write_job_read_back(series)?.display())?;
    Ok(Exit::Done)
}

fn refuse_options_of_runs(arguments: &Arguments) -> Result<(), Failure> {
    let option = match arguments {
        Arguments { json: true, .. } => "--json",
        Arguments { out: Some(_), .. } => "--out",
        _ => return Ok(()),
    };
    let message = "a job of several runs has one page, in its folder: name one of its runs, or leave";
    Err(Failure::usage(format!("{message} {option} out")))
}

/// Writes the page of a job of several runs, when these have ended; `None` if that fails, which is reported.
pub(crate) fn write_job_page(series: &Series, ended: &[Ended]) -> Option<PathBuf> {
    let done = |ended: &Ended| Done {
        finish: ended.outcome.finish,
        digest: ended.page.as_ref().map(|page| Arc::clone(&page.digest)),
    };
    or_warning(write_job(series, &ended.iter().map(done).collect::<Vec<_>>()))
}

/// How long a run plays before its page is rewritten.
const REFRESH: Duration = Duration::from_mins(1);
/// The page is rewritten after so many times the time that it takes, so that it never costs much.
const RARITY: u32 = 30;

/// Writes a run's page at intervals, until the run is over.
pub(crate) struct Refresher {
    path: PathBuf,
    running: Option<SyncSender<()>>,
    /// Returns the run up to where it was followed.
    thread: Option<JoinHandle<Option<PageOfRun>>>,
}

impl Refresher {
    /// Begins with the page of the run in a folder.
    pub(crate) fn start(path: &Path) -> Self {
        let (running, ended) = sync_channel::<()>(0);
        let folder = path.to_owned();
        let body = move || {
            let (mut pause, mut followed) = (REFRESH, None);
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let started = Instant::now();
                followed = or_warning(write(followed, &folder)).map(|(run, _page)| run);
                pause = REFRESH.max(started.elapsed() * RARITY);
            }
            followed
        };
        // Without a thread there is one page, at the end.
        let thread = Builder::new().name("page".to_owned()).spawn(body).ok();
        Self { path: path.to_owned(), running: Some(running), thread }
    }

    /// Writes the page of the run that is over, and returns where it is. Only what is new since the last time is read.
    pub(crate) fn finish(mut self) -> Option<Written> {
        let followed = self.end();
        or_warning(write(followed, &self.path)).map(|(_run, page)| page)
    }

    fn end(&mut self) -> Option<PageOfRun> {
        self.running = None;
        // Whatever has become of the thread, a page can be written without it.
        self.thread.take().and_then(|thread| thread.join().ok()).flatten()
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.end();
    }
}

/// Writes a run's page beside its journal; `None` if that fails, which is reported and ends nothing.
pub(crate) fn write_page(path: &Path) -> Option<Written> {
    or_warning(write(None, path)).map(|(_run, page)| page)
}

fn or_warning<T>(written: Result<T, SessionError>) -> Option<T> {
    written.map_err(|why| say!("warning: there is no report: {why}")).ok()
}

/// Writes the page of a run that may have been followed so far. Its pairs were checked when it was opened, or played
/// here.
fn write(followed: Option<PageOfRun>, path: &Path) -> Result<(PageOfRun, Written), SessionError> {
    let mut run = followed.map_or_else(|| PageOfRun::open(path, Check::Trust), Ok)?;
    let page = run.write(Extent::Page)?;
    Ok((run, page))
}
