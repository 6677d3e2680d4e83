//! Tests of the server over real HTTP: its answers, its restarts, and its refusals.

mod analysis;
mod board;
mod control;
mod described;
mod fuzz;
mod jobs;
mod machines;
mod operations;
mod support;

use arena::config::Job;
use serde_json::{Value, json};
use serve::{Limits, ServeError, Server, Settings, SettingsError, Worker, Workers};
use session::ReadRun;
use std::io::{BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{Answer, Events, MATCH, PATIENCE, PROMPTLY, Served, TEST, play, runs};

#[test]
fn runs_are_shown_as_the_library_computes_them() {
    let server = Served::of(runs());
    let all = server.all_read(2);
    for row in all["runs"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let path = runs().join(name);
        let read = ReadRun::open(&path).unwrap();
        let standing = read.experiment.standing();
        let summary = read.summary(&path, &standing);
        let detail = server.get(&format!("/api/runs/{name}")).json();
        for (key, expected) in summary.json().as_object().unwrap() {
            if key != "run" {
                assert_eq!(&detail[key], expected, "{name}: {key}");
            }
        }
        assert!(detail.get("run").is_none(), "its folder is private");
        assert_eq!(
            (row["state"].as_str(), row["says"].as_str()),
            (Some("finished"), Some(&*summary.verdict_in_words()))
        );
        assert_eq!(row["units"], json!(standing.pairs));
        let series = server.get(&format!("/api/runs/{name}/series")).json();
        let elo = series["series"].as_array().unwrap().iter().find(|series| series["name"] == "elo").unwrap();
        let last = elo["points"].as_array().unwrap().last().unwrap();
        assert_eq!((last[0].as_f64(), &last[1]), (Some(standing.pairs as f64), &detail["elo"]), "{name}");
    }
    assert_eq!(server.get("/api/runs/unknown").status, 404);
}

#[test]
fn reports_games_and_exports_are_those_of_the_library() {
    let server = Served::of(runs());
    server.all_read(2);
    let of = |path: &str| server.get(&format!("/api/runs/match-two-1/{path}"));
    let games = of("games?from=2&count=3").json();
    let names: Vec<_> = games["games"].as_array().unwrap().iter().map(|game| game["game"].as_str().unwrap()).collect();
    assert_eq!(names, ["2.1", "2.2", "3.1", "3.2", "4.1", "4.2"]);
    let game = of("games/3.2").json();
    assert_eq!((game["place"].as_str(), &game["result"]), (Some("3.2"), &games["games"][3]["result"]));
    assert_eq!(game["plies"].as_array().unwrap().len() as u64, games["games"][3]["plies"].as_u64().unwrap());
    let all = of("export/games.pgn").text();
    let pgn = of("games/3.2.pgn");
    let written = pgn.text();
    assert!(written.contains("[Round \"3.2\"]") && written.matches("[Event ").count() == 1, "{written}");
    assert!(all.contains(written.trim_end()), "as the export has it: {written}");
    assert!(pgn.headers["content-disposition"].contains("match-two-1-3.2.pgn"), "{:?}", pgn.headers);
    assert_eq!([of("games/99.1.pgn").status, of("games/x.pgn").status], [404, 400]);
    assert_eq!([of("games/99.1").status, of("games/1.3").status, of("games/0.1").status], [404, 400, 400]);
    assert_eq!(of("games?from=99999999999999999999").status, 400);
    // Each game is won by one side or drawn.
    let count = |query: &str| of(&format!("games?count=200&{query}")).json()["games"].as_array().unwrap().len();
    let by_result = ["win", "draw", "loss"].map(|result| count(&format!("result={result}")));
    assert_eq!((by_result.iter().sum::<usize>(), count("")), (24, 24), "{by_result:?}");
    let lost = count(&format!("result=loss&entrant={}", games["entrants"][1].as_str().unwrap()));
    assert_eq!((lost, games["done"].as_bool()), (by_result[0], Some(true)));
    let refused = of("games?result=won");
    assert_eq!((refused.status, refused.text().contains("result=`won`: expected win, draw or loss")), (400, true));
    assert_eq!(of("games?from=18446744073709551615&count=18446744073709551615").json()["games"], json!([]));

    let (journal, mut exported) =
        (arena::run::RunFolder::open_journal(&runs().join("match-two-1")).unwrap(), Vec::new());
    let mut experiment = plan::jobs::experiment(&journal.header().unwrap().config).unwrap();
    let (format, timings) = (arena::run::JsonLines, arena::run::Timings::Omit);
    arena::run::export(&journal, experiment.as_mut(), &format, timings, &mut exported).unwrap();
    assert_eq!(of("export/pairs.jsonl").body, exported);
    assert_eq!(of("export/games.pgn").text().matches("[Event ").count(), 24);
    assert_eq!(of("export/games.exe").status, 404);

    let report = of("report/report.html");
    assert!(
        report.text().starts_with("<!DOCTYPE html>") && report.headers["content-security-policy"].contains("sandbox")
    );
    assert_eq!(of("report/report.json").json()["units"], json!(12));
    assert!(of("report/plots/pairs.svg").text().starts_with("<svg"));
    assert_eq!(of("report/plots/pairs.png").status, 404, "nothing draws it");
    assert_eq!(of("report/plots/none.svg").status, 404);
    let sections = of("sections").json();
    assert!(sections["sections"]["numbers"].as_str().unwrap().contains("<table"), "{sections}");

    let compared = server.get("/api/compare?runs=match-two-1,sprt-quick-1").json();
    let paths: Vec<_> =
        compared["differences"].as_array().unwrap().iter().map(|d| d["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"name") && paths.contains(&"job") && !paths.contains(&"seed"), "{paths:?}");
    for (query, status) in [("", 400), ("runs=match-two-1", 400), ("runs=match-two-1,unknown", 404)] {
        assert_eq!(server.get(&format!("/api/compare?{query}")).status, status, "{query}");
    }
}

const THREE: &str = r#"
name = "three"
[match]
pairs = 20
schedule = "round-robin"
[[entrant]]
name = "one"
limit = "60 nodes"
table = "64 KiB"
[[entrant]]
name = "two"
player = "random"
[[entrant]]
name = "three"
player = "random"
"#;

const TUNE: &str = r#"
name = "values"
[tune]
pairs = 6
[tune.verify]
enabled = false
[[tune.parameter]]
name = "optimism"
[[entrant]]
name = "engine"
limit = "20 nodes"
table = "64 KiB"
"#;

#[test]
fn ratings_of_more_than_two_end_where_the_run_stands() {
    let folder = tempfile::tempdir().unwrap();
    let name = play(THREE, Job::Match, folder.path());
    let server = Served::of(folder.path());
    server.all_read(1);
    let detail = server.get(&format!("/api/runs/{name}")).json();
    let series = server.get(&format!("/api/runs/{name}/series")).json();
    let rated = detail["rated"].as_array().unwrap();
    assert_eq!(rated.len(), 3);
    for one in rated {
        let called = format!("rating {}", one["name"].as_str().unwrap());
        let course = series["series"].as_array().unwrap().iter().find(|series| series["name"] == *called).unwrap();
        let points = course["points"].as_array().unwrap();
        let last = points.last().unwrap();
        assert_eq!((last[0].as_f64(), &last[1], &last[2]), (Some(60.0), &one["elo"], &one["elo_low"]));
        let pairs: Vec<f64> = points.iter().map(|point| point[0].as_f64().unwrap()).collect();
        assert!(pairs.len() > 10 && pairs.is_sorted_by(|one, next| one < next), "{pairs:?}");
    }
    let mean: f64 = rated.iter().map(|one| one["elo"].as_f64().unwrap()).sum();
    assert!(mean.abs() < 1e-6, "they are about their mean: {mean}");
    // Two entrants have one difference, and no ratings.
    let two = Served::of(runs());
    two.all_read(2);
    assert_eq!(two.get("/api/runs/match-two-1").json()["rated"], Value::Null);
}

#[test]
fn configurations_and_logs_of_runs_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let [tuned, two] = [play(TUNE, Job::Tune, folder.path()), play(MATCH, Job::Match, folder.path())];
    let server = Served::of(folder.path());
    server.all_read(2);
    let of = |run: &str, path: &str| server.get(&format!("/api/runs/{run}/{path}"));
    assert_eq!(of(&two, "config").json()["files"], json!(["config.toml"]));
    assert_eq!(of(&two, "config/config.toml").text(), MATCH);
    assert_eq!(of(&tuned, "config").json()["files"], json!(["config.toml", "test.toml"]));
    let test =
        plan::load(&of(&tuned, "config/test.toml").text(), "a test", "test", &[], Job::Sprt, plan::Disk).unwrap();
    assert_eq!(test.run.entrants.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["tuned", "start"]);
    for (run, file) in [(&two, "test.toml"), (&two, "bisection.toml"), (&tuned, "bisection.toml"), (&two, "other")] {
        assert_eq!(of(run, &format!("config/{file}")).status, 404, "{run} {file}");
    }
    let log = of(&two, "log").json();
    let says: Vec<&str> = log["entries"].as_array().unwrap().iter().map(|one| one["says"].as_str().unwrap()).collect();
    assert!(matches!(says[..], [end, began] if end.contains("12 pairs played") && began.contains("Began on")), "{log}");
    assert_eq!((&log["faults"], &log["more_faulty"]), (&json!([]), &json!(0)));
    let conditions = of(&two, "sections?of=conditions").json();
    assert!(conditions["sections"]["conditions"].as_str().unwrap().contains("session began"), "{conditions}");
    assert!(conditions["sections"].get("numbers").is_none());
    let all = of(&two, "sections").json();
    assert_eq!(all["sections"]["conditions"], conditions["sections"]["conditions"]);
    let report = of(&two, "sections?of=report").json();
    assert_eq!(
        (&report["sections"]["numbers"], report["sections"].get("conditions")),
        (&all["sections"]["numbers"], None)
    );
    assert_eq!(of(&two, "sections?of=all").status, 400);
}

#[test]
fn a_new_run_is_published_and_a_client_that_was_cut_off_gets_what_it_missed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::of(folder.path());
    let id = server.wait_for("/api/runs", |all| all["runs"] == json!([]))["id"].as_str().unwrap().to_owned();
    let mut events = Events::of(&server, "/api/events", Some(&id));
    let name = play(TEST, Job::Sprt, folder.path());
    let first = events.next().unwrap();
    assert_eq!((first.kind.as_str(), first.data["name"].as_str()), ("run", Some(name.as_str())));
    drop(events);
    server.wait_for("/api/runs", |all| all["runs"][0]["state"] == "finished");

    // Missed events come first, and at once.
    let mut again = Events::of(&server, "/api/events", Some(&id));
    let mut answer = again.next().unwrap();
    while answer.data["state"] != "finished" {
        answer = again.next().unwrap();
    }
    assert_eq!(answer.data["verdict"], "accepted-h1");
    let mut own = Events::of(&server, &format!("/api/runs/{name}/events?after={id}"), None);
    let mut detail = own.next().unwrap();
    while detail.data["state"] != "finished" {
        detail = own.next().unwrap();
    }
    assert!(detail.data["pairings"].is_array(), "everything in numbers: {}", detail.data);

    std::fs::remove_dir_all(folder.path().join(&name)).unwrap();
    let gone = again.next().unwrap();
    assert_eq!((gone.kind.as_str(), gone.data["name"].as_str()), ("gone", Some(name.as_str())));

    // An id of another server, or a future id.
    for unknown in ["1-1".to_owned(), format!("{}9999", gone.id), "nonsense".to_owned()] {
        let reset = Events::of(&server, "/api/events", Some(&unknown)).next().unwrap();
        assert_eq!(reset.kind, "reset", "{unknown}");
        assert_eq!(server.get("/api/runs").json()["id"].as_str(), Some(reset.id.as_str()));
    }
}

#[test]
fn a_server_that_ends_ends_its_streams_and_another_takes_its_place() {
    let server = Served::of(runs());
    let id = server.all_read(2)["id"].as_str().unwrap().to_owned();
    let events = Events::of(&server, "/api/events", Some(&id));
    assert!(server.stop() < PROMPTLY);
    assert!(events.ends_in_order(), "it is cut off");
    let next = Served::of(runs());
    assert_eq!(Events::of(&next, "/api/events", Some(&id)).next().unwrap().kind, "reset");
}

#[test]
fn names_are_looked_up_and_never_made_into_paths() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("runs");
    play(MATCH, Job::Match, &inside);
    // A run outside the folder, and a secret beside it.
    play(MATCH, Job::Match, folder.path());
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let server = Served::of(&inside);
    server.all_read(1);
    let up = [
        "..",
        "../match-two-1",
        "..%2fmatch-two-1",
        "%2e%2e%2fmatch-two-1",
        "%2e%2e",
        ".",
        "%2fetc%2fpasswd",
        "match-two-1%00",
    ];
    let up =
        up.iter().chain(&["match-two-1%2f..%2fmatch-two-1", "..\\match-two-1", "%c0%ae%c0%ae%2fmatch-two-1", "%ff"]);
    for name in up {
        for path in ["", "/series", "/games", "/export/games.csv", "/report/report.html", "/events"] {
            let answer = server.get(&format!("/api/runs/{name}{path}"));
            assert!(matches!(answer.status, 400 | 404), "{name}{path}: {} {}", answer.status, answer.text());
        }
    }
    for file in [
        "../../secret.txt",
        "%2e%2e/secret.txt",
        "plots/../../journal.sqlite",
        "journal.sqlite",
        "config.toml",
        "plots/",
        "",
    ] {
        let answer = server.get(&format!("/api/runs/match-two-1/report/{file}"));
        assert_eq!(answer.status, 404, "{file}: {}", answer.text());
    }
    for file in ["../Cargo.toml", "%2e%2e%2fCargo.toml", "app.css%00", ""] {
        assert_eq!(server.get(&format!("/assets/{file}")).status, 404, "{file}");
    }
    assert!(server.get("/api/compare?runs=match-two-1,..%2fmatch-two-1").status == 404);
}

