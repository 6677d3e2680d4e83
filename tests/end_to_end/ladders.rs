//! Ladders and scalings of the engine in process: few nodes, so that they take seconds.

use crate::support::{Outcome, Sandbox, wait};

const LADDER: &str = r#"
name = "steps"
[ladder]
pairs = 96
lookahead = 8
anchor = "material"
anchor_elo = 1000
[openings]
plies = 4
[each]
limit = "100 nodes"
table = "64 KiB"
[[entrant]]
name = "material"
evaluation = "material"
[[entrant]]
name = "piece-square"
[[entrant]]
name = "deeper"
limit = "400 nodes"
"#;

const NEWCOMER: &str = "[[entrant]]\nname = \"no table\"\nparams = { table = false }\n";

fn ladder(sandbox: &Sandbox, more: &[&str]) -> Outcome {
    sandbox.spar(&[&["ladder", "steps.toml", "--concurrency", "2"][..], more].concat())
}

fn sandbox() -> Sandbox {
    Sandbox::with("steps.toml", LADDER)
}

/// The pairs of all rows together.
fn pairs(rows: &[serde_json::Value]) -> u64 {
    rows.iter().map(|row| row["pairs"].as_f64().expect("a number") as u64).sum()
}

fn export(sandbox: &Sandbox, run: &str) -> String {
    sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout
}

#[test]
#[ignore = "slow"]
fn an_entrant_added_later_is_rated_by_a_run_of_its_own_and_all_earlier_games() {
    let sandbox = sandbox();
    let first = ladder(&sandbox, &["--json"]).exits(0).json();
    assert_eq!(first["runs"], serde_json::json!(["runs/ladder-steps-1"]));
    let rows = first["entrants"].as_array().unwrap();
    assert_eq!(pairs(rows), 192, "two entrants a pair");
    let anchor = &rows[0];
    assert_eq!((&anchor["elo"], &anchor["elo_low"], &anchor["anchor"]), (&1000.0.into(), &1000.0.into(), &true.into()));
    assert!(rows[2]["elo"].as_f64() > rows[0]["elo"].as_f64(), "{first}");
    let before = export(&sandbox, "ladder-steps-1");

    let again = ladder(&sandbox, &[]).exits(0);
    assert!(again.stderr.contains("Every entrant has been rated"), "{again:?}");

    sandbox.write("steps.toml", &format!("{LADDER}{NEWCOMER}"));
    let second = ladder(&sandbox, &["--json"]).exits(0).json();
    assert_eq!(second["runs"].as_array().unwrap().len(), 2);
    let rows = second["entrants"].as_array().unwrap();
    assert_eq!(pairs(rows), 384);
    let newcomer = rows[3]["pairs"].as_f64().unwrap();
    assert!(newcomer > 48.0, "the newcomer plays most of the new games: {second}");
    assert!(rows[1]["pairs"].as_f64() >= first["entrants"][1]["pairs"].as_f64(), "the old games count");
    assert_eq!(export(&sandbox, "ladder-steps-1"), before, "and are not touched");
    let openings = |run: &str| {
        let pairs = export(&sandbox, run);
        pairs
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["opening"].to_string())
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert!(openings("ladder-steps-1").is_disjoint(&openings("ladder-steps-2")), "openings do not come again");
    let svg = std::fs::read_to_string(sandbox.path("runs/ladder-steps-2/elo-curve.svg")).unwrap();
    assert!(svg.contains("no table") && svg.contains("piece-square"));
}

