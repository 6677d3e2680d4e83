//! Trainings: from self-play to weights, stopped and resumed, and the errors for unusable input.

use crate::support::{Outcome, SELFPLAY, Sandbox, signal, wait, wait_until};
use std::process::Command;

const TRAIN: &str = r#"
data = ["runs/*/*.positions"]
out = "fits/first"
model = "network"
hidden = 32
buckets = 2
positions = 40000
batch = 256
held_out = 0.2
"#;

/// A game of chess between players that report no score.
const CHESS: &str = "name = \"c\"\ngame = \"chess\"\n[match]\npairs = 1\n[openings]\nplies = 4\n[each]\nplayer = \
    \"random\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";

/// A folder with positions and the configuration of a training.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("s.toml", SELFPLAY);
    sandbox.write("train.toml", TRAIN);
    let played = sandbox.spar(&["selfplay", "s.toml", "--concurrency", "2", "--set", "selfplay.games=60"]).exits(0);
    assert!(played.stdout.starts_with("60 games played"), "{played:?}");
    sandbox
}

fn bytes(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    fs_err::read(sandbox.path(path)).expect("a file")
}

#[test]
#[ignore = "slow"]
fn a_training_leaves_weights_and_a_page_and_resumes_after_an_interruption() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["train", "train.toml"]).exits(0);
    assert!(done.stderr.contains("network 6,360 x 32, 2 buckets") && done.stdout.contains("Held-out loss"), "{done:?}");
    let page = String::from_utf8(bytes(&sandbox, "fits/first/report.html")).unwrap();
    for text in ["id=\"losses\"", "held out", "piece-square", "network 6,360 x 32"] {
        assert!(page.contains(text), "{text}");
    }
    let weights = bytes(&sandbox, "fits/first/network.bin");
    assert!(engine::Evaluator::from_bytes(&weights).is_ok());

    let start = ["--set", "start=fits/first/network.bin", "--set", "out=fits/further", "--json"];
    let further = sandbox.spar(&[&["train", "train.toml"][..], &start].concat()).exits(0).json();
    let fresh: serde_json::Value = serde_json::from_slice(&bytes(&sandbox, "fits/first/training.json")).expect("JSON");
    let begin = |trained: &serde_json::Value| {
        trained.pointer("/points/0/training").and_then(serde_json::Value::as_f64).expect("a loss")
    };
    assert!(begin(&further) < begin(&fresh) - 0.05, "it begins where the first one ended: {further} {fresh}");
    let other = sandbox.spar(&[&["train", "train.toml", "--set", "hidden=64"][..], &start].concat()).exits(2).stderr;
    assert!(other.contains("is nothing to begin with"), "{other}");

    let second = ["train", "train.toml", "--set", "out=fits/second", "--json"];
    let child = sandbox.start(&second);
    wait_until("a folder", || sandbox.path("fits/second").exists());
    signal(&child, "INT");
    let stopped = wait(child);
    // If it was too quick to be interrupted, there is nothing to resume, and nothing changes.
    assert!(matches!(stopped.code, Some(0 | 130)), "{stopped:?}");
    let json = sandbox.spar(&second).exits(0).json();
    assert_eq!(json["stopped"], false);
    assert!(json["quantisation"]["percentile_99"].as_f64().unwrap() < 0.02, "{json}");
    assert!(bytes(&sandbox, "fits/second/network.bin") == weights, "the same weights");

    // One that is not done in time is interrupted, and keeps its state.
    let endless = ["train", "train.toml", "--set", "out=fits/endless", "--set", "positions=1000000000000"];
    let stopped = sandbox.interrupt(&endless, "fits/endless");
    assert!(stopped.stderr.contains("To resume: the same command again"), "{stopped:?}");
    assert!(sandbox.path("fits/endless/checkpoint").is_file());
}

const POLICY: &str = r#"
data = ["runs/*/*.positions"]
out = "fits/policy"
model = "policy"
epochs = 12.0
batch = 256
held_out = 0.2
evaluations = 4
learning_rate = 0.01
"#;

#[test]
#[ignore = "slow"]
fn a_policy_is_trained_and_an_engine_plays_with_it() {
    let sandbox = sandbox();
    sandbox.write("policy.toml", POLICY);
    let done = sandbox.spar(&["train", "policy.toml"]).exits(0);
    assert!(done.stderr.contains("policy, 1,348 moves: ") && done.stdout.contains("the first in "), "{done:?}");
    let page = String::from_utf8(bytes(&sandbox, "fits/policy/report.html")).unwrap();
    for text in ["id=\"losses\"", "held out", "all moves equal", "among the first 5", "cross-entropy"] {
        assert!(page.contains(text), "{text}");
    }
    let weights = bytes(&sandbox, "fits/policy/policy.bin");
    let set = ["--set", "out=fits/three", "--set", "threads=3", "--json"];
    let json = sandbox.spar(&[&["train", "policy.toml"][..], &set].concat()).exits(0).json();
    let number = |of: &str, name: &str| json[of][name].as_f64().expect("a number");
    // This few positions are learnt by heart; the first choices are still better than chance.
    for share in ["top_1", "top_5"] {
        assert!(number("policy", share) > 2.0 * number("uniform", share), "{json}");
    }
    // The program rounds activations to units of 1/127.
    assert!(number("quantisation", "largest") < 0.1, "{json}");
    assert!(bytes(&sandbox, "fits/three/policy.bin") == weights, "the same with any number of threads");
    let a = ["--engine", "name=a", "search=mcts", "policy=fits/policy/policy.bin"];
    let b = ["--engine", "name=b", "search=mcts"];
    let rest = ["--game", "0.1", "--nodes", "50", "--pairs", "1"];
    let _played = sandbox.spar(&[&["match"][..], &a, &b, &rest].concat()).exits(0);

    let refused = |set: &str, code: i32| sandbox.spar(&["train", "policy.toml", "--set", set]).exits(code).stderr;
    assert!(refused("lambda=0.5", 2).contains("a policy learns the moves that were played: remove it"));
    assert!(refused("network=fits/policy/policy.bin", 2).contains("expected a network"));
    let other = refused("seed=7", 3);
    assert!(other.contains("with other settings"), "{other}");
    let positions = bytes(&sandbox, "runs/selfplay-s-1/selfplay-s-1.positions");
    fs_err::write(sandbox.path("short.positions"), &positions[..positions.len() - 5]).expect("a disk");
    let short = refused("data=[\"short.positions\"]", 3);
    assert!(short.contains("short.positions, byte "), "{short}");
}

