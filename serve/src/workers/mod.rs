//! The workers of a fleet, through functions that the program passes: polled, remembered while they are away, published
//! to all watchers, and controlled on request.
//!
//! This module knows nothing about the messages of a fleet. Its memory is bounded, however many workers come and go.

mod kept;
mod speeds;

use crate::control::Refusal;
use crate::hub::EventKind;
use crate::listing::Listing;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use speeds::{SPAN_MS, STEP_MS, STEPS, Speeds};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_secs(3);
/// The maximum number of known workers.
const MOST: usize = 2000;
/// The maximum length of a reason in characters.
const LONGEST_WHY: usize = 500;

/// The current state of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Worker {
    /// The worker's name.
    pub name: String,
    /// Whether the worker was heard at the last look. A worker that is away is listed if an order about it stands.
    #[serde(skip)]
    pub is_heard: bool,
    /// The worker's machine.
    pub host: String,
    /// The worker's version of spar.
    pub spar: String,
    /// The number of cores for games.
    pub cores: usize,
    /// The number of busy cores.
    pub busy: usize,
    /// The number of pairs that the worker has played since it started.
    pub pairs: u64,
    /// The recent rate, in pairs per second.
    pub rate: f64,
    /// How much higher the worker's pairs score than the others', in standard errors; `None` if there is nothing to
    /// compare.
    pub residual: Option<f64>,
    /// Notes, in sentences: why it gets no pairs, what it prepares, that it is an outlier.
    pub says: Vec<String>,
    /// The order that keeps pairs of all runs from it.
    pub order: Option<Standing>,
    /// Its part in each run in progress.
    pub runs: Vec<WorkerRun>,
}

/// A worker's part in a run in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkerRun {
    /// The run's name.
    pub name: String,
    /// The number of the run's pairs that the worker has.
    pub playing: usize,
    /// The number of pairs that the worker has played since the run was started or resumed.
    pub played: u64,
    /// The recent rate, in pairs per second.
    pub rate: f64,
    /// Why the run has set the worker aside, if it has.
    pub set_aside: Option<String>,
    /// How far the worker's pairs are from the others', if there are any.
    pub residual: Option<Residual>,
    /// Games since then that were lost by a fault, by the kind of fault.
    pub faults: BTreeMap<String, u64>,
}

/// How far a worker's pairs are from those of all other workers in a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// How much higher the worker's pairs score, in standard errors of the difference.
    pub score: f64,
    /// The probability, 0 to 1, that the scores differ this much or more if machines do not matter.
    pub scores_p: Option<f64>,
    /// The number of the worker's pairs in which a game was lost by a fault.
    pub faulty: u64,
    /// The probability, 0 to 1, of this many faulty pairs or more if machines do not matter.
    pub faults_p: Option<f64>,
    /// Whether the difference needs attention.
    pub stands_out: bool,
}

/// An order that keeps pairs from a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The kind of order.
    pub is: StandingKind,
    /// The reason, if one was given.
    pub why: Option<String>,
    /// The user who gave it.
    pub by: String,
    /// When it was given.
    pub unix_ms: i64,
}

/// The kind of a standing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandingKind {
    /// The worker finishes its pairs and gets no further ones.
    Paused,
    /// The worker's pairs in current runs are withdrawn, and it gets no more.
    SetAside,
}

/// An order to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorkerOrder {
    /// The worker finishes its pairs and gets no further ones.
    Pause,
    /// The worker gets pairs again after a pause.
    Continue,
    /// The worker's pairs in current runs are withdrawn, and it gets no more.
    SetAside {
        /// The reason, in words.
        #[serde(default)]
        why: String,
    },
    /// The worker gets pairs again after it was set aside.
    TakeBack,
}

impl WorkerOrder {
    /// Returns the order that stands afterwards.
    fn standing(&self, by: &str) -> Option<Standing> {
        let standing = |is, why| Some(Standing { is, why, by: by.to_owned(), unix_ms: session::unix_ms() });
        match self {
            Self::Pause => standing(StandingKind::Paused, None),
            Self::SetAside { why } => standing(StandingKind::SetAside, Some(why.clone())),
            Self::Continue | Self::TakeBack => None,
        }
    }

    /// Returns the log's text for what was done to this worker.
    fn did(&self, worker: &str) -> String {
        match self {
            Self::Pause => format!("paused worker {worker}"),
            Self::Continue => format!("continued worker {worker}"),
            Self::SetAside { why } => format!("set worker {worker} aside: {why}"),
            Self::TakeBack => format!("took worker {worker} back"),
        }
    }
}

