//! Runs that are started and controlled over HTTP: they equal those started in a terminal, and need the token.

use crate::analysis::write_program;
use crate::support::{Events, KNOWN, MATCH, Served, TEST, TOKEN, leave, play};
use arena::config::Job;
use serde_json::{Value, json};
use serve::{Server, Settings, Tokens};
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns a match that is longer than any test.
fn long() -> String {
    MATCH.replace("\"two\"", "\"long\"").replace("12", "1000000")
}

fn start(server: &Served, toml: &str) -> u64 {
    let answer = server.post("/api/control/start", &json!({ "toml": toml }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["id"].as_u64().expect("a number")
}

fn order(server: &Served, run: &str, order: &Value) -> (u16, Value) {
    let answer = server.post(&format!("/api/control/runs/{run}"), order);
    (answer.status, answer.json())
}

fn units(server: &Served, run: &str) -> u64 {
    server.get_with(&format!("/api/runs/{run}"), KNOWN).json()["units"].as_u64().unwrap_or(0)
}

fn ended(server: &Served, count: usize) -> Value {
    server.wait_for("/api/control", |answer| answer["ended"].as_array().is_some_and(|ended| ended.len() == count))
}

/// Returns the actions in the log, the oldest first.
fn done(server: &Served) -> Vec<String> {
    let answer = server.get_with("/api/control/done", KNOWN).json();
    let did = |entry: &Value| entry["did"].as_str().expect("words").to_owned();
    answer["done"].as_array().expect("entries").iter().rev().map(did).collect()
}

fn exported(server: &Served, run: &str) -> String {
    server.all_read(2);
    server.get_with(&format!("/api/runs/{run}/export/pairs.jsonl"), KNOWN).text()
}

fn program_hash(program: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg(program).output().expect("sha256sum of the system");
    String::from_utf8_lossy(&output.stdout).split(' ').next().unwrap_or_default().to_owned()
}

/// Waits until a run has kept its number of pairs for longer than a look takes.
fn rests(server: &Served, run: &str) -> u64 {
    let (mut pairs, mut since) = (units(server, run), Instant::now());
    while since.elapsed() < Duration::from_millis(1500) {
        let now = units(server, run);
        if now != pairs {
            (pairs, since) = (now, Instant::now());
        }
    }
    pairs
}

#[test]
fn a_run_that_is_started_here_is_the_one_that_a_terminal_starts() {
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    for (toml, job) in [(MATCH, Job::Match), (TEST, Job::Sprt)] {
        play(toml, job, there.path());
    }
    let server = Served::controlled(here.path());
    start(&server, MATCH);
    start(&server, TEST);
    let other = Served::of(there.path());
    let answer = ended(&server, 2);
    assert!(answer["ended"].as_array().expect("ends").iter().all(|ended| ended["failed"] == false), "{answer}");
    for run in ["match-two-1", "sprt-quick-1"] {
        assert_eq!(exported(&server, run), exported(&other, run));
        let text = |runs: &Path| std::fs::read_to_string(runs.join(run).join("config.toml")).expect("a configuration");
        assert_eq!(text(here.path()), text(there.path()));
    }
    let done = done(&server);
    assert_eq!(done[0], "queued 1: start two, priority 0");
    assert!(done.iter().any(|did| did.starts_with("ended 2: start quick: ")), "{done:?}");
}

#[test]
fn configurations_are_refused_where_they_are_wrong() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    for (toml, line, says) in [
        ("name = 3", Some(1), "invalid type: integer `3`, expected a string"),
        ("[match]\npairs = 1\nelo0 = 2", Some(3), "unknown key `elo0`"),
        ("[match]\npairs = \"many\"", Some(2), "invalid type: string \"many\", expected a whole number, 0 or more"),
        ("[sprt]\n[match]", None, "the configuration asks for two things: `[sprt]` and `[match]`"),
        ("name = \"x\"", None, "the configuration does not say what is to be done"),
        ("[ladder]", None, "a job of several runs (`spar ladder`) cannot be started from here"),
        ("[match]\npairs = 1\n[[entrant]]\nplayer = \"random\"", Some(3), "an entrant needs a name"),
        (
            "executor = \"nats\"\n[match]\npairs = 1\n[each]\nplayer = \"random\"\n[[entrant]]\nname = \"a\"\n\
                [[entrant]]\nname = \"b\"",
            None,
            "runs of a fleet cannot be started from here yet",
        ),
        (
            "[match]\npairs = 1\n[[entrant]]\nname = \"a\"\ncmd = \"/no/such/engine\"\nprotocol = \"codecup\"\n\
                limit = \"1s\"\n[[entrant]]\nname = \"b\"\nplayer = \"random\"",
            None,
            "there is no program `/no/such/engine`",
        ),
        ("[match", Some(1), "unclosed table"),
    ] {
        for path in ["/api/control/check", "/api/control/start"] {
            let answer = server.post(path, &json!({ "toml": toml }));
            let body = answer.json();
            assert_eq!(answer.status, 400, "{toml}: {body}");
            assert_eq!(body["line"].as_u64(), line, "{toml}: {body}");
            assert!(body["error"].as_str().is_some_and(|error| error.contains(says)), "{toml}: {body}");
        }
    }
    let answer = server.get_with("/api/control", KNOWN).json();
    assert_eq!((&answer["queue"], &answer["playing"]), (&json!([]), &Value::Null));
}

#[test]
fn a_run_is_paused_slowed_down_stopped_and_resumed() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    start(&server, &long());
    let run = "match-long-1";
    let playing = |answer: &Value| answer["playing"]["run"] == run;
    server.wait_for("/api/control", playing);
    assert_eq!(server.get_with(&format!("/api/runs/{run}"), KNOWN).status, 200, "where it is named, it is there");
    server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"].as_u64() > Some(10));
    assert_eq!(order(&server, run, &json!({ "do": "pause" })).1["playing"]["paused"], true);
    // Pairs in flight arrive; nothing further begins.
    let before = rests(&server, run);
    assert_eq!(order(&server, run, &json!({ "do": "concurrency", "to": 1 })).1["playing"]["concurrency"], 1);
    assert_eq!(order(&server, run, &json!({ "do": "continue" })).1["playing"]["paused"], false);
    server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"].as_u64() > Some(before + 10));
    assert_eq!(order(&server, run, &json!({ "do": "resume" })).0, 409, "it plays");
    assert_eq!(order(&server, run, &json!({ "do": "stop" })).0, 200);
    let answer = ended(&server, 1);
    assert_eq!((&answer["ended"][0]["run"], &answer["playing"]), (&json!(run), &Value::Null));
    assert_eq!(order(&server, run, &json!({ "do": "pause" })).0, 409, "it is not being played");
    // After it is resumed, the run ends exactly at a new limit.
    let stopped = units(&server, run);
    assert_eq!(order(&server, run, &json!({ "do": "resume" })).0, 200);
    server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"].as_u64() > Some(stopped));
    // While paused, the run plays no more than this before the limit arrives, however busy the host is.
    assert_eq!(order(&server, run, &json!({ "do": "pause" })).0, 200);
    let limit = rests(&server, run) + 5000;
    assert_eq!(order(&server, run, &json!({ "do": "limit", "to": limit })).0, 200);
    // The run takes no orders for a moment: it stops, and is resumed with its limit.
    server.wait_for("/api/control", |_| order(&server, run, &json!({ "do": "continue" })).0 == 200);
    let answer = server.wait_for(&format!("/api/runs/{run}"), |answer| answer["state"] == "finished");
    assert_eq!(answer["units"].as_u64(), Some(limit));
    for (order_of, status) in [
        (json!({ "do": "limit", "to": 0 }), 400),
        (json!({ "do": "concurrency", "to": 0 }), 400),
        (json!({ "do": "explode" }), 400),
        (json!({}), 400),
    ] {
        assert_eq!(order(&server, run, &order_of).0, status, "{order_of}");
    }
    assert_eq!(order(&server, "no-such-run", &json!({ "do": "resume" })).0, 404);
}

