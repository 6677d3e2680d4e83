//! The page of a run, written beside its journal while it plays and when it is over.

use arena::run::Check;
use reports::Extent;
use session::{PageOfRun, SessionError, Written};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How long a run plays before its page is rewritten.
const REFRESH: Duration = Duration::from_mins(1);
/// The page is rewritten after this many times the time that it takes, so that it never costs much.
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
                followed = or_warning(write_followed(followed, &folder)).map(|(run, _page)| run);
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
        or_warning(write_followed(followed, &self.path)).map(|(_run, page)| page)
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
pub(crate) fn write(path: &Path) -> Option<Written> {
    or_warning(write_followed(None, path)).map(|(_run, page)| page)
}

/// What was written; a failure is reported.
pub(crate) fn or_warning<T>(written: Result<T, SessionError>) -> Option<T> {
    written.map_err(|why| say!("warning: there is no report: {why}")).ok()
}

/// Writes the page of a run that may have been followed so far. Its pairs were checked when it was opened, or played
/// here.
fn write_followed(followed: Option<PageOfRun>, path: &Path) -> Result<(PageOfRun, Written), SessionError> {
    let mut run = followed.map_or_else(|| PageOfRun::open(path, Check::Trust), Ok)?;
    let page = run.write(Extent::Page)?;
    Ok((run, page))
}
