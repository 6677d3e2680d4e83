//! Runs that are started from a browser: a queue on this machine, one run at a time, and the orders for the run that
//! plays.
//!
//! This module owns the queue, the thread that processes it, and the log of actions. Sessions play the runs, as in a
//! terminal: the folder of a run is the same, wherever it was started.

mod asked;
mod audit;
mod order;
mod play;
pub(crate) mod programs;
mod queue;

use arena::run::{FileLock, RunFolder};
use asked::Checked;
pub(crate) use asked::{Wrong, document};
use order::Limit;
pub(crate) use order::Order;
pub(crate) use queue::{Asked, Kind};

use crate::asker::Asker;
use crate::hub::EventKind;
use crate::jobs::Jobs;
use crate::listing::Listing;
use crate::tokens::Right;
use ::play::child::{Launcher, Spawner};
use audit::{About, Audit};
use programs::Program;
use queue::{Entry, Moved, Queue};
use reports::text::counted;
use serde_json::{Value, json};
use session::builds::Sources;
use session::{Command, Commander, Executors};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::TryLockError;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The folder of the queue and the log, in the folder of the runs.
const FOLDER: &str = ".serve";
/// The maximum number of waiting entries.
const MOST_WAITING: usize = 200;
/// The maximum total size in bytes of the waiting configurations: all of them are written with each change.
const MOST_TEXT: usize = 4 << 20;
/// The number of finished entries that are shown.
const MOST_ENDED: usize = 20;

/// Makes the executor of a run.
pub type Players = Arc<dyn Fn() -> Box<dyn Executors> + Send + Sync>;

/// Permission to start and control runs, with the settings for that.
#[derive(Clone)]
pub struct Leave {
    /// Makes the executors of the runs.
    pub players: Players,
    /// The number of a run's pairs that are played at a time, if its configuration does not set it.
    pub concurrency: Option<NonZeroUsize>,
    /// The sources of the engines of bisections and campaigns.
    pub sources: Sources,
    /// Starts the engines that analyse positions; without it they may outlive a server that is killed.
    pub launcher: Option<Launcher>,
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leave").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

/// Why an action is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The action makes no sense now.
    #[error("{0}")]
    Now(String),
    /// The run or entry does not exist.
    #[error("{0}")]
    Missing(String),
    /// The request cannot be used.
    #[error("{0}")]
    Bad(String),
    /// The user lacks the right.
    #[error("{0}")]
    Right(String),
    /// The fleet cannot be reached.
    #[error("{0}")]
    Away(String),
    /// The queue or the log cannot be written.
    #[error("the queue and its log cannot be kept: {0}")]
    Storage(#[from] io::Error),
}

/// The state of the entry that plays.
struct Playing {
    entry: Entry,
    /// For a job, the run that plays, and the job's standing, in a line.
    part: Option<String>,
    says: Option<Arc<str>>,
    commander: Commander,
    /// The number of pairs that are played at a time, once it is known.
    concurrency: Option<NonZeroUsize>,
    /// What follows once the run has stopped.
    next: Next,
}

/// What happens to an entry once its run has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// The entry is over, whatever its outcome.
    Over,
    /// The run resumes at once, with this limit.
    GoesOn(Limit),
    /// The run resumes when a server is started again.
    Waits,
}

/// The outcome of an entry.
struct Ended {
    entry: Entry,
    says: String,
    failed: bool,
    unix_ms: i64,
}

struct State {
    queue: Queue,
    playing: Option<Playing>,
    ended: Vec<Ended>,
    /// The last run of a job that has ended.
    ended_part: Option<String>,
    /// The runs that the last event concerned. The next one tells their viewers that they no longer wait or play.
    concerned: BTreeSet<String>,
    /// Rises with each change, even across servers: it identifies outdated events.
    version: i64,
    /// Becomes true when the server ends.
    over: bool,
}

impl State {
    /// Refuses to withdraw the entry of another user, unless the right allows it.
    fn refuse_withdrawal(&self, by: &Asker, id: u64) -> Result<(), Refusal> {
        match self.queue.entries().find(|entry| entry.id == id) {
            Some(entry) if entry.who != by.name => by.may(Right::Steer).map_err(Refusal::Right),
            _ => Ok(()),
        }
    }

    /// Refuses a user who has as many runs in the queue as the token file allows.
    fn refuse_more_than(&self, by: &Asker) -> Result<(), Refusal> {
        let Some(most) = by.most else { return Ok(()) };
        if self.queue.entries().filter(|entry| entry.who == by.name).count() < most.get() {
            return Ok(());
        }
        let runs = counted(most.get() as u64, "run");
        Err(Refusal::Now(format!("{} may have {runs} in the queue, and has as many", by.name)))
    }
}