/// Why an order is not carried out, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SteerError {
    /// The order makes no sense now, or is not allowed.
    Refused(String),
    /// The fleet cannot be reached.
    Away(String),
}

type Look = Arc<dyn Fn() -> Result<Vec<Worker>, String> + Send + Sync>;
type Steer = Arc<dyn Fn(&str, &WorkerOrder, &str) -> Result<(), SteerError> + Send + Sync>;

/// The functions that list and control the workers. The list may take some seconds; it fails with the reason why the
/// workers are unknown, in a sentence.
#[derive(Clone)]
pub struct Workers {
    look: Look,
    steer: Option<Steer>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("are_steered", &self.steer.is_some()).finish_non_exhaustive()
    }
}

impl Workers {
    /// Returns workers that a function lists.
    pub fn new(look: impl Fn() -> Result<Vec<Worker>, String> + Send + Sync + 'static) -> Self {
        Self { look: Arc::new(look), steer: None }
    }

    /// Adds a function that controls workers: it gets the name of a worker, the order, and the user in words.
    #[must_use]
    pub fn steered_by(
        self,
        steer: impl Fn(&str, &WorkerOrder, &str) -> Result<(), SteerError> + Send + Sync + 'static,
    ) -> Self {
        Self { steer: Some(Arc::new(steer)), ..self }
    }
}

/// The remembered data of a worker.
#[derive(Debug, Default)]
struct Known {
    worker: Worker,
    /// When the worker was last heard; `None` if it never was.
    heard_unix_ms: Option<i64>,
    speeds: Speeds,
}

impl Known {
    fn to_json(&self) -> Value {
        let mut row = serde_json::to_value(&self.worker).unwrap_or_default();
        // The time is omitted for a present worker, since it would change with each look.
        row["away"] = json!(!self.worker.is_heard);
        row["heard_unix_ms"] = json!(self.heard_unix_ms.filter(|_| !self.worker.is_heard));
        row
    }

    /// Marks the worker as silent: its activities have ended.
    fn is_away(&mut self) {
        let Worker { is_heard, busy, rate, residual, says, order, runs, .. } = &mut self.worker;
        (*is_heard, *busy, *rate, *residual, *order) = (false, 0, 0.0, None, None);
        says.clear();
        runs.clear();
    }
}

#[derive(Debug, Default)]
struct State {
    /// `None` before the first look.
    known: Option<BTreeMap<String, Known>>,
    /// The number of workers heard at the last look, known or not.
    count: usize,
    error: Option<String>,
    /// The number of orders given: a look that began before an order does not show it.
    orders: u64,
}