#[test]
fn requests_that_are_too_large_or_broken_are_refused_and_the_server_continues() {
    let server = Served::of(runs());
    let ask = |line: &str, more: &str| server.raw(format!("{line}\r\nHost: localhost\r\n{more}\r\n").as_bytes()).status;
    assert_eq!(ask(&format!("GET /api/runs?{} HTTP/1.1", "x".repeat(5000)), ""), 414);
    assert!(matches!(ask(&format!("GET /{} HTTP/1.1", "x".repeat(1 << 20)), ""), 0 | 414 | 431));
    assert!(matches!(ask("GET / HTTP/1.1", &format!("X: {}\r\n", "y".repeat(1 << 20))), 0 | 431));
    assert!(matches!(ask("GET / HTTP/1.1", &"X: y\r\n".repeat(5000)), 0 | 431));
    assert_eq!(ask("GET /api/runs HTTP/1.1", "Content-Length: 99999999999\r\n"), 413);
    assert_eq!(ask("GET /api/runs HTTP/1.1", "Transfer-Encoding: chunked\r\n"), 413);
    assert_eq!(ask("GET / HTTP/1.1", "Content-Length: 1\r\n"), 413);
    assert_eq!(ask("GET /api/board HTTP/1.1", "Content-Length: 1\r\n"), 405);
    assert_eq!(ask("POST /api/runs HTTP/1.1", "Content-Type: application/json\r\nContent-Length: 0\r\n"), 405);
    assert_eq!(ask("POST /api/runs HTTP/1.1", "Content-Type: text/plain\r\nContent-Length: 0\r\n"), 405);
    assert_eq!(
        ask("POST /api/board HTTP/1.1", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"),
        411
    );
    assert_eq!(ask("POST /api/board HTTP/1.1", "Content-Type: text/plain\r\nContent-Length: 0\r\n"), 415);
    assert_eq!(ask("POST /api/board HTTP/1.1", "Content-Type: application/json\r\nContent-Length: 262144\r\n"), 413);
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        assert_eq!(ask(&format!("{method} /api/runs HTTP/1.1"), ""), 405, "{method}");
    }
    for nonsense in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ] {
        assert!(matches!(server.raw(nonsense).status, 0 | 400), "{nonsense:?}");
    }
    assert_eq!(server.raw(b"GET /api/runs HTTP/1.1\r\n\r\n").status, 421, "no host");
    assert_eq!(server.raw(b"GET /api/runs HTTP/1.1\r\nHost: evil.example:8099\r\n\r\n").status, 421);
    assert_eq!(server.get("/api/runs").status, 200);
}

