//! Calls each operation of the interface once, and checks its answer and who may call it.

use crate::analysis::played;
use crate::described::operations;
use crate::support::{Answer, Events, MATCH, Served, leave, play};
use arena::config::Job;
use serde_json::{Value, json};
use serve::{Person, Settings, Tokens};
use std::collections::BTreeSet;

const PEOPLE: [(&str, &str); 5] = [
    ("lee:look", "the token of lee"),
    ("ann:start:2", "the token of ann"),
    ("ben:start", "the token of ben"),
    ("sam:steer", "the token of sam"),
    ("ada:admin", "the token of ada"),
];

/// Returns the line of a head with a user's token.
fn line_of(name: &str) -> String {
    format!("Authorization: Bearer the token of {name}\r\n")
}

/// Starts a server of runs for all these users.
fn served(runs: &std::path::Path) -> Served {
    let people = PEOPLE.map(|(person, token)| (person.parse::<Person>().expect("a person"), token));
    Served::by(Settings { control: Some(leave()), tokens: Some(Tokens::of(people)), ..Settings::local(runs) })
}

fn post(server: &Served, who: &str, path: &str, body: &Value) -> Answer {
    server.post_with(path, &body.to_string(), &line_of(who))
}

/// Returns a match that is longer than any test.
fn long() -> String {
    MATCH.replace("\"two\"", "\"long\"").replace("12", "1000000")
}

#[test]
fn each_operation_is_called_and_answers_as_described() {
    let (folder, run) = played();
    let server = served(folder.path());
    let run_is_read = |all: &Value| all["runs"][0]["state"] == "finished";
    server.wait_as("ada", "/api/runs", run_is_read);
    let of_run = |rest: &str| format!("/api/runs/{run}{rest}");
    let held = post(&server, "sam", "/api/control/hold", &json!({ "hold": true }));
    let started = post(&server, "ann", "/api/control/start", &json!({ "toml": MATCH, "priority": 3 }));
    let id = started.json()["id"].as_u64().expect("a number");
    let actions = server.get_with("/api/control/done", &line_of("ada"));
    let hash = actions.json()["done"][0]["sha256"].as_str().expect("a hash").to_owned();
    let get = |path: &str| server.get_with(path, &line_of("ada"));
    let admin = |path: &str, body: Value| post(&server, "ada", path, &body);
    let compared = format!("/api/compare?runs={run},{run}");
    let question = json!({ "ply": 0, "entrant": "scripted", "time_ms": 1 });
    let board = json!({ "game": { "moves": ["AWNAADADAFFAADDA", "awnaadadaffaadda"] }, "effort": { "nodes": 50 } });
    let resume = admin(&of_run("").replace("/api/", "/api/control/"), json!({ "do": "limit", "to": 1 }));
    let answers = [
        ("describe", 200, get("/api/openapi.json")),
        ("fleet", 200, get("/api/fleet")),
        ("listRuns", 200, get("/api/runs")),
        ("readRun", 200, get(&of_run(""))),
        ("runSeries", 200, get(&of_run("/series"))),
        ("runSections", 200, get(&of_run("/sections"))),
        ("listGames", 200, get(&of_run("/games?from=1&count=1"))),
        ("readGame", 200, get(&of_run("/games/1.2"))),
        ("analyseGame", 200, admin(&of_run("/games/1.1/think"), question)),
        ("watchGames", 200, get(&of_run("/live"))),
        ("exportRun", 200, get(&of_run("/export/games.csv"))),
        ("reportRun", 200, get(&of_run("/report/report.json"))),
        ("listJobs", 200, get("/api/jobs")),
        // Existing jobs are read in the tests that start jobs.
        ("readJob", 404, get("/api/jobs/none")),
        ("reportJob", 404, get("/api/jobs/none/report.html")),
        ("compareRuns", 200, get(&compared)),
        ("fleetHistory", 200, get("/api/fleet/history")),
        ("steerWorker", 404, admin("/api/control/workers/none", json!({ "do": "pause" }))),
        ("readLog", 200, get(&of_run("/log"))),
        ("listConfigurations", 200, get(&of_run("/config"))),
        ("readConfiguration", 200, get(&of_run("/config/config.toml"))),
        ("readDocument", 200, admin("/api/control/read", json!({ "toml": MATCH }))),
        ("board", 200, admin("/api/board", json!({}))),
        ("analyseBoard", 200, admin("/api/board/think", board)),
        ("control", 200, get("/api/control")),
        ("configurationKeys", 200, get("/api/control/schema")),
        ("listActions", 200, actions),
        ("readStarted", 200, get(&format!("/api/control/started/{hash}"))),
        ("check", 200, admin("/api/control/check", json!({ "toml": MATCH }))),
        ("start", 200, started),
        ("hold", 200, held),
        ("changeQueue", 200, admin(&format!("/api/control/queue/{id}"), json!({ "do": "withdraw" }))),
        ("order", 200, resume),
    ];
    let mut called: BTreeSet<&str> = ["events", "runEvents"].into();
    for (name, status, answer) in answers {
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
        called.insert(name);
    }
    for path in ["/api/events".to_owned(), of_run("/events")] {
        let mut events = Events::as_who(&server, &path, Some("1-1"), &line_of("ada")).expect("an answer");
        assert_eq!(events.next().expect("an event").kind, "reset");
    }
    let all: BTreeSet<&str> = operations().filter_map(|(_, _, operation)| operation["operationId"].as_str()).collect();
    assert_eq!(called, all, "the operations that are called here, and those that there are");
}