#[test]
fn a_limit_below_what_was_played_is_refused() {
    let runs = tempfile::tempdir().expect("a folder");
    let run = play(MATCH, Job::Match, runs.path());
    let server = Served::controlled(runs.path());
    server.all_read(1);
    let limit = |to: u64| order(&server, &run, &json!({ "do": "limit", "to": to }));
    for few in [1, 11] {
        let (status, answer) = limit(few);
        let says = answer["error"].as_str().expect("words");
        assert!(status == 400 && says.starts_with("12 pairs were played already"), "{status} {says}");
    }
    assert_eq!(limit(u64::MAX).0, 400);
    assert_eq!(units(&server, &run), 12);
    assert_eq!(limit(13).0, 200);
    let answer = server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"] == 13);
    assert_eq!(answer["cut"], Value::Null);
    // The same for a run that plays.
    start(&server, &long());
    server.wait_for("/api/runs/match-long-1", |answer| answer["units"].as_u64() > Some(10));
    let (status, answer) = order(&server, "match-long-1", &json!({ "do": "limit", "to": 1 }));
    assert_eq!(status, 400, "{answer}");
    assert_eq!(server.get_with("/api/control", KNOWN).json()["playing"]["stopping"], false);
}

#[test]
fn pairs_that_end_while_a_limit_is_set_do_not_void_it() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    start(&server, &long());
    let run = "match-long-1";
    server.wait_for("/api/control", |answer| answer["playing"]["run"] == run);
    // The run continues though the queue is held.
    assert_eq!(server.post("/api/control/hold", &json!({ "hold": true })).status, 200);
    // A limit just above the present number of pairs: more is played before the run stops.
    let accepted = (0..).map(|tries| units(&server, run) + 1 + 10 * tries);
    let limit = accepted.into_iter().find(|to| order(&server, run, &json!({ "do": "limit", "to": to })).0 == 200);
    let answer = server.wait_for(&format!("/api/runs/{run}"), |answer| answer["state"] == "finished");
    assert!(answer["units"].as_u64() >= limit, "{answer} at a limit of {limit:?}");
}

