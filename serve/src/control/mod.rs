//! Runs that are started from a browser: a queue on this machine, one run at a time, and what can be done to the one
//! that plays.
//!
//! It owns the queue, the thread that works through it, and the log of actions. Sessions play the runs, as in a
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

/// Where the queue and the log are, in the folder of the runs.
const FOLDER: &str = ".serve";
/// Entries that wait.
const MOST_WAITING: usize = 200;
/// Bytes of the configurations that wait: all of them are written with each change.
const MOST_TEXT: usize = 4 << 20;
/// How many finished entries are shown.
const MOST_ENDED: usize = 20;

/// Makes what plays a run.
pub type Players = Arc<dyn Fn() -> Box<dyn Executors> + Send + Sync>;

/// Leave to start and to steer runs.
#[derive(Clone)]
pub struct Leave {
    /// What plays the runs that are started.
    pub players: Players,
    /// How many pairs of a run are played at a time, where its configuration does not say.
    pub concurrency: Option<NonZeroUsize>,
    /// Where the engines of bisections and campaigns come from.
    pub sources: Sources,
    /// What starts the engines that positions are analysed with; without it they may survive a server that is killed.
    pub launcher: Option<Launcher>,
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leave").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

/// Why something is not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// It makes no sense now.
    #[error("{0}")]
    Now(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// What was sent cannot be used.
    #[error("{0}")]
    Bad(String),
    /// The person has not the right.
    #[error("{0}")]
    Right(String),
    /// What it is for cannot be reached.
    #[error("{0}")]
    Away(String),
    /// The queue or the log cannot be written.
    #[error("the queue and its log cannot be kept: {0}")]
    Storage(#[from] io::Error),
}

/// What is known of the run that plays.
struct Playing {
    entry: Entry,
    /// Of a job the run that plays, and where the job stands, in a line.
    part: Option<String>,
    says: Option<Arc<str>>,
    commander: Commander,
    /// How many pairs are played at a time, once that is known.
    concurrency: Option<NonZeroUsize>,
    /// What follows once it has stopped.
    next: Next,
}

/// What becomes of an entry once its run has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// It is over, whatever its outcome.
    Over,
    /// It resumes at once, with this limit.
    GoesOn(Limit),
    /// It resumes when a server is started again.
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
    /// The run that was the last to play of a job that has ended.
    ended_part: Option<String>,
    /// Rises with each change, also from one server to the next: it identifies outdated events.
    version: i64,
    /// Becomes true when the server ends.
    over: bool,
}

impl State {
    /// Refuses to withdraw what another person has asked for, unless that is allowed.
    fn refuse_withdrawal(&self, by: &Asker, id: u64) -> Result<(), Refusal> {
        match self.queue.entries().find(|entry| entry.id == id) {
            Some(entry) if entry.who != by.name => by.may(Right::Steer).map_err(Refusal::Right),
            _ => Ok(()),
        }
    }

    /// Refuses a person who has as many runs in the queue as the token file allows.
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
    /// There may be something to do.
    changed: Condvar,
    /// Where engines are born that positions are analysed with, once that was asked for.
    spawner: Mutex<Option<Spawner>>,
    /// Keeps other servers away from the queue.
    _lock: FileLock,
}

impl Control {
    /// Takes up the queue that an earlier server has left.
    ///
    /// # Errors
    /// The folder's files cannot be read or written, or another server has the queue.
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

    /// What a configuration asks for, as JSON, and whether it is a job of several runs.
    ///
    /// # Errors
    /// Why it cannot be used: nothing is built or played to know.
    pub(crate) fn check(&self, toml: &str) -> Result<(Value, bool), Wrong> {
        let checked = asked::read(toml, &self.leave.sources)?;
        let value = asked::look_up(&checked, toml, self.players(), &self.runs)?;
        Ok((value, !matches!(checked, Checked::Run { .. })))
    }

    /// Puts an entry into the queue. One that was added under this key before is not added again.
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

    /// Refuses to resume a run or a job that plays or will.
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

    /// A file beside the queue.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.runs.join(FOLDER).join(name)
    }

