//! The current state of a fleet, from the heartbeats of workers and the coordinators' status messages.

use crate::access::Access;
use crate::error::FleetError;
use crate::link::{Link, words};
use crate::message::{Heartbeat, Residuals, RunNews};
use crate::names::{self, HEARTBEATS, RUNS};
use crate::orders::{self, StandingOrder, WorkerOrder};
use crate::runtime;
use crate::tidy::{tidy_hello, tidy_run};
use arena::config::HostScale;
use async_nats::Message;
use futures_util::StreamExt;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Every member sends its status within this time.
const LISTEN: Duration = Duration::from_millis(2500);

/// The current state of a fleet.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// The workers that have sent a heartbeat, by name.
    pub workers: BTreeMap<String, WorkerStatus>,
    /// The runs that have a coordinator, by token.
    pub runs: BTreeMap<String, RunNews>,
    /// The last order about each worker, by name. Empty if the server does not let these credentials read the orders.
    pub orders: BTreeMap<String, StandingOrder>,
}

/// The current state of a worker.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerStatus {
    /// The worker's last heartbeat.
    pub heartbeat: Heartbeat,
    /// Why no run of this version of spar can use the worker, if so.
    pub unfit: Option<String>,
}

/// Listens to a fleet for a moment and returns its state.
///
/// # Errors
/// [`FleetError`] if the server is unavailable, or does not let these credentials listen.
pub fn read(access: &Access) -> Result<Status, FleetError> {
    runtime::on_this_thread()?
        .block_on(async { listen(&mut Link::connect(access, &access.name("status")).await?).await })
}

/// Collects the messages of [`LISTEN`].
pub(crate) async fn listen(link: &mut Link) -> Result<Status, FleetError> {
    let refused =
        |error: async_nats::SubscribeError| FleetError::Server { what: "tell of workers", why: words(&error) };
    let mut heartbeats = link.client.subscribe(HEARTBEATS).await.map_err(refused)?;
    let mut runs = link.client.subscribe(RUNS).await.map_err(refused)?;
    let orders = orders::read(&link.jetstream).await.unwrap_or_default();
    let mut status = Status { orders, ..Status::default() };
    let until = Instant::now() + LISTEN;
    loop {
        tokio::select! {
            Some(message) = heartbeats.next() => status.on_heartbeat(&message),
            Some(message) = runs.next() => status.learn(&message),
            Some(news) = link.next_news() => link.refuse(&news)?,
            () = tokio::time::sleep_until(until.into()) => return Ok(status),
        }
    }
}

impl Status {
    fn on_heartbeat(&mut self, message: &Message) {
        let heartbeat = serde_json::from_slice::<Heartbeat>(&message.payload).map(tidy_hello);
        if let (Some(worker), Ok(heartbeat)) = (names::worker_of(&message.subject), heartbeat) {
            self.workers.insert(worker.to_string(), WorkerStatus { unfit: heartbeat.unfit(), heartbeat });
        }
    }

    fn learn(&mut self, message: &Message) {
        let news = serde_json::from_slice::<RunNews>(&message.payload).map(tidy_run);
        if let (Some(run), Ok(news)) = (message.subject.split('.').nth(2), news) {
            // The status of many workers comes in several messages.
            let known = self.runs.remove(run).map(|known| known.workers).unwrap_or_default();
            let mut news = news;
            for (worker, of) in known {
                let _latest = news.workers.entry(worker).or_insert(of);
            }
            self.runs.insert(run.to_owned(), news);
        }
    }

    /// Returns the pairs per second that a worker plays for all runs.
    pub fn rate(&self, worker: &str) -> f64 {
        // A sum of nothing would be -0.
        self.runs
            .values()
            .filter_map(|run| run.workers.get(worker))
            .map(|news| news.rate)
            .fold(0.0, |sum, rate| sum + rate)
    }

    /// Returns how far a worker's pairs are from those of other workers, in the run where they are farthest.
    pub fn residuals(&self, worker: &str) -> Option<Residuals> {
        let all = self.runs.values().filter_map(|run| run.workers.get(worker)?.residuals);
        let rank = |one: &Residuals, other: &Residuals| one.score.abs().total_cmp(&other.score.abs());
        all.max_by(|one, other| one.stands_out.cmp(&other.stands_out).then_with(|| rank(one, other)))
    }

    /// Returns remarks on a worker, as sentences.
    pub fn remarks(&self, worker: &str) -> Vec<String> {
        let Some(WorkerStatus { heartbeat, unfit }) = self.workers.get(worker) else { return Vec::new() };
        let scaled = |(run, scale): (&String, &HostScale)| {
            let run = self.runs.get(run).map_or(run, |run| &run.name);
            format!("plays {run} with time controls multiplied by {:.3}", scale.factor)
        };
        let mut remarks: Vec<String> = heartbeat.scales.iter().map(scaled).collect();
        remarks.extend(heartbeat.preparing.values().cloned());
        remarks.extend(unfit.iter().map(|why| format!("is given no pairs: {why}")));
        if self.residuals(worker).is_some_and(|residuals| residuals.stands_out) {
            let text = "stands out: its pairs are unlike the others', see `residual` (standard errors) and `faults`";
            remarks.push(text.to_owned());
        }
        remarks.extend(self.order_in_words(worker));
        remarks.extend(self.set_aside(worker).map(|(run, why)| format!("is given no pairs by {run}: {why}")));
        remarks
    }

    /// Returns the workers that are away and get no pairs when they come back, and why.
    pub fn barred_and_away(&self) -> impl Iterator<Item = (&str, String)> {
        let away = self.orders.keys().filter(|worker| !self.workers.contains_key(*worker));
        away.filter_map(|worker| Some((worker.as_str(), self.order_in_words(worker)?)))
    }

    /// Returns the order that keeps pairs of all runs from a worker, in words, if there is one.
    fn order_in_words(&self, worker: &str) -> Option<String> {
        let StandingOrder { order, by, .. } = self.orders.get(worker)?;
        match order {
            WorkerOrder::Pause => Some(format!("is paused: asked for by {by}")),
            WorkerOrder::SetAside { why } => Some(format!("is set aside in all runs: {why} (asked for by {by})")),
            WorkerOrder::Continue | WorkerOrder::TakeBack => None,
        }
    }

    /// Returns the first run that gives a worker no pairs, with the reason, if there is one.
    pub fn set_aside(&self, worker: &str) -> Option<(&str, &str)> {
        self.runs.values().find_map(|run| {
            let why = run.workers.get(worker)?.set_aside.as_deref()?;
            Some((run.name.as_str(), why))
        })
    }
}
