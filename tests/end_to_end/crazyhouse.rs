//! From games of crazyhouse over a trained network to a match of the program that plays with it.

use super::support::Sandbox;
use super::tools::{crazyhouse, example};

const SELFPLAY: &str = r#"
name = "zh"
game = "crazyhouse"
[selfplay]
games = 30
[selfplay.filter]
in_check = true
captures = true
proven = true
[openings]
plies = "2..4"
[each]
cmd = "random_mover"
limit = "1 nodes"
[[entrant]]
name = "random"
"#;

const TRAIN: &str = r#"
game = "crazyhouse"
data = ["runs/selfplay-zh-1"]
out = "nets/zh"
model = "network"
hidden = 32
epochs = 2.0
batch = 128
held_out = 0.2
evaluations = 2
"#;

/// A folder with games of random moves.
fn sandbox() -> Sandbox {
    let sandbox =
        Sandbox::with("s.toml", &SELFPLAY.replace("random_mover", &example("random_mover").display().to_string()));
    sandbox.write("t.toml", TRAIN);
    sandbox
}

#[test]
fn positions_of_games_train_a_network_that_plays() {
    let sandbox = sandbox();
    let said = sandbox.spar(&["selfplay", "s.toml"]).exits(0).stdout;
    assert!(said.contains("positions of 30 games"), "{said}");
    let file = "runs/selfplay-zh-1/selfplay-zh-1.plain";
    let text = std::fs::read_to_string(sandbox.path(file)).unwrap();
    let blocks = text.lines().filter(|line| *line == "e").count();
    assert!(blocks > 1_000 && text.lines().count() == 6 * blocks, "{blocks}");
    assert!(text.lines().any(|line| line.starts_with("move P@")), "pieces are dropped");
    let _again = sandbox.spar(&["export", "runs/selfplay-zh-1", "--positions", "again.plain"]).exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.path("again.plain")).unwrap(), text);

    let of_run = sandbox.spar(&["train", "t.toml", "--json"]).exits(0).json();
    let set = |set: &str| ["--set", set].map(str::to_owned);
    let of_file = [set("data=[\"again.plain\"]"), set("out=\"nets/file\"")].concat();
    let words: Vec<&str> =
        ["train", "t.toml", "--json"].into_iter().chain(of_file.iter().map(String::as_str)).collect();
    let of_file = sandbox.spar(&words).exits(0).json();
    let positions = |of: &serde_json::Value| {
        let count = |key: &str| of.pointer(key).and_then(serde_json::Value::as_u64).unwrap_or_default();
        count("/data/training") + count("/data/held_out")
    };
    assert_eq!((positions(&of_run), positions(&of_file)), (blocks as u64, blocks as u64));
    assert!(
        of_run.pointer("/policy/policy/top_5").is_some() && of_run.pointer("/value/losses/target").is_some(),
        "{of_run}"
    );
    let page = std::fs::read_to_string(sandbox.path("nets/zh/report.html")).unwrap();
    assert!(page.contains("among the first 5") && page.contains("with the result alone"), "both tables are there");

    let (engine, random) = (crazyhouse().display().to_string(), example("random_mover").display().to_string());
    let network = format!("cmd={engine}");
    let random = format!("cmd={random}");
    let played = sandbox.spar(&[
        "match",
        "--game",
        "crazyhouse",
        "--pairs",
        "10",
        "--json",
        "--engine",
        &network,
        "name=zh",
        "args=--network nets/zh/network.bin",
        "nodes=60",
        "--engine",
        &random,
        "name=random",
        "nodes=1",
    ]);
    let result = played.exits(0).json();
    let text = result.to_string();
    let games = sandbox.spar(&["show", "match-zh-vs-random-1"]);
    assert!(games.stdout.contains("faults    none") || text.contains("\"faults\":0"), "{text}\n{}", games.stdout);
}

#[test]
fn configurations_that_cannot_be_trained_are_shown_where_they_stand() {
    let sandbox = sandbox();
    for (setting, expected) in [
        ("model=\"policy\"", "`policy` is a model of 0.1"),
        ("model=\"wps\"", "`wps` is a model of 0.1"),
        ("hidden=48", "a network cannot have 48 neurons"),
        ("hidden=288", "expected a multiple of 32, at most 256"),
        ("buckets=2", "a network of crazyhouse has no `buckets`"),
        ("output_scale=2", "a network of crazyhouse has no `output_scale`"),
        ("network=\"a.bin\"", "`network` is of policies"),
        ("start=\"t.toml\"", "t.toml: this is not a network for crazyhouse"),
        ("game=\"atomic\"", "expected `0.1`, `chess` or `crazyhouse`"),
    ] {
        let error = sandbox.spar(&["train", "t.toml", "--set", setting]).exits(2).stderr;
        assert!(error.contains(expected), "{setting}: {error}");
    }
}
