//! Results on their way into the journal: the server keeps each until it is there.

use crate::link::words;
use crate::names::{ALL_RESULTS, RESULTS, consumer, results_of};
use arena::run::PairIndex;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType};
use async_nats::{Message, jetstream};
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How long the server keeps results that no coordinator fetches.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// The time after which the server sends unacknowledged messages again.
const AGAIN: Duration = Duration::from_secs(30);

/// The maximum number of messages on their way into the journal.
const MOST_IN_HAND: i64 = 20_000;

/// The delay before the consumer is requested again.
const RETRY: Duration = Duration::from_millis(500);

/// A message from the server, or about it.
pub(crate) enum Incoming {
    /// The number of messages that have waited on the server.
    Waiting(u64),
    /// A message, with its acker.
    Message(Box<(Message, Acker)>),
    /// The results are unavailable for now.
    Trouble(String),
}

/// Returns the configuration of the stream that keeps results.
pub(crate) fn stream() -> Config {
    Config {
        name: RESULTS.to_owned(),
        subjects: vec![ALL_RESULTS.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        max_age: KEPT,
        // A server answers to any subject a client names, with its own rights. An answer that arrives as a request must
        // do no harm.
        deny_purge: true,
        deny_delete: true,
        ..Config::default()
    }
}

/// Forwards all results of a run until the receiver is closed. Survives every loss of the server.
pub(crate) async fn collect(jetstream: Context, run: String, to: UnboundedSender<Incoming>) {
    let mut last = String::new();
    loop {
        let done = once(&jetstream, &run, &to).await;
        let Err(why) = done else { return };
        if why != last {
            last.clone_from(&why);
            if to.send(Incoming::Trouble(why)).is_err() {
                return;
            }
        }
        if to.is_closed() {
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Runs until the server is lost or the receiver is closed.
async fn once(jetstream: &Context, run: &str, to: &UnboundedSender<Incoming>) -> Result<(), String> {
    // A server that has lost its data directory has lost the stream, too.
    let stream = jetstream.get_or_create_stream(stream()).await.map_err(|error| words(&error))?;
    let name = consumer(run);
    let config = pull::Config {
        durable_name: Some(name.clone()),
        filter_subject: results_of(run),
        ack_policy: AckPolicy::Explicit,
        ack_wait: AGAIN,
        max_ack_pending: MOST_IN_HAND,
        inactive_threshold: KEPT,
        ..pull::Config::default()
    };
    let mut consumer =
        stream.get_or_create_consumer::<pull::Config>(&name, config).await.map_err(|error| words(&error))?;
    let info = consumer.info().await.map_err(|error| words(&error))?;
    // Messages that a coordinator had in hand when it died come later, and are not waited for.
    if to.send(Incoming::Waiting(info.num_pending)).is_err() {
        return Ok(());
    }
    let messages = consumer.stream().heartbeat(Duration::from_secs(5)).expires(Duration::from_secs(20)).messages();
    let mut messages = messages.await.map_err(|error| words(&error))?;
    loop {
        let next = tokio::select! {
            next = messages.next() => next,
            () = to.closed() => return Ok(()),
        };
        let Some(next) = next else { return Err("the consumer of results has ended".to_owned()) };
        let (message, acker) = next.map_err(|error| words(&error))?.split();
        if to.send(Incoming::Message(Box::new((message, acker)))).is_err() {
            return Ok(());
        }
    }
}

/// Deletes the consumer of a run that is over. Results that still arrive expire on the server.
pub(crate) async fn forget(jetstream: &Context, run: &str) -> Result<(), String> {
    let stream = jetstream.get_stream_no_info(RESULTS).await.map_err(|error| words(&error))?;
    stream.delete_consumer(&consumer(run)).await.map_err(|error| words(&error))?;
    Ok(())
}

/// Results that have arrived and are not in the journal: for each pair, the ackers of the messages with its results.
#[derive(Default)]
pub(crate) struct PendingResults {
    pairs: BTreeMap<PairIndex, Vec<Arc<Acker>>>,
}

impl PendingResults {
    /// Notes that a message had these pairs. The caller acknowledges a message without pairs.
    pub(crate) fn take(&mut self, pairs: &[PairIndex], acker: &Arc<Acker>) {
        for pair in pairs {
            self.pairs.entry(*pair).or_default().push(Arc::clone(acker));
        }
    }

    /// Whether a result of a pair is on its way into the journal.
    pub(crate) fn has(&self, pair: PairIndex) -> bool {
        self.pairs.contains_key(&pair)
    }

    /// Notes that these pairs are in the journal. Returns the ackers of messages all of whose pairs are.
    pub(crate) fn settle(&mut self, pairs: &[PairIndex]) -> Vec<Acker> {
        let settled = pairs.iter().filter_map(|pair| self.pairs.remove(pair)).flatten();
        settled.filter_map(Arc::into_inner).collect()
    }
}

/// Acknowledges messages; the server sends those that fail again.
pub(crate) async fn acknowledge(messages: Vec<jetstream::message::Acker>) {
    for message in messages {
        let _comes_again = message.ack().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_request_makes_the_server_remove_results() {
        // The server sends answers to any subject, and would execute one that arrives as a request to purge.
        assert!(stream().deny_purge && stream().deny_delete);
    }
}