    /// Writes down what was done to something that is not played here.
    pub(crate) fn note(&self, by: &Asker, did: &str) -> Result<(), Refusal> {
        Ok(self.audit.write(by, did, &About::default())?)
    }

    /// Moves an entry of the queue before another one, or to the end. Its priority follows where it has to.
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

    /// Takes an entry out of the queue. One that plays is stopped; it may not have come to its first pair.
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

    /// Gives an entry of the queue another priority.
    pub(crate) fn prefer(&self, by: &Asker, id: u64, priority: i32) -> Result<(), Refusal> {
        if !self.state().queue.prefer(id, priority)? {
            return Err(Refusal::Missing(format!("nothing waits under number {id}")));
        }
        self.audit.write(by, &format!("gave {id} priority {priority}"), &About::default())?;
        self.publish();
        Ok(())
    }

    /// Has nothing further begin, or again.
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

    /// The folder of a run or a job.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.listing.get(name).map(|run| run.path().to_owned()).or_else(|| self.jobs.folder(name))
    }

    /// To resume a run, which with all others of its job if it is a part of one, or to resume a job.
    fn resumed(&self, name: &str, setting: Option<String>) -> Asked {
        let job = self.listing.get(name).and_then(|run| self.jobs.of_run(run.path()));
        let is_job = job.is_some() || self.listing.get(name).is_none();
        Asked { kind: Kind::resume(job.as_deref().unwrap_or(name), setting), is_job }
    }

    fn plays(&self, run: &str) -> bool {
        self.state().playing.as_ref().is_some_and(|playing| playing.entry.run() == Some(run))
    }

    /// Commands the run that plays.
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

    /// Where engines are born that positions are analysed with.
    pub(crate) fn spawner(&self) -> io::Result<Spawner> {
        let mut spawner = self.spawner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spawner) = &*spawner {
            return Ok(spawner.clone());
        }
        Ok(spawner.insert(Spawner::start(self.leave.launcher.clone())?).clone())
    }

    /// Writes down that an engine, which is this program, is asked about a game.
    pub(crate) fn asked(&self, by: &Asker, run: &str, programs: &[Program], game: &str) -> Result<(), Refusal> {
        let about = About { run: Some(run), programs, ..About::default() };
        Ok(self.audit.write(by, &format!("{run}: asked about game {game}"), &about)?)
    }

    /// The last things that were done, the newest first; who may not read the whole log gets the words alone.
    pub(crate) fn done(&self, by: &Asker, most: usize) -> io::Result<Vec<Value>> {
        self.audit.last(most, by.right >= Right::Admin)
    }

    /// The configuration with this hash, if the log has it still.
    pub(crate) fn text(&self, hash: &str) -> Option<String> {
        self.audit.text(hash)
    }

    /// The last things that were done to a run, the newest first.
    pub(crate) fn done_to(&self, run: &str, most: usize) -> io::Result<Vec<Value>> {
        self.audit.about(run, most)
    }

    /// Where everything stands, as JSON.
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
        // Watchers of a run get the events of that run only.
        let playing = state.playing.iter().flat_map(|of| [of.entry.run(), of.part.as_deref()]).flatten();
        let ended = state.ended.last().and_then(|ended| ended.entry.run());
        let waiting = state.queue.waiting().iter().filter_map(Entry::run);
        let parts = state.ended_part.as_deref();
        let concerned: BTreeSet<&str> = waiting.chain(playing).chain(ended).chain(parts).collect();
        for run in concerned {
            self.listing.hub.publish(EventKind::Queue, &run.into(), Arc::clone(&text));
        }
        self.listing.hub.publish(EventKind::Queue, &"".into(), text);
        self.changed.notify_all();
    }

    /// The server ends: what plays stops, and waits for the next server.
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
    json!({
        "control": true, "version": state.version, "held": state.queue.is_held(), "playing": playing,
        "queue": state.queue.waiting().iter().map(Entry::to_json).collect::<Vec<_>>(),
        "ended": ended.collect::<Vec<_>>(),
    })
}
