//! What a real server permits each member of a fleet: it refuses everything that a worker must not do.

use crate::{Locked, SOON, locked, wait_for};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use futures_util::StreamExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

impl Locked {
    /// Returns a client with the key of a member, and the permissions that the server denies it.
    async fn client(&self, name: &str) -> Member {
        let text = std::fs::read_to_string(self.folder.path().join(format!("{name}.creds"))).expect("credentials");
        let seed = text.lines().find_map(|line| line.strip_prefix("seed = \"")?.strip_suffix('"')).expect("a seed");
        let until = Instant::now() + SOON;
        loop {
            let (sender, refusals) = unbounded_channel();
            let options = ConnectOptions::with_nkey(seed.to_owned())
                .custom_inbox_prefix(format!("_INBOX_{name}"))
                .event_callback(move |event| {
                    let sender = sender.clone();
                    async move {
                        if let Event::ServerError(error) = event {
                            sender.send(error.to_string()).expect("the receiver is open");
                        }
                    }
                });
            match options.connect(&self.url).await {
                Ok(client) => return Member { client, refusals },
                // A server that has just started may drop new connections.
                Err(error) if error.kind() == ConnectErrorKind::Io && Instant::now() < until => {}
                Err(error) => panic!("{name} is not let in: {error}"),
            }
        }
    }
}

struct Member {
    client: Client,
    refusals: UnboundedReceiver<String>,
}

impl Member {
    /// Checks that the server refuses the last action.
    async fn is_refused(&mut self, what: &str) {
        self.client.flush().await.expect("a connection");
        let error =
            tokio::time::timeout(SOON, self.refusals.recv()).await.unwrap_or_else(|_| panic!("{what} is let be"));
        let error = error.expect("a connection").to_ascii_lowercase();
        assert!(
            error.contains("permissions violation") && error.contains(&what.to_ascii_lowercase()),
            "{error} for {what}"
        );
    }

    async fn may_not_publish(&mut self, subject: &str) {
        self.client.publish(subject.to_owned(), "{}".into()).await.expect("a connection");
        self.is_refused(subject).await;
    }

    async fn may_not_read(&mut self, subject: &str) {
        let _subscription = self.client.subscribe(subject.to_owned()).await.expect("a connection");
        self.is_refused(subject).await;
    }
}

pub(crate) fn without_a_key_connections_are_refused() {
    wait_for(async {
        let server = locked(&["east", "west"]);
        let error = async_nats::connect(&server.url).await.expect_err("a locked door");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation, "{error}");
        let foreign = nkeys::KeyPair::new_user().seed().expect("a seed");
        let error = ConnectOptions::with_nkey(foreign).connect(&server.url).await.expect_err("a locked door");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation, "{error}");
        assert!(Path::new(&server.folder.path().join("nats.conf")).exists());
    });
}

pub(crate) fn a_worker_does_nothing_in_anothers_name() {
    wait_for(async {
        let server = locked(&["east", "west"]);
        let mut east = server.client("east").await;
        for subject in [
            "spar.heartbeat.west",
            "spar.result.west.0123",
            "spar.work.east",
            "spar.work.west",
            "spar.run.0123",
            "spar.order.east",
            "spar.order.west",
            "spar.call",
        ] {
            east.may_not_publish(subject).await;
        }
    });
}

pub(crate) fn a_worker_reads_nothing_that_is_not_for_it() {
    wait_for(async {
        let server = locked(&["east", "west"]);
        let mut east = server.client("east").await;
        for subject in [
            "spar.work.west",
            "spar.order.*",
            "spar.result.>",
            "spar.heartbeat.*",
            "_INBOX_west.>",
            "_INBOX_coordinator.>",
            ">",
        ] {
            east.may_not_read(subject).await;
        }
    });
}

pub(crate) fn a_worker_neither_reads_nor_removes_what_the_server_keeps() {
    wait_for(async {
        let server = locked(&["east", "west"]);
        let mut east = server.client("east").await;
        let requests = [
            "STREAM.DELETE.SPAR_RESULTS",
            "STREAM.PURGE.SPAR_RESULTS",
            "STREAM.DELETE.SPAR_ORDERS",
            "STREAM.PURGE.SPAR_ORDERS",
            "STREAM.MSG.DELETE.SPAR_RESULTS",
            "STREAM.MSG.GET.SPAR_RESULTS",
            "STREAM.UPDATE.SPAR_RESULTS",
            "STREAM.CREATE.MINE",
            "CONSUMER.CREATE.SPAR_RESULTS",
            "CONSUMER.DELETE.SPAR_RESULTS.run-0123",
            "CONSUMER.MSG.NEXT.SPAR_RESULTS.run-0123",
            "STREAM.DELETE.OBJ_spar",
            "STREAM.PURGE.OBJ_spar",
            "CONSUMER.CREATE.OBJ_spar",
        ];
        for request in requests {
            east.may_not_publish(&format!("$JS.API.{request}")).await;
        }
        east.may_not_publish("$JS.ACK.SPAR_RESULTS.run-0123.1.1.1.1.0").await;
        east.may_not_publish("$O.spar.M.anything").await;
    });
}

pub(crate) fn what_a_worker_has_to_do_it_may() {
    wait_for(async {
        let server = locked(&["east", "west"]);
        let (mut east, mut coordinator) = (server.client("east").await, server.client("coordinator").await);
        let mut heartbeats = coordinator.client.subscribe("spar.heartbeat.*").await.expect("a connection");
        let mut orders = east.client.subscribe("spar.work.east").await.expect("a connection");
        // The server learns about a subscriber a moment later.
        let mut received = None;
        let until = Instant::now() + SOON;
        while received.is_none() && Instant::now() < until {
            east.client.publish("spar.heartbeat.east", "heartbeat".into()).await.expect("a connection");
            received = tokio::time::timeout(Duration::from_millis(100), heartbeats.next()).await.ok().flatten();
        }
        let heartbeat = received.expect("a message");
        assert_eq!(heartbeat.subject.as_str(), "spar.heartbeat.east");
        coordinator.client.publish("spar.work.east", "work".into()).await.expect("a connection");
        assert!(tokio::time::timeout(SOON, orders.next()).await.expect("in time").is_some());
        assert!(east.refusals.try_recv().is_err() && coordinator.refusals.try_recv().is_err());
    });
}
