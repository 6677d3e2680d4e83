//! Faults of engines: matches of the misbehaving engine against the random mover, one for each mode.
//!
//! Every match must end by itself with all its pairs, blame the right side, report the fault, and leave no process.

use crate::support::{Outcome, Sandbox, example, wait};
use serde_json::{Value, json};
use std::process::Child;
use std::time::Duration;

/// A short match. The misbehaving engine is the first entrant, so it moves first in game 0 of each pair.
const MATCH: &str = r#"
name = "f"
game = "chess"
[match]
pairs = 2
[openings]
plies = 2
[adjudication]
max_moves = 5
[each]
limit = "100 nodes"
answer_within = "60s"
start_within = "60s"
[[entrant]]
name = "bad"
cmd = "misbehaving"
[[entrant]]
name = "good"
cmd = "random_mover"
"#;

const RUN: &str = "match-f-1";

/// A busy host may hold a late engine up for longer than it means to be late.
const PATIENT: &str = "each.overrun_within=60s";

/// Each pair is played once, even on a busy host.
const MARK: &str = "starvation.action=mark";

/// A match in progress.
struct Started {
    mode: &'static str,
    sandbox: Sandbox,
    spar: Child,
}

/// A match that is over.
struct Played {
    mode: &'static str,
    sandbox: Sandbox,
    outcome: Outcome,
}

fn config() -> String {
    with_engines(MATCH)
}

/// The configuration with the engines' paths.
fn with_engines(config: &str) -> String {
    let engines = ["misbehaving", "random_mover"].into_iter();
    engines.fold(config.to_owned(), |text, name| {
        text.replace(&format!("{name:?}"), &format!("'{}'", example(name).display()))
    })
}

/// Starts a match of an engine that plays one good move and then does `mode`; `more` are further arguments.
fn start(config: &str, mode: &'static str, more: &[&str]) -> Started {
    let sandbox = Sandbox::new();
    sandbox.write("f.toml", config);
    let engine = format!("entrant.bad.args=[{mode:?}, '--after', '1', '--delay', '300']");
    let mut arguments = vec!["match", "f.toml", "--json", "--concurrency", "2", "--set", &engine];
    arguments.extend(more);
    let spar = sandbox.start(&arguments);
    Started { mode, sandbox, spar }
}

impl Started {
    /// Waits for the match to end, and checks for leftovers.
    fn end(self) -> Played {
        let Self { mode, sandbox, spar } = self;
        let outcome = wait(spar);
        sandbox.is_deserted();
        Played { mode, sandbox, outcome }
    }
}

impl Played {
    /// The pairs of the journal, which must be complete.
    fn pairs(&self, count: u64) -> Vec<Value> {
        let Self { mode, outcome, sandbox } = self;
        assert_eq!(outcome.code, Some(0), "{mode}: {outcome:?}");
        let lines = sandbox.spar(&["export", RUN, "--jsonl", "--timings"]).exits(0).stdout;
        let pairs: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let numbers: Vec<u64> = pairs.iter().filter_map(|pair| pair["pair"].as_u64()).collect();
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{mode}");
        pairs
    }

    /// The faults that ended the games; the misbehaving engine lost all of them.
    fn lost_games(&self) -> Vec<Value> {
        let mut faults = Vec::new();
        for pair in self.pairs(2) {
            assert_eq!(pair["scores"], json!([0.0, 0.0]), "{}: {pair}", self.mode);
            for (game, side) in [(0, "first"), (1, "second")] {
                let ending = &pair["games"][game]["ending"];
                assert_eq!(ending["loser"], side, "{}: {pair}", self.mode);
                faults.push(ending["fault"].clone());
            }
        }
        assert_eq!(self.outcome.json()["faults"], json!([4, 0]), "{}", self.mode);
        faults
    }

    /// The wall time that the misbehaving engine took in each game.
    fn times(&self) -> Vec<Duration> {
        let pairs = self.pairs(2);
        let thinking = |pair: &Value, game: usize, side| pair["times"]["thinking"][game][side].clone();
        let times = pairs.iter().flat_map(|pair| [thinking(pair, 0, "first"), thinking(pair, 1, "second")]);
        times.map(|time| serde_json::from_value(time).expect("a duration")).collect()
    }