#[test]
fn slow_clients_are_closed_and_places_are_bounded() {
    let limits = Limits { connections: 3, head_within: Duration::from_millis(300), ..Limits::default() };
    let server = Served::with(runs(), None, limits);
    // A client that sends half a head, and waits.
    let mut slow = server.connect();
    slow.write_all(b"GET /api/runs HTTP/1.1\r\nHost: local").unwrap();
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).expect("closed within the deadline");
    assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
    // A client that is silent after its first answer. On a busy machine the request itself may arrive too late.
    let deadline = std::time::Instant::now() + PATIENCE;
    let mut answer = Vec::new();
    while !answer.starts_with(b"HTTP/1.1 200") {
        assert!(std::time::Instant::now() < deadline, "{}", String::from_utf8_lossy(&answer));
        answer.clear();
        let mut idle = server.connect();
        if idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").is_ok() {
            let _closed_within_the_deadline = idle.read_to_end(&mut answer);
        }
    }
    // Clients that listen to events keep their places as long as they like, and their number is limited.
    let id = server.all_read(2)["id"].as_str().unwrap().to_owned();
    let mut held = Vec::new();
    while held.len() < 3 {
        // Places of earlier requests may still be taken for a moment.
        held.extend(Events::ask(&server, "/api/events", Some(&id)));
        assert!(std::time::Instant::now() < deadline, "{} places", held.len());
    }
    assert_eq!(server.get("/healthz").status, 0, "no place is left");
    drop(held);
    while server.get("/healthz").status != 200 {
        assert!(std::time::Instant::now() < deadline, "places that were left are taken again");
        std::thread::yield_now();
    }
}