#[test]
fn a_tuning_session_is_given_more_pairs_and_a_swiss_is_not() {
    let runs = tempfile::tempdir().expect("a folder");
    let tune = "name = \"t\"\n[tune]\npairs = 6\n[tune.verify]\nenabled = false\n[[tune.parameter]]\nname = \
        \"optimism\"\n\
                [[entrant]]\nname = \"e\"\nlimit = \"9 nodes\"\n";
    let run = play(tune, Job::Tune, runs.path());
    let entrant = |number: u8| format!("[[entrant]]\nname = \"{number}\"\nplayer = \"random\"\n");
    let four = [0, 1, 2, 3].map(entrant).concat();
    let swiss =
        play(&format!("name = \"s\"\n[match]\npairs = 1\nschedule = \"swiss\"\n{four}"), Job::Match, runs.path());
    let rounds = play(&MATCH.replace("pairs = 12", "rounds = 12").replace("two", "in-rounds"), Job::Match, runs.path());
    let server = Served::controlled(runs.path());
    server.all_read(3);
    let limit = |run: &str, to: u64| order(&server, run, &json!({ "do": "limit", "to": to }));
    let (status, answer) = limit(&run, 5);
    assert!(
        status == 400 && answer["error"].as_str().is_some_and(|says| says.contains("6 pairs were played")),
        "{answer}"
    );
    assert_eq!(limit(&run, 9).0, 200);
    server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"] == 9 && answer["state"] == "finished");
    let (status, answer) = limit(&swiss, 50);
    let says = answer["error"].as_str().expect("words");
    assert!(status == 400 && says.contains("is a Swiss: its pairings depend on"), "{status} {says}");
    // A limit that the configuration gives in rounds stays in rounds.
    assert_eq!(limit(&rounds, 13).0, 200);
    server.wait_for(&format!("/api/runs/{rounds}"), |answer| answer["units"] == 13 && answer["state"] == "finished");
}

