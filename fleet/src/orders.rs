//! Orders of people about workers: which workers are paused, and which are excluded from all runs.
//!
//! The server keeps the last order about each worker in a stream. So an order also holds for a worker that is away, and
//! for runs that begin later. Only the operator may give orders. Coordinators follow the stream and obey; workers need
//! not know about it.
//!
//! A server answers requests on any subject, so its answers may arrive in the stream. They are not orders, and are
//! skipped.

use crate::access::Access;
use crate::error::FleetError;
use crate::link::{Link, words};
use crate::names::{self, ALL_ORDERS, ORDERS, WorkerName};
use crate::runtime;
use crate::tidy::{SENTENCE, tidy};
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::stream::{Config, StorageType};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc::UnboundedSender;

/// The version of these messages. They stay on the server across updates of spar, so they have a version of their own.
const VERSION: u16 = 1;

/// The maximum number of orders that the server keeps: about as many as the workers that a coordinator knows at most.
const MOST: i64 = 50_000;

/// The delay before the stream is requested again.
const RETRY: Duration = Duration::from_millis(500);

/// The server's deadline to send the orders that it keeps.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// How long the server keeps the position of a reader that has gone.
const READER_KEPT: Duration = Duration::from_mins(1);

/// An order about a worker, for all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum WorkerOrder {
    /// The worker finishes its pairs, and gets no further ones.
    Pause,
    /// The worker gets pairs again after a pause.
    Continue,
    /// The worker is not trusted: its pairs in current runs are withdrawn, and it gets no more.
    SetAside {
        /// The reason, in words.
        why: String,
    },
    /// The worker is trusted and gets pairs again. Withdrawn pairs stay withdrawn.
    TakeBack,
}

/// An order, who gave it, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingOrder {
    /// The version of the message.
    version: u16,
    /// The order.
    pub order: WorkerOrder,
    /// The person who gave it.
    pub by: String,
    /// The time by that person's machine.
    pub unix_ms: i64,
}

impl StandingOrder {
    fn new(order: WorkerOrder, by: &str) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let unix_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        Self { version: VERSION, order, by: by.to_owned(), unix_ms }
    }

    /// Returns the order in a message, safe to show; `None` if the message is something else.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut read: Self = serde_json::from_slice(bytes).ok().filter(|read: &Self| read.version == VERSION)?;
        read.by = tidy(&read.by, SENTENCE);
        if let WorkerOrder::SetAside { why } = &mut read.order {
            *why = tidy(why, SENTENCE);
        }
        Some(read)
    }
}

/// Checks whether an order may follow the one that stands.
///
/// # Errors
/// The reason, with the remedy.
fn may_follow(worker: &WorkerName, order: &WorkerOrder, standing: Option<&WorkerOrder>) -> Result<(), String> {
    match (order, standing) {
        (WorkerOrder::Pause, Some(WorkerOrder::Pause)) => Err(format!("worker {worker} is paused already")),
        (WorkerOrder::Continue, Some(WorkerOrder::Pause)) => Ok(()),
        (WorkerOrder::SetAside { .. }, Some(WorkerOrder::SetAside { .. })) => {
            Err(format!("worker {worker} is set aside already"))
        }
        (WorkerOrder::Pause | WorkerOrder::Continue, Some(WorkerOrder::SetAside { why })) => Err(format!(
            "worker {worker} is set aside ({why}): take it back first, with `spar fleet take-back {worker}`"
        )),
        (WorkerOrder::Continue, _) => Err(format!("worker {worker} is not paused")),
        // A run may have excluded the worker by itself, which is not known here.
        (WorkerOrder::Pause | WorkerOrder::SetAside { .. } | WorkerOrder::TakeBack, _) => Ok(()),
    }
}

