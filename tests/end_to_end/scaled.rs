//! Time controls that are scaled to the host's speed.

use crate::support::{Outcome, Sandbox, example};
use std::os::unix::fs::PermissionsExt;

/// An engine whose bench prints the content of the file `speed`.
fn sandbox(speed: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let mover = example("random_mover");
    let script = format!("#!/bin/sh\n[ \"$1\" = bench ] && . ./speed\nexec {} \"$@\"\n", mover.display());
    sandbox.write("x", &script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("x"), mode).expect("a file of ours");
    sandbox.write("speed", speed);
    sandbox
}

fn bench(nps: u64) -> String {
    format!("echo 'Nodes/second : {nps}'; exit 0\n")
}

/// A match of one pair, with more keys.
fn file(keys: &str) -> String {
    format!(
        "name = 't'\ngame = 'chess'\n{keys}\n[match]\npairs = 1\n[openings]\nplies = 40\n[adjudication]\nmax_moves = \
            22\n[[entrant]]\n\
         name = 'x'\ncmd = './x'\nlimit = '10s+1s'\n[[entrant]]\nname = 'y'\nplayer = 'random'\n"
    )
}

const AUTO: &str = "tc_scale = 'auto'\nbench = { engine = 'x', nps = 1_000_000 }";

/// The first clocks that were sent to engines.
fn first_go(sandbox: &Sandbox, trace: &str) -> String {
    let trace = std::fs::read_to_string(sandbox.path(trace)).expect("a trace");
    let go = trace.lines().find_map(|line| line.split_once("> go ")).expect("a search").1;
    go.to_owned()
}

#[test]
fn clocks_are_scaled_to_each_host_and_the_scale_is_shown() {
    let sandbox = sandbox(&bench(500_000));
    sandbox.write("t.toml", &file(AUTO));
    let outcome = sandbox.spar(&["match", "t.toml", "--trace", "a", "--concurrency", "2"]).exits(0);
    let message =
        "Time controls are multiplied by 2.000 on this host: \"x\" searches 500,000 nodes/s here, and 1,000,000 on the";
    assert!(outcome.stderr.contains(message), "{outcome:?}");
    assert!(first_go(&sandbox, "a").contains("time 20000") && first_go(&sandbox, "a").contains("inc 2000"));
    // The same run on a host that is four times as fast.
    sandbox.write("speed", &bench(2_000_000));
    let more = ["resume", "runs/match-t-1", "--set", "match.pairs=2", "--trace", "b"];
    let _played = sandbox.spar(&more).exits(0);
    assert!(first_go(&sandbox, "b").contains("time 5000"), "{}", first_go(&sandbox, "b"));
    let shown = sandbox.spar(&["show", "runs/match-t-1"]).exits(0).stdout;
    for factor in ["× 2.000, by 500,000 nodes/s on ", "; × 0.500, by 2,000,000"] {
        assert!(shown.contains(factor), "{shown}");
    }
    let json = sandbox.spar(&["show", "runs/match-t-1", "--json"]).exits(0).json();
    let scale = &json["time_scale"];
    assert_eq!(scale["to"]["bench"]["nps"], 1_000_000, "{scale}");
    assert_eq!(scale["hosts"][1]["scale"]["factor"], 0.5, "{scale}");
    let page = std::fs::read_to_string(sandbox.path("runs/match-t-1/report.html")).expect("a page");
    assert!(page.contains("scaled to a host on which") && page.contains("2.000, by 500,000 nodes/s"));
    // The run's identity does not depend on the host.
    let exported = sandbox.spar(&["export", "runs/match-t-1", "--pgn"]).exits(0).stdout;
    assert!(exported.contains("TimeControl \"10+1\"") || exported.contains("\"10+1\""), "{exported}");
    sandbox.is_deserted();
}

#[test]
fn a_factor_may_be_given_for_each_host() {
    let sandbox = sandbox("exit 9\n");
    sandbox.write("t.toml", &file("tc_scale = 1.5"));
    let _played = sandbox.spar(&["match", "t.toml", "--trace", "a"]).exits(0);
    assert!(first_go(&sandbox, "a").contains("time 15000"));
    let _played = sandbox
        .spar(&["resume", "runs/match-t-1", "--set", "match.pairs=2", "--set", "tc_scale=3", "--trace", "b"])
        .exits(0);
    assert!(first_go(&sandbox, "b").contains("time 30000"));
    sandbox.write("u.toml", &file(AUTO));
    let _played = sandbox.spar(&["match", "u.toml", "--tc-scale", "0.5", "--trace", "c"]).exits(0);
    assert!(first_go(&sandbox, "c").contains("time 5000"));
    let typed =
        ["match", "--engine", "cmd=./x", "name=x", "--engine", "cmd=./x", "name=y", "--tc", "10", "--pairs", "1"];
    let scaled = ["--plies", "40", "--tc-scale", "auto", "--bench-nps", "9", "--bench-engine", "y", "--trace", "d"];
    sandbox.write("speed", &bench(3));
    let _played =
        sandbox.spar(&[typed.as_slice(), scaled.as_slice(), &["--set", "adjudication.max_moves=22"]].concat()).exits(0);
    assert!(first_go(&sandbox, "d").contains("time 30000"));
}

#[test]
fn a_bench_that_tells_nothing_is_an_error_before_there_is_a_run() {
    let fails = |speed: &str, keys: &str| -> Outcome {
        let sandbox = sandbox(speed);
        sandbox.write("t.toml", &file(keys));
        let outcome = sandbox.spar(&["match", "t.toml", "--concurrency", "1"]).exits(2);
        assert!(!sandbox.path("runs/match-t-1").exists(), "{outcome:?}");
        sandbox.is_deserted();
        outcome
    };
    let slow = "tc_scale = 'auto'\nbench = { engine = 'x', nps = 9, within = '50ms' }";
    for (speed, keys, why) in [
        ("echo no nodes; exit 0\n", AUTO, "`./x bench` printed no nodes a second\n  no nodes"),
        (&bench(0), AUTO, "says that it does 0 nodes a second"),
        ("echo 7 nps; exit 4\n", AUTO, "failed (exit status: 4)"),
        ("sleep 60 & wait\n", slow, "did not end within 50ms"),
        (&bench(1), AUTO, "the factor 1000000.0000 is not from 0.01"),
    ] {
        let outcome = fails(speed, keys);
        assert!(outcome.stderr.contains(why), "{why}: {outcome:?}");
    }
}