/// The queue and the run that plays.
pub(crate) struct Control {
    runs: PathBuf,
    leave: Leave,
    listing: Arc<Listing>,
    jobs: Arc<Jobs>,
    audit: Audit,
    state: Mutex<State>,
    /// Signals that there may be something to do.
    changed: Condvar,
    /// Starts the engines that analyse positions, once one was needed.
    spawner: Mutex<Option<Spawner>>,
    /// Locks the queue against other servers.
    _lock: FileLock,
}

impl Control {
    /// Opens the queue that an earlier server has left.
    ///
    /// # Errors
    /// The folder's files cannot be read or written, or another server has locked the queue.
    pub(crate) fn open(runs: &Path, leave: Leave, listing: Arc<Listing>, jobs: Arc<Jobs>) -> io::Result<Self> {
        let folder = runs.join(FOLDER);
        std::fs::create_dir_all(&folder)?;
        let lock = FileLock::take(&folder.join("lock")).map_err(|why| match why {
            TryLockError::WouldBlock => io::Error::other("another `spar serve --control` works it off already"),
            TryLockError::Error(cause) => cause,
        })?;
        let queue = Queue::open(&folder.join("queue.json"))?;
        let audit = Audit::open(&folder.join("audit.jsonl"))?;
        let state = Mutex::new(State {
            queue,
            playing: None,
            ended: Vec::new(),
            ended_part: None,
            concerned: BTreeSet::new(),
            version: session::unix_ms(),
            over: false,
        });
        Ok(Self {
            runs: runs.to_owned(),
            leave,
            listing,
            jobs,
            audit,
            state,
            changed: Condvar::new(),
            spawner: Mutex::default(),
            _lock: lock,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what a configuration asks for, as JSON, and whether it is a job of several runs.
    ///
    /// # Errors
    /// Why it cannot be used. Nothing is built or played to find out.
    pub(crate) fn check(&self, toml: &str) -> Result<(Value, bool), Wrong> {
        let checked = asked::read(toml, &self.leave)?;
        let value = asked::look_up(&checked, toml, self.players(), &self.runs)?;
        Ok((value, !matches!(checked, Checked::Run { .. })))
    }

    /// Adds an entry to the queue, unless one was added under this key before.
    pub(crate) fn add(&self, by: &Asker, asked: Asked, priority: i32, key: Option<&str>) -> Result<u64, Refusal> {
        let kind = &asked.kind;
        let mut state = self.state();
        if let Some(id) = key.and_then(|key| state.queue.known(key)) {
            return Ok(id);
        }
        state.refuse_more_than(by)?;
        if state.queue.waiting().len() >= MOST_WAITING {
            return Err(Refusal::Now(format!("{MOST_WAITING} runs wait already")));
        }
        let bytes = |kind: &Kind| if let Kind::Start { toml, .. } = kind { toml.len() } else { 0 };
        if state.queue.waiting().iter().map(|entry| bytes(&entry.kind)).sum::<usize>() + bytes(kind) > MOST_TEXT {
            return Err(Refusal::Now("the configurations that wait are too long for another one".to_owned()));
        }
        if let Kind::Resume { run, .. } = kind {
            self.refuse_busy(&state, run)?;
        }
        let (says, run) = (kind.says(), kind.resumes().map(str::to_owned));
        let toml = if let Kind::Start { toml, .. } = kind { Some(toml.clone()) } else { None };
        let id = state.queue.add(by, asked, priority, key)?;
        let about = About { toml: toml.as_deref(), run: run.as_deref(), ..About::default() };
        self.audit.write(by, &format!("queued {id}: {says}, priority {priority}"), &about)?;
        drop(state);
        self.publish();
        Ok(id)
    }

    /// Refuses to resume a run or a job that is being played or waits to be resumed.
    fn refuse_busy(&self, state: &State, run: &str) -> Result<(), Refusal> {
        let folder = self.folder(run).ok_or_else(|| Refusal::Missing("there is no such run".to_owned()))?;
        if state.queue.waiting().iter().any(|entry| entry.run() == Some(run)) {
            return Err(Refusal::Now(format!("{run} already waits to be resumed")));
        }
        if RunFolder::is_worked_on(&folder) {
            return Err(Refusal::Now(format!("{run} is being played")));
        }
        Ok(())
    }

    /// Returns the path of a file beside the queue.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.runs.join(FOLDER).join(name)
    }

    /// Logs an action on something that is not played here.
    pub(crate) fn note(&self, by: &Asker, did: &str) -> Result<(), Refusal> {
        Ok(self.audit.write(by, did, &About::default())?)
    }

    /// Moves an entry of the queue before another one, or to the end, and adjusts its priority where necessary.
    pub(crate) fn advance(&self, by: &Asker, id: u64, before: Option<u64>) -> Result<(), Refusal> {
        let moved = self.state().queue.advance(id, before)?;
        let missing = |id: u64| Err(Refusal::Missing(format!("nothing waits under number {id}")));
        let priority = match moved {
            Moved::To(priority) => priority,
            Moved::Missing(id) => return missing(id),
        };
        let place = before.map_or_else(|| "to the end".to_owned(), |before| format!("before {before}"));
        self.audit.write(by, &format!("moved {id} {place}: priority {priority}"), &About::default())?;
        self.publish();
        Ok(())
    }

    /// Removes an entry from the queue. An entry that plays is stopped; it may not have reached its first pair.
    pub(crate) fn withdraw(&self, by: &Asker, id: u64) -> Result<(), Refusal> {
        let mut state = self.state();
        state.refuse_withdrawal(by, id)?;
        let says = match &mut state.playing {
            Some(playing) if playing.entry.id == id => {
                playing.next = Next::Over;
                playing.commander.send(Command::Stop);
                Some(playing.entry.kind.says())
            }
            _ => state.queue.remove(id)?.map(|entry| entry.kind.says()),
        };
        drop(state);
        let says = says.ok_or_else(|| Refusal::Missing(format!("nothing waits under number {id}")))?;
        self.audit.write(by, &format!("withdrew {id}: {says}"), &About::default())?;
        self.publish();
        Ok(())
    }

    /// Sets the priority of an entry of the queue.
    pub(crate) fn prefer(&self, by: &Asker, id: u64, priority: i32) -> Result<(), Refusal> {
        if !self.state().queue.prefer(id, priority)? {
            return Err(Refusal::Missing(format!("nothing waits under number {id}")));
        }
        self.audit.write(by, &format!("gave {id} priority {priority}"), &About::default())?;
        self.publish();
        Ok(())
    }

    /// Holds or releases the queue: while it is held, no entry begins.
    pub(crate) fn hold(&self, by: &Asker, held: bool) -> Result<(), Refusal> {
        self.state().queue.hold(held)?;
        let did = if held { "held the queue" } else { "released the queue" };
        self.audit.write(by, did, &About::default())?;
        self.publish();
        Ok(())
    }

    /// Controls the run that plays, or resumes one that was stopped.
    pub(crate) fn order(&self, by: &Asker, run: &str, order: &Order) -> Result<(), Refusal> {
        match order {
            Order::Resume => return self.add(by, self.resumed(run, None), 0, None).map(drop),
            Order::Limit(limit) if !self.plays(run) => {
                let setting = limit.setting(self, run)?;
                return self.add(by, self.resumed(run, Some(setting)), 0, None).map(drop);
            }
            Order::Limit(_) | Order::Pause | Order::Continue | Order::Stop | Order::Concurrency(_) => {}
        }
        self.steer(run, order)?;
        self.audit.write(by, &format!("{run}: {order}"), &About { run: Some(run), ..About::default() })?;
        self.publish();
        Ok(())
    }

    /// Returns the folder of a run or a job.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.listing.get(name).map(|run| run.path().to_owned()).or_else(|| self.jobs.folder(name))
    }

    /// Returns the request to resume a job, or a run, with all other runs of its job if it has one.
    fn resumed(&self, name: &str, setting: Option<String>) -> Asked {
        let job = self.listing.get(name).and_then(|run| self.jobs.of_run(run.path()));
        let is_job = job.is_some() || self.listing.get(name).is_none();
        Asked { kind: Kind::resume(job.as_deref().unwrap_or(name), setting), is_job }
    }

    fn plays(&self, run: &str) -> bool {
        self.state().playing.as_ref().is_some_and(|playing| playing.entry.run() == Some(run))
    }

    /// Sends a command to the run that plays.
    fn steer(&self, run: &str, order: &Order) -> Result<(), Refusal> {
        match order {
            Order::Limit(limit) => drop(limit.setting(self, run)?),
            Order::Concurrency(workers) => order::check_workers(*workers).map_err(Refusal::Bad)?,
            _ => {}
        }
        let mut state = self.state();
        let State { playing, queue, .. } = &mut *state;
        let is_it = |playing: &&mut Playing| [playing.entry.run(), playing.part.as_deref()].contains(&Some(run));
        let playing = playing.as_mut().filter(is_it);
        let elsewhere = || {
            Refusal::Now(format!(
                "{run} is not played by this server: only what was started here can be steered from here"
            ))
        };
        let playing = playing.ok_or_else(elsewhere)?;
        let command = match order {
            Order::Pause | Order::Continue => {
                playing.entry.paused = *order == Order::Pause;
                if playing.entry.paused { Command::Pause } else { Command::Continue }
            }
            Order::Concurrency(workers) => {
                (playing.concurrency, playing.entry.concurrency) = (Some(*workers), Some(*workers));
                Command::Concurrency(*workers)
            }
            Order::Limit(limit) => {
                playing.next = Next::GoesOn(*limit);
                Command::Stop
            }
            Order::Stop | Order::Resume => {
                playing.next = Next::Over;
                Command::Stop
            }
        };
        let (paused, concurrency) = (playing.entry.paused, playing.entry.concurrency);
        playing.commander.send(command);
        let run = playing.part.as_deref().or(playing.entry.run());
        self.listing.pause(run.filter(|_| paused));
        // The next server must find the current state.
        Ok(queue.note(|entry| (entry.paused, entry.concurrency) = (paused, concurrency))?)
    }

    /// Returns the spawner of the engines that analyse positions.
    pub(crate) fn spawner(&self) -> io::Result<Spawner> {
        let mut spawner = self.spawner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spawner) = &*spawner {
            return Ok(spawner.clone());
        }
        Ok(spawner.insert(Spawner::start(self.leave.launcher.clone())?).clone())
    }

