//! Runs of engine processes that do not end as planned: the runner is killed or stopped, an engine is rebuilt. No
//! finished pair is lost or repeated, no process is left behind, and a long run leaks nothing.

use crate::support::{Outcome, Sandbox, at_once, example, signal, wait, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::Child;

/// A match of two random movers that takes very long.
const MATCH: &str = r#"
name = "i"
game = "chess"
concurrency = 4
[match]
pairs = 100000
[each]
cmd = "./engine"
limit = "100 nodes"
start_within = "2min"
answer_within = "2min"
[[entrant]]
name = "one"
[[entrant]]
name = "two"
args = ["--seed", "2"]
"#;

const RUN: &str = "match-i-1";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("i.toml", MATCH);
    std::fs::copy(example("random_mover"), sandbox.path("engine")).expect("a copy");
    sandbox
}

/// Starts the match, and waits until some pairs are played.
fn start(sandbox: &Sandbox) -> Child {
    start_with(sandbox, &[])
}

fn start_with(sandbox: &Sandbox, options: &[&str]) -> Child {
    let spar = sandbox.start(&[&["match", "i.toml"], options].concat());
    sandbox.wait_for_pairs(RUN, 3);
    spar
}

fn export(sandbox: &Sandbox) -> String {
    sandbox.spar(&["export", RUN, "--jsonl"]).exits(0).stdout
}

/// Resumes the match for 24 pairs, and checks that each pair is stored once and unchanged.
fn can_be_resumed(sandbox: &Sandbox) {
    let before = export(sandbox);
    let kept = before.lines().count() as u64;
    assert!(kept >= 3);
    let limit = format!("match.pairs={}", kept + 24);
    let done = sandbox.spar(&["resume", RUN, "--set", &limit, "--json"]).exits(0).json();
    assert_eq!((&done["pairs"], &done["verdict"]), (&(kept + 24).into(), &"complete".into()));
    let after = export(sandbox);
    let numbers: Vec<u64> = after.lines().map(number).collect();
    assert_eq!(numbers, (1..=kept + 24).collect::<Vec<_>>());
    assert!(after.starts_with(&before), "what was played stays as it was");
    sandbox.is_deserted();
}

fn number(line: &str) -> u64 {
    let pair: Value = serde_json::from_str(line).expect("JSON");
    pair["pair"].as_u64().expect("a number")
}

#[test]
#[ignore = "slow"]
fn kill_nine_of_a_match_of_64_processes_leaves_none_and_loses_nothing() {
    let sandbox = sandbox();
    let mut spar = start_with(&sandbox, &["--concurrency", "32"]);
    let engines = || sandbox.processes().iter().filter(|command| command.contains("engine\0")).count();
    wait_until("64 engines play", || engines() >= 64);
    spar.kill().expect("a match that is running");
    assert_eq!(wait(spar).code, None, "killed");
    sandbox.is_deserted();
    can_be_resumed(&sandbox);
}

#[test]
#[ignore = "slow"]
fn a_stopped_match_ends_in_order() {
    at_once(["INT", "TERM"], |name| {
        let sandbox = sandbox();
        let spar = start(&sandbox);
        signal(&spar, name);
        let stopped = wait(spar).exits(130);
        assert!(stopped.stderr.contains("spar resume runs/match-i-1"), "{stopped:?}");
        sandbox.is_deserted();
        can_be_resumed(&sandbox);
    });
}

/// `timeout` sends one signal to the process and one to its group.
#[test]
#[ignore = "slow"]
fn two_signals_at_once_end_a_match_in_order() {
    let sandbox = sandbox();
    let spar = start(&sandbox);
    let pid = rustix::process::Pid::from_child(&spar);
    for _ in 0..2 {
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a match that is running");
    }
    let stopped = wait(spar).exits(130);
    assert!(stopped.stdout.contains("Unfinished: ") && stopped.stdout.contains("one vs two"), "{stopped:?}");
    assert!(stopped.stderr.contains("To resume: spar resume runs/match-i-1"), "{stopped:?}");
    sandbox.is_deserted();
    can_be_resumed(&sandbox);
}