/// Gives an order about a worker to all coordinators, present and future. `by` names the person, in words.
///
/// # Errors
/// [`FleetError`] if the server is unavailable, does not let these credentials give orders, or the order makes no sense
/// after the last one.
pub fn steer(access: &Access, worker: &WorkerName, order: WorkerOrder, by: &str) -> Result<(), FleetError> {
    runtime::on_this_thread()?.block_on(async {
        let mut link = Link::connect(access, &access.name("steer")).await?;
        link.needs_jetstream().await?;
        let standing =
            read(&link.jetstream).await.map_err(|why| FleetError::Server { what: "tell its orders", why })?;
        let standing = standing.get(&worker.to_string()).map(|standing| &standing.order);
        may_follow(worker, &order, standing).map_err(FleetError::Order)?;
        let text = serde_json::to_vec(&StandingOrder::new(order, by)).unwrap_or_default();
        let (jetstream, subject) = (link.jetstream.clone(), names::order(worker));
        let kept = async { jetstream.publish(subject, text.into()).await?.await };
        link.allowed("keep an order", kept).await.map(drop)
    })
}

/// Returns the configuration of the stream that keeps orders.
fn stream() -> Config {
    Config {
        name: ORDERS.to_owned(),
        subjects: vec![ALL_ORDERS.to_owned()],
        max_messages_per_subject: 1,
        max_messages: MOST,
        storage: StorageType::File,
        // A server answers to any subject a client names, with its own rights. An answer that arrives as a request must
        // do no harm.
        deny_purge: true,
        deny_delete: true,
        ..Config::default()
    }
}

/// Returns the configuration of a consumer that reads the last order about each worker.
fn consumer() -> pull::Config {
    pull::Config {
        deliver_policy: DeliverPolicy::LastPerSubject,
        filter_subject: ALL_ORDERS.to_owned(),
        ack_policy: AckPolicy::None,
        inactive_threshold: READER_KEPT,
        ..pull::Config::default()
    }
}

/// Returns the last order about each worker.
///
/// # Errors
/// The reason why the orders cannot be read.
pub(crate) async fn read(jetstream: &Context) -> Result<BTreeMap<String, StandingOrder>, String> {
    let stream = jetstream.get_or_create_stream(stream()).await.map_err(|error| words(&error))?;
    let consumer = stream.create_consumer(consumer()).await.map_err(|error| words(&error))?;
    let waiting = usize::try_from(consumer.cached_info().num_pending).unwrap_or(usize::MAX);
    let read = async {
        let mut orders = BTreeMap::new();
        let messages = consumer.fetch().max_messages(waiting.max(1)).messages().await.map_err(|error| words(&error))?;
        let mut messages = messages.take(waiting);
        while let Some(message) = messages.next().await {
            let message = message.map_err(|error| error.to_string())?;
            if let (Some(worker), Some(order)) =
                (names::worker_of(&message.subject), StandingOrder::read(&message.payload))
            {
                orders.insert(worker.to_string(), order);
            }
        }
        Ok(orders)
    };
    if waiting == 0 {
        return Ok(BTreeMap::new());
    }
    let late = || Err("the server does not send them".to_owned());
    let orders = tokio::time::timeout(READ_WITHIN, read).await.unwrap_or_else(|_late| late());
    let _it_goes_by_itself = stream.delete_consumer(&consumer.cached_info().name).await;
    orders
}

/// An order that reaches a coordinator.
pub(crate) struct Arrived {
    pub(crate) worker: WorkerName,
    pub(crate) order: StandingOrder,
    /// Whether the order was given while this coordinator was at work.
    pub(crate) is_new: bool,
}

/// Forwards standing and new orders until the receiver is closed. Survives every loss of the server.
pub(crate) async fn follow(jetstream: Context, to: UnboundedSender<Arrived>) {
    let mut seen = None;
    while !to.is_closed() {
        let _it_is_tried_again = follow_once(&jetstream, &mut seen, &to).await;
        tokio::time::sleep(RETRY).await;
    }
}

