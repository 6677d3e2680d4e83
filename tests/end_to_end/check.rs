//! `spar check`: its findings for engines of each protocol, and its end for any behaviour of an engine.

use crate::support::{Outcome, Sandbox, example, pst_engine};

/// The findings, as (step, grade, note).
fn findings(outcome: &Outcome) -> Vec<[String; 3]> {
    let findings = outcome.json();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let findings = findings.as_array().expect("a list").iter();
    findings.map(|finding| ["step", "grade", "note"].map(|key| text(&finding[key]))).collect()
}

#[test]
fn the_small_chess_engine_keeps_to_uci() {
    let findings = findings(&Sandbox::new().spar(&["check", &pst_engine().display().to_string(), "--json"]));
    // If the host delays the engine, its times are not judged.
    assert!(findings.iter().all(|[_, grade, _]| grade == "pass" || grade == "unjudged"), "{findings:?}");
}

/// The findings of a check with this exit code, or with that of a host that was too busy to judge.
fn judged(outcome: &Outcome, code: i32) -> Vec<[String; 3]> {
    assert!(outcome.code == Some(code) || outcome.code == Some(4), "{outcome:?}");
    findings(outcome)
}

fn check(engine: &str, words: &[&str]) -> Outcome {
    let sandbox = Sandbox::new();
    let engine = example(engine).display().to_string();
    let outcome = sandbox.spar(&[&["check", &engine, "--json"], words].concat());
    sandbox.is_deserted();
    outcome
}

#[test]
fn an_engine_that_answers_an_endless_search_at_once_is_reported() {
    let found = judged(&check("random_mover", &[]), 0);
    let [step, grade, note] = found.iter().find(|[step, ..]| step.contains("while it searches")).expect("a step");
    assert_eq!((grade.as_str(), note.contains("answers `go infinite` at once")), ("warning", true), "{step}: {note}");
    assert!(found.iter().all(|[_, grade, _]| grade != "failure"), "{found:?}");
}

#[test]
fn the_other_protocols_are_examined_as_closely_as_uci() {
    let uci = judged(&check("random_mover", &[]), 0);
    for words in [&["--protocol", "xboard", "--", "--xboard"][..], &["--protocol", "codecup", "--", "--codecup"]] {
        let others = judged(&check("random_mover", words), 0);
        assert!(others.len() >= uci.len(), "{} and {}", others.len(), uci.len());
        assert!(others.iter().all(|[_, grade, _]| grade == "pass" || grade == "unjudged"), "{others:?}");
    }
}

#[test]
fn what_an_engine_does_wrong_is_named() {
    for (mode, grade, words) in [
        ("two-bestmoves", "warning", "after its move"),
        ("illegal", "failure", "`a1b8` is not a legal move"),
        ("crash", "failure", "exited with status 3"),
        ("no-info", "warning", "it says no depth, score, nodes"),
    ] {
        let found = findings(&check("misbehaving", &["--", mode]));
        let named = found.iter().any(|[_, given, note]| given == grade && note.contains(words));
        assert!(named, "{mode}: {found:?}");
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_is_silent_or_never_stops_talking_is_given_up() {
    let modes = [&["hang"][..], &["flood"], &["hang", "--after", "17"], &["flood", "--after", "30"], &["deaf"]];
    let checks =
        modes.map(|words| std::thread::spawn(move || (words, check("misbehaving", &[&["--"], words].concat()))));
    for check in checks {
        let (words, outcome) = check.join().expect("a check that ends");
        let found = judged(&outcome, 1);
        assert!(found.iter().any(|[_, _, note]| note.starts_with("no answer")), "{words:?}: {found:?}");
    }
}
