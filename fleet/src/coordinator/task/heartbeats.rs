//! Processes the heartbeats of workers. Prints notices about them, in a bounded number whatever workers send.

use super::{LookUp, Put, Task};
use crate::content;
use crate::coordinator::roster::Change;
use crate::message::{self, GETTING_READY, Heartbeat};
use crate::names::{self, WorkerName};
use crate::tidy::tidy_hello;
use arena::config::{HostScale, LEAST_FACTOR, MOST_FACTOR, is_factor};
use arena::run::Event;
use async_nats::Message;
use reports::text::grouped;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of different notices about a worker in a session.
const MOST_SHOWN: usize = 30;

/// How often in a session a worker may report another factor for time controls. A worker measures its speed once each
/// time it is started.
const MOST_SCALES: u32 = 20;

/// The minimum time between look-ups of a run's files on the server that missing files cause.
const LOOK_UP: Duration = Duration::from_secs(5);

/// The deadline for an upload to the server.
const PUT_WITHIN: Duration = Duration::from_mins(10);

impl Task {
    pub(super) async fn on_heartbeat(&mut self, message: &Message) {
        let Some(worker) = names::worker_of(&message.subject) else { return };
        let Ok(heartbeat) = serde_json::from_slice::<Heartbeat>(&message.payload).map(tidy_hello) else { return };
        if let Some(why) = heartbeat.unfit() {
            return self.refuse(&worker, &why).await;
        }
        match self.roster.on_heartbeat(&worker, &heartbeat, &self.run, Instant::now()) {
            Some(Change::Leaves) => self.notice(false, format!("worker {worker} leaves")),
            Some(Change::Twice) => {
                let text =
                    " is another process again and again: two workers may share this name. Give each another name";
                return self.tell_of(&worker, true, text);
            }
            Some(Change::TooMany) => return,
            Some(Change::Came) | None => {}
        }
        if let Some(trouble) = &heartbeat.trouble {
            self.tell_of(&worker, true, &format!(": {trouble}"));
        }
        if let Some(what) = heartbeat.preparing.get(&self.run).filter(|what| *what != GETTING_READY) {
            self.tell_of(&worker, false, &format!(": {what}"));
        }
        if let Some(scale) = heartbeat.scales.get(&self.run).filter(|_| self.artifacts.is_scaled) {
            self.scaled(&worker, *scale);
        }
        self.restore(&heartbeat.misses);
    }

    /// Rejects a worker that the run cannot use.
    async fn refuse(&mut self, worker: &WorkerName, why: &str) {
        let order = message::Order::Refused { run: self.name.clone(), why: why.to_owned() };
        self.send(worker, &order).await;
        self.tell_of(worker, true, &format!(" is given no pairs: {why}"));
    }

    /// Prints a notice about a worker once: `text` follows its name.
    pub(super) fn tell_of(&mut self, worker: &WorkerName, is_serious: bool, text: &str) {
        let shown: &mut BTreeSet<String> = self.shown.entry(worker.clone()).or_default();
        if shown.len() > MOST_SHOWN || shown.contains(text) {
            return;
        }
        shown.insert(text.to_owned());
        let is_enough = shown.len() > MOST_SHOWN;
        self.notice(is_serious, format!("worker {worker}{text}"));
        if is_enough {
            self.notice(true, format!("worker {worker} has caused too many messages: further ones are not shown"));
        }
    }

    /// Notes the factor by which a worker scales time controls to its own speed.
    fn scaled(&mut self, worker: &WorkerName, scale: HostScale) {
        if !is_factor(scale.factor) {
            let bad = scale.factor;
            let why =
                format!("it multiplies time controls by {bad}, and what can be is {LEAST_FACTOR} to {MOST_FACTOR}");
            return self.set_aside(worker, &why);
        }
        let known = self.scales.get(worker);
        let times = known.map_or(0, |(_, times)| *times);
        if known.is_some_and(|(known, _)| *known == scale) || times >= MOST_SCALES {
            return;
        }
        self.scales.insert(worker.clone(), (scale, times + 1));
        let nps = scale.measured.map_or(0, NonZeroU64::get);
        let text =
            format!("time controls are multiplied by {:.3}: its bench does {} nodes/s", scale.factor, grouped(nps));
        self.tell_of(worker, false, &format!(": {text}"));
        self.tell_session(Event::Scaled { worker: Arc::clone(worker.shared()), scale });
    }

    /// Uploads files of the run that workers do not find on the server: it keeps no file for ever.
    fn restore(&mut self, missed: &[String]) {
        let files = &self.artifacts.files;
        let missed: BTreeMap<String, PathBuf> =
            missed.iter().filter_map(|sha256| Some((sha256.clone(), files.get(sha256)?.clone()))).collect();
        if !missed.is_empty() {
            self.put_back(missed);
        }
    }

    /// Checks, in the background, whether the server has files, and uploads those that it has lost: large files take
    /// long.
    pub(super) fn put_back(&mut self, files: BTreeMap<String, PathBuf>) {
        let is_due = match self.look_up {
            LookUp::Due => true,
            LookUp::GoesOn => false,
            LookUp::Done(at) => at.elapsed() >= LOOK_UP,
        };
        if !is_due || !self.is_connected {
            return;
        }
        self.look_up = LookUp::GoesOn;
        let (jetstream, done) = (self.link.jetstream.clone(), self.put.0.clone());
        tokio::spawn(async move {
            let put = tokio::time::timeout(PUT_WITHIN, content::put_back(jetstream, files)).await;
            let _session_is_over = done.send(put.map_err(|_late| ()));
        });
    }

    /// Handles the outcome of an upload.
    pub(super) fn has_put(&mut self, put: Put) {
        self.look_up = LookUp::Done(Instant::now());
        match put {
            Ok(Ok(0)) => {}
            Ok(Ok(put)) => {
                let text = format!("{put} files of the run had gone from the server, and are put there again");
                self.notice(false, text);
            }
            Ok(Err(error)) => self.notice(true, error.to_string()),
            Err(()) => self
                .notice(true, "files of the run have gone from the server, and it does not take them again".to_owned()),
        }
    }
}
