//! A run as JSON: a row for the list of all runs, and all numbers for its own page. The texts and the numbers come from
//! `reports`.

use crate::analysis::analysts;
use crate::known::{Known, State};
use reports::summary::{finite, reported_elo};
use reports::text::iso;
use serde_json::{Value, json};
use stats::Estimate;

/// Keys of a run's own page whose values grow with its entrants.
const LARGE: [&str; 5] = ["analysts", "pairings", "ratings", "tournament", "tune"];

/// Returns the row of a run that cannot be read.
pub(crate) fn unreadable(name: &str, why: &str) -> Value {
    json!({ "name": name, "state": "unreadable", "says": why })
}

/// Returns the row of a run in a list.
pub(crate) fn row(name: &str, known: &Known) -> Value {
    let mut row = numbers(name, known);
    if let Value::Object(map) = &mut row {
        map.retain(|key, _| !LARGE.contains(&key.as_str()));
    }
    row
}

/// Returns all data of a run: its numbers, and the result in lines to copy.
pub(crate) fn detail(name: &str, known: &Known) -> Value {
    let mut detail = numbers(name, known);
    let rated = known.standing_reader.rated().map(|rated| {
        let row = |(name, elo): (&str, Estimate)| {
            json!({ "name": name, "elo": elo.value, "elo_low": finite(elo.low), "elo_high": finite(elo.high) })
        };
        rated.into_iter().map(row).collect::<Vec<_>>()
    });
    detail["rated"] = json!(rated);
    detail["block"] = json!(known.standing_reader.summary(&known.standing_reader.standing()).block());
    detail
}

fn numbers(name: &str, known: &Known) -> Value {
    let (standing_reader, state) = (&known.standing_reader, known.state);
    let standing = standing_reader.standing();
    let summary = standing_reader.summary(&standing);
    let config = &standing_reader.header().config;
    let mut value = summary.json();
    let sessions = standing_reader.sessions();
    let started = |at: Option<&arena::run::StoredSession>| at.map(|at| iso(at.session.started_unix_ms));
    let of = standing.pairs_left.filter(|_| standing.sprt().is_none()).map(|left| standing.pairs.saturating_add(left));
    let has_strength = value.get("reported").is_some_and(|reported| !reported.is_null());
    let elo = reported_elo(&standing).filter(|_| has_strength);
    if let Value::Object(map) = &mut value {
        // The path on this machine is private.
        map.remove("run");
        map.extend([
            ("name".to_owned(), json!(name)),
            ("state".to_owned(), json!(state.name())),
            ("title".to_owned(), json!(standing_reader.title())),
            ("analysts".to_owned(), json!(analysts(config))),
            ("edition".to_owned(), json!(known.edition)),
            ("says".to_owned(), json!(summary.verdict_in_words())),
            ("short".to_owned(), json!(summary.in_short())),
            ("game".to_owned(), json!(config.game.to_string())),
            ("unit".to_owned(), json!(config.experiment.rounds().unit())),
            ("units".to_owned(), json!(standing.pairs)),
            ("of".to_owned(), json!(of)),
            (
                "read".to_owned(),
                json!((state == State::Reading).then(|| [standing_reader.pairs(), standing_reader.end()])),
            ),
            ("measures".to_owned(), json!(elo.is_some())),
            ("began".to_owned(), json!(started(sessions.first()))),
            ("last".to_owned(), json!(sessions.last().map(|last| iso(last.ended_unix_ms)))),
            ("host".to_owned(), json!(sessions.last().map(|last| &last.session.host))),
            ("concurrency".to_owned(), json!(sessions.last().map(|last| last.session.concurrency))),
            ("paused".to_owned(), json!(known.paused)),
            ("speed".to_owned(), json!(known.speed())),
            ("left".to_owned(), json!(known.left())),
        ]);
    }
    if let Some(tune) = standing.tune() {
        for (tuned, row) in tune.parameters.iter().zip(value["tune"]["parameters"].as_array_mut().into_iter().flatten())
        {
            // The course of a switch is that of its probability.
            let reach = tuned.sd.filter(|_| tuned.on.is_none());
            row["low"] = json!(reach.map(|sd| (tuned.now - sd).max(tuned.min)));
            row["high"] = json!(reach.map(|sd| (tuned.now + sd).min(tuned.max)));
        }
    }
    value
}
