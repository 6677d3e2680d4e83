//! The thread that polls all runs: which there are, and what is new.
//!
//! Runs that were read before come first, and long journals are read in turns, a piece of each at a time. So a run that
//! has just begun shows up at once, whatever else there is to read.

use crate::hub::EventKind;
use crate::jobs::Jobs;
use crate::listing::Listing;
use crate::notify::Notifier;
use crate::run::Run;
use crate::webhook::{Deliverer, Ended};
use arena::run::RunFolder;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// How long runs are read before the folder is scanned again.
const TURN: Duration = Duration::from_millis(300);
/// The number of a run's pairs that are read in one piece: some 20 ms.
const PIECE: u64 = 20_000;

/// The receivers of runs and jobs that have ended.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    /// The command, if there is one.
    pub(crate) notifier: Option<Notifier>,
    /// The webhook, if there is one.
    pub(crate) deliverer: Option<Deliverer>,
}

impl Listeners {
    fn ended(&self, what: Ended, row: &Arc<str>) {
        if let Some(notifier) = &self.notifier {
            notifier.ended(Arc::clone(row));
        }
        if let Some(deliverer) = &self.deliverer {
            deliverer.ended(what, row);
        }
    }
}

/// Watches until the other end of `stop` is dropped.
pub(crate) fn look_on((listing, jobs): (&Listing, &Jobs), folder: &Path, listeners: &Listeners, stop: &Receiver<()>) {
    let mut unread = Vec::new();
    let run_watcher = RunWatcher { listing, jobs, listeners, since: SystemTime::now() };
    loop {
        // A folder that is unreadable for a moment has not lost its runs.
        if let Ok(folders) = RunFolder::list(folder) {
            listing.set(folders);
        }
        for row in jobs.look(&listing.hub) {
            listeners.ended(Ended::Job, &row.to_string().into());
        }
        unread = run_watcher.turn(&unread);
        let pause = if unread.is_empty() { PAUSE } else { Duration::ZERO };
        match stop.recv_timeout(pause) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

/// Reads new data of runs, and publishes them.
struct RunWatcher<'a> {
    listing: &'a Listing,
    jobs: &'a Jobs,
    listeners: &'a Listeners,
    /// The start time: runs that ended earlier are not reported as ended.
    since: SystemTime,
}

impl RunWatcher<'_> {
    /// Reads what is new. Returns the runs with more to read, those that have waited the longest first.
    fn turn(&self, unread: &[Arc<str>]) -> Vec<Arc<str>> {
        let started = Instant::now();
        let mut waiting: Vec<Arc<Run>> = unread.iter().filter_map(|name| self.listing.get(name)).collect();
        for run in self.listing.all() {
            if unread.contains(&run.name) || !run.may_be_new(self.listing.is_paused(&run.name)) {
                continue;
            }
            // A running run has added little since the last time; a new one may have much to read.
            if self.look(&run) {
                waiting.push(run);
            }
        }
        let mut turns = VecDeque::from(waiting);
        while started.elapsed() < TURN
            && let Some(run) = turns.pop_front()
        {
            if self.look(&run) {
                turns.push_back(run);
            }
        }
        turns.into_iter().map(|run| Arc::clone(&run.name)).collect()
    }

    /// Reads a piece of a run, and publishes what is new. Returns whether there is more.
    fn look(&self, run: &Run) -> bool {
        let was_over = run.is_over();
        let (news, is_more) = run.look(PIECE, self.listing.is_paused(&run.name));
        if let Some(row) = news {
            // A match of a job is over after each batch of pairs: the end of the job is reported instead.
            let has_ended = !was_over && run.is_over() && run.changed_since(self.since);
            if has_ended && self.jobs.of_run(run.path()).is_none() {
                self.listeners.ended(Ended::Run, &row);
            }
            self.listing.hub.publish(EventKind::Run, &run.name, row);
        }
        is_more
    }
}