#[test]
fn silent_connections_lock_no_client_out() {
    let never = Duration::from_mins(10);
    let server =
        Served::with(runs(), None, Limits { connections: 8, silent_each: 6, head_within: never, ..Limits::default() });
    let half =
        b"POST /api/board HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    let silent: Vec<_> = (0..30)
        .map(|number| {
            let mut stream = server.connect();
            // Nothing, half a head, or half of a body.
            let sent: &[u8] = [&b""[..], b"GET / HT", half][number % 3];
            stream.write_all(sent).unwrap();
            assert_eq!(server.get("/healthz").status, 200, "after {number} silent connections");
            stream
        })
        .collect();
    assert_eq!(server.get("/healthz").status, 200);
    drop(silent);
}

/// Returns a run whose exports exceed the buffers between a server and a client that does not read.
fn long() -> &'static std::path::Path {
    static RUNS: std::sync::LazyLock<tempfile::TempDir> = std::sync::LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        play(&MATCH.replace("12", "4000"), Job::Match, folder.path());
        folder
    });
    RUNS.path()
}

#[test]
fn unread_exports_block_neither_reports_nor_other_exports() {
    let server = Served::with(long(), None, Limits { taken_within: Duration::from_mins(10), ..Limits::default() });
    server.all_read(1);
    let path = "/api/runs/match-two-1/export/pairs.json";
    let unread: Vec<_> = (0..5)
        .map(|_| {
            let mut stream = server.connect_narrowly();
            stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
            let mut head = [0; 12];
            stream.read_exact(&mut head).unwrap();
            assert_eq!(&head, b"HTTP/1.1 200");
            stream
        })
        .collect();
    assert_eq!(server.get("/api/runs/match-two-1/report/report.json").status, 200);
    let whole = server.get(path);
    assert!(
        whole.status == 200 && whole.body.len() > 4_000_000 && whole.json()["pairs"].as_array().unwrap().len() == 4000
    );
    drop(unread);
}

