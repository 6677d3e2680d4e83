//! Bisections: a repository of 12 commits of a small engine, one of which weakens it. Offline, with `git` and `cc`.

use crate::support::{Outcome, Sandbox, wait, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A chess engine in one file; it looks ahead before it moves.
const ENGINE: &str = include_str!("../data/fixture-engine.c");

const PATCH: &str = r#"
game = "chess"
[build]
command = "cc -O1 -o engine engine.c"
binary = "engine"
bench = "bench"
signature = "{} nodes"
[bisect]
batch = 16
[openings]
plies = 6
[adjudication]
max_moves = 40
resign = { moves = 1, score = 300 }
[each]
limit = "depth 1"
"#;

/// A sandbox with a repository `repo`, whose first commit is `v1`.
fn begun() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("patch.toml", PATCH);
    std::fs::create_dir(sandbox.path("repo")).expect("a writable folder");
    git(&sandbox, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&sandbox, ENGINE, "An engine that looks");
    git(&sandbox, &["tag", "v1"]);
    sandbox
}

/// A sandbox with a repository `repo` of 12 commits after `v1`. Commit 5 does not build, commit 7 stops the engine from
/// looking ahead, the others change nothing relevant.
fn sandbox() -> Sandbox {
    let sandbox = begun();
    assert!(ENGINE.contains("#define PRUDENT 1"));
    for number in 1..=12 {
        let remark = format!("{ENGINE}\n/* {number} */\nint commit_{number};\n");
        let source = match number {
            5 => format!("{remark}no engine"),
            7.. => remark.replace("#define PRUDENT 1", "#define PRUDENT 0"),
            _ => remark,
        };
        commit(&sandbox, &source, &format!("Change {number}"));
    }
    sandbox
}

fn git(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(sandbox.path("repo"));
    command.args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]);
    let output = command.args(arguments).output().expect("git starts");
    assert!(output.status.success(), "{arguments:?} {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

fn commit(sandbox: &Sandbox, source: &str, message: &str) {
    sandbox.write("repo/engine.c", source);
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message", message]);
}

const BISECT: [&str; 12] = [
    "bisect",
    "patch.toml",
    "--good",
    "v1",
    "--bad",
    "main",
    "--repo",
    "repo",
    "--cache",
    "cache",
    "--concurrency",
    "2",
];

fn bisect(sandbox: &Sandbox, more: &[&str]) -> Outcome {
    sandbox.spar(&[&BISECT[..], more].concat())
}

/// Everything that is stored about the bisection in a runs folder, except the time when it was made.
fn kept(sandbox: &Sandbox, runs: &str) -> Value {
    let text = std::fs::read(sandbox.path(format!("{runs}/bisect-patch-1/bisect.json"))).expect("a bisection");
    let mut json: Value = serde_json::from_slice(&text).expect("JSON");
    json["began_unix_ms"] = Value::Null;
    json
}

/// The pairs of all runs in a folder, without node counts: the engine counts the nodes of all its games, so they depend
/// on its starts.
fn exported(sandbox: &Sandbox, runs: &str) -> Vec<Value> {
    let without_nodes = |line: &str| {
        let mut pair: Value = serde_json::from_str(line).expect("JSON");
        pair["games"].as_array_mut().expect("games").iter_mut().for_each(|game| game["nodes"] = Value::Null);
        pair
    };
    let matches = kept(sandbox, runs)["matches"].clone();
    let names = matches.as_array().expect("matches").iter().map(|of| of["run"].as_str().expect("a run").to_owned());
    let lines = names.flat_map(|run| {
        let text = sandbox.spar(&["export", &run, "--jsonl", "--runs", runs]).exits(0).stdout;
        text.lines().map(without_nodes).collect::<Vec<_>>()
    });
    lines.collect()
}

#[test]
fn the_commit_that_lost_is_found_and_a_killed_bisection_ends_the_same() {
    let sandbox = sandbox();
    let found = bisect(&sandbox, &[]).exits(0);
    assert!(found.stdout.contains("patch: v1 to main: the loss was found; 12 commits, "), "{found:?}");
    let seventh = git(&sandbox, &["rev-parse", "main~5"]);
    assert!(found.stdout.contains(&format!("\n  {}  Change 7  (Ann, ", &seventh[..8])), "{found:?}");
    assert!(found.stderr.contains("the same bench, so they need no games"), "{found:?}");
    assert!(kept(&sandbox, "runs")["matches"].as_array().is_some_and(|matches| !matches.is_empty()));

    // Shown as JSON, on its page, in lists and by its name; no game is played again.
    let again = bisect(&sandbox, &["--json"]).exits(0).json();
    assert_eq!((&again["state"], &again["found"][0]["commits"]), (&"found".into(), &serde_json::json!([seventh])));
    let [low, high] = [1, 2].map(|at| again["found"][0]["elo"][at].as_f64().expect("a number"));
    assert!(low < high && high < 0.0, "{again}");
    assert_eq!(again["commits"].as_array().map(Vec::len), Some(13));
    assert!(again["pairs"].as_u64().is_some_and(|pairs| pairs <= 500), "few pairs: {again}");
    let page = std::fs::read_to_string(sandbox.path("runs/bisect-patch-1/report.html")).expect("a page");
    for text in ["Change 7", "Which commit lost the Elo", "Elo along the commits", "<svg"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(sandbox.path("runs/bisect-patch-1/commits.svg").is_file());
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    let row = listed.lines().find(|line| line.starts_with("bisect-patch-1")).unwrap_or("");
    assert!(row.contains(" found ") && row.ends_with(&seventh[..8]), "{listed}");
    assert_eq!(sandbox.spar(&["show", "bisect-patch-1"]).exits(0).stdout, found.stdout);
    assert!(sandbox.spar(&["resume", "bisect-patch-1"]).exits(0).stderr.contains("is finished: nothing was played"));

    // Killed during its second match and resumed by its name: byte for byte the same.
    let mut child = sandbox.start(&[&BISECT[..], &["--runs", "others"]].concat());
    let record = sandbox.path("others/bisect-patch-1/bisect.json");
    let pairs = |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"matches\": [\n"));
    wait_until("a first match", || pairs(&record));
    child.kill().expect("a job that is running");
    let code = wait(child).code;
    assert!(matches!(code, None | Some(0)), "killed, or over before: {code:?}");
    let resumed = sandbox.spar(&["resume", "bisect-patch-1", "--runs", "others"]).exits(0);
    assert!(resumed.stdout.contains("Change 7"), "{resumed:?}");
    assert_eq!(kept(&sandbox, "others"), kept(&sandbox, "runs"));
    assert!(exported(&sandbox, "others") == exported(&sandbox, "runs"), "other games");
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
}

