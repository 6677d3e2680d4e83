//! Leagues of the engine in process: few nodes, so that they take seconds.

use crate::support::{Outcome, Sandbox, signal, wait};
use serde_json::Value;

const LEAGUE: &str = r#"
name = "l"
[league]
pairs = 64
lookahead = 8
[openings]
plies = 4
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "100"
[[entrant]]
name = "material"
evaluation = "material"
[[entrant]]
name = "400"
limit = "400 nodes"
"#;
const NEWCOMER: &str = "[[entrant]]\nname = \"new\"\nlimit = \"200 nodes\"\n";
const RUN: &str = "ladder-league-l-1";

fn sandbox() -> Sandbox {
    Sandbox::with("l.toml", LEAGUE)
}

fn league(sandbox: &Sandbox, more: &[&str]) -> Outcome {
    sandbox.spar(&[&["league", "l.toml", "--concurrency", "2"][..], more].concat())
}

fn of<'a>(league: &'a Value, name: &str) -> &'a Value {
    let rows = league["entrants"].as_array().expect("rows");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {league}"))
}

#[test]
#[ignore = "slow"]
fn engines_come_and_go_and_all_games_count() {
    let sandbox = sandbox();
    let first = league(&sandbox, &["--json"]).exits(0).json();
    assert_eq!((&first["pairs"], first["entrants"].as_array().unwrap().len()), (&64.into(), 3));
    assert_eq!(first["entrants"][0]["rank"], 1);
    let sum: f64 = first["entrants"].as_array().unwrap().iter().map(|row| row["elo"].as_f64().unwrap()).sum();
    assert!(sum.abs() < 1e-6, "about the mean of all: {first}");

    // One engine joins, and one leaves.
    let text = format!("{LEAGUE}{NEWCOMER}");
    sandbox.write("l.toml", &text.replace("[[entrant]]\nname = \"material\"\nevaluation = \"material\"\n", ""));
    let shown = league(&sandbox, &["--show"]).exits(0).stdout;
    assert!(shown.contains("4 engines, 1 of them gone, 64 pairs in 1 run"), "{shown}");
    assert!(shown.contains("new") && shown.contains("no games") && shown.contains("(gone)"), "{shown}");
    let second = league(&sandbox, &["--json"]).exits(0).json();
    assert_eq!((&second["pairs"], second["runs"].as_array().unwrap().len()), (&128.into(), 2));
    assert_eq!(of(&second, "material")["pairs"], of(&first, "material")["pairs"], "it plays no more, and is rated");
    assert_eq!((&of(&second, "material")["current"], &of(&second, "new")["current"]), (&false.into(), &true.into()));
    let further = std::fs::read_to_string(sandbox.path("runs/ladder-league-l-2/config.toml")).expect("a configuration");
    assert!(further.contains("gone = [\"material\"]") && further.contains("opponent = \"material\""), "{further}");
    assert!(of(&second, "new")["pairs"].as_f64() > Some(25.0), "of newcomers least is known: {second}");
}

#[test]
fn games_are_looked_at_again_only_where_a_journal_has_changed() {
    let sandbox = sandbox();
    let _played = league(&sandbox, &[]).exits(0);
    let mark = sandbox.path(format!("runs/{RUN}/audited"));
    let marked = || std::fs::metadata(&mark).expect("a mark").modified().expect("a time");
    let then = marked();
    let _shown = league(&sandbox, &["--show"]).exits(0);
    assert_eq!(marked(), then, "nothing has changed");
    let journal = rusqlite::Connection::open(sandbox.path(format!("runs/{RUN}/journal.sqlite"))).expect("a journal");
    let damage = "UPDATE games SET game0 = x'0100' WHERE pair = 3";
    assert_eq!(journal.execute(damage, []).expect("writable"), 1);
    drop(journal);
    let refused = league(&sandbox, &["--show"]).exits(3);
    assert!(refused.stderr.contains("is damaged at pair 4"), "{refused:?}");
}