#[test]
fn the_report_of_a_run_that_took_another_s_place_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let played = |seed: u32| play(&format!("seed = {seed}\n{MATCH}"), Job::Match, folder.path());
    let run = played(1);
    let server = Served::of(folder.path());
    let first = server.all_read(1)["runs"][0].clone();
    let report = |server: &Served| server.get(&format!("/api/runs/{run}/report/report.json")).json();
    let sections = |server: &Served| server.get(&format!("/api/runs/{run}/sections")).json();
    let before = (report(&server), sections(&server));
    std::fs::remove_dir_all(folder.path().join(&run)).unwrap();
    assert_eq!(played(2), run);
    // The server may have looked for it while it did not exist.
    server.all_read(1);
    let now = (report(&server), sections(&server));
    let other = Served::of(folder.path());
    other.all_read(1);
    assert_eq!(now, (report(&other), sections(&other)));
    assert_ne!(now, before);
    // It counts as another run even if everything that is shown is the same.
    server.wait_for("/api/runs", |all| {
        let run = &all["runs"][0];
        run["state"] == "finished" && run["edition"] != first["edition"]
    });
}

#[test]
fn a_result_that_leaves_out_pairs_notes_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = play(MATCH, Job::Match, folder.path());
    let path = folder.path().join(&run).join("journal.sqlite");
    let mut journal = arena::run::Journal::open(&path).unwrap();
    let mut header = journal.header().unwrap();
    let arena::config::ExperimentConfig::Match { pairs, .. } = &mut header.config.experiment else { panic!("a match") };
    *pairs = 5.try_into().unwrap();
    journal.set_pair_limit(&header).unwrap();
    drop(journal);
    let server = Served::of(folder.path());
    let answer = server.all_read(1)["runs"][0].clone();
    assert_eq!((&answer["units"], &answer["cut"]), (&json!(5), &json!([5, 12])));
    for says in [&answer["says"], &server.get(&format!("/api/runs/{run}/report/report.json")).json()["says"]] {
        assert!(says.as_str().unwrap().contains("The result is cut at 5 of 12"), "{says}");
    }
}

