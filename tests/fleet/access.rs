//! Permissions of members, and the errors for unusable servers.

use crate::support::{Running, Sandbox, Server, creds, export, locked, log, output_of, wait_until};
use play::child::ReservedPort;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

const MATCH: &str = r#"
name = "m"
[match]
pairs = 20
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
"#;

/// The output of a program that must fail, and must not retry endlessly.
fn fails(sandbox: &Sandbox, words: &[&str]) -> String {
    let outcome = sandbox.spar(words);
    assert!(matches!(outcome.code, Some(2 | 3)), "{outcome:?}");
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    outcome.stderr
}

pub(crate) fn a_run_over_tls_with_keys_and_no_secret_in_sight() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let _server = locked(&sandbox, "east,west", true);
    let cache = sandbox.path("cache").display().to_string();
    let (east, coordinator) = (creds(&sandbox, "east"), creds(&sandbox, "coordinator"));
    let mut worker = sandbox.command(&["worker", "--creds", &east, "--cores", "1", "--cache", &cache]);
    let mut worker = Running::start(worker.stderr(log(&sandbox, "east")));
    let url = std::fs::read_to_string(&coordinator).expect("credentials");
    let url = url.lines().find_map(|line| line.strip_prefix("url = \"")?.strip_suffix('"')).expect("an address");
    assert!(url.starts_with("tls://"), "{url}");
    let played = sandbox.spar(&["match", "m.toml", "--fleet", url, "--creds", &coordinator]).exits(0);
    assert_eq!(export(&sandbox, "match-m-1").lines().count(), 20);
    // Seeds of users' NKeys begin like this.
    for text in [&played.stderr, &played.stdout, &output_of(&sandbox, "east")] {
        assert!(!text.contains("SUA"), "{text}");
    }
    let status = sandbox.spar(&["fleet", "status", "--creds", &creds(&sandbox, "operator"), "--json"]).exits(0).json();
    assert_eq!(status["workers"]["east"]["heartbeat"]["done"], 20, "{status}");
    assert_eq!(worker.terminate(), Some(0));
}

pub(crate) fn whoever_may_not_do_it_is_told_so_soon() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = locked(&sandbox, "east,west", false);
    let url = server.url();
    let play = |creds: Option<&str>| {
        let mut words = vec!["match", "m.toml", "--fleet", &url];
        words.extend(creds.iter().flat_map(|creds| ["--creds", creds]));
        fails(&sandbox, &words)
    };
    let error = play(None);
    assert!(error.contains("refuses somebody without credentials: it wants credentials"), "{error}");
    // Keys of another fleet.
    let _files = sandbox.spar(&["fleet", "keys", "others", "--workers", "east", "--no-tls"]).exits(0);
    let others = sandbox.path("others/coordinator.creds").display().to_string();
    let error = play(Some(&others));
    assert!(error.contains("refuses coordinator `coordinator`: it does not know them"), "{error}");
    // A worker's key does not permit anyone to have pairs played.
    let error = play(Some(&creds(&sandbox, "east")));
    assert!(error.contains("does not let worker `east` do this"), "{error}");
    // A coordinator's key does not permit anyone to play.
    let error = fails(&sandbox, &["worker", "--nats", &url, "--creds", &creds(&sandbox, "coordinator")]);
    assert!(error.contains("does not let coordinator `coordinator` do this"), "{error}");
    assert!(!sandbox.path("runs").exists(), "no run was made");
}

pub(crate) fn a_worker_whose_key_was_removed_ends_and_says_why() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = locked(&sandbox, "east,west", false);
    let start = |name: &str| {
        let (key, cache) = (creds(&sandbox, name), sandbox.path("cache").display().to_string());
        let mut command = sandbox.command(&["worker", "--creds", &key, "--cores", "1", "--cache", &cache]);
        Running::start(command.stderr(log(&sandbox, name)))
    };
    let (mut east, mut west) = (start("east"), start("west"));
    wait_until("both are there", || {
        ["east", "west"].iter().all(|name| output_of(&sandbox, name).contains("1 core at"))
    });
    let list = std::fs::read_to_string(sandbox.path("keys/members.toml")).expect("a list");
    let (before, after) = list.split_once("[keys.east]").expect("its entry");
    let rest = after.find("\n[").map_or("", |next| &after[next..]);
    sandbox.write("keys/members.toml", &format!("{before}{rest}"));
    let _files = sandbox.spar(&["fleet", "keys", "keys"]).exits(0);
    server.reads_again();
    wait_until("it has ended", || east.is_over());
    let text = output_of(&sandbox, "east");
    assert_eq!(east.0.wait().expect("it has ended").code(), Some(3), "{text}");
    assert!(text.contains("refuses worker `east`: the server no longer knows its key"), "{text}");
    assert!(!west.is_over(), "{}", output_of(&sandbox, "west"));
}

