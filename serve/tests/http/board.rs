//! The board over HTTP: positions by the rules, streamed search reports, and searches that end with their client.

use crate::support::{Answer, Served};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const SETUPS: [&str; 2] = ["AWNAADADAFFAADDA", "awnaadadaffaadda"];

fn ask(server: &Served, path: &str, body: &Value) -> (u16, Vec<Value>) {
    let answer = server.post_with(path, &body.to_string(), "");
    let lines = answer.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (answer.status, lines)
}

/// Starts a search of the longest time, a minute, and waits for its first line. `None` if no place is free.
fn think_on(server: &Served) -> Option<BufReader<TcpStream>> {
    let body = json!({ "game": { "moves": SETUPS } }).to_string();
    let mut stream = server.connect();
    let length = body.len();
    let head = format!(
        "POST /api/board/think HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \
            {length}\r\n\r\n"
    );
    stream.write_all((head + &body).as_bytes()).expect("a request");
    let mut lines = BufReader::new(stream);
    let status = Answer::head(&mut lines).expect("an answer").status;
    assert!(matches!(status, 200 | 503), "{status}");
    if status == 503 {
        return None;
    }
    let mut line = String::new();
    while !line.contains("\"depth\":") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "it thinks");
    }
    Some(lines)
}

#[test]
fn a_game_continues_from_its_moves_or_its_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::of(folder.path());
    let (status, answers) = ask(&server, "/api/board", &json!({}));
    assert_eq!((status, &answers[0]["phase"], &answers[0]["side"]), (200, &json!("setup"), &json!("red")));
    let mut moves: Vec<String> = SETUPS.map(str::to_owned).to_vec();
    // Ten plies of the engine; the board accepts each.
    for _ in 0..10 {
        let question = json!({ "game": { "moves": moves }, "effort": { "nodes": 200, "evaluation": "piece-square" } });
        let (status, found) = ask(&server, "/api/board/think", &question);
        let best = found.last().expect("an answer")["best"].as_str().expect("a move").to_owned();
        assert_eq!(status, 200);
        let (_, answers) = ask(&server, "/api/board", &json!({ "moves": moves }));
        assert!(answers[0]["moves"].as_array().expect("moves").iter().any(|mv| mv["text"] == best), "{best}");
        moves.push(best);
    }
    let (_, by_moves) = ask(&server, "/api/board", &json!({ "moves": moves }));
    let (_, by_text) = ask(&server, "/api/board", &json!({ "position": by_moves[0]["position"] }));
    for key in ["squares", "hands", "moves", "side", "plies"] {
        assert_eq!(by_moves[0][key], by_text[0][key], "{key}");
    }
}

#[test]
fn the_tree_search_lists_the_moves_that_it_visits_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::of(folder.path());
    let think = |search: &str| {
        let question = json!({ "game": { "moves": SETUPS }, "effort": { "nodes": 300, "search": search } });
        let (status, found) = ask(&server, "/api/board/think", &question);
        assert_eq!(status, 200, "{found:?}");
        found.last().expect("an answer").clone()
    };
    let [tree, alpha_beta] = ["mcts", "alpha-beta"].map(think);
    let shares = tree["shares"].as_array().expect("a list");
    assert!(shares.iter().any(|one| one["move"] == tree["best"]), "{tree}");
    assert!(shares.iter().all(|one| one["share"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share))), "{tree}");
    assert_ne!(tree["shares"], alpha_beta["shares"]);
}

#[test]
fn what_is_no_game_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::of(folder.path());
    for (path, body, says) in [
        ("/api/board", json!({ "moves": ["a1a2"] }), "ply 1, `a1a2`: "),
        ("/api/board", json!({ "position": "nonsense" }), "this is not a position: "),
        ("/api/board", json!({ "moves": vec!["a1a2"; 200] }), "a game has 102 plies at most"),
        ("/api/board", json!({ "squares": [] }), "this cannot be read: unknown field `squares`"),
        (
            "/api/board/think",
            json!({ "game": {}, "effort": { "evaluation": "oracle" } }),
            "unknown evaluation `oracle`",
        ),
        ("/api/board/think", json!({ "game": {}, "effort": { "search": "oracle" } }), "unknown search `oracle`"),
        ("/api/board/think", json!({ "game": {}, "effort": { "nodes": -1 } }), "this cannot be read: invalid value"),
    ] {
        let (status, answers) = ask(&server, path, &body);
        assert_eq!(status, 400, "{body}");
        assert!(answers[0]["error"].as_str().is_some_and(|error| error.starts_with(says)), "{body}: {}", answers[0]);
    }
    let body = json!({}).to_string();
    assert_eq!(server.post_with("/api/board", &body, "Origin: http://evil.example\r\n").status, 403);
}

#[test]
fn searches_are_bounded_and_end_with_their_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::of(folder.path());
    let short = json!({ "game": { "moves": SETUPS }, "effort": { "nodes": 10 } });
    let thinking = [think_on(&server), think_on(&server)];
    assert!(thinking.iter().all(Option::is_some), "there are two places");
    let (status, answers) = ask(&server, "/api/board/think", &short);
    assert_eq!(status, 503, "{answers:?}");
    drop(thinking);
    // Twelve more searches take six minutes in two places if they do not end with their clients.
    let deadline = Instant::now() + Duration::from_mins(2);
    for _ in 0..12 {
        while think_on(&server).is_none() {
            assert!(Instant::now() < deadline, "a search without a client continues");
            std::thread::yield_now();
        }
    }
    assert!(Instant::now() < deadline, "a search without a client continues");
}