#[test]
fn listening_to_everybody_needs_a_token() {
    let settings = Settings { listen: ([0, 0, 0, 0], 0).into(), ..Settings::local(runs()) };
    let refused = Server::bind(settings).expect_err("every host could read the runs");
    assert!(matches!(refused, ServeError::Settings(SettingsError::Open { .. })));
    assert!(refused.to_string().contains("--token-file"), "{refused}");
    let token = "0123456789abcdef";
    let server = Served::with(runs(), Some(token), Limits::default());
    for (given, status) in [
        ("", 401),
        ("Authorization: Bearer wrong-wrong-wrong-wrong\r\n", 401),
        ("Authorization: Bearer 0123456789abcde\r\n", 401),
        ("Authorization: Basic 0123456789abcdef\r\n", 401),
        ("Authorization: Bearer 0123456789abcdef\r\n", 200),
        ("Cookie: token=0123456789abcdef\r\n", 401),
    ] {
        for path in ["/api/runs", "/api/runs/match-two-1/report/report.md", "/api/nothing"] {
            let expected = if status == 200 && path == "/api/nothing" { 404 } else { status };
            let answer = server.get_with(path, given);
            let says =
                if answer.status == 401 { answer.json()["error"].as_str().unwrap().to_owned() } else { String::new() };
            assert_eq!(
                says.starts_with("wrong token"),
                answer.status == 401 && given.contains("Bearer"),
                "{given}: {says}"
            );
            // The server may not have looked at the runs yet.
            assert!(answer.status == expected || status == 200 && answer.status == 404, "{path} {given}: {answer:?}");
        }
    }
    let page = server.get("/");
    assert_eq!(page.status, 200, "pages hold nothing of runs");
    assert!(!page.text().contains("match-two"));
}