#[test]
#[ignore = "slow"]
fn a_bisection_without_pairs_enough_names_the_set_and_goes_on_with_more() {
    let sandbox = sandbox();
    let few = bisect(&sandbox, &["--max-pairs", "16", "--set", "bisect.batch=8"]).exits(4);
    assert!(few.stdout.contains("the budget of pairs is used, and no commit could be named"), "{few:?}");
    assert!(few.stdout.contains("The loss is in ") && few.stdout.contains("  Change "), "{few:?}");
    let refused = sandbox.spar(&["resume", "bisect-patch-1", "--set", "bisect.batch=9"]).exits(2);
    assert!(refused.stderr.contains("bisect.batch: 9 now, 8 then"), "{refused:?}");
    let more = sandbox.spar(&["resume", "bisect-patch-1", "--pairs", "2000"]).exits(0);
    assert!(more.stdout.contains("the loss was found") && more.stdout.contains("  Change 7 "), "{more:?}");
    // Commits 5 and 6 cannot be told apart once their versions cannot be built.
    let broken = sandbox.spar(&["show", "bisect-patch-1", "--json"]).exits(0).json();
    assert_eq!(broken["commits"][5]["built"], false);
    let run = broken["matches"][0]["run"].as_str().expect("a run").to_owned();
    assert!(sandbox.path(format!("runs/{run}")).is_dir(), "runs lie beside the job");
}

#[test]
#[ignore = "slow"]
fn commits_that_do_not_build_are_skipped_and_named() {
    let sandbox = sandbox();
    // The version before the loss is broken, too, so one of two commits is guilty.
    let sixth = format!("{ENGINE}\n/* 6 */\nint commit_6;\nno engine");
    git(&sandbox, &["checkout", "--quiet", "-b", "broken", "main~7"]);
    commit(&sandbox, &sixth, "Break it further");
    git(&sandbox, &["checkout", "--quiet", "main", "--", "engine.c"]);
    git(&sandbox, &["commit", "--quiet", "--message", "Move without looking"]);
    let words: Vec<&str> = BISECT.iter().map(|word| if *word == "main" { "broken" } else { word }).collect();
    let found = sandbox.spar(&words).exits(0);
    assert!(found.stdout.contains("one of 3 that cannot be told apart"), "{found:?}");
    for text in ["  Change 5  ", "  Break it further  ", "  Move without looking  ", "  skipped  "] {
        assert!(found.stdout.contains(text), "{text}: {found:?}");
    }
    assert!(found.stderr.contains("Skipped "), "{found:?}");
}

/// The first of two commits builds and passes its bench, but ends at the first move, and the second one loses. So the
/// first one cannot be told apart from the second.
#[test]
fn a_commit_that_crashes_in_games_is_skipped_and_its_games_do_not_count() {
    let sandbox = begun();
    let crashes = ENGINE.replace("\"go\", 2) == 0) {", "\"go\", 2) == 0) { return 1;");
    let other_bench = crashes.replace("long nodes = 0", "long nodes = 1");
    assert!(crashes != ENGINE && other_bench != crashes);
    commit(&sandbox, &other_bench, "Crash");
    commit(&sandbox, &ENGINE.replace("#define PRUDENT 1", "#define PRUDENT 0"), "Move without looking");
    let found = bisect(&sandbox, &[]).exits(0);
    let json = sandbox.spar(&["show", "bisect-patch-1", "--json"]).exits(0).json();
    let both = [git(&sandbox, &["rev-parse", "main~1"]), git(&sandbox, &["rev-parse", "main"])];
    assert_eq!((&json["state"], &json["found"][0]["commits"]), (&"found".into(), &serde_json::json!(both)), "{json}");
    let why = json["commits"][1]["skipped"].as_str().unwrap_or_default();
    assert!(why.starts_with("it lost ") && why.ends_with("% of its games by faults"), "{json}");
    assert!(found.stderr.contains(&format!("Skipped {}: it lost ", &both[0][..8])), "{found:?}");
    let matches = json["matches"].as_array().expect("matches");
    let (of_it, others): (Vec<&Value>, Vec<&Value>) =
        matches.iter().partition(|of| of["earlier"] == 1 || of["later"] == 1);
    let pairs = |of: &Value| of["pairs"].as_array().expect("counts").iter().filter_map(Value::as_u64).sum::<u64>();
    assert!(!of_it.is_empty() && of_it.iter().all(|of| pairs(of) == 0), "{json}");
    assert!(!others.is_empty() && others.iter().all(|of| pairs(of) > 0), "{json}");
}
