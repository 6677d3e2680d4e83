//! Single games, and two games from an opening without a swap: the games, the counts, and their names.

use crate::support::{Sandbox, wait};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MATCH: &str = r#"
name = "m"
[match]
games = "single"
rounds = 60
[openings]
plies = 4
[each]
limit = "400 nodes"
table = "64 KiB"
[[entrant]]
name = "dev"
[[entrant]]
name = "base"
evaluation = "material"
"#;

const SPRT: &str = r#"
name = "t"
[sprt]
elo0 = 0
elo1 = 100
games = "single"
[[entrant]]
name = "engine"
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "random"
player = "random"
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    sandbox.write("t.toml", SPRT);
    sandbox
}

fn lines(sandbox: &Sandbox, run: &str) -> Vec<Value> {
    let exported = sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout;
    exported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Wins, draws and losses of the first entrant, by the scores of an export.
fn wdl(lines: &[Value]) -> [u64; 3] {
    let mut counted = [0; 3];
    for score in lines.iter().flat_map(|line| line["scores"].as_array().expect("scores")) {
        counted[2 - (2.0 * score.as_f64().expect("a number")) as usize] += 1;
    }
    counted
}

fn of(run: &Value) -> [u64; 3] {
    ["wins", "draws", "losses"].map(|key| run[key].as_u64().expect("a number"))
}

/// Checks that a run and the calculator agree about games.
fn is_of_games(sandbox: &Sandbox, run: &Value) {
    let counted = of(run).map(|count| count.to_string());
    let [wins, draws, losses] = counted.each_ref().map(String::as_str);
    let elo = sandbox.spar(&["elo", "--wdl", wins, draws, losses, "--json"]).exits(0).json();
    for key in ["elo", "elo_low", "elo_high", "nelo", "los", "draw_ratio"] {
        assert_eq!(run[key], elo[key], "{key}");
    }
    assert_eq!((&run["statistics"], &run["pairings"][0]["statistics"]), (&json!("trinomial"), &json!("trinomial")));
    assert!(run["penta"].is_null() && run["pair_draw_ratio"].is_null() && run["pairs_ratio"].is_null(), "{run}");
}

#[test]
#[ignore = "slow"]
fn single_games_are_the_same_at_any_concurrency_and_after_a_kill() {
    let sandbox = sandbox();
    for workers in ["1", "3"] {
        let done = sandbox.spar(&["match", "m.toml", "--concurrency", workers, "--json"]).exits(0).json();
        assert_eq!((&done["rounds"], &done["pairs"], &done["verdict"]), (&60.into(), &Value::Null, &"complete".into()));
        is_of_games(&sandbox, &done);
    }
    let mut child = sandbox.start(&["match", "m.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("match-m-3", 5);
    child.kill().expect("a process");
    assert_eq!(wait(child).code, None, "killed in the middle");
    let resumed = sandbox.spar(&["resume", "match-m-3"]).exits(0);
    assert!(resumed.stdout.starts_with("60 games played"), "{resumed:?}");
    let runs = ["match-m-1", "match-m-2", "match-m-3"].map(|run| lines(&sandbox, run));
    assert!(runs[0] == runs[1] && runs[0] == runs[2], "the journals differ");

    let games = &runs[0];
    assert_eq!((games.len(), wdl(games)), (60, of(&sandbox.spar(&["show", "match-m-3", "--json"]).exits(0).json())));
    let openings: BTreeSet<&str> = games.iter().map(|game| game["opening"].as_str().expect("plies")).collect();
    assert!(openings.len() > 50, "each game has an opening of its own: {}", openings.len());
    let csv = sandbox.spar(&["export", "match-m-1", "--csv"]).exits(0).stdout;
    let begin: Vec<&str> = csv.lines().skip(1).take(3).map(|line| line.split(',').nth(2).expect("a name")).collect();
    assert_eq!(begin, ["dev", "base", "dev"], "seats alternate");
    let more = ["resume", "match-m-1", "--set", "match.rounds=64", "--json"];
    assert_eq!(sandbox.spar(&more).exits(0).json()["rounds"], 64);
    let refused = sandbox.spar(&["resume", "match-m-1", "--set", "match.swap=false"]).exits(2).stderr;
    assert!(refused.contains("rounds.swap: true then, false now"), "{refused}");
}

#[test]
fn a_test_of_single_games_decides_by_the_trinomial_model_and_names_it() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["sprt", "t.toml", "--json"]).exits(0).json();
    assert_eq!((&done["verdict"], &done["reported"]["statistics"]), (&json!("accepted-h1"), &json!("trinomial")));
    is_of_games(&sandbox, &done);
    let [wins, draws, losses] = of(&done).map(|count| count.to_string());
    let words = ["llr", "--wdl", &wins, &draws, &losses, "--elo0", "0", "--elo1", "100", "--json"];
    let llr = sandbox.spar(&words).exits(0).json()["llr"].as_f64().expect("a number");
    assert!((done["llr"].as_f64().expect("a number") - llr).abs() < 1e-9, "{done} {llr}");

    let shown = sandbox.spar(&["show", "sprt-t-1"]).exits(0).stdout;
    let row = |name: &str| shown.lines().find(|line| line.starts_with(&format!("  {name} "))).map(str::to_owned);
    assert!(shown.starts_with("H1 accepted after ") && shown.contains(" games ("), "{shown}");
    assert!(row("model").is_some_and(|row| row.contains("trinomial: of games, one by one")), "{shown}");
    assert_eq!(row("pairs"), None, "{shown}");
    let runs = sandbox.spar(&["runs"]).exits(0).stdout;
    assert!(runs.contains(" games ") && runs.trim_end().ends_with(", unbiased, trinomial"), "{runs}");
    let _written = sandbox.spar(&["report", "sprt-t-1"]).exits(0);
    let files = ["report.html", "report.md", "report.json", "results.csv"];
    let [html, md, json, csv] =
        files.map(|name| std::fs::read_to_string(sandbox.path(format!("runs/sprt-t-1/{name}"))).expect("a report"));
    assert!(md.contains("| statistics | of games, one by one: trinomial |") && !md.contains("| pairs |"), "{md}");
    let numbers: Value = serde_json::from_str(&json).expect("JSON");
    let total = numbers.pointer("/numbers/total").or_else(|| numbers.pointer("/total")).expect("the total");
    assert_eq!((&total["statistics"], &total["penta"]), (&json!("trinomial"), &Value::Null));
    assert!(csv.lines().nth(1).is_some_and(|row| row.starts_with("engine,random,,,,,,,")), "{csv}");
    assert!(html.contains("of games, one by one: trinomial") && html.contains("single games, seats alternate"));
    assert!(!html.contains("airs by points") && !html.contains("fairness"), "no pairs on the page");
    let missing = sandbox.spar(&["show", "sprt-t-1", "--game", "1.2"]).exits(2).stderr;
    assert!(missing.contains("games have been played, the first is 1.1"), "{missing}");
    assert!(sandbox.spar(&["show", "sprt-t-1", "--game", "1.1"]).exits(0).stdout.starts_with("Game 1.1: "));
}

#[test]
fn rounds_of_two_games_are_no_pairs_unless_seats_are_swapped_and_pairs_counted() {
    let sandbox = sandbox();
    let play = |settings: &[&str]| {
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        let words = [
            &["match", "m.toml", "--json", "--set", "match.rounds=8", "--set", "match.games=\"pairs\""],
            &settings[..],
        ];
        let run = sandbox.spar(&words.concat()).exits(0).json();
        let lines = lines(&sandbox, run["run"].as_str().and_then(|path| path.strip_prefix("runs/")).expect("a run"));
        assert_eq!((lines.len(), wdl(&lines), lines[0]["games"].as_array().map(Vec::len)), (8, of(&run), Some(2)));
        (run, lines)
    };
    let (pairs, swapped) = play(&[]);
    assert_eq!((&pairs["statistics"], &pairs["pairs"]), (&json!("pentanomial"), &json!(8)));
    let (singly, again) = play(&["match.count=\"games\""]);
    is_of_games(&sandbox, &singly);
    assert_eq!((&again, &singly["pairs"]), (&swapped, &json!(8)), "the same games, counted otherwise");
    let (unswapped, games) = play(&["match.swap=false"]);
    is_of_games(&sandbox, &unswapped);
    assert_eq!((&unswapped["pairs"], &unswapped["rounds"]), (&Value::Null, &json!(8)));
    // The engines are reproducible: without a swap the second game repeats the first one, except for the seeds, which
    // the engines do not use.
    assert!(games.iter().all(|round| round["games"][0]["moves"] == round["games"][1]["moves"]), "{games:?}");
    assert!(games.iter().zip(&swapped).all(|(one, two)| one["games"][0]["moves"] == two["games"][0]["moves"]));
    let (reversed, games) = play(&["match.reverse=true"]);
    assert_eq!((&reversed["statistics"], reversed["penta"].is_array()), (&json!("pentanomial"), true));
    assert!(games.iter().zip(&swapped).all(|(one, two)| one["games"][0]["moves"] == two["games"][1]["moves"]));
}

#[test]
fn several_opponents_of_single_games_are_rated() {
    let sandbox = sandbox();
    let third = format!("{MATCH}[[entrant]]\nname = \"random\"\nplayer = \"random\"\n");
    sandbox.write("three.toml", &third.replace("rounds = 60", "rounds = 12\nschedule = \"round-robin\""));
    let run = sandbox.spar(&["match", "three.toml", "--json"]).exits(0).json();
    let counted = run["pairings"].as_array().expect("pairings").iter().map(|row| row["statistics"].as_str());
    assert_eq!(counted.collect::<Vec<_>>(), [Some("trinomial"); 3]);
    assert_eq!(of(&run).iter().sum::<u64>(), 24, "those of the first entrant");
    let _written = sandbox.spar(&["report", "match-m-1"]).exits(0);
    let json = std::fs::read_to_string(sandbox.path("runs/match-m-1/report.json")).expect("a report");
    let numbers: Value = serde_json::from_str(&json).expect("JSON");
    let entrants = numbers.pointer("/numbers/entrants").or_else(|| numbers.pointer("/entrants")).expect("entrants");
    let ratings: Vec<f64> = (0..3).map(|n| entrants[n]["rating"]["value"].as_f64().expect("a rating")).collect();
    assert!(ratings[0] > ratings[2] && ratings[1] > ratings[2], "{ratings:?}");
}

#[test]
fn an_option_asks_for_them_and_what_contradicts_itself_is_refused() {
    let sandbox = sandbox();
    let file = MATCH.replace("games = \"single\"\nrounds = 60", "pairs = 60");
    sandbox.write("pairs.toml", &file);
    let few = sandbox.spar(&["match", "pairs.toml", "--single", "--pairs", "6", "--json"]).exits(0);
    assert_eq!((&few.json()["rounds"], &few.json()["statistics"]), (&json!(6), &json!("trinomial")));
    assert!(few.stderr.contains("6 games · single games, seats alternate"), "{few:?}");
    let cases = [
        ("pairs = 5", "`pairs` and `rounds` are two words for one thing", "`pairs` says it already"),
        ("count = \"pairs\"", "these games come in no pairs that could be counted", "expected `games`, or nothing"),
        ("swap = 1", "expected a boolean", "here"),
        ("count = \"both\"", "unknown variant `both`", "here"),
    ];
    for (line, what, label) in cases {
        sandbox.write("bad.toml", &MATCH.replace("rounds = 60", &format!("rounds = 60\n{line}")));
        let refused = sandbox.spar(&["match", "bad.toml"]).exits(2).stderr;
        assert!(
            refused.contains(what) && refused.contains(label) && refused.contains("[bad.toml:"),
            "{line}: {refused}"
        );
    }
    for (line, what, label) in [
        ("pairs = 9", "single games come in no pairs", "write `rounds = 9`"),
        ("rounds = 0", "a match needs at least one game", "expected 1 or more"),
        ("", "`[match]` has no `rounds`", "add `rounds = ...`"),
    ] {
        sandbox.write("bad.toml", &MATCH.replace("rounds = 60", line));
        let refused = sandbox.spar(&["match", "bad.toml"]).exits(2).stderr;
        assert!(refused.contains(what) && refused.contains(label), "{line}: {refused}");
    }
    assert!(!sandbox.path("runs/match-m-2").exists());
}