/// Runs until the server is lost or the receiver is closed. `seen` is the sequence number of the last order that was
/// read; `None` before the first reading.
async fn follow_once(jetstream: &Context, seen: &mut Option<u64>, to: &UnboundedSender<Arrived>) -> Result<(), String> {
    let stream = jetstream.get_or_create_stream(stream()).await.map_err(|error| words(&error))?;
    let last = stream.cached_info().state.last_sequence;
    // A server that has lost its data directory starts counting again.
    let known = seen.get_or_insert(last);
    *known = (*known).min(last);
    let consumer = stream.create_consumer(consumer()).await.map_err(|error| words(&error))?;
    let messages = consumer.stream().heartbeat(Duration::from_secs(5)).expires(Duration::from_secs(20)).messages();
    let mut messages = messages.await.map_err(|error| words(&error))?;
    loop {
        let next = tokio::select! {
            next = messages.next() => next,
            () = to.closed() => return Ok(()),
        };
        let Some(next) = next else { return Err("the consumer of orders has ended".to_owned()) };
        let message = next.map_err(|error| words(&error))?;
        let sequence = message.info().map_or(0, |info| info.stream_sequence);
        let is_new = sequence > *known;
        *known = sequence.max(*known);
        let arrived = names::worker_of(&message.subject).zip(StandingOrder::read(&message.payload));
        if let Some((worker, order)) = arrived
            && to.send(Arrived { worker, order, is_new }).is_err()
        {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aside() -> WorkerOrder {
        WorkerOrder::SetAside { why: "its fan is broken".to_owned() }
    }

    #[test]
    fn an_order_comes_back_as_it_was_given_and_answers_of_the_server_are_none() {
        for order in [WorkerOrder::Pause, WorkerOrder::Continue, aside(), WorkerOrder::TakeBack] {
            let given = StandingOrder::new(order, "operator");
            let text = serde_json::to_vec(&given).unwrap();
            assert_eq!(StandingOrder::read(&text), Some(given.clone()));
            let later = StandingOrder { version: VERSION + 1, ..given };
            assert_eq!(StandingOrder::read(&serde_json::to_vec(&later).unwrap()), None, "of a later spar");
        }
        for answer in [&b""[..], b"{}", br#"{"type":"io.nats.jetstream.api.v1.stream_info_response"}"#] {
            assert_eq!(StandingOrder::read(answer), None);
        }
    }

    #[test]
    fn what_an_order_says_steers_no_terminal() {
        let given = StandingOrder::new(WorkerOrder::SetAside { why: "a\u{1b}[2J".to_owned() }, "b\u{7}");
        let read = StandingOrder::read(&serde_json::to_vec(&given).unwrap()).unwrap();
        assert_eq!((read.by.as_str(), read.order), ("b ", WorkerOrder::SetAside { why: "a [2J".to_owned() }));
    }

    #[test]
    fn orders_that_make_no_sense_are_refused_with_the_remedy() {
        let east: WorkerName = "east".parse().unwrap();
        let orders = [WorkerOrder::Pause, WorkerOrder::Continue, aside(), WorkerOrder::TakeBack];
        let allowed =
            |standing: Option<&WorkerOrder>| orders.each_ref().map(|order| may_follow(&east, order, standing).is_ok());
        assert_eq!(allowed(None), [true, false, true, true]);
        assert_eq!(allowed(Some(&WorkerOrder::Pause)), [false, true, true, true]);
        assert_eq!(allowed(Some(&WorkerOrder::Continue)), [true, false, true, true]);
        assert_eq!(allowed(Some(&aside())), [false, false, false, true]);
        assert_eq!(allowed(Some(&WorkerOrder::TakeBack)), [true, false, true, true]);
        let why = may_follow(&east, &WorkerOrder::Continue, Some(&aside())).unwrap_err();
        assert!(why.contains("its fan is broken") && why.contains("spar fleet take-back east"), "{why}");
    }

    #[test]
    fn no_request_makes_the_server_remove_orders() {
        assert!(stream().deny_purge && stream().deny_delete);
    }
}
