//! The workers of a fleet over HTTP: what is shown of them, and what users with the token may do to them; and the order
//! of the queue.

use crate::support::{KNOWN, MATCH, Served, TOKEN, leave};
use serde_json::{Value, json};
use serve::{Settings, Standing, StandingKind, SteerError, Tokens, Worker, WorkerOrder, Workers};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The orders that a fleet has received, as `east: Pause, asked for by somebody`.
type Orders = Arc<Mutex<Vec<String>>>;

/// Returns two workers; `west` is away, and refuses only to continue.
fn fleet(orders: &Orders) -> Workers {
    let (given, orders) = (Arc::clone(orders), Arc::clone(orders));
    let look = move || {
        let is_paused = given.lock().expect("no panic").iter().any(|order| order.starts_with("east: Pause"));
        let order = |is| Some(Standing { is, why: None, by: "somebody".to_owned(), unix_ms: 1 });
        let east = Worker { name: "east".to_owned(), is_heard: true, cores: 8, rate: 2.5, ..Worker::default() };
        let east = Worker { order: is_paused.then(|| order(StandingKind::Paused)).flatten(), ..east };
        let west = Worker { name: "west".to_owned(), order: order(StandingKind::SetAside), ..Worker::default() };
        Ok(vec![east, west])
    };
    Workers::new(look).steered_by(move |worker, order, by| match order {
        WorkerOrder::Continue => Err(SteerError::Refused(format!("worker {worker} is not paused"))),
        WorkerOrder::TakeBack if worker == "east" => Err(SteerError::Away("no NATS server answers".to_owned())),
        order => {
            orders.lock().expect("no panic").push(format!("{worker}: {order:?}, asked for by {by}"));
            Ok(())
        }
    })
}

fn served(runs: &Path, orders: &Orders) -> Served {
    let (control, tokens) = (Some(leave()), Some(Tokens::one(TOKEN)));
    Served::by(Settings { workers: Some(fleet(orders)), control, tokens, ..Settings::local(runs) })
}

fn wait(server: &Served) -> Value {
    server.wait_for("/api/fleet", |answer| answer["workers"].is_array())
}

fn done(server: &Served) -> Vec<Value> {
    let answer = server.get_with("/api/control/done", KNOWN).json();
    answer["done"].as_array().expect("entries").iter().rev().map(|entry| entry["did"].clone()).collect()
}

#[test]
fn workers_are_paused_and_set_aside_by_those_with_the_token_and_all_is_in_the_log() {
    let runs = tempfile::tempdir().expect("a folder");
    let orders = Orders::default();
    let server = served(runs.path(), &orders);
    let all = wait(&server);
    assert_eq!((&all["steered"], &all["count"]), (&json!(true), &json!(1)));
    assert_eq!((&all["workers"][1]["away"], &all["workers"][1]["order"]["is"]), (&json!(true), &json!("set-aside")));
    let steer = |worker: &str, order: &Value| {
        let answer = server.post(&format!("/api/control/workers/{worker}"), order);
        (answer.status, answer.json())
    };
    let (status, answer) = steer("east", &json!({ "do": "pause" }));
    let standing = &answer["workers"][0]["order"];
    assert_eq!((status, &standing["is"]), (200, &json!("paused")));
    assert_eq!(standing["by"], "admin through spar serve");
    assert_eq!(steer("east", &json!({ "do": "set-aside", "why": "its fan is broken" })).0, 200);
    assert_eq!(steer("west", &json!({ "do": "take-back" })).0, 200);
    for (worker, order, status, says) in [
        ("east", json!({ "do": "continue" }), 409, "worker east is not paused"),
        ("east", json!({ "do": "take-back" }), 503, "no NATS server answers"),
        ("north", json!({ "do": "pause" }), 404, "no worker north was heard of"),
        ("east", json!({ "do": "set-aside", "why": "x".repeat(501) }), 400, "the reason is too long"),
        ("east", json!({ "do": "set-aside", "more": 1 }), 400, "this cannot be read"),
        ("east", json!({ "do": "stop" }), 400, "this cannot be read"),
    ] {
        let (found, answer) = steer(worker, &order);
        assert!(found == status && answer["error"].as_str().is_some_and(|why| why.starts_with(says)), "{answer}");
    }
    let did = ["paused worker east", "set worker east aside: its fan is broken", "took worker west back"];
    assert_eq!(done(&server), did);
    let given = orders.lock().expect("no panic").clone();
    assert_eq!(given.len(), 3);
    assert_eq!(given[0], "east: Pause, asked for by admin through spar serve");
    let unknown = server.post_with("/api/control/workers/east", "{\"do\":\"pause\"}", "");
    assert_eq!(unknown.status, 401);
}