    /// The list of the match's faults.
    fn faults(&self) -> Vec<Value> {
        let listed = self.sandbox.spar(&["show", RUN, "--faults", "--json"]).exits(0).json();
        listed.as_array().expect("a list").clone()
    }

    /// The process ids of the misbehaving engine.
    fn processes(&self) -> Vec<String> {
        let trace = std::fs::read_to_string(self.sandbox.path("trace.txt")).expect("a trace");
        let numbers = trace.lines().filter_map(|line| line.split_once("< info string pid ")).map(|(_, pid)| pid);
        numbers.map(str::to_owned).collect()
    }
}

#[test]
#[ignore = "slow"]
fn a_fault_loses_the_game_and_the_match_continues() {
    let within_a_second = ["--set", "entrant.bad.answer_within=1s"];
    let cases = [
        ("crash", json!({ "crash": "exited with status 3: misbehaving: crash" })),
        ("segfault", json!({ "crash": "killed by SIGSEGV" })),
        ("illegal", json!({ "illegal-move": "a1b8" })),
        ("null", json!({ "illegal-move": "0000" })),
        ("garbage", json!({ "illegal-move": "xyzzy" })),
        // The move counts. The runner notices the end of the engine when it should make the next move.
        ("no-newline", json!({ "crash": "exited with status 0" })),
        ("hang", json!({ "silence": { "after": { "secs": 1, "nanos": 0 } } })),
        ("flood", json!({ "silence": { "after": { "secs": 1, "nanos": 0 } } })),
    ];
    let config = config();
    let more = |mode| if matches!(mode, "hang" | "flood") { &within_a_second[..] } else { &[] };
    let started = cases.map(|(mode, fault)| (start(&config, mode, more(mode)), fault));
    for (match_, fault) in started {
        let played = match_.end();
        assert_eq!(played.lost_games(), vec![fault; 4], "{}", played.mode);
        let standing = played.outcome.json();
        assert_eq!(standing["excused"], json!([0, 0]), "{}: {standing}", played.mode);
    }
}

#[test]
#[ignore = "slow"]
fn what_is_odd_is_borne() {
    let modes = [
        "none",
        "ignores-quit",
        "ignores-eof",
        "no-newline-stays",
        "huge-line",
        "two-bestmoves",
        "no-info",
        "slow-start",
        "late-output",
        "stderr-flood",
        "spawns-grandchild",
    ];
    let config = config();
    let started = modes.map(|mode| start(&config, mode, &[]));
    for played in started.map(Started::end) {
        for pair in played.pairs(2) {
            for game in [0, 1] {
                assert_eq!(pair["games"][game]["ending"]["adjudicated"], "max-plies", "{}: {pair}", played.mode);
            }
        }
        assert_eq!(played.outcome.json()["faults"], json!([0, 0]), "{}", played.mode);
    }
}

#[test]
fn moves_that_come_some_milliseconds_late_lose_no_game() {
    let config = config();
    let started = ["0", "1", "3", "20"].map(|delay| {
        let arguments = format!("entrant.bad.args=['late-output', '--after', '1', '--delay', '{delay}']");
        start(&config, "late-output", &["--set", &arguments, "--set", "adjudication.max_moves=100"])
    });
    for played in started.map(Started::end) {
        assert_eq!(played.pairs(2).len(), 2);
        assert_eq!(played.outcome.json()["faults"], json!([0, 0]), "{:?}", played.outcome);
    }
}

#[test]
fn an_engine_that_will_not_leave_is_not_waited_for() {
    let Started { sandbox, spar, .. } = start(&config(), "ignores-eof", &["--trace", "trace.txt"]);
    let _played = wait(spar).exits(0);
    // The last line of the trace is the last line to an engine.
    let written = sandbox.path("trace.txt").metadata().and_then(|trace| trace.modified()).expect("a trace");
    assert!(written.elapsed().expect("a clock") < Duration::from_mins(1));
    sandbox.is_deserted();
}

