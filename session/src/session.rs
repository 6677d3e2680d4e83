//! The handle of a session: it starts the thread, hands out watchers, passes commands on, and waits for the end.

use crate::error::SessionError;
use crate::event::{Event, State};
use crate::executors::Executors;
use crate::hub::{Hub, Watcher};
use crate::runner::SessionRunner;
use crate::work::{self, Changes};
use arena::run::Control;
use plan::Loaded;
use play::panic_text;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Commands to a working session. They never change what is played or decided, only when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Stop. Finished pairs are committed, and the session can be resumed.
    Stop,
    /// Begin no further pairs; play the current ones to their end.
    Pause,
    /// Begin pairs again.
    Continue,
    /// Play this many pairs at a time from now on.
    Concurrency(NonZeroUsize),
}

/// Sends commands to a session, from any thread.
#[derive(Clone, Debug)]
pub struct Commander {
    control: Arc<Control>,
    hub: Arc<Hub>,
}

impl Commander {
    /// Sends a command; a session that has ended ignores it.
    pub fn send(&self, command: Command) {
        match command {
            Command::Stop => self.control.stop(),
            Command::Pause | Command::Continue => {
                let paused = command == Command::Pause;
                self.control.pause(paused);
                self.hub.publish(Event::Paused(paused));
            }
            Command::Concurrency(workers) => self.control.set_workers(workers),
        }
    }
}

/// Common settings of all sessions.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The folder for new runs.
    pub runs: PathBuf,
    /// The number of pairs that are played at a time; `None` for the number in the run's configuration.
    pub concurrency: Option<NonZeroUsize>,
    /// Whether the session begins paused, playing nothing before [`Command::Continue`].
    pub paused: bool,
}

impl Place {
    /// Sets the folder for new runs.
    pub fn at(runs: impl Into<PathBuf>) -> Self {
        Self { runs: runs.into(), concurrency: None, paused: false }
    }
}

/// The end of a session: its final state, and the answer of its work.
type Done<T> = Result<(Arc<State>, T), SessionError>;

/// Work in its own thread: a run, or a job of several runs. Dropping the session stops the work and waits for the end.
/// Some work returns an answer in addition to its events, such as the ratings of a ladder.
pub struct Session<T = ()> {
    hub: Arc<Hub>,
    control: Arc<Control>,
    /// The thread, or the error of starting it; `None` after it was joined.
    thread: Option<io::Result<JoinHandle<Done<T>>>>,
}

impl Session {
    /// Makes a new run and plays it. The test follows a tuning session whose configuration asks for one.
    pub fn create(run: Loaded, executors: impl Executors + 'static, place: &Place) -> Self {
        Self::start(executors, place, move |runner| work::create(runner, &run))
    }

    /// Resumes the run or job in a folder, with changes: `key=value` texts that override its stored configuration, and
    /// the number of pairs that it may have.
    pub fn resume(
        path: &Path,
        changes: impl Into<Changes>,
        executors: impl Executors + 'static,
        place: &Place,
    ) -> Self {
        let (path, changes) = (path.to_owned(), changes.into());
        Self::start(executors, place, move |runner| work::resume(runner, &path, &changes))
    }
}

impl<T: Send + 'static> Session<T> {
    /// Starts any work with a runner, such as a [job of several runs](crate::work).
    pub fn start(
        executors: impl Executors + 'static,
        place: &Place,
        work: impl FnOnce(&mut SessionRunner) -> Result<T, SessionError> + Send + 'static,
    ) -> Self {
        let (hub, control) = (Arc::new(Hub::default()), Arc::new(Control::new()));
        if place.paused {
            control.pause(true);
            hub.publish(Event::Paused(true));
        }
        let mut runner = SessionRunner::new(
            Arc::clone(&hub),
            Arc::clone(&control),
            Box::new(executors),
            &place.runs,
            place.concurrency,
        );
        let thread_hub = Arc::clone(&hub);
        let body = move || {
            let pool = arena::run::start_pool().map_err(|cause| SessionError::io("cannot start threads", cause));
            let done = catch_unwind(AssertUnwindSafe(|| pool.and_then(|()| work(&mut runner))))
                .unwrap_or_else(|panic| Err(SessionError::Panicked(panic_text(panic.as_ref()))));
            drop(runner);
            let failure = done.as_ref().err().map(|error| error.to_string().into());
            thread_hub.publish(Event::Finished { failure });
            done.map(|answer| (thread_hub.state(), answer))
        };
        let spawned = Builder::new().name("session".to_owned()).spawn(body);
        if let Err(error) = &spawned {
            hub.publish(Event::Finished { failure: Some(error.to_string().into()) });
        }
        Self { hub, control, thread: Some(spawned) }
    }

    /// Waits for the end, and returns the answer of the work.
    ///
    /// # Errors
    /// The [`SessionError`] that ended the session. Committed pairs stay.
    pub fn answer(mut self) -> Result<T, SessionError> {
        self.join().map(|(_, answer)| answer)
    }
}

impl<T> Session<T> {
    /// Returns a watcher of all events. There may be any number of watchers, and they may begin at any time.
    pub fn watch(&self) -> Watcher {
        Watcher::new(Arc::clone(&self.hub))
    }

    /// Returns the current state.
    pub fn state(&self) -> Arc<State> {
        self.hub.state()
    }

    /// Returns a sender of commands.
    pub fn commander(&self) -> Commander {
        Commander { control: Arc::clone(&self.control), hub: Arc::clone(&self.hub) }
    }

    /// Sends a command to the session.
    pub fn send(&self, command: Command) {
        self.commander().send(command);
    }

    /// Waits for the end, and returns the final state.
    ///
    /// # Errors
    /// The [`SessionError`] that ended the session. Committed pairs stay.
    pub fn wait(mut self) -> Result<Arc<State>, SessionError> {
        self.join().map(|(state, _)| state)
    }

    fn join(&mut self) -> Done<T> {
        let none_left = || Err(io::ErrorKind::NotFound.into());
        let thread = self.thread.take().unwrap_or_else(none_left);
        let joined = thread.map_err(|cause| SessionError::io("cannot start a thread", cause))?.join();
        joined.unwrap_or_else(|panic| Err(SessionError::Panicked(panic_text(panic.as_ref()))))
    }
}

impl<T> Drop for Session<T> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.control.stop();
            // The caller did not ask for the result.
            drop(self.join());
        }
    }
}

impl<T> fmt::Debug for Session<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("state", &self.hub.state()).finish_non_exhaustive()
    }
}