#[test]
fn what_a_machine_cannot_bear_is_refused_and_the_server_continues() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    start(&server, &long());
    server.wait_for("/api/runs/match-long-1", |answer| answer["units"].as_u64() > Some(0));
    for (to, status) in
        [("100000", 400), ("18446744073709551615", 400), ("1e400", 400), ("-0", 400), ("1.5", 400), ("NaN", 400)]
    {
        let answer = server.post_with(
            "/api/control/runs/match-long-1",
            &format!("{{\"do\":\"concurrency\",\"to\":{to}}}"),
            KNOWN,
        );
        assert_eq!(answer.status, status, "{to}: {}", answer.text());
    }
    let (status, answer) = order(&server, "match-long-1", &json!({ "do": "concurrency", "to": 100_000 }));
    assert!(
        answer["error"].as_str().is_some_and(|says| says.contains("100,000 pairs at a time are too many")),
        "{status} {answer}"
    );
    let deep = format!("{{\"toml\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(server.post_with("/api/control/check", &deep, KNOWN).status, 400);
    let player = "[[entrant]]\nplayer = \"random\"\n";
    let engine = |more: &str| MATCH.replacen("player = \"random\"", more, 1);
    for toml in [
        format!("concurrency = 100000\n{MATCH}"),
        format!("concurrency = 60\n{}", engine("table = \"4 GiB\"\nlimit = \"9 nodes\"")),
        engine("table = \"9000000 GiB\"\nlimit = \"9 nodes\""),
        format!("[match]\npairs = 9223372036854775807\n{}", player.repeat(5000)),
        format!("[match]\npairs = 1\nx = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("[match]\npairs = 1\nx{} = 1", ".a".repeat(100_000)),
        MATCH.replace("12", "-9223372036854775808"),
        MATCH.replace("12", "1e400"),
        MATCH.replace("12", "nan"),
        MATCH.replace("plies = 2", "plies = 9223372036854775807"),
    ] {
        let answer = server.post("/api/control/check", &json!({ "toml": toml }));
        assert_eq!(answer.status, 400, "{}: {}", &toml[..60], answer.text());
    }
    assert_eq!(server.get_with("/api/control", KNOWN).json()["playing"]["run"], "match-long-1");
}

#[test]
fn a_pause_and_the_number_of_workers_outlive_a_server() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    let run = "match-long-1";
    start(&server, &long());
    server.wait_for(&format!("/api/runs/{run}"), |answer| {
        answer["units"].as_u64() > Some(10) && answer["speed"].is_number()
    });
    assert_eq!(order(&server, run, &json!({ "do": "concurrency", "to": 3 })).0, 200);
    assert_eq!(order(&server, run, &json!({ "do": "pause" })).0, 200);
    let is_still = |answer: &Value| {
        answer["paused"] == true
            && answer["state"] == "running"
            && answer["speed"].is_null()
            && answer["left"].is_null()
    };
    server.wait_for(&format!("/api/runs/{run}"), is_still);
    let pairs = rests(&server, run);
    drop(server);
    let server = Served::controlled(runs.path());
    let answer = server.wait_for("/api/control", |answer| answer["playing"]["run"] == run);
    assert_eq!((&answer["playing"]["paused"], &answer["playing"]["concurrency"]), (&json!(true), &json!(3)));
    server.wait_for(&format!("/api/runs/{run}"), is_still);
    // On a busy machine a pair that was in flight may arrive late: one for each worker, and no more.
    let later = rests(&server, run);
    assert!((pairs..=pairs + 3).contains(&later), "it is still paused: {pairs}, then {later}");
    assert_eq!(order(&server, run, &json!({ "do": "continue" })).0, 200);
    server.wait_for(&format!("/api/runs/{run}"), |answer| {
        answer["units"].as_u64() > Some(pairs) && answer["paused"] == false
    });
    drop(server);
    let server = Served::controlled(runs.path());
    let answer = server.wait_for("/api/control", |answer| answer["playing"]["run"] == run);
    assert_eq!((&answer["playing"]["paused"], &answer["playing"]["concurrency"]), (&json!(false), &json!(3)));
}