#[test]
fn a_late_move_loses_at_the_deadline_by_what_it_was_late() {
    let config = config();
    // The other engine has no clock, and this one enough time for its first move on a busy host.
    let limits = ["entrant.bad.limit=2s a move", "entrant.bad.limit=2s"];
    let started = limits.map(|limit| start(&config, "late", &["--set", limit, "--set", PATIENT, "--set", MARK]));
    for (played, limit) in started.map(Started::end).into_iter().zip(limits) {
        for fault in played.lost_games() {
            let over: Duration = serde_json::from_value(fault["time"]["over"].clone()).expect("an overrun");
            // It answers 300 ms after its time is over, up to the millisecond resolution of that time.
            assert!(over >= Duration::from_millis(298), "{limit}: {over:?}");
            assert!(over <= Duration::from_mins(10), "{limit}: {over:?}");
        }
        for fault in played.faults() {
            // The times of the traced lines, which are independent of the referee, agree.
            let over = fault["fault"]["time"]["over"].clone();
            let over: Duration = serde_json::from_value(over).expect("an overrun");
            let (go, bestmove) = (last_said(&fault, "> go "), last_said(&fault, "< bestmove "));
            assert!(fault["what"].as_str().is_some_and(|what| what.starts_with("overran its time by ")), "{fault}");
            assert!(!limit.ends_with("a move") || (bestmove - go - 2.0 - over.as_secs_f64()).abs() < 5.0, "{fault}");
        }
    }
}

/// The time when a line with this beginning was last printed, in seconds.
fn last_said(fault: &Value, start: &str) -> f64 {
    let lines = fault["evidence"].as_str().expect("evidence").lines();
    let time = lines.rev().find_map(|line| line.split_once(start)).expect("such a line").0;
    time.trim().parse().expect("a time")
}

#[test]
fn faults_are_listed_with_the_last_lines_of_the_engine() {
    let config = config();
    let [crash, none] = ["crash", "none"].map(|mode| start(&config, mode, &[])).map(Started::end);
    let text = crash.sandbox.spar(&["show", RUN, "--faults"]).exits(0).stdout;
    let first = "game 1.1: bad, moving first, crashed: exited with status 3: misbehaving: crash\n";
    assert!(text.starts_with(first), "{text}");
    for line in [" > go nodes 100\n", " < bestmove ", " ! misbehaving: crash\n", "game 2.2: bad, moving second, "] {
        assert!(text.contains(line), "{line:?}: {text}");
    }
    assert_eq!(crash.faults().len(), 4);
    let summary = crash.sandbox.spar(&["show", RUN]).exits(0).stdout;
    assert!(summary.contains("bad lost 4 games by fault: see `spar show runs/match-f-1 --faults`"), "{summary}");
    let text = none.sandbox.spar(&["show", RUN, "--faults"]).exits(0).stdout;
    assert_eq!(text, "No game was lost by a fault.\n");
}

#[test]
#[ignore = "slow"]
fn a_hung_engine_with_a_clock_is_given_up_in_two_seconds_and_restarted() {
    let config = config();
    let hung = start(&config, "hang", &["--set", "each.limit=1s", "--set", MARK, "--trace", "trace.txt"]);
    let flood = start(&config, "flood", &["--set", "each.limit=1s", "--set", MARK]);
    let [hung, flood] = [hung, flood].map(Started::end);
    for played in [&hung, &flood] {
        for (fault, time) in played.lost_games().into_iter().zip(played.times()) {
            let after: Duration = serde_json::from_value(fault["silence"]["after"].clone()).expect("a deadline");
            assert!(after <= Duration::from_millis(1_010), "{}: {after:?}", played.mode);
            assert!(time >= after && time <= after + Duration::from_mins(1), "{}: {time:?}", played.mode);
        }
    }
    let mut processes = hung.processes();
    processes.sort_unstable();
    processes.dedup();
    assert_eq!(processes.len(), 4, "one for each game, the first of which was tried before: {processes:?}");
}
