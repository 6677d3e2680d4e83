//! The page of a run, written beside its journal during the run and at its end.

use arena::run::Check;
use reports::Extent;
use session::{PageOfRun, SessionError, Written};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The interval at which the page of a run is rewritten.
const REFRESH: Duration = Duration::from_mins(1);
/// The page is rewritten after at least this many times the time that writing takes, which bounds its cost.
const RARITY: u32 = 30;

/// Writes a run's page at intervals, until the run is over.
pub(crate) struct Refresher {
    path: PathBuf,
    running: Option<SyncSender<()>>,
    /// Returns the run as far as it was followed.
    thread: Option<JoinHandle<Option<PageOfRun>>>,
}

impl Refresher {
    /// Starts writing the page of the run in a folder.
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
        // Without a thread, one page is written at the end.
        let thread = Builder::new().name("page".to_owned()).spawn(body).ok();
        Self { path: path.to_owned(), running: Some(running), thread }
    }

    /// Writes the page of the finished run, and returns its path. Reads only what is new since the last time.
    pub(crate) fn finish(mut self) -> Option<Written> {
        let followed = self.end();
        or_warning(write_followed(followed, &self.path)).map(|(_run, page)| page)
    }

    fn end(&mut self) -> Option<PageOfRun> {
        self.running = None;
        // A page can be written even if the thread failed.
        self.thread.take().and_then(|thread| thread.join().ok()).flatten()
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.end();
    }
}

/// Writes a run's page beside its journal. Reports a failure and returns `None`: it must not end anything.
pub(crate) fn write(path: &Path) -> Option<Written> {
    or_warning(write_followed(None, path)).map(|(_run, page)| page)
}

/// The written page; reports a failure.
pub(crate) fn or_warning<T>(written: Result<T, SessionError>) -> Option<T> {
    written.map_err(|why| say!("warning: there is no report: {why}")).ok()
}

/// Writes the page of a run that may have been followed already. The run's pairs were checked when it was opened, or
/// played by this process.
fn write_followed(followed: Option<PageOfRun>, path: &Path) -> Result<(PageOfRun, Written), SessionError> {
    let mut run = followed.map_or_else(|| PageOfRun::open(path, Check::Trust), Ok)?;
    let page = run.write(Extent::Page)?;
    Ok((run, page))
}