#[test]
fn a_server_that_only_shows_steers_no_worker() {
    let runs = tempfile::tempdir().expect("a folder");
    let shows = Served::by(Settings { workers: Some(fleet(&Orders::default())), ..Settings::local(runs.path()) });
    assert_eq!(wait(&shows)["steered"], false);
    assert_eq!(shows.post("/api/control/workers/east", &json!({ "do": "pause" })).status, 403);
    assert!(!runs.path().join(".serve").exists(), "nothing is written");
    let alone = Served::controlled(runs.path());
    let answer = alone.post("/api/control/workers/east", &json!({ "do": "pause" }));
    assert!(answer.status == 404 && answer.text().contains("start it with --fleet"), "{}", answer.text());
    assert_eq!(alone.get_with("/api/fleet/history", KNOWN).json(), json!({ "workers": {} }));
}

#[test]
fn speeds_of_the_last_hours_are_shown_also_by_the_next_server() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = served(runs.path(), &Orders::default());
    wait(&server);
    let last = |server: &Served| {
        let answer = server.get_with("/api/fleet/history", KNOWN).json();
        assert_eq!((&answer["step_s"], &answer["steps"]), (&json!(300), &json!(144)));
        let course = answer["workers"]["east"].as_array().expect("speeds").clone();
        assert_eq!(course.len(), 144);
        course.into_iter().rfind(|speed| !speed.is_null())
    };
    assert_eq!(last(&server), Some(json!(2.5)));
    assert!(server.stop() < crate::support::PROMPTLY);
    assert_eq!(last(&served(runs.path(), &Orders::default())), Some(json!(2.5)));
}

#[test]
fn the_queue_is_put_in_order_and_stays_so() {
    let runs = tempfile::tempdir().expect("a folder");
    let server = Served::controlled(runs.path());
    assert_eq!(server.post("/api/control/hold", &json!({ "hold": true })).status, 200);
    for priority in [5, 0, 0] {
        let start = server.post("/api/control/start", &json!({ "toml": MATCH, "priority": priority }));
        assert_eq!(start.status, 200, "{}", start.text());
    }
    let waiting = |answer: &Value| -> Vec<(u64, i64)> {
        let entries = answer["queue"].as_array().expect("a queue").iter();
        entries
            .map(|entry| (entry["id"].as_u64().expect("a number"), entry["priority"].as_i64().expect("one")))
            .collect()
    };
    let advance = |id: u64, before: Value| {
        let answer = server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "move", "before": before }));
        assert_eq!(answer.status, 200, "{}", answer.text());
        waiting(&answer.json())
    };
    assert_eq!(advance(3, json!(2)), [(1, 5), (3, 0), (2, 0)]);
    assert_eq!(advance(2, json!(1)), [(2, 5), (1, 5), (3, 0)], "it takes the priority of its place");
    assert_eq!(advance(1, Value::Null), [(2, 5), (3, 0), (1, 0)]);
    for (id, before, status) in [(9, json!(1), 404), (1, json!(9), 404), (1, json!("2"), 400)] {
        let answer = server.post(&format!("/api/control/queue/{id}"), &json!({ "do": "move", "before": before }));
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    assert!(done(&server).contains(&json!("moved 2 before 1: priority 5")), "{:?}", done(&server));
    drop(server);
    let next = Served::controlled(runs.path());
    assert_eq!(waiting(&next.get_with("/api/control", KNOWN).json()), [(2, 5), (3, 0), (1, 0)]);
}
