//! Executors of a session: threads of this process, or anything else that plays pairs.

use crate::error::SessionError;
use crate::host;
use crate::messages::Messages;
use crate::warning::Warning;
use arena::run::{Executables, Executor, Header, Journal, Local, PlayPairs, Processes, WorkerOf, rehearse};
use plan::Loaded;
use play::SeatedGame;
use play::child::{Cpus, Launcher, Spawner, Trace};
use play::entrant::{Entrant, ProcessSpec};
use play::players::process::{StandbyPlayers, Starter};
use std::borrow::Borrow;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// A run to prepare for.
#[derive(Debug)]
pub struct Call<'a> {
    /// The run.
    pub run: &'a Loaded,
    /// Its identity: its configuration, with the time controls of this host, and the builds of its players.
    pub header: &'a Header,
    /// Its current programs.
    pub programs: &'a Arc<Executables>,
    /// The number of pairs to play at a time.
    pub workers: NonZeroUsize,
    /// For a new run: the parameters that it varies, and sets of values that its first entrant must accept.
    pub trials: Option<(Vec<String>, Vec<Vec<f64>>)>,
    /// Takes warnings, and tells whether to give up.
    pub messages: Messages<'a>,
}

impl Call<'_> {
    /// Starts all entrants of a new run once on this machine. Without `processes`, there are no engine processes to
    /// start.
    ///
    /// # Errors
    /// [`SessionError::Unready`], or [`SessionError::Interrupted`] if the session was told to stop.
    pub fn rehearse(&self, processes: Option<&Processes>) -> Result<(), SessionError> {
        let Some((varied, values)) = &self.trials else { return Ok(()) };
        let (openings, stop) = (&self.run.openings, self.messages.stop_flag());
        rehearse(self.header, openings, varied, values, processes, stop).map_err(|why| {
            if self.messages.is_stopped() {
                SessionError::Interrupted
            } else {
                SessionError::Unready { why: Box::new(why) }
            }
        })
    }
}

/// Gives each run of a session its executor. Any [`Executor`] can serve as one, for a session of a single run.
pub trait Executors: Send {
    /// Prepares for a run. Everything that can be tried before the first pair is tried here, so that a new run whose
    /// engines do not start is not made.
    ///
    /// # Errors
    /// [`SessionError`] if the run cannot be played.
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError>;

    /// Returns the executor of the run that was prepared last, which has this journal.
    ///
    /// # Errors
    /// [`SessionError`] if the run cannot be played.
    fn start(&mut self, journal: &mut Journal) -> Result<&mut dyn Executor, SessionError>;

    /// Whether a run is played on other machines, which come and go.
    fn is_elsewhere(&self, _run: &Loaded) -> bool {
        false
    }

    /// Ends the executor, since the run is over.
    fn end(&mut self) {}
}

impl<E: Executor + Send> Executors for E {
    fn prepare(&mut self, _call: &Call<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    fn start(&mut self, _journal: &mut Journal) -> Result<&mut dyn Executor, SessionError> {
        Ok(self)
    }
}

/// Makes a worker that uses this starter of processes.
type MakeOf = Arc<dyn Fn(Option<Starter>) -> Box<dyn PlayPairs> + Send + Sync>;

/// The receiver of all lines to and from engine processes.
enum Listener {
    /// A file, which is made when the first run needs it.
    File(PathBuf),
    /// A trace.
    Trace(Trace),
}

/// Threads of this process.
#[derive(Default)]
pub struct Threads {
    listener: Option<Listener>,
    launcher: Option<Launcher>,
    /// Makes the workers of the program's own game.
    make: Option<MakeOf>,
    prepared: Option<(NonZeroUsize, Option<Processes>)>,
    playing: Option<Local>,
}

impl Threads {
    /// As many threads as a run sets, else one for each processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Threads that play another game, with its own players: for runs with `game = "custom:NAME"`, whose entrants are
    /// random movers, engine processes, or have `player = "custom"`.
    pub fn of_game<G: SeatedGame>(game: G) -> Self
    where
        G::Judge: Send,
    {
        let make = move |starter| Box::new(WorkerOf::new(game.clone(), starter)) as Box<dyn PlayPairs>;
        Self { make: Some(Arc::new(make)), ..Self::default() }
    }

    /// Writes every line to and from engine processes to a file.
    #[must_use]
    pub fn traced_to(mut self, path: Option<PathBuf>) -> Self {
        self.listener = path.map(Listener::File);
        self
    }

    /// Sends every line to and from engine processes to this trace.
    #[must_use]
    pub fn traced_by(mut self, trace: Option<Trace>) -> Self {
        self.listener = trace.map(Listener::Trace);
        self
    }

    /// Starts engine processes through a program that has the hidden subcommands [`LAUNCH`](play::child::LAUNCH) and
    /// [`SUPERVISE`](play::child::SUPERVISE). Then no engine process outlives this one, even if it is killed, and
    /// engine processes can have processors and a niceness assigned.
    #[must_use]
    pub fn launched_by(mut self, launcher: Launcher) -> Self {
        self.launcher = Some(launcher);
        self
    }

