//! The workers of a fleet, through functions that the program passes: polled, remembered while they are away, published
//! to all watchers, and steered on request.
//!
//! It has no idea of the messages of a fleet. What it remembers is bounded, however many workers come and go.

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

/// How long they are left alone between two looks.
const PAUSE: Duration = Duration::from_secs(3);
/// The maximum of workers that are known.
const MOST: usize = 2000;
/// Characters of a reason.
const LONGEST_WHY: usize = 500;

/// The current state of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// Whether it was heard just now. One that is away is listed if an order about it stands.
    #[serde(skip)]
    pub is_heard: bool,
    /// The machine that it is on.
    pub host: String,
    /// The version of spar that it is.
    pub spar: String,
    /// The cores that it has for games.
    pub cores: usize,
    /// Those of them that play just now.
    pub busy: usize,
    /// Pairs that it has played since it was started.
    pub pairs: u64,
    /// Pairs a second that it has played lately.
    pub rate: f64,
    /// How much higher its pairs score than the others', in standard errors; `None` if there is nothing to compare.
    pub residual: Option<f64>,
    /// Notes in sentences: why it is given no pairs, what it prepares, that it is an outlier.
    pub says: Vec<String>,
    /// The order that keeps pairs from it in all runs.
    pub order: Option<Standing>,
    /// What it has to do with each run that is being played.
    pub runs: Vec<WorkerRun>,
}

/// A worker in a run that is being played.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkerRun {
    /// What the run is called.
    pub name: String,
    /// The pairs that it has of it.
    pub playing: usize,
    /// The pairs that it has played since the run was started or resumed.
    pub played: u64,
    /// Pairs a second that it has played lately.
    pub rate: f64,
    /// Why the run gives it no pairs, if it does not.
    pub set_aside: Option<String>,
    /// How far its pairs are from the others', if there are others.
    pub residual: Option<Residual>,
    /// Games since then that were lost by a fault, by its kind.
    pub faults: BTreeMap<String, u64>,
}

/// How far a worker's pairs are from all others' of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// How much higher they score, in standard errors of the difference.
    pub score: f64,
    /// How likely their scores differ this much or more where machines do not matter, 0 to 1.
    pub scores_p: Option<f64>,
    /// In how many of them a game was lost by a fault.
    pub faulty: u64,
    /// How likely this many of them or more have a fault where machines do not matter, 0 to 1.
    pub faults_p: Option<f64>,
    /// Whether that needs attention.
    pub stands_out: bool,
}

/// An order that keeps pairs from a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// What it says.
    pub is: StandingKind,
    /// Why, if somebody said so.
    pub why: Option<String>,
    /// Who asked for it.
    pub by: String,
    /// When.
    pub unix_ms: i64,
}

/// What an order that stands says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandingKind {
    /// It finishes its pairs and is given no further ones.
    Paused,
    /// Its pairs in the runs that are being played are withdrawn, and it is given none.
    SetAside,
}

/// What is to be done with a worker.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorkerOrder {
    /// It finishes its pairs and is given no further ones.
    Pause,
    /// It is given pairs again after a pause.
    Continue,
    /// Its pairs in the runs that are being played are withdrawn, and it is given none.
    SetAside {
        /// Why, in words.
        #[serde(default)]
        why: String,
    },
    /// It is given pairs again after it was set aside.
    TakeBack,
}

impl WorkerOrder {
    /// The order that stands afterwards.
    fn standing(&self, by: &str) -> Option<Standing> {
        let standing = |is, why| Some(Standing { is, why, by: by.to_owned(), unix_ms: session::unix_ms() });
        match self {
            Self::Pause => standing(StandingKind::Paused, None),
            Self::SetAside { why } => standing(StandingKind::SetAside, Some(why.clone())),
            Self::Continue | Self::TakeBack => None,
        }
    }