/// The workers of a fleet, and their remembered data.
pub(crate) struct Crew {
    workers: Workers,
    /// Whether clients of this server may control workers.
    is_steered: bool,
    /// The file that keeps their speeds for the next server.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

impl Crew {
    /// Starts with the speeds that an earlier server has stored in `path`, if there is a path.
    pub(crate) fn new(workers: Workers, is_controlled: bool, path: Option<PathBuf>) -> Self {
        let known = path.as_deref().and_then(kept::read);
        let is_steered = is_controlled && workers.steer.is_some();
        Self { workers, is_steered, path, state: Mutex::new(State { known, ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the latest state of the workers.
    pub(crate) fn to_json(&self) -> Value {
        let State { known, count, error, .. } = &*self.state();
        let rows = known.as_ref().map(|known| known.values().map(Known::to_json).collect::<Vec<_>>());
        let mut value = json!({ "fleet": true, "steered": self.is_steered, "workers": rows, "count": count });
        if let Some(error) = error {
            value["error"] = json!(error);
        }
        value
    }

    /// Returns the speed of each worker over the last hours.
    pub(crate) fn history(&self) -> Value {
        let (state, now) = (self.state(), session::unix_ms());
        let known = state.known.iter().flatten();
        let speeds: BTreeMap<&str, Value> =
            known.map(|(name, known)| (name.as_str(), json!(known.speeds.course(now)))).collect();
        let until = (now.div_euclid(STEP_MS) + 1) * STEP_MS;
        json!({ "step_s": STEP_MS / 1000, "steps": STEPS, "until_unix_ms": until, "workers": speeds })
    }

    /// Polls until the other end of `stop` is dropped.
    pub(crate) fn watch(&self, listing: &Listing, stop: &Receiver<()>) {
        let (mut last, mut step) = (Value::Null, session::unix_ms().div_euclid(STEP_MS));
        loop {
            let orders = self.state().orders;
            let seen = (self.workers.look)();
            let now = session::unix_ms();
            self.take(seen, orders, now);
            let state = self.to_json();
            if state != last {
                last = state;
                publish(listing);
            }
            if step != now.div_euclid(STEP_MS) {
                step = now.div_euclid(STEP_MS);
                self.keep();
            }
            match stop.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return self.keep(),
            }
        }
    }

    /// Stores the speeds for the next server. They are not results: if they cannot be written, they are lost.
    fn keep(&self) {
        let Some(path) = &self.path else { return };
        let text = self.state().known.as_ref().map(kept::to_text);
        if let Some(text) = text {
            let _lost = arena::run::replace_file_durably(path, text.as_bytes());
        }
    }

    /// Processes the findings of a look that began when this many orders had been given.
    fn take(&self, seen: Result<Vec<Worker>, String>, orders: u64, now: i64) {
        let mut state = self.state();
        let is_late = state.orders != orders;
        let seen = match seen {
            Ok(seen) => {
                (state.error, state.count) = (None, seen.iter().filter(|worker| worker.is_heard).count());
                seen
            }
            Err(why) => {
                (state.error, state.count) = (Some(why), 0);
                Vec::new()
            }
        };
        if state.known.is_none() && state.error.is_some() {
            return;
        }
        let is_lost = state.error.is_some();
        let known = state.known.get_or_insert_default();
        let standing: BTreeMap<String, Option<Standing>> =
            known.iter().map(|(name, known)| (name.clone(), known.worker.order.clone())).collect();
        known.values_mut().for_each(Known::is_away);
        for worker in seen.into_iter().take(MOST) {
            meet(known.entry(worker.name.clone()).or_default(), worker, now);
        }
        if is_late || is_lost {
            for (name, order) in standing {
                known.entry(name).and_modify(|known| known.worker.order = order);
            }
        }
        forget(known, now);
    }

    /// Gives an order to a worker; returns the log's text.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such worker, the order makes no sense, or the fleet cannot be reached.
    pub(crate) fn steer(
        &self,
        listing: &Listing,
        from: &str,
        worker: &str,
        mut order: WorkerOrder,
    ) -> Result<String, Refusal> {
        let Some(steer) = &self.workers.steer else {
            return Err(Refusal::Now("this server cannot steer its fleet".to_owned()));
        };
        if let WorkerOrder::SetAside { why } = &mut order {
            if why.chars().count() > LONGEST_WHY {
                return Err(Refusal::Bad(format!("the reason is too long: it may have {LONGEST_WHY} characters")));
            }
            if why.trim().is_empty() {
                "set aside by hand".clone_into(why);
            }
        }
        if !self.state().known.as_ref().is_some_and(|known| known.contains_key(worker)) {
            return Err(Refusal::Missing(format!("no worker {worker} was heard of")));
        }
        let by = format!("{from} through spar serve");
        steer(worker, &order, &by).map_err(|error| match error {
            SteerError::Refused(why) => Refusal::Now(why),
            SteerError::Away(why) => Refusal::Away(why),
        })?;
        let mut state = self.state();
        state.orders += 1;
        if let Some(known) = state.known.as_mut().and_then(|known| known.get_mut(worker)) {
            known.worker.order = order.standing(&by);
        }
        drop(state);
        publish(listing);
        Ok(order.did(worker))
    }
}

/// Announces a change. The rows of thousands of workers would fill the ring, so watchers request them.
fn publish(listing: &Listing) {
    listing.hub.publish(EventKind::Workers, &"".into(), "{}".into());
}

/// Records the current state of a worker.
fn meet(known: &mut Known, worker: Worker, now: i64) {
    if worker.is_heard {
        known.heard_unix_ms = Some(now);
        known.speeds.note(now, worker.rate);
        known.worker = worker;
    } else {
        let Worker { name, order, says, .. } = worker;
        (known.worker.name, known.worker.order, known.worker.says) = (name, order, says);
    }
}

/// Forgets the workers that were silent for longer than their speeds are shown. If there are too many workers, also
/// forgets those that were silent the longest; those with a standing order come last.
fn forget(known: &mut BTreeMap<String, Known>, now: i64) {
    known.retain(|_, known| {
        let Known { worker, heard_unix_ms, .. } = known;
        worker.is_heard || worker.order.is_some() || heard_unix_ms.is_some_and(|heard| heard >= now - SPAN_MS)
    });
    if known.len() > MOST {
        let mut order: Vec<_> = known
            .iter()
            .map(|(name, known)| ((known.worker.is_heard, known.worker.order.is_some(), known.heard_unix_ms), name))
            .map(|(rank, name)| (rank, name.clone()))
            .collect();
        order.sort();
        for (_, name) in &order[..known.len() - MOST] {
            known.remove(name);
        }
    }
}

#[cfg(test)]
mod tests;
