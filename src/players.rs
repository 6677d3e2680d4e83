//! The executor of a session: threads of this process, or a fleet if the command line or the configuration asks for
//! one.

use crate::args::Working;
use arena::config::ExecutorKind;
use arena::run::{Executor, Journal};
use plan::Loaded;
use play::child::Launcher;
use session::{Blame, Call, Executors, SessionError, Threads};

/// Threads and other executors.
pub(crate) struct Players {
    threads: Threads,
    elsewhere: Elsewhere,
    /// Whether the command line asks for a fleet, which overrides configurations.
    is_asked_for: bool,
    /// Whether the current run is played by a fleet.
    is_elsewhere: bool,
}

impl Players {
    /// The executors that the command line asks for.
    pub(crate) fn new(working: &Working) -> Self {
        let threads = Threads::new().traced_to(working.trace.clone()).launched_by(Launcher::this_program());
        let is_asked_for = working.fleet.fleet.is_some() || working.fleet.creds.is_some();
        Self { threads, elsewhere: Elsewhere::new(working), is_asked_for, is_elsewhere: false }
    }
}

impl Executors for Players {
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError> {
        self.is_elsewhere = Executors::is_elsewhere(self, call.run);
        if self.is_elsewhere { self.elsewhere.executors()?.prepare(call) } else { self.threads.prepare(call) }
    }

    fn start(&mut self, journal: &mut Journal) -> Result<&mut dyn Executor, SessionError> {
        if self.is_elsewhere { self.elsewhere.executors()?.start(journal) } else { self.threads.start(journal) }
    }

    fn is_elsewhere(&self, run: &Loaded) -> bool {
        self.is_asked_for || run.executor == ExecutorKind::Nats
    }

    fn end(&mut self) {
        if !self.is_elsewhere {
            self.threads.end();
        } else if let Ok(elsewhere) = self.elsewhere.executors() {
            elsewhere.end();
        }
    }
}

fn refuse(why: impl Into<String>) -> SessionError {
    SessionError::Elsewhere { why: why.into(), blame: Blame::User }
}

/// A fleet, which is connected when a run needs it.
#[cfg(feature = "fleet")]
struct Elsewhere {
    joining: crate::args::fleet::Joining,
    fleet: Option<fleet::Fleet>,
}

#[cfg(feature = "fleet")]
impl Elsewhere {
    fn new(working: &Working) -> Self {
        Self { joining: working.fleet.clone(), fleet: None }
    }

    fn executors(&mut self) -> Result<&mut dyn Executors, SessionError> {
        if self.fleet.is_none() {
            let crate::args::fleet::Joining { fleet: url, creds, weight, checked, send_programs } =
                self.joining.clone();
            if url.is_none() && creds.is_none() {
                return Err(refuse("the run is for a fleet: give its NATS server by `--fleet URL` or `SPAR_FLEET`"));
            }
            let access = fleet::Access::new(url, creds.as_deref())?;
            let launcher = Some(Launcher::this_program());
            let settings = fleet::FleetSettings { access, weight, checked, send_programs, launcher };
            self.fleet = Some(fleet::Fleet::new(settings));
        }
        let fleet = self.fleet.as_mut().map(|fleet| fleet as &mut dyn Executors);
        fleet.ok_or_else(|| refuse("there is no fleet"))
    }
}

/// A build without fleets.
#[cfg(not(feature = "fleet"))]
struct Elsewhere;

#[cfg(not(feature = "fleet"))]
impl Elsewhere {
    fn new(_working: &Working) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "one that knows fleets has its own")]
    fn executors(&mut self) -> Result<&mut dyn Executors, SessionError> {
        Err(refuse(crate::optional::missing("fleets", "fleet")))
    }
}