#[test]
fn refusals_of_every_kind_are_described_json() {
    let folder = tempfile::tempdir().expect("a folder");
    play(MATCH, Job::Match, folder.path());
    let server = Served::of(folder.path());
    server.all_read(1);
    for (path, status) in [
        ("/api/runs/%ff", 400),
        ("/api/runs/match-two-1/games?from=x", 400),
        ("/api/events?after=1&after=2", 400),
        ("/api/compare", 400),
        ("/api/runs/none", 404),
        ("/api/none", 404),
        ("/api/board", 405),
        ("/none", 404),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.json()["error"].as_str().is_some_and(|why| !why.is_empty()), "{path}: {}", answer.text());
    }
    assert_eq!(server.get("/api/board").headers["allow"], "POST");
}

#[test]
fn each_right_allows_what_it_says_and_includes_those_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = served(folder.path());
    assert_eq!(post(&server, "sam", "/api/control/hold", &json!({ "hold": true })).status, 200);
    let start = json!({ "toml": long() });
    let names = ["lee", "ann", "sam", "ada"];
    let statuses = |ask: &dyn Fn(&str) -> u16| names.map(ask);
    assert_eq!(statuses(&|who| server.get_with("/api/runs", &line_of(who)).status), [200; 4]);
    assert_eq!(statuses(&|who| post(&server, who, "/api/control/check", &start).status), [403, 200, 200, 200]);
    assert_eq!(statuses(&|who| post(&server, who, "/api/control/start", &start).status), [403, 200, 200, 200]);
    let hold = json!({ "hold": true });
    assert_eq!(statuses(&|who| post(&server, who, "/api/control/hold", &hold).status), [403, 403, 200, 200]);
    let stop = json!({ "do": "stop" });
    assert_eq!(statuses(&|who| post(&server, who, "/api/control/runs/none", &stop).status), [403, 403, 409, 409]);
    let first = json!({ "do": "priority", "to": 1 });
    assert_eq!(statuses(&|who| post(&server, who, "/api/control/queue/1", &first).status), [403, 403, 200, 200]);
    let text = |who: &str| server.get_with("/api/control/started/none", &line_of(who)).status;
    assert_eq!(statuses(&text), [403, 403, 403, 404]);
    // The message names the missing right, and the answer the user's own.
    let refused = post(&server, "ann", "/api/control/hold", &hold).json();
    let says = refused["error"].as_str().expect("words");
    assert!(says.contains("this needs the right `steer`, and ann has `start`"), "{says}");
    let you = |who: &str| server.get_with("/api/control", &line_of(who)).json()["you"].clone();
    assert_eq!(you("ann"), json!({ "name": "ann", "right": "start" }));
    // A user may withdraw their own entries, but not those of others.
    let withdraw = json!({ "do": "withdraw" });
    let withdrawn = |who: &str, id: u64| post(&server, who, &format!("/api/control/queue/{id}"), &withdraw).status;
    assert_eq!(withdrawn("ann", 99), 404, "there is none that could be another one's");
    assert_eq!(
        [withdrawn("ann", 2), withdrawn("ben", 1), withdrawn("ann", 1), withdrawn("sam", 2)],
        [403, 403, 200, 200]
    );
}

