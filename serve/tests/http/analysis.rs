//! Analysis of positions of games by engines of their runs: the reports arrive while the engines search.

use crate::support::{Answer, KNOWN, MATCH, PROMPTLY, Served, play, runs};
use arena::config::Job;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Reports a search of the start of chess. With five minutes it reports once at the start, and then is silent until it
/// is stopped.
const ENGINE: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    uci) echo "id name scripted"; echo uciok ;;
    isready) echo readyok ;;
    "go movetime 300000") echo "info depth 1 score cp 5 pv d2d4" ;;
    go*)
      echo "info depth 1 seldepth 1 score cp 10 nodes 20 pv e2e4"
      echo "info depth 2 multipv 2 score cp 9 nodes 50 pv d2d4"
      echo "info string visits e2e4 41 d2d4 9"
      echo "info depth 2 multipv 1 score cp 31 nodes 70 pv e2e4 e7e5 g1f3 nonsense"
      echo "bestmove e2e4" ;;
    quit) exit ;;
  esac
done
"#;

/// Returns a folder with a match of this engine against random moves.
pub(crate) fn played() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("scripted");
    write_program(&program, ENGINE);
    let text = format!(
        "name = \"two\"\ngame = \"chess\"\n[match]\npairs = 1\n[openings]\nsource = \"start\"\n[[entrant]]\nname = \
            \"scripted\"\ncmd = {:?}\n\
         limit = \"10 nodes\"\n[[entrant]]\nname = \"random\"\nplayer = \"random\"\n",
        program.display().to_string()
    );
    let name = play(&text, Job::Match, folder.path());
    (folder, name)
}

pub(crate) fn write_program(path: &Path, text: &str) {
    let mut file = std::fs::File::create(path).expect("a file");
    file.write_all(text.as_bytes()).expect("it is written");
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).expect("its owner");
}

fn ask(server: &Served, run: &str, game: &str, asked: &Value) -> (u16, Vec<Value>) {
    let answer = server.post(&format!("/api/runs/{run}/games/{game}/think"), asked);
    let lines = answer.text();
    (answer.status, lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

#[test]
fn an_engine_says_what_it_thinks_of_a_position_and_its_line_can_be_followed() {
    let (folder, run) = played();
    let server = Served::controlled(folder.path());
    let run_row = server.wait_for(&format!("/api/runs/{run}"), |run| run["state"] == "finished");
    assert_eq!(run_row["analysts"], json!(["scripted"]), "a random player has no analysis");
    let (status, found) = ask(&server, &run, "1.1", &json!({ "ply": 0, "entrant": "scripted", "time_ms": 1000 }));
    assert_eq!(status, 200, "{found:?}");
    let last = found.last().expect("an answer");
    assert_eq!((&last["best"], &last["score"], &last["depth"]), (&json!("e4"), &json!("+0.31"), &json!(2)));
    let moves: Vec<String> =
        last["line"].as_array().expect("a line").iter().map(|step| format!("{} {}", step["n"], step["m"])).collect();
    assert_eq!(moves, ["\"1.\" \"e4\"", "\"1...\" \"e5\"", "\"2.\" \"Nf3\""]);
    // From e2 to e4, row by row from the top left.
    assert_eq!(last["line"][0]["c"], json!([[36, "P"], [52, null]]));
    assert!(
        found.iter().all(|one| one["depth"] != 2 || one["score"] == "+0.31"),
        "of several lines the first: {found:?}"
    );
    assert!(found.contains(&json!({ "remark": "visits e2e4 41 d2d4 9" })), "{found:?}");
    let did = server.get_with("/api/control/done", KNOWN).json();
    let (did, program) = (&did["done"][0], &did["done"][0]["programs"][0]);
    assert!(did["did"].as_str().is_some_and(|words| words.ends_with(": asked about game 1.1")), "{did}");
    assert!(program["of"] == "scripted" && program["sha256"].as_str().is_some_and(|hash| hash.len() == 64), "{did}");

    // An engine that has changed since then gets a note.
    write_program(&folder.path().join("scripted"), &ENGINE.replace("cp 31", "cp 32"));
    let (_, found) = ask(&server, &run, "1.1", &json!({ "ply": 0, "entrant": "scripted" }));
    assert_eq!(found[0], json!({ "note": "scripted was rebuilt since this game" }));
    assert_eq!(found.last().expect("an answer")["score"], "+0.32");
}

#[test]
fn what_cannot_be_asked_is_refused_in_words() {
    let (folder, run) = played();
    let server = Served::controlled(folder.path());
    let asked = |game: &str, ply: u64, entrant: &str| {
        let (status, found) = ask(&server, &run, game, &json!({ "ply": ply, "entrant": entrant }));
        (status, found[0]["error"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(asked("1.1", 0, "nobody"), (400, "this run has no entrant \"nobody\"".to_owned()));
    assert_eq!(asked("1.1", 0, "random"), (400, "random is not an engine process".to_owned()));
    assert_eq!(asked("7.1", 0, "scripted"), (400, "there is no game 7.1".to_owned()));
    assert_eq!(asked("one", 0, "scripted").0, 400);
    let (status, why) = asked("1.1", 5000, "scripted");
    assert!(status == 400 && why.starts_with("game 1.1 has "), "{why}");
    std::fs::remove_file(folder.path().join("scripted")).expect("it is there");
    let (status, why) = asked("1.1", 0, "scripted");
    assert!(status == 400 && why.contains("scripted"), "{why}");
    // Read-only clients cannot start programs.
    let shows = Served::of(runs());
    let path = "/api/runs/match-two-1/games/1.1/think";
    let answer = shows.post_with(path, &json!({ "ply": 0, "entrant": "a" }).to_string(), "");
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert!(MATCH.contains("\"a\""));
}

/// Asks for five minutes of thought, and waits for the first line. `None` if no place is free.
fn think_on(server: &Served, run: &str) -> Option<BufReader<TcpStream>> {
    let body = json!({ "ply": 0, "entrant": "scripted", "time_ms": 300_000 }).to_string();
    let mut stream = server.connect();
    let head = format!(
        "POST /api/runs/{run}/games/1.1/think HTTP/1.1\r\nHost: localhost\r\n{KNOWN}Content-Type: \
            application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("it listens");
    let mut answer = BufReader::new(stream);
    let status = Answer::head(&mut answer).expect("an answer").status;
    assert!(matches!(status, 200 | 503), "{status}");
    if status == 503 {
        return None;
    }
    let mut line = String::new();
    while !line.contains("\"d4\"") {
        line.clear();
        assert!(answer.read_line(&mut line).expect("a line") > 0, "it has something to say");
    }
    Some(answer)
}

#[test]
fn an_engine_without_a_listener_is_ended() {
    let (folder, run) = played();
    let server = Served::controlled(folder.path());
    // Well below the five minutes after which a search ends by itself.
    let deadline = Instant::now() + Duration::from_mins(2);
    // More often than there are places: a place is free again soon after its client has disconnected.
    for _ in 0..4 {
        while think_on(&server, &run).is_none() {
            assert!(Instant::now() < deadline, "places are not given back");
            std::thread::yield_now();
        }
    }
    assert!(Instant::now() < deadline, "places are not given back");
}

#[test]
fn a_server_that_ends_does_not_wait_for_an_engine_that_thinks() {
    let (folder, run) = played();
    let server = Served::controlled(folder.path());
    let _thinks = think_on(&server, &run).expect("a free place");
    assert!(server.stop() < PROMPTLY);
}
