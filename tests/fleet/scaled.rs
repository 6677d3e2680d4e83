//! Time controls are scaled by each worker to its own speed.

use crate::support::{Running, Sandbox, Server, example, export, log, output_of, wait_until};
use std::process::Stdio;

/// An engine whose bench prints `$SPEED`, which writes its input to the file `$RECEIVED`, and which waits for the file
/// `$GO`.
const ENGINE: &str = r#"#!/bin/sh
if [ "$1" = bench ]; then echo "bench" >>"$RECEIVED"; echo "Nodes/second : $SPEED"; exit; fi
while [ -n "$GO" ] && [ ! -e "$GO" ]; do sleep 0.01; done
tee -a "$RECEIVED" | MOVER
"#;

/// A match of this many pairs.
fn file(pairs: u64) -> String {
    format!(
        "name = 't'\ngame = 'chess'\ntc_scale = 'auto'\nbench = {{ engine = 'x', nps = 1_000_000 }}\n[match]\npairs = \
            {pairs}\n\
         [openings]\nplies = 40\n[adjudication]\nmax_moves = 22\n[[entrant]]\nname = 'x'\ncmd = './x'\nlimit = \
         '10s+1s'\n\
         [[entrant]]\nname = 'y'\nplayer = 'random'\n"
    )
}

fn sandbox(pairs: u64) -> Sandbox {
    let sandbox = Sandbox::with("t.toml", &file(pairs));
    sandbox.write_program("x", &ENGINE.replace("MOVER", &example("random_mover").display().to_string()));
    sandbox
}

/// A worker on a host of this speed.
fn worker(sandbox: &Sandbox, server: &Server, name: &str, cores: &str, speed: &str) -> Running {
    let words = ["worker", "--nats", &server.url(), "--name", name, "--cores", cores, "--cache", "cache"];
    let mut command = sandbox.command(&words);
    command.env("SPEED", speed).env("GO", sandbox.path("go")).env("RECEIVED", sandbox.path(format!("{name}.received")));
    Running::start(command.stderr(log(sandbox, name)))
}

fn received(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path(format!("{name}.received"))).unwrap_or_default()
}

pub(crate) fn each_worker_measures_itself_once_and_plays_by_its_own_clock() {
    let sandbox = sandbox(24);
    let server = Server::open(&sandbox);
    let mut coordinator = sandbox.command(&["match", "t.toml", "--fleet", &server.url()]);
    // The coordinator has no speed.
    coordinator.env("RECEIVED", sandbox.path("coordinator.received"));
    let mut session = Running::start(coordinator.stdout(Stdio::null()).stderr(log(&sandbox, "session")));
    let output = || output_of(&sandbox, "session");
    // Invalid and missing speeds are reported.
    let _wrong = worker(&sandbox, &server, "wrong", "1", "12");
    let _mute = worker(&sandbox, &server, "mute", "1", "");
    wait_until("two are set aside", || output().matches("is given no pairs").count() == 2);
    assert!(output().contains("\"x\" searches 12 nodes/s here, and 1,000,000 on the"), "{}", output());
    assert!(
        output().contains("worker mute is given no pairs") && output().contains("printed no nodes a second"),
        "{}",
        output()
    );
    let _slow = worker(&sandbox, &server, "slow", "2", "500000");
    let _quick = worker(&sandbox, &server, "quick", "1", "4000000");
    wait_until("two are measured", || output().matches("time controls are multiplied by").count() == 2);
    assert!(
        output().contains("worker slow: time controls are multiplied by 2.000: its bench does 500,000"),
        "{}",
        output()
    );
    let status = sandbox.spar(&["fleet", "status", "--nats", &server.url()]).exits(0).stdout;
    assert!(status.contains("  plays t with time controls multiplied by 0.250"), "{status}");
    sandbox.write("go", "");
    wait_until("the run is over", || session.is_over());
    assert_eq!(session.0.wait().expect("it has ended").code(), Some(0), "{}", output());

    let [slow, quick] = ["slow", "quick"].map(|name| received(&sandbox, name));
    for (received, own, increment) in [(&slow, "time 20000 ", "inc 2000 "), (&quick, "time 2500 ", "inc 250 ")] {
        let first = received.lines().find(|line| line.starts_with("go ")).expect("a search").to_owned() + " ";
        assert!(first.contains(own) && first.contains(increment), "{first}");
    }
    // The bench runs as many times at once as games are played at a time, and only once.
    assert_eq!([&slow, &quick].map(|received| received.matches("bench").count()), [2, 1]);
    assert!(!received(&sandbox, "coordinator").contains("bench"));
    assert_eq!(export(&sandbox, "match-t-1").lines().count(), 24);
    let shown = sandbox.spar(&["show", "match-t-1"]).exits(0).stdout;
    assert!(shown.contains("× 0.250, by 4,000,000 nodes/s on quick; × 2.000, by 500,000 nodes/s on slow"), "{shown}");
    let page = sandbox.read("runs/match-t-1/report.html");
    assert!(page.contains("0.250, by 4,000,000 nodes/s"), "{page}");
}

pub(crate) fn a_factor_that_is_given_is_that_of_all_workers() {
    let sandbox = sandbox(1);
    let server = Server::open(&sandbox);
    sandbox.write("go", "");
    let _east = worker(&sandbox, &server, "east", "1", "7");
    let words = ["match", "t.toml", "--tc-scale", "0.5", "--fleet", &server.url()];
    let _played = sandbox.spar(&words).exits(0);
    let received = received(&sandbox, "east");
    assert!(received.contains("time 5000 ") && !received.contains("bench"), "{received}");
}
