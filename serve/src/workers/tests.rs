//! Tests of the remembered data of workers.

use super::*;

const NOW: i64 = 1_800_000_000_000;

fn heard(name: &str) -> Worker {
    let says = vec!["builds".to_owned()];
    Worker { name: name.to_owned(), is_heard: true, cores: 4, busy: 2, rate: 1.5, says, ..Worker::default() }
}

fn paused() -> Standing {
    Standing { is: StandingKind::Paused, why: None, by: "operator".to_owned(), unix_ms: NOW }
}

fn crew(path: Option<PathBuf>) -> Crew {
    Crew::new(Workers::new(|| Ok(Vec::new())), true, path)
}

fn row(crew: &Crew, name: &str) -> Value {
    let rows = crew.to_json()["workers"].clone();
    let found = rows.as_array().and_then(|rows| rows.iter().find(|row| row["name"] == name).cloned());
    found.unwrap_or_default()
}

#[test]
fn one_that_is_silent_is_shown_as_away_until_its_speeds_are_too_old() {
    let crew = crew(None);
    crew.take(Ok(vec![heard("east"), heard("west")]), 0, NOW);
    assert_eq!((&row(&crew, "east")["away"], &row(&crew, "east")["heard_unix_ms"]), (&json!(false), &Value::Null));
    crew.take(Ok(vec![heard("west")]), 0, NOW + 5000);
    let away = row(&crew, "east");
    assert_eq!((&away["away"], &away["heard_unix_ms"]), (&json!(true), &json!(NOW)));
    assert_eq!((&away["cores"], &away["busy"], &away["says"]), (&json!(4), &json!(0), &json!([])));
    crew.take(Ok(vec![heard("west")]), 0, NOW + SPAN_MS + 1);
    assert_eq!((row(&crew, "east"), &row(&crew, "west")["away"]), (Value::Null, &json!(false)));
}

#[test]
fn an_order_about_one_that_is_away_is_shown() {
    let crew = crew(None);
    crew.take(Ok(vec![heard("east")]), 0, NOW);
    let away = Worker { name: "east".to_owned(), order: Some(paused()), ..Worker::default() };
    let never = Worker { name: "never".to_owned(), order: Some(paused()), ..Worker::default() };
    crew.take(Ok(vec![away, never]), 0, NOW + SPAN_MS * 2);
    assert_eq!((&row(&crew, "east")["order"]["is"], &row(&crew, "east")["cores"]), (&json!("paused"), &json!(4)));
    assert_eq!((&row(&crew, "never")["away"], &row(&crew, "never")["heard_unix_ms"]), (&json!(true), &Value::Null));
}

#[test]
fn a_fleet_that_cannot_be_reached_is_shown_as_it_was_with_the_reason() {
    let crew = crew(None);
    crew.take(Err("it is away".to_owned()), 0, NOW);
    assert_eq!((&crew.to_json()["workers"], &crew.to_json()["error"]), (&Value::Null, &json!("it is away")));
    crew.take(Ok(vec![Worker { order: Some(paused()), ..heard("east") }]), 0, NOW);
    assert_eq!(crew.to_json()["error"], Value::Null);
    crew.take(Err("it is away".to_owned()), 0, NOW);
    let east = row(&crew, "east");
    assert_eq!((&east["away"], &east["order"]["is"]), (&json!(true), &json!("paused")));
}

#[test]
fn a_look_that_began_before_an_order_does_not_hide_it() {
    let empty = tempfile::tempdir().expect("a folder");
    let starters = crate::starters::Starters::read(empty.path());
    let listing = Listing::new(1, std::sync::Arc::new(starters));
    let workers = Workers::new(|| Ok(Vec::new())).steered_by(|_, order, _| match order {
        WorkerOrder::Continue => Err(SteerError::Refused("it is not paused".to_owned())),
        _ => Ok(()),
    });
    let crew = Crew::new(workers, true, None);
    let steer = |name: &str, order| crew.steer(&listing, "::1", name, order);
    assert!(matches!(steer("east", WorkerOrder::Pause), Err(Refusal::Missing(_))), "it was not heard of");
    crew.take(Ok(vec![heard("east")]), 0, NOW);
    assert!(matches!(steer("east", WorkerOrder::Continue), Err(Refusal::Now(_))));
    assert_eq!(steer("east", WorkerOrder::Pause).expect("an order"), "paused worker east");
    crew.take(Ok(vec![heard("east")]), 0, NOW);
    assert_eq!(row(&crew, "east")["order"]["by"], "::1 through spar serve");
    // A look that began later is more current.
    crew.take(Ok(vec![heard("east")]), 1, NOW);
    assert_eq!(row(&crew, "east")["order"], Value::Null);
    let why = || "x".repeat(LONGEST_WHY + 1);
    assert!(matches!(steer("east", WorkerOrder::SetAside { why: why() }), Err(Refusal::Bad(_))));
    let aside = steer("east", WorkerOrder::SetAside { why: " ".to_owned() }).expect("an order");
    assert_eq!(aside, "set worker east aside: set aside by hand");
}

#[test]
fn of_too_many_those_that_are_here_stay() {
    let crew = crew(None);
    let many = |prefix: &str| (0..MOST).map(|number| heard(&format!("{prefix}{number}"))).collect();
    crew.take(Ok(many("a")), 0, NOW);
    crew.take(Ok(many("b")), 0, NOW + 1);
    let state = crew.state();
    let known = state.known.as_ref().expect("workers");
    assert!(known.len() == MOST && known.values().all(|known| known.worker.is_heard));
}

#[test]
fn speeds_outlive_a_server_and_a_broken_file_is_as_good_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workers.json");
    let first = crew(Some(path.clone()));
    let now = session::unix_ms();
    first.take(Ok(vec![heard("east")]), 0, now);
    first.keep();
    let second = crew(Some(path.clone()));
    let east = row(&second, "east");
    assert_eq!((&east["away"], &east["heard_unix_ms"], &east["cores"]), (&json!(true), &json!(now), &json!(4)));
    let course = second.history()["workers"]["east"].clone();
    let speeds: Vec<&Value> = course.as_array().expect("speeds").iter().filter(|speed| !speed.is_null()).collect();
    assert_eq!(speeds, [1.5]);
    for broken in ["", "{}{", r#"{"version":9,"workers":[]}"#] {
        std::fs::write(&path, broken).expect("a file");
        assert_eq!(crew(Some(path.clone())).to_json()["workers"], Value::Null, "{broken}");
    }
}