#[test]
fn a_person_has_no_more_runs_in_the_queue_than_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = served(folder.path());
    let start = |who: &str, key: &str| {
        let answer = post(&server, who, "/api/control/start", &json!({ "toml": long(), "key": key }));
        (answer.status, answer.json())
    };
    assert_eq!(
        [start("ann", "1").0, start("ann", "2").0, start("ann", "1").0],
        [200; 3],
        "the same again is not a third"
    );
    let (status, refused) = start("ann", "3");
    assert_eq!((status, &refused["error"]), (409, &json!("ann may have 2 runs in the queue, and has as many")));
    assert_eq!(start("ben", "4").0, 200, "others may");
    server.wait_as("ada", "/api/control", |told| told["playing"]["run"] == "match-long-1");
    assert_eq!(start("ann", "3").0, 409, "one that plays counts");
    assert_eq!(post(&server, "ann", "/api/control/queue/1", &json!({ "do": "withdraw" })).status, 200);
    server.wait_as("ada", "/api/control", |told| told["ended"].as_array().is_some_and(|ended| ended.len() == 1));
    assert_eq!(start("ann", "3").0, 200);
}

#[test]
fn the_log_says_who_started_what_and_keeps_its_text_over_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = served(folder.path());
    assert_eq!(post(&server, "ann", "/api/control/start", &json!({ "toml": MATCH })).status, 200);
    server.wait_as("lee", "/api/control", |told| told["ended"][0]["run"] == "match-two-1");
    let row = |server: &Served| {
        let all = server.wait_as("lee", "/api/runs", |all| {
            // The queue stores the name at the start, and the list shows it at its next look.
            all["runs"][0]["state"] == "finished" && all["runs"][0]["started_by"].is_string()
        });
        all["runs"][0].clone()
    };
    assert_eq!(row(&server)["started_by"], "ann");
    assert_eq!(server.get_with("/api/runs/match-two-1", &line_of("lee")).json()["started_by"], "ann");
    drop(server);
    let server = served(folder.path());
    assert_eq!(row(&server)["started_by"], "ann");
    let done = |who: &str| server.get_with("/api/control/done", &line_of(who)).json()["done"].clone();
    let all = done("ada");
    let queued = all.as_array().expect("a list").iter().find(|one| one["who"] == "ann").expect("what ann did");
    assert_eq!((&queued["did"], &queued["from"]), (&json!("queued 1: start two, priority 0"), &json!("127.0.0.1")));
    let hash = queued["sha256"].as_str().expect("a hash");
    let text = server.get_with(&format!("/api/control/started/{hash}"), &line_of("ada")).json();
    assert_eq!(text, json!({ "toml": MATCH }));
    let began =
        all.as_array().expect("a list").iter().find(|one| one["did"] == "began 1: start two").expect("its start");
    assert_eq!((&began["asked_by"], &began["sha256"]), (&json!("ann"), &queued["sha256"]));
    let words = done("lee");
    assert!(words[0]["did"].is_string() && words.to_string().find("127.0.0.1").is_none(), "{words}");
    for (path, text) in [("audit.jsonl", "the token"), ("queue.json", "the token")] {
        let kept = std::fs::read_to_string(folder.path().join(".serve").join(path)).expect("a file");
        assert!(!kept.contains(text), "{path} has no token");
    }
}
