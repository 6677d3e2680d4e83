//! Campaigns of many patches of one engine: a repository with a small engine, and branches that strengthen it, weaken
//! it or change nothing relevant. Offline, with `git` and `cc`.

use crate::support::{Outcome, Sandbox, wait, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A chess engine in one file; it looks ahead before it moves.
const ENGINE: &str = include_str!("../data/fixture-engine.c");

const CONFIG: &str = r#"
game = "chess"
[build]
command = "cc -O1 -o engine engine.c"
binary = "engine"
[openings]
plies = 6
[adjudication]
max_moves = 40
resign = { moves = 1, score = 300 }
[each]
limit = "depth 1"
[campaign]
base = "main"
least_pairs = 32
batch = 16
max_pairs = 3000
[[campaign.patch]]
name = "look"
revision = "look"
idea = "look before moving"
[[campaign.patch]]
name = "remark"
revision = "remark"
[[campaign.patch]]
name = "give"
revision = "give"
"#;

/// A sandbox with a repository whose branch `main` has an engine that plays the first move it finds.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("campaign.toml", CONFIG);
    std::fs::create_dir(sandbox.path("repo")).expect("a writable folder");
    git(&sandbox, &["init", "--quiet", "--initial-branch", "main"]);
    // A setting of the user that forbids squashing must not stop the merge of accepted patches.
    git(&sandbox, &["config", "merge.ff", "false"]);
    commit(&sandbox, &base(), "Play the first move");
    branch(&sandbox, "look", ENGINE);
    branch(&sandbox, "remark", &format!("{}\nint remark;\n", base()));
    branch(&sandbox, "give", &base().replace("int worth = -i;", "int worth = 10 * material(&next) - i;"));
    sandbox
}

fn base() -> String {
    let source = ENGINE.replace("#define PRUDENT 1", "#define PRUDENT 0");
    assert!(source != ENGINE && source.contains("int worth = -i;"));
    source
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

/// A branch of `main` with one commit.
fn branch(sandbox: &Sandbox, name: &str, source: &str) {
    git(sandbox, &["checkout", "--quiet", "-b", name, "main"]);
    commit(sandbox, source, &format!("Change {name}"));
    git(sandbox, &["checkout", "--quiet", "main"]);
}

const CAMPAIGN: [&str; 8] = ["campaign", "campaign.toml", "--repo", "repo", "--cache", "cache", "--concurrency", "2"];

fn campaign(sandbox: &Sandbox, more: &[&str]) -> Outcome {
    sandbox.spar(&[&CAMPAIGN[..], more].concat())
}

/// Everything that is stored about the campaign in a runs folder, except the time when it was made.
fn kept(sandbox: &Sandbox, runs: &str) -> Value {
    let text = std::fs::read(sandbox.path(format!("{runs}/campaign-campaign-1/campaign.json"))).expect("a campaign");
    let mut json: Value = serde_json::from_slice(&text).expect("JSON");
    json["began_unix_ms"] = Value::Null;
    json
}

/// The pairs of all runs in a folder, without node counts: the engine counts the nodes of all games of a process.
fn exported(sandbox: &Sandbox, runs: &str) -> Vec<Vec<Value>> {
    let patches = kept(sandbox, runs)["patches"].clone();
    let names = patches.as_array().expect("patches").iter().map(|of| of["run"].as_str().expect("a run").to_owned());
    let pair = |line: &str| {
        let mut pair: Value = serde_json::from_str(line).expect("JSON");
        pair["games"].as_array_mut().expect("games").iter_mut().for_each(|game| game["nodes"] = Value::Null);
        pair
    };
    let pairs = |run: String| {
        let lines = sandbox.spar(&["export", &run, "--jsonl", "--runs", runs]).exits(0).stdout;
        lines.lines().map(pair).collect()
    };
    names.map(pairs).collect()
}

/// The state of each patch, in the order of the file.
fn states(json: &Value) -> Vec<String> {
    let patches = json["patches"].as_array().expect("patches");
    patches.iter().map(|patch| format!("{} {}", patch["name"], patch["state"]).replace('"', "")).collect()
}

#[test]
fn what_gains_is_accepted_and_a_killed_campaign_ends_the_same() {
    let sandbox = sandbox();
    let settled = campaign(&sandbox, &[]).exits(0);
    assert!(settled.stdout.contains("3 patches, 1 accepted, 2 dropped; "), "{settled:?}");
    for text in
        ["Accepted look: e-value ", "Dropped remark: a gain of 0.5 Elo is improbable after ", "Next: give, 16 pairs"]
    {
        assert!(settled.stderr.contains(text), "{text}: {settled:?}");
    }

    // Shown as JSON, on its page, in lists and by its name; no game is played again.
    let again = campaign(&sandbox, &["--json"]).exits(0).json();
    assert_eq!(states(&again), ["look accepted", "remark dropped", "give dropped"]);
    assert_eq!((&again["state"], &again["accepted"]), (&"settled".into(), &serde_json::json!(["look"])));
    let pairs = |patch: usize| again["patches"][patch]["pairs"].as_u64().expect("a number");
    assert_eq!(again["pairs"].as_u64(), Some((0..3).map(pairs).sum()), "{again}");
    assert!((0..3).all(|patch| pairs(patch) >= 16), "{again}");
    assert_eq!(again["together"], Value::Null);
    let page = std::fs::read_to_string(sandbox.path("runs/campaign-campaign-1/report.html")).expect("a page");
    for text in ["Gains of the patches", "<svg", "look", "e-value"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(sandbox.path("runs/campaign-campaign-1/patches.svg").is_file());
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    let row = listed.lines().find(|line| line.starts_with("campaign-campaign-1")).unwrap_or("");
    assert!(row.contains(" settled ") && row.ends_with("look"), "{listed}");
    assert_eq!(sandbox.spar(&["show", "campaign-campaign-1"]).exits(0).stdout, settled.stdout);
    let resumed = sandbox.spar(&["resume", "campaign-campaign-1"]).exits(0);
    assert!(resumed.stderr.contains("is finished: nothing was played"), "{resumed:?}");

    // Killed during its second batch and resumed by its name: byte for byte the same.
    let mut child = sandbox.start(&[&CAMPAIGN[..], &["--runs", "others"]].concat());
    let record = sandbox.path("others/campaign-campaign-1/campaign.json");
    let has_steps = |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"steps\": [\n"));
    wait_until("a first batch", || has_steps(&record));
    child.kill().expect("a job that is running");
    let code = wait(child).code;
    assert!(matches!(code, None | Some(0)), "killed, or over before: {code:?}");
    let resumed = sandbox.spar(&["resume", "campaign-campaign-1", "--runs", "others"]).exits(0);
    assert!(resumed.stdout.contains("1 accepted, 2 dropped"), "{resumed:?}");
    assert_eq!(kept(&sandbox, "others"), kept(&sandbox, "runs"));
    assert!(exported(&sandbox, "others") == exported(&sandbox, "runs"), "other games");
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
}

