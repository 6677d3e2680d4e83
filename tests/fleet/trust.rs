//! Workers that lie, or whose machines differ from the others: they are detected and named, and their pairs are played
//! again.

use crate::support::{
    Running, Sandbox, Server, coordinator, ends_well, export, output_of, pairs, played_by, wait_until, worker, workers,
};
use serde_json::Value;

/// Stockfish, which thinks less in every twentieth game if LIAR is set.
const ENGINE: &str = r#"#!/bin/sh
games=0
while read -r line; do
    case "$line" in
        ucinewgame) games=$((games + 1));;
        "go nodes "*) [ -n "$LIAR" ] && [ $((games % 20)) -eq 7 ] && line="go nodes 1";;
    esac
    echo "$line"
done | /usr/games/stockfish
"#;

const MATCH: &str = r#"
name = "m"
game = "chess"
[match]
pairs = 120
[openings]
plies = 4
[adjudication]
max_moves = 12
[each]
cmd = "./engine"
[[entrant]]
name = "more"
limit = "300 nodes"
[[entrant]]
name = "less"
limit = "100 nodes"
"#;

/// The moves and results of a run's games, without the speeds that engine processes report.
fn games(sandbox: &Sandbox, run: &str) -> Vec<Value> {
    let games = |line: &str| {
        let pair: Value = serde_json::from_str(line).expect("JSON");
        let games = pair["games"].as_array().expect("games").iter();
        games.map(|game| serde_json::json!([game["moves"], game["result"]])).collect::<Value>()
    };
    export(sandbox, run).lines().map(games).collect()
}

pub(crate) fn a_worker_that_lies_about_one_game_in_twenty_is_caught_and_named_and_the_journal_is_right() {
    let sandbox = Sandbox::with("m.toml", MATCH);
    sandbox.write_program("engine", ENGINE);
    let _played = sandbox.spar(&["--runs", "here", "match", "m.toml"]).exits(0);
    let server = Server::open(&sandbox);
    let _liar = Running::start(worker(&sandbox, &server.url(), "liar", 1).env("LIAR", "1"));
    // All pairs are checked, so that few pairs suffice to detect it.
    let mut session = coordinator(&sandbox, &["match", "m.toml", "--checked", "1"], &server.url());
    // The worker has lied by the time it has played this many.
    wait_until("it has played", || played_by(&sandbox, "liar") >= 10 || session.is_over());
    let _honest = workers(&sandbox, &server.url(), 2);
    ends_well(&sandbox, &mut session);
    let output = output_of(&sandbox, "session");
    assert!(output.contains("worker liar is set aside: what it says of pair"), "{output}");
    assert!(output.contains("pairs that worker liar played or checked are withdrawn, and played again"), "{output}");
    assert!(!output.contains("worker w1 is set aside") && !output.contains("worker w2 is set aside"), "{output}");
    assert_eq!(games(&sandbox, "match-m-1"), games(&sandbox, "here/match-m-1"));
}

/// Stockfish in haste: `a` thinks longer than `b` unless SLOW is set; both answer at once.
const HASTY: &str = r#"#!/bin/sh
nodes=10
[ "$1" = a ] && nodes=1000
[ "$1" = a ] && [ -n "$SLOW" ] && nodes=1
while read -r line; do
    case "$line" in
        "go movetime "*) line="go nodes $nodes";;
    esac
    echo "$line"
done | /usr/games/stockfish
"#;

const TIMED: &str = r#"
name = "m"
game = "chess"
[match]
pairs = 300
[openings]
plies = 4
[adjudication]
max_moves = 40
resign = { moves = 1, score = 300 }
[each]
cmd = "./engine"
limit = "10min a move"
[starvation]
action = "mark"
[[entrant]]
name = "a"
args = ["a"]
[[entrant]]
name = "b"
"#;

pub(crate) fn a_machine_whose_pairs_are_unlike_the_others_is_told_of_and_set_aside_on_request() {
    let sandbox = Sandbox::with("m.toml", TIMED);
    sandbox.write_program("engine", HASTY);
    let server = Server::open(&sandbox);
    let url = server.url();
    let _sound = workers(&sandbox, &url, 2);
    let _slow = Running::start(worker(&sandbox, &url, "slow", 1).env("SLOW", "1"));
    let mut session = coordinator(&sandbox, &["match", "m.toml"], &url);
    let output = || output_of(&sandbox, "session");
    wait_until("it is reported", || output().contains("worker slow stands out: its ") || session.is_over());
    let status = sandbox.spar(&["fleet", "status", "--nats", &url]).exits(0).stdout;
    assert!(status.contains("stands out: its pairs are unlike the others'"), "{status}\n{}", output());
    let ask = |worker: &str, run: &str| {
        sandbox.spar(&["fleet", "set-aside", worker, run, "--why", "too slow", "--nats", &url])
    };
    assert!(ask("slow", "other").exits(2).stderr.contains("there are: m"));
    let done = ask("slow", "m").exits(0).stderr;
    assert!(done.contains("Worker slow is set aside"), "{done}");
    assert!(ask("slow", "m").exits(2).stderr.contains("is set aside already"));
    ends_well(&sandbox, &mut session);
    assert!(output().contains("worker slow is set aside: too slow"), "{}", output());
    assert!(
        output().contains("pairs that worker slow played or checked are withdrawn, and played again"),
        "{}",
        output()
    );
    assert_eq!((played_by(&sandbox, "slow"), pairs(&sandbox)), (0, 300));
    assert!(!output().contains("worker w1") && !output().contains("worker w2"), "{}", output());
}