#[test]
fn the_queue_goes_by_priority_is_held_and_outlives_its_server() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    assert_eq!(server.post("/api/control/hold", &json!({ "hold": true })).status, 200);
    start(&server, &long());
    let key = json!({ "toml": MATCH, "priority": 5, "key": "one" });
    let ids: Vec<Value> = (0..3).map(|_| server.post("/api/control/start", &key).json()["id"].clone()).collect();
    assert_eq!(ids, [2, 2, 2], "a request that is sent again starts nothing");
    let third = start(&server, TEST);
    let withdrawn = server.post(&format!("/api/control/queue/{third}"), &json!({ "do": "withdraw" })).json();
    let waiting: Vec<&Value> =
        withdrawn["queue"].as_array().expect("a queue").iter().map(|entry| &entry["id"]).collect();
    assert_eq!(waiting, [2, 1]);
    assert_eq!(server.post(&format!("/api/control/queue/{third}"), &json!({ "do": "withdraw" })).status, 404);
    let preferred = server.post("/api/control/queue/1", &json!({ "do": "priority", "to": 6 })).json();
    assert_eq!(preferred["queue"][0]["id"], 1);
    assert_eq!(server.post("/api/control/hold", &json!({ "hold": false })).status, 200);
    let run = "match-long-1";
    server.wait_for(&format!("/api/runs/{run}"), |answer| answer["units"].as_u64() > Some(10));
    let second = Settings { control: Some(leave()), tokens: Some(Tokens::one(TOKEN)), ..Settings::local(runs.path()) };
    let listen = ([127, 0, 0, 1], 0).into();
    let refused = Server::bind(Settings { listen, ..second }).expect("an address").run(|| ());
    assert!(refused.is_err_and(|why| why.to_string().contains("another `spar serve --control`")));
    drop(server);
    let server = Served::controlled(runs.path());
    server.wait_for("/api/control", |answer| answer["playing"]["run"] == run);
    assert_eq!(server.post("/api/control/start", &key).json()["id"], 2, "keys are kept");
    assert_eq!(order(&server, run, &json!({ "do": "stop" })).0, 200);
    let answer = ended(&server, 2);
    let came: Vec<&Value> = answer["ended"].as_array().expect("ends").iter().map(|entry| &entry["run"]).collect();
    assert_eq!(came, ["match-two-1", run], "the newest first");
}

#[test]
fn a_configuration_decides_how_many_pairs_are_played_at_a_time() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    // The server's own number is 2.
    for (toml, expected) in [(format!("concurrency = 1\n{}", long()), 1), (long(), 2)] {
        let id = start(&server, &toml);
        let is_planned = |answer: &Value| answer["playing"]["id"] == id && !answer["playing"]["concurrency"].is_null();
        let answer = server.wait_for("/api/control", is_planned);
        assert_eq!(answer["playing"]["concurrency"], expected, "{toml}");
        assert_eq!(server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "withdraw" })).status, 200);
        server.wait_for("/api/control", |answer| answer["playing"].is_null());
    }
}

#[test]
fn viewers_of_a_run_learn_that_it_no_longer_waits() {
    let runs = tempfile::tempdir().expect("a folder");
    let run = play(MATCH, Job::Match, runs.path());
    let server = Served::controlled(runs.path());
    server.all_read(1);
    assert_eq!(server.post("/api/control/hold", &json!({ "hold": true })).status, 200);
    assert_eq!(order(&server, &run, &json!({ "do": "limit", "to": 13 })).0, 200);
    let id = server.get_with("/api/control", KNOWN).json()["queue"][0]["id"].clone();
    let last = server.get_with("/api/runs", KNOWN).json()["id"].as_str().expect("the id of an event").to_owned();
    let path = format!("/api/runs/{run}/events?after={last}");
    let mut events = Events::as_who(&server, &path, None, KNOWN).expect("an answer");
    assert_eq!(server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "withdraw" })).status, 200);
    let queue = std::iter::from_fn(|| events.next()).find(|event| event.kind == "queue").expect("an event");
    assert_eq!(queue.data["queue"], json!([]));
}