#[test]
fn a_token_is_read_from_a_file_of_one_s_own() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let read = || serve::Tokens::read(&path);
    assert!(matches!(read(), Err(SettingsError::Unreadable { .. })));
    std::fs::write(&path, "0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    assert!(matches!(read(), Err(SettingsError::Shared { .. })));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(read().unwrap().len(), 1);
    std::fs::write(&path, "short\n").unwrap();
    assert!(matches!(read(), Err(SettingsError::Short { .. })));
}

#[test]
fn a_change_of_the_token_file_holds_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let [ann, ben] = ["ann:look", "ben:look"].map(|person| {
        let person = person.parse().unwrap();
        (serve::Tokens::add(&path, &person).unwrap(), std::fs::read_to_string(&path).unwrap())
    });
    let server = Served::by(Settings { tokens: Some(serve::Tokens::read(&path).unwrap()), ..Settings::local(runs()) });
    let status = |token: &str| server.get_with("/api/runs", &format!("Authorization: Bearer {token}\r\n")).status;
    let now = || [status(&ann.0), status(&ben.0)];
    assert_eq!(now(), [200, 200]);
    // Ben's line is removed, the file is made invalid and then deleted, and another file takes its place.
    std::fs::write(&path, &ann.1).unwrap();
    assert_eq!(now(), [200, 401]);
    std::fs::write(&path, format!("{}ben look", ann.1)).unwrap();
    assert_eq!(now(), [200, 401]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(now(), [401, 401]);
    let cleo = serve::Tokens::add(&path, &"cleo:look".parse().unwrap()).unwrap();
    assert_eq!((now(), status(&cleo)), ([401, 401], 200));
}

