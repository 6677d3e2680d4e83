//! Orders about workers: paused and excluded workers get no pairs, and the journal is the same as on one machine.

use crate::support::{
    MATCH, Sandbox, Server, comes_out_as, coordinator, creds, ends_well, expected, locked, output_of, played_by,
    wait_for_pairs, wait_until, workers,
};
use serde_json::Value;

pub(crate) fn a_pause_stands_before_a_worker_comes_and_one_that_is_taken_back_counts_again() {
    // Long enough for all the orders.
    let sandbox = Sandbox::with("m.toml", &MATCH.replace("pairs = 600", "pairs = 1500"));
    let expected = expected(&sandbox);
    let server = Server::open(&sandbox);
    let url = server.url();
    let steer = |what: &[&str]| sandbox.spar(&[&["fleet"], what, &["--nats", &url]].concat());
    assert!(steer(&["continue", "w1"]).exits(2).stderr.contains("worker w1 is not paused"));
    assert!(steer(&["pause", "w1"]).exits(0).stderr.contains("Worker w1 finishes its pairs"));
    assert!(steer(&["pause", "w1"]).exits(2).stderr.contains("worker w1 is paused already"));
    assert!(steer(&["status"]).exits(0).stdout.contains("w1 is away; it is paused: asked for by "));
    let _workers = workers(&sandbox, &url, 2);
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &url);
    let output = || output_of(&sandbox, "session");
    wait_for_pairs(&sandbox, 50);
    assert_eq!(played_by(&sandbox, "w1"), 0, "{}", output());
    let status: Value = serde_json::from_str(&steer(&["status", "--json"]).exits(0).stdout).expect("JSON");
    assert_eq!(status["orders"]["w1"]["order"]["do"], "pause", "{status}");
    assert!(steer(&["status"]).exits(0).stdout.contains("is paused: asked for by "));

    assert!(steer(&["continue", "w1"]).exits(0).stderr.contains("Worker w1 is given pairs again"));
    wait_until("it plays", || played_by(&sandbox, "w1") > 0 || session.is_over());
    let done = steer(&["set-aside", "w1", "--why", "its fan is broken"]).exits(0).stderr;
    assert!(done.contains("Worker w1 is set aside: its pairs of all runs"), "{done}");
    let is_set_aside = || output().contains("worker w1 is set aside: its fan is broken (asked for by ");
    wait_until("it is set aside", || is_set_aside() || session.is_over());
    let refused = steer(&["pause", "w1"]).exits(2).stderr;
    assert!(refused.contains("take it back first, with `spar fleet take-back w1`"), "{refused}");
    assert!(steer(&["take-back", "w1"]).exits(0).stderr.contains("Worker w1 is given pairs again"));
    wait_until("it is back", || output().contains("worker w1 is taken back by ") || session.is_over());
    ends_well(&sandbox, &mut session);
    for text in ["pairs that worker w1 played or checked are withdrawn", "worker w1 is taken back by "] {
        assert!(output().contains(text), "{text}: {}", output());
    }
    comes_out_as(&sandbox, "match-m-1", &expected);
}

pub(crate) fn only_the_operator_steers_workers() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    let server = locked(&sandbox, "east", false);
    let steer = |who: &str| sandbox.spar(&["fleet", "pause", "east", "--creds", &creds(&sandbox, who)]);
    for who in ["coordinator", "east"] {
        let refused = steer(who).exits(3).stderr;
        assert!(refused.contains("the NATS server does not let") || refused.contains("no JetStream"), "{refused}");
    }
    assert!(steer("operator").exits(0).stderr.contains("Worker east finishes its pairs"));
    drop(server);
}