#[test]
#[ignore = "slow"]
fn a_stopped_league_resumes_with_or_without_a_newcomer() {
    let sandbox = sandbox();
    let start = |pairs: u64, run: &str| {
        let child = sandbox.start(&["league", "l.toml", "--concurrency", "2", "--set", "league.pairs=100000"]);
        sandbox.wait_for_pairs(run, pairs);
        signal(&child, "INT");
        let stopped = wait(child).exits(130);
        assert!(stopped.stderr.contains("To resume: the same command again"), "{stopped:?}");
    };
    start(10, RUN);
    let before = sandbox.spar(&["export", RUN, "--jsonl"]).exits(0).stdout;
    start(before.lines().count() as u64 + 5, RUN);
    let after = sandbox.spar(&["export", RUN, "--jsonl"]).exits(0).stdout;
    assert!(after.starts_with(&before) && after.len() > before.len(), "the same run continues");

    let text = std::fs::read_to_string(sandbox.path("l.toml")).expect("the file");
    sandbox.write("l.toml", &format!("{text}{NEWCOMER}"));
    start(10, "ladder-league-l-2");
    assert_eq!(sandbox.spar(&["export", RUN, "--jsonl"]).exits(0).stdout, after, "the old games are unchanged");
    let shown = league(&sandbox, &["--show", "--json"]).exits(0).json();
    assert!(shown["pairs"].as_u64() >= Some(after.lines().count() as u64 + 10));
    assert!(of(&shown, "new")["pairs"].as_f64() > Some(0.0), "{shown}");
}

#[test]
fn a_deleted_run_leaves_its_name_and_not_its_openings() {
    let sandbox = sandbox();
    for _ in 0..2 {
        let _played = league(&sandbox, &[]).exits(0);
    }
    std::fs::remove_dir_all(sandbox.path(format!("runs/{RUN}"))).expect("a run");
    let child = sandbox.start(&["league", "l.toml", "--concurrency", "2", "--set", "league.pairs=100000"]);
    sandbox.wait_for_pairs(RUN, 5);
    signal(&child, "INT");
    let _stopped = wait(child).exits(130);
    let further = std::fs::read_to_string(sandbox.path(format!("runs/{RUN}/config.toml"))).expect("a configuration");
    assert!(further.contains("first_opening = 2097152"), "after those of the second run: {further}");

    let resumed = league(&sandbox, &["--set", "league.pairs=200", "--json"]).exits(0).json();
    assert_eq!((&resumed["pairs"], resumed["runs"].as_array().unwrap().len()), (&264.into(), 2));
}

#[test]
fn a_league_ends_when_all_is_known_as_precisely_as_was_asked_for() {
    let sandbox = sandbox();
    sandbox.write("l.toml", &LEAGUE.replace("pairs = 64", "precision = 150"));
    let done = league(&sandbox, &["--json"]).exits(0).json();
    let again = league(&sandbox, &[]).exits(0);
    assert!(again.stderr.contains("All ratings have the requested precision"), "{again:?}");
    assert!(again.stdout.contains(&format!("{} pairs in 1 run", done["pairs"])), "no empty run is made: {again:?}");
}

#[test]
fn what_is_no_league_is_refused() {
    let sandbox = sandbox();
    let refused = |text: &str, message: &str| {
        sandbox.write("l.toml", text);
        let refused = league(&sandbox, &[]).exits(2);
        assert!(refused.stderr.contains(message), "{message}: {refused:?}");
    };
    refused(&LEAGUE.replace("[league]\npairs = 64\nlookahead = 8", "[ladder]\npairs = 5"), "there is no `[league]`");
    refused(&format!("{LEAGUE}[ladder]\npairs = 5\n"), "a `[ladder]` beside it");
    refused(&LEAGUE.replace("pairs = 64", "anchor_elo = 3000"), "add `anchor = \"...\"`");
    refused(&LEAGUE.replace("pairs = 64", "anchor = \"40\""), "did you mean `400`?");
    let one = LEAGUE.split("[[entrant]]").take(2).collect::<Vec<_>>().join("[[entrant]]");
    refused(&one, "a league of 1 entrants cannot be played");
    sandbox.write("l.toml", LEAGUE);
    let _first = league(&sandbox, &[]).exits(0);
    refused(&LEAGUE.replace("400 nodes", "300 nodes"), "\"400\" was another engine");
}