/// A patch file and a take of an idea join later, and keep the earlier results. Winners are merged, except a
/// conflicting one.
#[test]
#[ignore = "slow"]
fn patches_join_between_two_starts_and_winners_are_merged() {
    let sandbox = sandbox();
    let _settled = campaign(&sandbox, &[]).exits(0);
    let before = kept(&sandbox, "runs");

    branch(&sandbox, "take", &base().replace("int worth = -i;", "int worth = -10 * material(&next) - i;"));
    let patch = git(&sandbox, &["format-patch", "--stdout", "main..take"]);
    std::fs::create_dir(sandbox.path("patches")).expect("a writable folder");
    sandbox.write("patches/take.patch", &format!("{patch}\n"));
    // The same change of the same line, in another program.
    branch(&sandbox, "again", &ENGINE.replace("#define PRUDENT 1", "#define PRUDENT 1\nint again = 1;"));
    let again = "[[campaign.patch]]\nname = \"again\"\nrevision = \"again\"\nidea = \"look before moving\"\n";
    let more = CONFIG.replace("base = \"main\"", "base = \"main\"\npatches = \"patches\"");
    sandbox.write("campaign.toml", &format!("{more}{again}"));
    let joined = campaign(&sandbox, &["--json"]).exits(0);
    let json = joined.json();
    assert_eq!(
        states(&json),
        ["look accepted", "remark dropped", "give dropped", "again accepted", "take accepted"],
        "{joined:?}"
    );
    assert_eq!((&json["patches"][3]["take"], &json["patches"][4]["take"]), (&2.into(), &1.into()));
    let after = kept(&sandbox, "runs");
    let count = before["steps"].as_array().expect("steps").len();
    assert_eq!(&after["steps"].as_array().expect("steps")[..count], before["steps"].as_array().expect("steps"));
    assert_eq!(after["planned"], before["planned"]);

    // `look` and `take` touch different lines; `again` and `look` the same one.
    let together = &json["together"];
    assert_eq!(together["left_out"].as_array().map(Vec::len), Some(1), "{together}");
    let why = together["left_out"][0]["why"].as_str().unwrap_or("");
    assert_eq!(why, "it conflicts with those before it in engine.c");
    assert_eq!(together["patches"].as_array().map(Vec::len), Some(2), "{together}");
    assert!(together["pairs"].as_u64().is_some_and(|pairs| pairs > 0) && together["elo"][0].is_number(), "{together}");
    let commit = together["commit"].as_str().expect("a commit");
    let merged = git(&sandbox, &["show", &format!("{commit}:engine.c")]);
    assert!(merged.contains("int worth = -10 * material(&next) - i;") && !merged.contains("PRUDENT 0"), "{merged}");
    let shown = sandbox.spar(&["show", "campaign-campaign-1"]).exits(0).stdout;
    for text in ["all together  Elo +", "sum of gains  Elo +", "not merged    "] {
        assert!(shown.contains(text), "{text}: {shown}");
    }

    // A patch that has played cannot be removed or replaced.
    sandbox.write("campaign.toml", &more);
    let removed = campaign(&sandbox, &[]).exits(2);
    assert!(
        removed.stderr.contains("patch `again` has played, and is missing from the configuration now"),
        "{removed:?}"
    );
    sandbox.write("campaign.toml", &format!("{more}{again}").replace("revision = \"look\"", "revision = \"take\""));
    let changed = campaign(&sandbox, &[]).exits(2);
    assert!(changed.stderr.contains("patch `look` has played, and is another one now"), "{changed:?}");
    assert_eq!(kept(&sandbox, "runs"), after);
}