/// Replaces the engine by another program as a linker does: atomically, under the same name.
fn replace_engine(sandbox: &Sandbox, content: &[u8]) {
    let (engine, other) = (sandbox.path("engine"), sandbox.path("other"));
    std::fs::write(&other, content).expect("a writable folder");
    let permissions = engine.metadata().expect("the engine").permissions();
    std::fs::set_permissions(&other, permissions).expect("a file of ours");
    std::fs::rename(other, engine).expect("one folder");
}

fn says_rebuilt(outcome: &Outcome, engine: &Path) {
    let message = format!("{} was rebuilt while it was in use: its SHA-256 was ", engine.display());
    assert!(outcome.stderr.contains(&message), "{outcome:?}");
    assert!(outcome.stderr.contains("spar resume runs/match-i-1"), "{outcome:?}");
}

#[test]
#[ignore = "slow"]
fn an_engine_rebuilt_in_mid_run_stops_the_run() {
    let sandbox = sandbox();
    let spar = start(&sandbox);
    let writing = std::fs::OpenOptions::new().write(true).open(sandbox.path("engine"));
    assert_eq!(writing.unwrap_err().kind(), std::io::ErrorKind::ExecutableFileBusy, "in place it cannot be rebuilt");
    let before = std::fs::read(sandbox.path("engine")).expect("the engine");
    replace_engine(&sandbox, &[&before[..], b"another build"].concat());
    let stopped = wait(spar).exits(3);
    says_rebuilt(&stopped, &sandbox.path("engine").canonicalize().expect("the engine"));
    sandbox.is_deserted();
    assert_eq!(sandbox.spar(&["show", RUN, "--json"]).exits(0).json()["faults"], serde_json::json!([0, 0]));

    let refused = sandbox.spar(&["resume", RUN]).exits(2);
    assert!(refused.stderr.contains("builds.0.process.sha256: "), "{refused:?}");
    replace_engine(&sandbox, &before);
    can_be_resumed(&sandbox);
}

/// The resources of a process: its open descriptors, its own memory in KiB, and the number of its zombie children.
#[derive(Debug)]
struct Holdings {
    descriptors: usize,
    memory: u64,
    zombies: usize,
}

impl Holdings {
    /// The resources of a running process.
    fn of(process: &Child) -> Self {
        let folder = Path::new("/proc").join(process.id().to_string());
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a process that runs");
        let status = read("status");
        let memory = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
        let memory = memory.trim().trim_end_matches(" kB").parse().expect("a number");
        let descriptors = folder.join("fd").read_dir().expect("its descriptors").count();
        Self { descriptors, memory, zombies: zombies_of(process.id()) }
    }
}

fn zombies_of(parent: u32) -> usize {
    let folders = Path::new("/proc").read_dir().expect("a list of processes").flatten();
    let is_zombie = |stat: &String| {
        let fields = stat.rsplit_once(") ").map(|(_, fields)| fields.split(' '));
        fields.is_some_and(|mut fields| fields.next() == Some("Z") && fields.next() == Some(&parent.to_string()))
    };
    folders.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok()).filter(is_zombie).count()
}

#[test]
#[ignore = "slow"]
fn a_thousand_processes_one_after_the_other_leave_nothing() {
    let sandbox = sandbox();
    let short = ["concurrency=2", "adjudication.max_moves=5", "each.restart='each-game'"];
    let settings = short.into_iter().flat_map(|setting| ["--set", setting]);
    let spar = sandbox.start(&["match", "i.toml"].into_iter().chain(settings).collect::<Vec<_>>());
    // A pair is two games with two processes each.
    sandbox.wait_for_pairs(RUN, 30);
    let early = Holdings::of(&spar);
    sandbox.wait_for_pairs(RUN, 280);
    let late = Holdings::of(&spar);
    signal(&spar, "INT");
    let _stopped = wait(spar).exits(130);
    sandbox.is_deserted();
    // Four engines with four descriptors each start and end.
    assert!(late.descriptors <= early.descriptors + 16, "{early:?} {late:?}");
    assert!(late.memory <= early.memory + 4 * 1024, "{early:?} {late:?}");
    assert!(late.zombies <= 4, "{early:?} {late:?}");
}
