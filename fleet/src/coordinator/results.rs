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

/// How long results that no coordinator fetches are kept on the server.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// After this time, unacknowledged messages are sent again.
const AGAIN: Duration = Duration::from_secs(30);

/// How many messages may be on their way into the journal.
const MOST_IN_HAND: i64 = 20_000;

/// How long is waited before the consumer is asked for again.
const RETRY: Duration = Duration::from_millis(500);

/// What comes from the server.
pub(crate) enum Incoming {
    /// How many messages have waited there.
    Waiting(u64),
    /// One of them, and what acknowledges it.
    Message(Box<(Message, Acker)>),
    /// They cannot be had for now.
    Trouble(String),
}

/// What keeps results.
pub(crate) fn stream() -> Config {
    Config {
        name: RESULTS.to_owned(),
        subjects: vec![ALL_RESULTS.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        max_age: KEPT,
        // A server answers wherever it is asked to, with its own rights: an answer that arrives as a request must do no
        // harm.
        deny_purge: true,
        deny_delete: true,
        ..Config::default()
    }
}

/// Passes on all results of a run, through every loss of the server, until the receiver is closed.
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
    // A server that has lost its folder has lost this, too.
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
    // Those that a coordinator had in hand when it died come later, and are not waited for.
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

/// The consumer of a run is not needed any more. Results that come for it still age.
pub(crate) async fn forget(jetstream: &Context, run: &str) -> Result<(), String> {
    let stream = jetstream.get_stream_no_info(RESULTS).await.map_err(|error| words(&error))?;
    stream.delete_consumer(&consumer(run)).await.map_err(|error| words(&error))?;
    Ok(())
}

/// Results that have come and are not in the journal: of each pair, what acknowledges the messages that had it.
#[derive(Default)]
pub(crate) struct PendingResults {
    pairs: BTreeMap<PairIndex, Vec<Arc<Acker>>>,
}

impl PendingResults {
    /// A message had these pairs. Its receiver acknowledges one without any.
    pub(crate) fn take(&mut self, pairs: &[PairIndex], acker: &Arc<Acker>) {
        for pair in pairs {
            self.pairs.entry(*pair).or_default().push(Arc::clone(acker));
        }
    }

    /// Whether a result of a pair is on its way into the journal.
    pub(crate) fn has(&self, pair: PairIndex) -> bool {
        self.pairs.contains_key(&pair)
    }

    /// The messages all of whose pairs are in the journal, now that these are.
    pub(crate) fn settle(&mut self, pairs: &[PairIndex]) -> Vec<Acker> {
        let settled = pairs.iter().filter_map(|pair| self.pairs.remove(pair)).flatten();
        settled.filter_map(Arc::into_inner).collect()
    }
}

/// Acknowledges messages; those that are not come again.
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
        // The server sends answers to any subject, and one that arrives as a request to purge would be executed.
        assert!(stream().deny_purge && stream().deny_delete);
    }
}