#[test]
#[ignore = "slow"]
fn a_run_is_trained_on_as_its_file_is() {
    let sandbox = sandbox();
    let trained = |data: &str| {
        let _removed = std::fs::remove_dir_all(sandbox.path("fits"));
        let _done = sandbox.spar(&["train", "train.toml", "--set", &format!("data=[{data:?}]")]).exits(0);
        bytes(&sandbox, "fits/first/network.bin")
    };
    let of_file = trained("runs/*/*.positions");
    for run in ["runs/selfplay-s-1", "runs/selfplay-*", "runs/selfplay-s-1/journal.sqlite"] {
        assert!(trained(run) == of_file, "{run}");
    }
    let refused = |set: &str, code: i32| sandbox.spar(&["train", "train.toml", "--set", set]).exits(code).stderr;
    assert!(refused("data=[\"runs\"]", 2).contains("`runs` is a folder that is not read"));
    sandbox.write("c.toml", CHESS);
    let _done = sandbox.spar(&["match", "c.toml"]).exits(0);
    let other = refused("data=[\"runs/match-c-1\"]", 2);
    assert!(other.contains("are of chess") && other.contains("trained on runs of 0.1"), "{other}");
}

#[test]
#[ignore = "slow"]
fn a_full_disk_is_an_error_and_saved_files_stay() {
    let sandbox = sandbox();
    let train = ["train", "train.toml"];
    // Files are limited to half a megabyte: a checkpoint of 32 neurons is larger, and a full disk looks the same.
    let without_space = || -> Outcome {
        let spar = sandbox.command(&train);
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"trap '' XFSZ; ulimit -f 1024; exec "$0" "$@""#]).arg(spar.get_program()).args(train);
        shell.current_dir(sandbox.path("")).env("NO_COLOR", "1").output().expect("a shell").into()
    };
    let files = || {
        let mut files: Vec<_> =
            std::fs::read_dir(sandbox.path("fits/first")).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort_unstable();
        files
    };
    let stuck = without_space().exits(3);
    assert!(stuck.stderr.contains("fits/first/checkpoint") && stuck.stderr.contains("File too large"), "{stuck:?}");
    assert_eq!(sandbox.spar(&train).code, Some(0));
    let (whole, kept) = (files(), bytes(&sandbox, "fits/first/checkpoint"));
    assert_eq!(without_space().code, Some(3));
    assert!(files() == whole && bytes(&sandbox, "fits/first/checkpoint") == kept, "no half file is left");
    assert_eq!(sandbox.spar(&train).code, Some(0));
}

#[test]
fn what_cannot_be_trained_is_reported() {
    let sandbox = sandbox();
    let wrong = sandbox.spar(&["train", "train.toml", "--set", "hidden=100"]).exits(2);
    assert!(wrong.stderr.contains("expected a multiple of 32") && wrong.stderr.contains("hidden = 100"), "{wrong:?}");
    let none = sandbox.spar(&["train", "train.toml", "--set", "data=[\"nowhere/*.positions\"]"]).exits(2);
    assert!(none.stderr.contains("`nowhere/*.positions` finds no file"), "{none:?}");
    let file = "runs/selfplay-s-1/selfplay-s-1.positions";
    let whole = bytes(&sandbox, file);
    sandbox.write("short.positions", "");
    fs_err::write(sandbox.path("short.positions"), &whole[..whole.len() - 10]).unwrap();
    let short = sandbox.spar(&["train", "train.toml", "--set", "data=[\"short.positions\"]"]).exits(3);
    assert!(
        short.stderr.contains("short.positions, byte") && short.stderr.contains("10 bytes are missing"),
        "{short:?}"
    );
    let linear = sandbox.spar(&["train", "train.toml", "--set", "model=wps"]).exits(2);
    assert!(linear.stderr.contains("this model is linear"), "{linear:?}");
    let start = sandbox.spar(&["train", "train.toml", "--set", "start=train.toml"]).exits(2);
    assert!(start.stderr.contains("expected a network's file"), "{start:?}");
    let wps = TRAIN.replace("\"network\"\nhidden = 32\nbuckets = 2", "\"wps\"");
    sandbox.write("wps.toml", &wps);
    let wps = sandbox.spar(&["train", "wps.toml"]).exits(0);
    assert!(wps.stdout.contains("fits/first/wps.bin"), "{wps:?}");
    let other = sandbox.spar(&["train", "wps.toml", "--set", "lambda=0.5"]).exits(3);
    assert!(other.stderr.contains("checkpoint is of a training with other settings"), "{other:?}");
}