#[test]
#[ignore = "slow"]
fn a_ladder_is_the_same_at_any_concurrency_and_after_a_kill() {
    let sandbox = sandbox();
    let _one = sandbox.spar(&["ladder", "steps.toml", "--concurrency", "1", "--runs", "one"]).exits(0);
    let _four = sandbox.spar(&["ladder", "steps.toml", "--concurrency", "4", "--runs", "four"]).exits(0);
    let of = |runs: &str| sandbox.spar(&["export", "ladder-steps-1", "--jsonl", "--runs", runs]).exits(0).stdout;
    assert!(of("one") == of("four"), "the journals differ");

    let mut child = sandbox.start(&["ladder", "steps.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("ladder-steps-1", 10);
    child.kill().unwrap();
    let _killed = wait(child);
    let resumed = ladder(&sandbox, &["--json"]).exits(0).json();
    assert_eq!(resumed["runs"], serde_json::json!(["runs/ladder-steps-1"]), "it went on where it was");
    assert!(of("one") == export(&sandbox, "ladder-steps-1"), "the journals differ");
}

#[test]
fn an_entrant_that_changed_needs_a_new_name() {
    let sandbox = sandbox();
    let _first = ladder(&sandbox, &["--set", "ladder.pairs=8"]).exits(0);
    sandbox.write("steps.toml", &LADDER.replace("400 nodes", "300 nodes"));
    let refused = ladder(&sandbox, &[]).exits(2);
    assert!(refused.stderr.contains("\"deeper\" was another engine in runs/ladder-steps-1"), "{refused:?}");
    sandbox.write("steps.toml", &LADDER.replace("plies = 4", "plies = 2"));
    let refused = ladder(&sandbox, &[]).exits(2);
    assert!(refused.stderr.contains("other openings"), "{refused:?}");
    sandbox.write("steps.toml", &LADDER.replace("anchor = \"material\"", "anchor = \"materiel\""));
    let refused = ladder(&sandbox, &[]).exits(2);
    assert!(refused.stderr.contains("did you mean `material`"), "{refused:?}");
}

/// The configuration of a scaling with this name.
fn text(scaling: &str) -> String {
    format!(
        "name = \"s\"\n[scaling]\npairs = 120\n{scaling}\n[openings]\nplies = 4\n[each]\nlimit = \"100 nodes\"\n\
         table = \"64 KiB\"\n[[entrant]]\nname = \"engine\"\n"
    )
}

/// Name, Elo and its interval of each entrant, by name, in whole hundredths.
fn ratings(rows: &serde_json::Value, number: impl Fn(&serde_json::Value) -> [f64; 3]) -> Vec<(String, [i64; 3])> {
    let rating = |row: &serde_json::Value| {
        (row["name"].as_str().expect("a name").to_owned(), number(row).map(|elo| (100.0 * elo).round() as i64))
    };
    let mut all: Vec<_> = rows.as_array().expect("rows").iter().map(rating).collect();
    all.sort();
    all
}

#[test]
fn the_same_games_have_the_same_ratings_everywhere() {
    let sandbox = Sandbox::new();
    sandbox.write("nodes.toml", &text("limit = \"25 nodes\"\ndoublings = 3"));
    let flat = |row: &serde_json::Value| ["elo", "elo_low", "elo_high"].map(|key| row[key].as_f64().unwrap());
    let nested = |row: &serde_json::Value| ["value", "low", "high"].map(|key| row["elo"][key].as_f64().unwrap());
    let run = "ladder-scaling-s-1";
    let scaling = ratings(&sandbox.spar(&["scaling", "nodes.toml", "--json"]).exits(0).json()["entrants"], flat);
    assert_eq!((scaling.len(), scaling.iter().filter(|(_, elo)| elo[0] == 0).count()), (4, 1), "{scaling:?}");

    sandbox.write("games.pgn", &sandbox.spar(&["export", run, "--pgn"]).exits(0).stdout);
    let rate = sandbox.spar(&["rate", "games.pgn", "--anchor", "25 nodes=0", "--json"]).exits(0).json();
    assert_eq!((&rate["pairs"], &rate["single_games"]), (&120.into(), &0.into()));
    assert_eq!(ratings(&rate["entrants"], flat), scaling, "rate");
    assert_eq!(ratings(&sandbox.spar(&["show", run, "--json"]).exits(0).json()["ratings"], flat), scaling, "show");
    assert_eq!(ratings(&sandbox.spar(&["runs", "--json"]).exits(0).json()[0]["ratings"], flat), scaling, "runs");
    let report = sandbox.spar(&["report", run, "--json"]).exits(0).json();
    assert_eq!(ratings(&report["ladder"]["places"], nested), scaling, "report");

    // No page shows a pool of all pairings.
    assert!(sandbox.spar(&["show", run, "--json"]).exits(0).json()["elo"].is_null());
    let strongest = scaling.iter().map(|(_, elo)| elo[0]).max().unwrap() as f64 / 100.0;
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    assert!(listed.contains(&format!("200 nodes +{strongest:.0} ±")), "{listed}");
    let page = std::fs::read_to_string(sandbox.path("runs").join(run).join("report.html")).unwrap();
    for part in ["<figure id=\"elo-curve\"", "gain over the one before", "parabola, misfit", "the first doubling gains"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<figure id=\"elo\"") && !page.contains("Elo over the pairs"));
}

#[test]
#[ignore = "slow"]
fn doublings_and_sweeps_are_ladders() {
    let sandbox = Sandbox::new();
    sandbox.write("nodes.toml", &text("limit = \"25 nodes\"\ndoublings = 4"));
    let nodes = sandbox.spar(&["scaling", "nodes.toml", "--json"]).exits(0).json();
    assert_eq!(nodes["values"], serde_json::json!([25.0, 50.0, 100.0, 200.0, 400.0]));
    let rows = nodes["entrants"].as_array().unwrap();
    assert!(rows[4]["elo_low"].as_f64() > Some(0.0), "16 times the nodes are better: {nodes}");
    assert_eq!(nodes["fit"]["gain_over_first"].as_array().unwrap().len(), 5);
    assert_eq!(nodes["fit"]["degrees_of_freedom"], 2);
    assert!(sandbox.path("runs/ladder-scaling-s-1/scaling.svg").exists());
    assert_eq!(sandbox.path("runs/ladder-scaling-s-1/scaling.png").exists(), cfg!(feature = "png"));
    let shown = sandbox.spar(&["scaling", "nodes.toml", "--show"]).exits(0).stdout;
    assert!(shown.contains("400 nodes") && shown.contains("the first doubling gains"), "{shown}");

    sandbox.write("sweep.toml", &text("parameter = \"optimism\"\nvalues = [0, 0.3, 0.6, 1]").replace("\"s\"", "\"o\""));
    let sweep = sandbox.spar(&["scaling", "sweep.toml"]).exits(0).stdout;
    assert!(sweep.contains("optimism 0.3") && sweep.contains("A parabola over optimism"), "{sweep}");
    sandbox.write("bad.toml", &text("parameter = \"optimsm\"\nvalues = [0, 0.5]"));
    let refused = sandbox.spar(&["scaling", "nodes.toml", "--show", "--set", "scaling.doublings=0"]).exits(2);
    assert!(refused.stderr.contains("`doublings` is 1 or more"), "{refused:?}");
    let bad = sandbox.spar(&["scaling", "bad.toml"]).exits(2);
    assert!(bad.stderr.contains("did you mean `optimism`"), "{bad:?}");
    assert!(bad.stderr.contains("bad.toml:"), "in the file: {bad:?}");
}

#[test]
fn a_switch_has_two_levels() {
    let sandbox = Sandbox::new();
    sandbox.write("switch.toml", &text("parameter = \"futility\"\nvalues = [false, true]"));
    let scaling = sandbox.spar(&["scaling", "switch.toml", "--set", "scaling.pairs=20", "--json"]).exits(0).json();
    assert_eq!((&scaling["of"], &scaling["values"]), (&"futility".into(), &serde_json::json!([0.0, 1.0])));
    let names: Vec<_> = scaling["entrants"].as_array().unwrap().iter().map(|place| &place["name"]).collect();
    assert_eq!(names, ["futility false", "futility true"]);
    let again = sandbox.spar(&["scaling", "switch.toml", "--set", "scaling.pairs=20", "--show"]).exits(0);
    assert!(again.stdout.contains("futility true"), "{again:?}");
}