    /// Returns the resources for engine processes and weights from files, if the run has any.
    fn processes(&mut self, call: &Call<'_>) -> Result<Option<Processes>, SessionError> {
        let entrants = &call.run.run.entrants;
        let has_processes = entrants.iter().any(|entrant| entrant.player.process().is_some());
        if let (Some(Listener::File(path)), false) = (&self.listener, has_processes) {
            call.messages.warn(Warning::NothingToTrace { path: path.clone() });
        }
        if !has_processes && entrants.iter().all(|entrant| entrant.player.weights().next().is_none()) {
            return Ok(None);
        }
        let cpus = if has_processes { processors(call)? } else { Vec::new() };
        let spawner = Spawner::start(self.launcher.clone());
        let spawner = spawner.map_err(|cause| SessionError::io("cannot watch over engine processes", cause))?;
        let trace = if has_processes { self.trace()? } else { None };
        let programs = Arc::clone(call.programs) as _;
        Ok(Some(Processes {
            spawner,
            programs,
            cpus,
            trace,
            standby: StandbyPlayers::default(),
            pause: call.run.pause,
        }))
    }

    /// Returns the receiver of the lines; one file has those of all runs.
    fn trace(&mut self) -> Result<Option<Trace>, SessionError> {
        let trace = match &self.listener {
            None => return Ok(None),
            Some(Listener::Trace(trace)) => return Ok(Some(Arc::clone(trace))),
            Some(Listener::File(path)) => host::trace_to(path)?,
        };
        self.listener = Some(Listener::Trace(Arc::clone(&trace)));
        Ok(Some(trace))
    }
}

/// Returns the processors of each worker's engine processes.
fn processors(call: &Call<'_>) -> Result<Vec<Vec<usize>>, SessionError> {
    let Busy { threads, ponder } = Busy::of(&call.run.run.entrants);
    let cpus = Cpus::of_this_process()?;
    let (workers, processors) = (call.workers.get(), cpus.count());
    if workers * threads.get() > processors {
        call.messages.warn(Warning::TooFewProcessors { workers, threads: threads.get(), ponder, processors });
    }
    Ok(call.run.affinity.plan(&cpus, call.workers, threads)?)
}

impl Executors for Threads {
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError> {
        let processes = self.processes(call)?;
        // Workers of another game prepare themselves.
        if self.make.is_none() {
            call.rehearse(processes.as_ref())?;
        }
        self.prepared = Some((call.workers, processes));
        Ok(())
    }

    fn start(&mut self, _journal: &mut Journal) -> Result<&mut dyn Executor, SessionError> {
        let (workers, processes) = self.prepared.take().ok_or(SessionError::ExecutorSpent)?;
        let local = match self.make.clone() {
            None => Local::start(workers, processes.as_ref()),
            Some(make) => {
                let starter = move |index| processes.as_ref().map(|processes| processes.starter(index));
                Local::start_with(workers, Box::new(move |index| make(starter(index))))
            }
        };
        let local = local.map_err(|cause| SessionError::io("cannot start workers", cause))?;
        Ok(self.playing.insert(local))
    }

    fn end(&mut self) {
        self.playing = None;
    }
}

/// The most threads that compute in a game at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// Whether the threads belong to both players, because one of them ponders.
    pub ponder: bool,
}

impl Busy {
    /// Computes it for games of these entrants: the threads of the mover, and those of an opponent that ponders.
    pub fn of<E: Borrow<Entrant>>(entrants: &[E]) -> Self {
        // A player without a process thinks in the thread of its game's worker.
        let mover = |entrant: &Entrant| entrant.player.process().map_or(NonZeroUsize::MIN, ProcessSpec::threads);
        let ponderer = |entrant: &Entrant| {
            entrant.player.process().filter(|process| process.handling.ponder).map(ProcessSpec::threads)
        };
        let entrants = || entrants.iter().map(Borrow::borrow);
        let alone = entrants().map(mover).max().unwrap_or(NonZeroUsize::MIN);
        let both = entrants().enumerate().filter_map(|(number, entrant)| {
            let pondering = ponderer(entrant)?;
            let others = entrants().enumerate().filter(|(other, _)| *other != number || entrants().count() == 1);
            Some(others.map(|(_, other)| mover(other)).max()?.saturating_add(pondering.get()))
        });
        match both.max().filter(|both| *both > alone) {
            Some(threads) => Self { threads, ponder: true },
            None => Self { threads: alone, ponder: false },
        }
    }
}

/// One thread for each processor.
pub(crate) fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use plan::{Disk, load};

    fn busy(engines: &[&str]) -> (usize, bool) {
        let entrant = |(number, engine): (usize, &&str)| format!("[[entrant]]\nname = \"e{number}\"\n{engine}");
        let entrants: Vec<String> = engines.iter().enumerate().map(entrant).collect();
        let text = format!("[match]\npairs = 1\n[each]\nlimit = \"1s\"\n{}", entrants.join("\n"));
        let run = load(&text, "test", "test", &[], Job::Match, Disk).expect("a match").run;
        let Busy { threads, ponder } = Busy::of(&run.entrants);
        (threads.get(), ponder)
    }

    #[test]
    fn who_ponders_is_at_work_beside_the_mover() {
        let (four, pondering) = ("cmd = \"a\"\noptions.Threads = 4", "cmd = \"b\"\noptions.Threads = 2\nponder = true");
        let plain = "cmd = \"c\"";
        assert_eq!(busy(&[four, plain]), (4, false));
        assert_eq!(busy(&[four, pondering]), (6, true));
        assert_eq!(busy(&[plain, pondering]), (3, true));
        assert_eq!(busy(&[pondering, pondering]), (4, true));
        assert_eq!(busy(&[plain, pondering, four]), (6, true), "the game that needs most");
        let most = "cmd = \"d\"\noptions.Threads = 9";
        assert_eq!(busy(&[most, plain, pondering]), (11, true));
    }
}