    /// For the log: what was done to this worker.
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
    /// It makes no sense now, or is not allowed.
    Refused(String),
    /// The fleet cannot be reached.
    Away(String),
}

type Look = Arc<dyn Fn() -> Result<Vec<Worker>, String> + Send + Sync>;
type Steer = Arc<dyn Fn(&str, &WorkerOrder, &str) -> Result<(), SteerError> + Send + Sync>;

/// Returns the current workers, which may take some seconds; or why they are unknown, in a sentence.
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
    /// Listed by a function.
    pub fn new(look: impl Fn() -> Result<Vec<Worker>, String> + Send + Sync + 'static) -> Self {
        Self { look: Arc::new(look), steer: None }
    }

    /// The same, steered by another function: it gets the name of a worker, the order, and who asks for it in words.
    #[must_use]
    pub fn steered_by(
        self,
        steer: impl Fn(&str, &WorkerOrder, &str) -> Result<(), SteerError> + Send + Sync + 'static,
    ) -> Self {
        Self { steer: Some(Arc::new(steer)), ..self }
    }
}

/// What is remembered of a worker.
#[derive(Debug, Default)]
struct Known {
    worker: Worker,
    /// When it was heard last; `None` if it never was.
    heard_unix_ms: Option<i64>,
    speeds: Speeds,
}

impl Known {
    fn to_json(&self) -> Value {
        let mut row = serde_json::to_value(&self.worker).unwrap_or_default();
        // Of one that is here it would change with each look.
        row["away"] = json!(!self.worker.is_heard);
        row["heard_unix_ms"] = json!(self.heard_unix_ms.filter(|_| !self.worker.is_heard));
        row
    }

    /// It is silent: what it was doing has stopped.
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
    /// How many were heard just now, known or not.
    count: usize,
    error: Option<String>,
    /// How many orders were given: a look that began before one does not know of it.
    orders: u64,
}

/// The workers of a fleet, and what is remembered of them.
pub(crate) struct Crew {
    workers: Workers,
    /// Whether clients may steer workers here.
    is_steered: bool,
    /// Where their speeds are kept for the next server.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

impl Crew {
    /// With what an earlier server has kept in `path`, for one that keeps it.
    pub(crate) fn new(workers: Workers, is_controlled: bool, path: Option<PathBuf>) -> Self {
        let known = path.as_deref().and_then(kept::read);
        let is_steered = is_controlled && workers.steer.is_some();
        Self { workers, is_steered, path, state: Mutex::new(State { known, ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The latest state of the workers.
    pub(crate) fn to_json(&self) -> Value {
        let State { known, count, error, .. } = &*self.state();
        let rows = known.as_ref().map(|known| known.values().map(Known::to_json).collect::<Vec<_>>());
        let mut value = json!({ "fleet": true, "steered": self.is_steered, "workers": rows, "count": count });
        if let Some(error) = error {
            value["error"] = json!(error);
        }
        value
    }

    /// How fast each worker was over the last hours.
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

    /// Keeps the speeds for the next server. They are not results: where they cannot be written, they are lost.
    fn keep(&self) {
        let Some(path) = &self.path else { return };
        let text = self.state().known.as_ref().map(kept::to_text);
        if let Some(text) = text {
            let _lost = arena::run::replace_file_durably(path, text.as_bytes());
        }
    }

    /// Takes in what a look found that began when this many orders were given.
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

    /// Has something done with a worker; returns what the log says of it.
    ///
    /// # Errors
    /// [`Refusal`]: there is no such worker, it makes no sense, or the fleet cannot be reached.
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

/// Says that there is something new. The rows of thousands of workers would fill the ring: watchers request them.
fn publish(listing: &Listing) {
    listing.hub.publish(EventKind::Workers, &"".into(), "{}".into());
}

/// Takes in how a worker is.
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

/// Forgets those that were silent for longer than their speeds are shown, and of too many those that were so longest.
/// Those about whom an order stands come last.
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