#[test]
fn only_who_knows_the_token_and_is_no_other_site_does_anything() {
    let runs = tempfile::tempdir().expect("a folder");
    let unguarded = Server::bind(Settings { control: Some(leave()), ..Settings::local(runs.path()) });
    assert!(unguarded.is_err_and(|error| error.to_string().contains("--token-file")));
    let server = Served::controlled(runs.path());
    let body = json!({ "toml": MATCH }).to_string();
    let path = "/api/control/start";
    let wrong = format!("Authorization: Bearer {}\r\n", "x".repeat(TOKEN.len()));
    for (head, status) in [
        (String::new(), 401),
        (wrong, 401),
        (format!("Cookie: token={TOKEN}\r\n"), 401),
        (format!("{KNOWN}Origin: http://evil.example\r\n"), 403),
        (format!("{KNOWN}Origin: null\r\n"), 403),
        (format!("{KNOWN}Sec-Fetch-Site: cross-site\r\n"), 403),
    ] {
        assert_eq!(server.post_with(path, &body, &head).status, status, "{head}");
    }
    for path in ["/api/control", "/api/control/done", "/api/control/schema"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    // A page of another site can send a form's content types without a preflight request.
    let simple = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{KNOWN}Content-Type: \
            text/plain\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(server.raw(simple.as_bytes()).status, 415);
    let asks = format!(
        "OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: \
            http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"
    );
    assert_eq!(server.raw(asks.as_bytes()).status, 405);
    for body in ["", "{", "[]", "{\"toml\": 3}", "{\"toml\": \"\", \"more\": 1}"] {
        assert_eq!(server.post_with(path, body, KNOWN).status, 400, "{body}");
    }
    let large = json!({ "toml": "#".repeat(300_000) }).to_string();
    assert_eq!(server.post_with(path, &large, KNOWN).status, 413);
    assert_eq!(done(&server), Vec::<String>::new(), "nothing was done");
    // The token of one server is invalid on another, and a read-only server takes no orders.
    let other = Settings {
        control: Some(leave()),
        tokens: Some(Tokens::one("another horse battery")),
        ..Settings::local(runs.path())
    };
    drop(server);
    assert_eq!(Served::by(other).post_with(path, &body, KNOWN).status, 401);
    let shows = Served::of(runs.path());
    assert_eq!(shows.post_with(path, &body, KNOWN).status, 403);
    assert_eq!(shows.get("/api/control").json(), json!({ "control": false }));
}

#[test]
fn a_command_is_executed_for_every_run_that_ends() {
    let [runs, folder] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    play(MATCH, Job::Match, runs.path());
    let file = folder.path().join("passed");
    let notify = Some(format!("echo \"$SPAR_RUN $SPAR_VERDICT\" >> '{}'", file.display()));
    let server = Served::by(Settings { notify, ..Settings::local(runs.path()) });
    server.all_read(1);
    play(TEST, Job::Sprt, runs.path());
    server.all_read(2);
    let deadline = Instant::now() + crate::support::PATIENCE;
    let mut answer = String::new();
    while !answer.ends_with('\n') && Instant::now() < deadline {
        answer = std::fs::read_to_string(&file).unwrap_or_default();
        std::thread::yield_now();
    }
    assert!(answer.starts_with("sprt-quick-1 accepted-h"), "not of the one that had ended before: {answer}");
}

#[test]
fn a_run_whose_engine_does_not_get_ready_is_stopped_before_it_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("silent");
    write_program(&program, "#!/bin/sh\nwhile read -r line; do :; done\n");
    let server = Served::controlled(folder.path());
    let engine = format!("cmd = {:?}\nlimit = \"1 nodes\"", program.display().to_string());
    let id = start(&server, &format!("game = \"chess\"\n{}", MATCH.replacen("player = \"random\"", &engine, 1)));
    server.wait_for("/api/control", |answer| answer["playing"]["id"] == id && answer["playing"]["run"].is_null());
    let answer = server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "withdraw" }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = ended(&server, 1);
    let hash = program_hash(&program);
    assert_eq!(
        (&answer["ended"][0]["says"], &answer["ended"][0]["failed"]),
        (&json!("stopped before it began"), &json!(false))
    );
    assert_eq!(server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "withdraw" })).status, 404);
    let done = done(&server);
    assert!(done.iter().any(|did| did.starts_with(&format!("withdrew {id}: "))));
    // The log names the program that was started, and who asked for it.
    let log = server.get_with("/api/control/done", KNOWN).json()["done"].clone();
    let began =
        log.as_array().and_then(|all| all.iter().find(|entry| entry["did"] == format!("began {id}: start two")));
    let began = began.unwrap_or_else(|| panic!("{log}"));
    let program = program.display().to_string();
    let started = json!([{ "of": "a", "command": program, "path": program, "sha256": hash }]);
    assert_eq!((&began["asked_by"], &began["programs"]), (&json!("admin"), &started));
}