    /// Logs that an engine, with these programs, analyses a game.
    pub(crate) fn asked(&self, by: &Asker, run: &str, programs: &[Program], game: &str) -> Result<(), Refusal> {
        let about = About { run: Some(run), programs, ..About::default() };
        Ok(self.audit.write(by, &format!("{run}: asked about game {game}"), &about)?)
    }

    /// Returns the last actions, the newest first; without addresses, programs and hashes for users without the right
    /// to the whole log.
    pub(crate) fn done(&self, by: &Asker, most: usize) -> io::Result<Vec<Value>> {
        self.audit.last(most, by.right >= Right::Admin)
    }

    /// Returns the configuration with this hash, if the log still has it.
    pub(crate) fn text(&self, hash: &str) -> Option<String> {
        self.audit.text(hash)
    }

    /// Returns the last actions on a run, the newest first.
    pub(crate) fn done_to(&self, run: &str, most: usize) -> io::Result<Vec<Value>> {
        self.audit.about(run, most)
    }

    /// Returns the state of the queue, as JSON.
    pub(crate) fn to_json(&self) -> Value {
        state_json(&self.state())
    }

    /// Publishes the state, and wakes the thread that plays.
    fn publish(&self) {
        self.publish_state(&mut self.state());
    }

    fn publish_state(&self, state: &mut State) {
        state.version += 1;
        let text: Arc<str> = state_json(state).to_string().into();
        // Watchers of a run get only the events of that run.
        let playing = state.playing.iter().flat_map(|of| [of.entry.run(), of.part.as_deref()]).flatten();
        let ended = state.ended.last().and_then(|ended| ended.entry.run());
        let waiting = state.queue.waiting().iter().filter_map(Entry::run);
        let parts = state.ended_part.as_deref();
        let concerned: BTreeSet<String> = waiting.chain(playing).chain(ended).chain(parts).map(str::to_owned).collect();
        for run in concerned.union(&state.concerned) {
            self.listing.hub.publish(EventKind::Queue, &run.as_str().into(), Arc::clone(&text));
        }
        state.concerned = concerned;
        self.listing.hub.publish(EventKind::Queue, &"".into(), text);
        self.changed.notify_all();
    }

