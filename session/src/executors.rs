//! What a session plays on: threads of this process, or whatever else plays pairs.

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

/// A run that an executor is to get ready for.
#[derive(Debug)]
pub struct Call<'a> {
    /// The run.
    pub run: &'a Loaded,
    /// Its identity: its configuration, with the time controls of this host, and the builds of its players.
    pub header: &'a Header,
    /// Its current programs.
    pub programs: &'a Arc<Executables>,
    /// How many pairs are to be played at a time.
    pub workers: NonZeroUsize,
    /// Of a new run: the parameters that it varies, and sets of values that its first entrant must take.
    pub trials: Option<(Vec<String>, Vec<Vec<f64>>)>,
    /// Where warnings go, and whether to give up.
    pub messages: Messages<'a>,
}

impl Call<'_> {
    /// Has everybody of a new run get ready once on this machine. Without `processes` there are none to be started.
    ///
    /// # Errors
    /// [`SessionError::Unready`], or that the session was asked to end.
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

/// Gives each run of a session its executor. Whatever implements [`Executor`] is one, for a session of a single run.
pub trait Executors: Send {
    /// Gets ready for a run. What can be tried before anything is played is tried here: a new run whose engines do not
    /// start is not made.
    ///
    /// # Errors
    /// What is in the way.
    fn prepare(&mut self, call: &Call<'_>) -> Result<(), SessionError>;

    /// The executor of the run that was prepared last, whose journal this is.
    ///
    /// # Errors
    /// What is in the way.
    fn start(&mut self, journal: &mut Journal) -> Result<&mut dyn Executor, SessionError>;

    /// Whether a run is played on other machines, which come and go.
    fn is_elsewhere(&self, _run: &Loaded) -> bool {
        false
    }

    /// The run is over: whatever plays may end.
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

/// Makes a worker that has this starter of processes.
type MakeOf = Arc<dyn Fn(Option<Starter>) -> Box<dyn PlayPairs> + Send + Sync>;

/// Who gets every line to and from engine processes.
enum Listener {
    /// A file, which is made once it is needed.
    File(PathBuf),
    /// Any entrant.
    Trace(Trace),
}

/// Threads of this process.
#[derive(Default)]
pub struct Threads {
    listener: Option<Listener>,
    launcher: Option<Launcher>,
    /// Makes the workers of a game of the program's own.
    make: Option<MakeOf>,
    prepared: Option<(NonZeroUsize, Option<Processes>)>,
    playing: Option<Local>,
}

impl Threads {
    /// As many as a run asks for; else one for each processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Threads that play a game of one's own, with its own players: those of a run whose `game` is `custom:NAME`, whose
    /// entrants are random movers, engine processes, or have `player = "custom"`.
    pub fn of_game<G: SeatedGame>(game: G) -> Self
    where
        G::Judge: Send,
    {
        let make = move |starter| Box::new(WorkerOf::new(game.clone(), starter)) as Box<dyn PlayPairs>;
        Self { make: Some(Arc::new(make)), ..Self::default() }
    }

    /// Has every line to and from engine processes written to a file.
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

    /// Has engine processes started through a program that knows the hidden subcommands [`LAUNCH`](play::child::LAUNCH)
    /// and [`SUPERVISE`](play::child::SUPERVISE): then none outlives this process even if it is killed, and they can be
    /// given processors and a niceness.
    #[must_use]
    pub fn launched_by(mut self, launcher: Launcher) -> Self {
        self.launcher = Some(launcher);
        self
    }

    /// What workers need to play engine processes and weights from files, if the run has any.
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

    /// What gets the lines; one file has those of all runs.
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

/// The processors of each worker's engine processes.
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
        // What plays a game of one's own gets ready by itself.
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

/// What is at work in a game at the same time, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    /// This many threads.
    pub threads: NonZeroUsize,
    /// Whether these are threads of both players, because one thinks on the other's time.
    pub ponder: bool,
}

impl Busy {
    /// In games of these entrants. The mover's threads are at work, and those of an opponent that ponders.
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

/// One for each processor.
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