/// A file that appears in the folder while patches are built joins. A file that is no patch is ignored.
#[test]
#[ignore = "slow"]
fn patch_files_join_while_a_campaign_runs() {
    let sandbox = sandbox();
    let gate = sandbox.path("gate").display().to_string();
    let build = format!("while [ ! -e '{gate}' ]; do sleep 0.02; done; cc ");
    let config = CONFIG.replace("command = \"cc ", &format!("command = \"{build}"));
    assert_ne!(config, CONFIG);
    sandbox.write("campaign.toml", &config.replace("base = \"main\"", "base = \"main\"\npatches = \"patches\""));
    std::fs::create_dir(sandbox.path("patches")).expect("a writable folder");
    branch(&sandbox, "take", &base().replace("int worth = -i;", "int worth = -10 * material(&next) - i;"));
    let patch = git(&sandbox, &["format-patch", "--stdout", "main..take"]);

    let child = sandbox.start(&CAMPAIGN);
    let record = sandbox.path("runs/campaign-campaign-1/campaign.json");
    wait_until("the campaign is there", || record.exists());
    sandbox.write("patches/half.patch", &patch[..patch.len() / 2]);
    sandbox.write("patches/take.patch", &format!("{patch}\n"));
    sandbox.write("gate", "");
    let ended = wait(child).exits(0);
    assert!(ended.stderr.contains("Joins: take\n"), "{ended:?}");
    let half = sandbox.path("patches/half.patch").display().to_string();
    assert_eq!(ended.stderr.matches(&format!("Passed over {half}: the patch {half} ")).count(), 1, "{ended:?}");
    let json = sandbox.spar(&["show", "campaign-campaign-1", "--json"]).exits(0).json();
    assert_eq!(states(&json), ["look accepted", "remark dropped", "give dropped", "take accepted"]);
}

#[test]
#[ignore = "slow"]
fn a_campaign_without_pairs_enough_is_undecided_and_continues_with_more() {
    let sandbox = sandbox();
    let few = campaign(&sandbox, &["--max-pairs", "48"]).exits(4);
    assert!(few.stdout.contains("; the budget of pairs is used."), "{few:?}");
    let refused = sandbox.spar(&["resume", "campaign-campaign-1", "--set", "campaign.futility=0.2"]).exits(2);
    assert!(refused.stderr.contains("campaign.futility: 0.2 now, nothing then"), "{refused:?}");
    // The base moves, and the campaign keeps its own.
    commit(&sandbox, &format!("{}\nint moved;\n", base()), "Move on");
    let more = campaign(&sandbox, &[]).exits(0);
    assert!(more.stderr.contains("; this campaign still compares with "), "{more:?}");
    assert!(more.stdout.contains("1 accepted, 2 dropped"), "{more:?}");
}

/// It builds and starts, but ends at the first move.
#[test]
fn a_patch_that_crashes_in_games_is_left_out() {
    let sandbox = sandbox();
    let crashes = base().replace("\"go\", 2) == 0) {", "\"go\", 2) == 0) { return 1;");
    assert_ne!(crashes, base());
    branch(&sandbox, "crash", &crashes);
    let other = "[[campaign.patch]]\nname = \"remark\"\n";
    let (look, _) = CONFIG.split_once(other).expect("a second patch");
    let crash = "[[campaign.patch]]\nname = \"crash\"\nrevision = \"crash\"\n";
    sandbox.write("campaign.toml", &format!("{look}{crash}"));
    let json = campaign(&sandbox, &["--json"]).exits(0).json();
    assert_eq!(states(&json), ["look accepted", "crash left out"]);
    assert_eq!(json["patches"][1]["pairs"], 0, "{json}");
    let shown = sandbox.spar(&["show", "campaign-campaign-1"]).exits(0).stdout;
    let why = shown.lines().find(|line| line.contains("why not ")).unwrap_or_default();
    assert!(why.contains("crash: it lost ") && why.ends_with("% of its games by faults"), "{shown}");
}