    /// Ends the control when the server ends: stops the entry that plays, which waits for the next server.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.over = true;
        if let Some(playing) = &state.playing {
            playing.commander.send(Command::Stop);
        }
        drop(state);
        self.changed.notify_all();
    }
}

fn state_json(state: &State) -> Value {
    let playing = state.playing.as_ref().map(|playing| {
        let mut value = playing.entry.to_json();
        value["paused"] = json!(playing.entry.paused);
        value["stopping"] = json!(playing.next != Next::Waits);
        value["concurrency"] = json!(playing.concurrency);
        value["part"] = json!(playing.part);
        value["says"] = json!(playing.says);
        value
    });
    let ended = state.ended.iter().rev().map(|ended| {
        let mut value = ended.entry.to_json();
        value["says"] = json!(ended.says);
        value["failed"] = json!(ended.failed);
        value["ended_unix_ms"] = json!(ended.unix_ms);
        value
    });
    // Also has the entry that is about to begin or to be resumed, which does not play yet.
    let open: Vec<&str> = state.queue.entries().filter_map(Entry::run).collect();
    json!({
        "control": true, "version": state.version, "held": state.queue.is_held(), "playing": playing,
        "queue": state.queue.waiting().iter().map(Entry::to_json).collect::<Vec<_>>(), "open": open,
        "ended": ended.collect::<Vec<_>>(),
    })
}
