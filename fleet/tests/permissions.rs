//! What the server lets each member of a fleet do, tried with a real one: everything that a worker must not do is
//! refused.

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use fleet::{Keys, Server, make_keys};
use futures_util::StreamExt;
use play::child::Spawner;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What the server says, it says within this time.
const SOON: Duration = Duration::from_mins(10);

struct Locked {
    _server: Server,
    folder: TempDir,
    url: String,
}

impl Locked {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let workers = ["east", "west"].map(|name| name.parse().expect("a name")).to_vec();
        let keys = Keys { folder: folder.path().to_owned(), hosts: Vec::new(), port, tls: false, workers };
        make_keys(&keys).expect("keys");
        let path = |name: &str| folder.path().join(name);
        let spawner = Spawner::start(None).expect("a thread");
        let server =
            Server::start(&spawner, &path("nats.conf"), port, &path("nats.log")).expect("Debian's nats-server");
        Self { _server: server, folder, url: format!("nats://127.0.0.1:{port}") }
    }

    /// A client with the key of a member, and the permissions that the server denies it.
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
    /// The server's answer to the last action.
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

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(test);
}

#[test]
fn without_a_key_connections_are_refused() {
    run(async {
        let locked = Locked::new();
        let error = async_nats::connect(&locked.url).await.expect_err("a locked door");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation, "{error}");
        let foreign = nkeys::KeyPair::new_user().seed().expect("a seed");
        let error = ConnectOptions::with_nkey(foreign).connect(&locked.url).await.expect_err("a locked door");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation, "{error}");
        assert!(Path::new(&locked.folder.path().join("nats.conf")).exists());
    });
}

#[test]
fn a_worker_does_nothing_in_anothers_name() {
    run(async {
        let locked = Locked::new();
        let mut east = locked.client("east").await;
        for subject in [
            "spar.heartbeat.west",
            "spar.result.west.0123",
            "spar.work.east",
            "spar.work.west",
            "spar.run.0123",
            "spar.call",
        ] {
            east.may_not_publish(subject).await;
        }
    });
}

#[test]
fn a_worker_reads_nothing_that_is_not_for_it() {
    run(async {
        let locked = Locked::new();
        let mut east = locked.client("east").await;
        for subject in
            ["spar.work.west", "spar.result.>", "spar.heartbeat.*", "_INBOX_west.>", "_INBOX_coordinator.>", ">"]
        {
            east.may_not_read(subject).await;
        }
    });
}

#[test]
fn a_worker_neither_reads_nor_removes_what_the_server_keeps() {
    run(async {
        let locked = Locked::new();
        let mut east = locked.client("east").await;
        let requests = [
            "STREAM.DELETE.SPAR_RESULTS",
            "STREAM.PURGE.SPAR_RESULTS",
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

#[test]
fn what_a_worker_has_to_do_it_may() {
    run(async {
        let locked = Locked::new();
        let (mut east, mut coordinator) = (locked.client("east").await, locked.client("coordinator").await);
        let mut heartbeats = coordinator.client.subscribe("spar.heartbeat.*").await.expect("a connection");
        let mut orders = east.client.subscribe("spar.work.east").await.expect("a connection");
        // The server learns of a subscriber a moment later.
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