#[test]
fn pages_load_nothing_from_elsewhere_and_are_sent_once() {
    let server = Served::of(runs());
    let mut wanted = vec!["/".to_owned(), "/runs/match-two-1".to_owned(), "/compare?runs=a,b".to_owned()];
    let mut seen = 0;
    while let Some(path) = wanted.pop() {
        seen += 1;
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        for (name, value) in
            [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY")]
        {
            assert_eq!(answer.headers.get(name).map(String::as_str), Some(value), "{path}");
        }
        let policy = &answer.headers["content-security-policy"];
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("unsafe") && !policy.contains("http"),
            "{policy}"
        );
        let tag = &answer.headers["etag"];
        let same = server.get_with(&path, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((same.status, same.body.len()), (304, 0), "{path}");
        let compressed = server.get_with(&path, "Accept-Encoding: br, gzip\r\n");
        assert_eq!(compressed.headers["content-encoding"], "gzip");
        assert!(compressed.body.starts_with(&[0x1f, 0x8b]) && compressed.body.len() <= answer.body.len() + 32);
        let text = answer.text();
        if answer.headers["content-type"].starts_with("text/html") {
            assert!(!text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick="), "{path}");
            let loaded = text.split(['"']).filter(|part| part.starts_with("/assets/")).map(str::to_owned);
            wanted.extend(loaded);
            for script in text.split("<script").skip(1) {
                assert!(
                    script.trim_start().starts_with("src=") || script.contains("src=\"/assets/"),
                    "{path}: {script}"
                );
            }
        }
    }
    assert!(seen > 12, "{seen} files");
}

#[test]
fn folders_without_a_readable_run_are_reported_and_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("empty", &b""[..]), ("foreign", b"not a journal at all, but long enough to be looked at"), ("a <b>&\"", b"")]
    {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("journal.sqlite"), bytes).unwrap();
    }
    std::fs::write(folder.path().join("file"), "").unwrap();
    let server = Served::of(folder.path());
    let all = server.all_read(3);
    assert!(all["runs"].as_array().unwrap().iter().all(|run| run["state"] == "unreadable"), "{all}");
    assert_eq!(server.get("/api/runs/empty/series").status, 500);
    assert_eq!(server.get("/api/runs/empty/report/report.html").status, 500);
    let missing = Served::of(&folder.path().join("not-there"));
    assert_eq!(missing.get("/api/runs").json()["runs"], Value::Array(Vec::new()));
}

#[test]
fn answers_of_one_connection_come_in_turn() {
    let server = Served::of(runs());
    let mut stream = server.connect();
    stream
        .write_all(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD / HTTP/1.1\r\nHost: \
        localhost\r\nConnection: close\r\n\r\n",
        )
        .unwrap();
    let mut stream = BufReader::new(stream);
    let first = Answer::head(&mut stream).unwrap();
    let mut body = [0; 3];
    stream.read_exact(&mut body).unwrap();
    assert_eq!((first.status, &body), (200, b"ok\n"));
    assert_eq!(Answer::head(&mut stream).unwrap().status, 200);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty(), "a head alone");
}

#[test]
fn workers_of_a_fleet_are_listed_or_the_reason_why_not() {
    let alone = Served::of(runs());
    assert_eq!(alone.get("/api/fleet").json(), json!({ "fleet": false }));
    let is_lost = Arc::new(AtomicBool::new(false));
    let lost = Arc::clone(&is_lost);
    let says = vec!["is given no pairs by test: it lies".to_owned()];
    let (name, host, spar) = ("east".to_owned(), "pine".to_owned(), "0.1.0".to_owned());
    let east =
        Worker { name, host, spar, is_heard: true, cores: 8, busy: 6, pairs: 1234, rate: 2.5, ..Worker::default() };
    let east = Worker { residual: Some(-0.5), says, ..east };
    let mut answer = json!(east);
    (answer["away"], answer["heard_unix_ms"]) = (json!(false), Value::Null);
    let workers = Workers::new(move || {
        if lost.load(Ordering::Relaxed) { Err("the server is away".to_owned()) } else { Ok(vec![east.clone()]) }
    });
    let server = Served::by(Settings { workers: Some(workers), ..Settings::local(runs()) });
    let all = server.wait_for("/api/fleet", |answer| answer["workers"].is_array());
    assert_eq!(all, json!({ "fleet": true, "steered": false, "workers": [answer], "count": 1 }));
    let mut events = Events::of(&server, "/api/events", None);
    is_lost.store(true, Ordering::Relaxed);
    while events.next().expect("an event").kind != "workers" {}
    let answer = server.get("/api/fleet").json();
    assert_eq!((&answer["error"], &answer["count"]), (&json!("the server is away"), &json!(0)));
    assert_eq!((&answer["workers"][0]["name"], &answer["workers"][0]["away"]), (&json!("east"), &json!(true)));
}