pub(crate) fn servers_that_will_not_do_are_named() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let port = ReservedPort::new().expect("a port");
    let nowhere = format!("nats://127.0.0.1:{}", port.number());
    let error = fails(&sandbox, &["match", "m.toml", "--fleet", &nowhere]);
    assert!(error.contains(&format!("no NATS server answers at {nowhere}")), "{error}");
    let error = fails(&sandbox, &["worker", "--nats", "no such thing"]);
    assert!(error.contains("is not an address of a NATS server"), "{error}");
    sandbox.write("plain.conf", &format!("port: {}\n", port.number()));
    let server = Server::of(&sandbox, "plain.conf", port);
    let error = fails(&sandbox, &["match", "m.toml", "--fleet", &server.url()]);
    assert!(error.contains("has no JetStream, which keeps results: start it with `-js`"), "{error}");
    // The listener is no NATS server, and stays silent.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("nats://{}", silent.local_addr().expect("an address"));
    let error = fails(&sandbox, &["match", "m.toml", "--fleet", &url]);
    assert!(error.contains("no NATS server answers at"), "{error}");
    sandbox.write("n.toml", &format!("executor = \"nats\"\n{MATCH}"));
    let error = fails(&sandbox, &["match", "n.toml"]);
    assert!(error.contains("give its NATS server by `--fleet URL`"), "{error}");
}

pub(crate) fn a_run_whose_configuration_says_so_is_played_elsewhere_and_a_fleet_of_ones_own_takes_one_command() {
    let sandbox = Sandbox::with("n.toml", &format!("executor = \"nats\"\n{MATCH}"));
    let outcome = sandbox.spar(&["fleet", "up", "--workers", "2", "--cores", "1", "--", "match", "n.toml"]).exits(0);
    assert!(outcome.stdout.contains("20 pairs played"), "{outcome:?}");
    sandbox.is_deserted();
    // The command that it ran determines its exit code.
    let outcome = sandbox.spar(&["fleet", "up", "--", "match", "missing.toml"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}

pub(crate) fn a_worker_that_is_asked_to_end_hands_back_what_it_has_not_begun() {
    let text = MATCH
        .replace("pairs = 20", "pairs = 40")
        .replace("player = \"random\"", "limit = \"20000 nodes\"\ntable = \"64 KiB\"");
    let sandbox = Sandbox::with("m.toml", &text);
    let server = Server::open(&sandbox);
    let url = server.url();
    let mut first = Running::start(&mut crate::support::worker(&sandbox, &url, "first", 1));
    let mut command = sandbox.command(&["match", "m.toml", "--fleet", &url, "--set", "match.pairs=6"]);
    let mut session = Running::start(command.stdout(Stdio::null()).stderr(log(&sandbox, "session")));
    wait_until("the first plays", || output_of(&sandbox, "first").contains("pairs to play"));
    assert_eq!(first.terminate(), Some(0), "{}", output_of(&sandbox, "first"));
    assert!(!session.is_over());
    let _second = Running::start(&mut crate::support::worker(&sandbox, &url, "second", 1));
    wait_until("the run is over", || session.is_over());
    assert_eq!(export(&sandbox, "match-m-1").lines().count(), 6);
    assert!(output_of(&sandbox, "session").contains("worker first leaves"), "{}", output_of(&sandbox, "session"));
}

/// The body at a path of a server.
fn fetched(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a server");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

pub(crate) fn workers_are_shown_beside_the_runs() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = Server::open(&sandbox);
    let _worker = Running::start(&mut crate::support::worker(&sandbox, &server.url(), "east", 3));
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0", "--fleet", &server.url()]);
    let _shows = Running::start(command.stderr(log(&sandbox, "serve")));
    wait_until("it listens", || output_of(&sandbox, "serve").contains("http://"));
    let output = output_of(&sandbox, "serve");
    let address = output.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    wait_until("the worker is listed", || fetched(address, "/api/fleet").contains("\"name\":\"east\""));
    let text = fetched(address, "/api/fleet");
    assert!(text.contains("\"cores\":3") && text.contains("\"count\":1"), "{text}");
}
