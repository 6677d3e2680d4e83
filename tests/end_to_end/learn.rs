//! Learning: whole generations, stopped and killed in each of their steps and resumed, and the errors for plans that
//! cannot be learnt.

use crate::support::{Sandbox, signal, wait, wait_until};
use std::path::Path;

const LEARN: &str = r#"
name = "l"
[learn]
generations = 2
keep = 2
[selfplay]
games = 600
[openings]
plies = "2..6"
[each]
limit = "60 nodes"
table = "64 KiB"
[train]
model = "wps"
epochs = 10.0
batch = 256
held_out = 0.2
[gate]
limit = "40 nodes"
elo0 = -200
elo1 = 100
max_pairs = 20
"#;

const JOB: &str = "runs/learn-l-1";

fn sandbox() -> Sandbox {
    Sandbox::with("l.toml", LEARN)
}

/// Everything that must be the same after any interruption: weights, positions, and the results of the tests.
fn outcome(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    outcome_of(sandbox, "learn-l-1")
}

fn outcome_of(sandbox: &Sandbox, job: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(sandbox.path(format!("runs/{job}"))).expect("a job").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let extension = Path::new(&name).extension().unwrap_or_default();
        if extension == "bin" || extension == "positions" {
            files.push((name, std::fs::read(entry.path()).expect("a file")));
        } else if entry.path().join("journal.sqlite").exists() {
            let run = format!("{job}/{name}");
            files.push((name, sandbox.spar(&["export", &run, "--jsonl"]).exits(0).stdout.into_bytes()));
        }
    }
    files.sort();
    files
}

#[test]
#[ignore = "slow"]
fn generations_are_played_trained_and_tested_and_shown() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["learn", "l.toml", "--concurrency", "2"]).exits(0);
    assert!(done.stdout.starts_with("l: 2 generations, "), "{done:?}");
    for text in ["Part 1 of 6: generation 1, self-play", "Part 5 of 6: generation 2, training", "Generation 2: "] {
        assert!(done.stderr.contains(text), "{text}: {done:?}");
    }
    for file in ["gen-1.bin", "gen-2.bin", "gen-1.positions", "training-2/report.html", "report.html", "config.toml"] {
        assert!(sandbox.path(JOB).join(file).is_file(), "{file}");
    }
    let weights = std::fs::read(sandbox.path(JOB).join("gen-2.bin")).expect("weights");
    assert!(engine::Evaluator::from_bytes(&weights).is_ok());

    let json = sandbox.spar(&["show", "learn-l-1", "--json"]).exits(0).json();
    let [first, second] = [0, 1].map(|number| json["generations"][number].clone());
    assert_eq!((&json["state"], &json["asked"]), (&"complete".into(), &2.into()), "{json}");
    let count = |generation: &serde_json::Value, at: &str| {
        generation.pointer(at).and_then(serde_json::Value::as_u64).unwrap_or(0)
    };
    let positions = [&first, &second].map(|it| count(it, "/selfplay/positions"));
    let trained = [&first, &second].map(|it| count(it, "/training/positions") + count(it, "/training/held_out"));
    assert_eq!(trained, [positions[0], positions[0] + positions[1]], "the newest two generations");
    assert_eq!((&first["accepted"], &second["player"]), (&true.into(), &"gen-1".into()), "the best so far plays");
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    assert!(listed.starts_with("learn-l-1  complete        2 generations"), "{listed}");
    let info = sandbox.spar(&["data", "info", "runs/learn-l-1/gen-1.positions"]).exits(0).stdout;
    assert!(info.contains("l-gen-1, piece-square at 60 nodes, seed 1"), "{info}");
    let info = sandbox.spar(&["data", "info", "runs/learn-l-1/gen-2.positions"]).exits(0).stdout;
    assert!(info.contains("l-gen-2, gen-1 (wps, SHA-256 "), "{info}");

    let page = sandbox.read(&format!("{JOB}/report.html"));
    let run = first.pointer("/gate/run").and_then(serde_json::Value::as_str).unwrap_or_default();
    for text in ["<figure id=\"elo\"", "<figure id=\"losses\"", "gen-2", &format!("href=\"{run}/report.html\"")] {
        assert!(page.contains(text), "{text}");
    }
    std::fs::remove_file(sandbox.path(JOB).join("report.html")).expect("the page");
    let printed = sandbox.spar(&["report", "learn-l-1"]).exits(0).stdout;
    assert_eq!(printed.trim_end(), "runs/learn-l-1/report.html");
    assert_eq!(sandbox.read(&format!("{JOB}/report.html")), page, "made again of what is kept");

    // A finished job does nothing more. It can be extended, but not shortened.
    let before = outcome(&sandbox);
    let again = sandbox.spar(&["learn", "l.toml"]).exits(0);
    assert_eq!((again.stdout, outcome(&sandbox) == before), (done.stdout, true));
    let less = sandbox.spar(&["learn", "l.toml", "--set", "learn.generations=1"]).exits(2).stderr;
    assert!(less.contains("2 generations are complete, so `generations = 1` is too few"), "{less}");
    let other = sandbox.spar(&["learn", "l.toml", "--set", "gate.elo1=90"]).exits(2).stderr;
    assert!(other.contains("gate.elo1: 90.0 now, 100.0 then"), "{other}");
    let more = sandbox.spar(&["resume", "learn-l-1", "--set", "learn.generations=3", "--json"]).exits(0).json();
    assert_eq!(more["generations"].as_array().map(Vec::len), Some(3), "{more}");
    assert!(sandbox.read(&format!("{JOB}/config.toml")).contains("generations = 3"));
    let after = outcome(&sandbox);
    assert!(before.iter().all(|file| after.contains(file)), "what was done stays");
}

#[test]
#[ignore = "slow"]
fn stopped_in_any_step_it_ends_as_if_it_had_not_been() {
    let (straight, broken) = (sandbox(), sandbox());
    let quick = ["learn", "l.toml", "--concurrency", "2"];
    let _done = straight.spar(&quick).exits(0);
    let job = broken.path(JOB);
    // The process is killed or stopped at the first trace of each step; it may have got further by then.
    let steps = [
        ("selfplay-l-gen-1-1/journal.sqlite", "KILL"),
        ("gen-1.positions", "INT"),
        ("training-1/wps.bin", "KILL"),
        ("gen-1.bin", "KILL"),
        ("sprt-l-gen-1-1/journal.sqlite", "INT"),
        ("selfplay-l-gen-2-1/journal.sqlite", "INT"),
        ("training-2", "INT"),
    ];
    for (file, name) in steps {
        let child = broken.start(&quick);
        wait_until(file, || job.join(file).exists());
        signal(&child, name);
        let ended = wait(child);
        assert!(matches!(ended.code, None | Some(0 | 130)), "{file}: {ended:?}");
        if ended.code == Some(130) {
            assert!(ended.stderr.contains("To resume: the same command again"), "{ended:?}");
        }
    }
    let _done = broken.spar(&quick).exits(0);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (one, other) = (outcome(&straight), outcome(&broken));
    assert_eq!(names(&one), names(&other));
    for ((name, one), (_, other)) in one.iter().zip(&other) {
        assert!(one == other, "{name}");
    }

    // A training that is not done in time is interrupted, and keeps its state.
    let endless = [&quick[..], &["--set", "selfplay.games=60", "--set", "train.epochs=1000000.0"]].concat();
    let endless_job = sandbox();
    let stopped = endless_job.interrupt(&endless, &format!("{JOB}/training-1"));
    assert!(stopped.stderr.contains("To resume: the same command again"), "{stopped:?}");
    assert!(endless_job.path(JOB).join("training-1/checkpoint").is_file());
}

#[test]
fn what_cannot_be_learnt_is_said_where_it_is_written() {
    let sandbox = sandbox();
    let without = |section: &str| {
        let start = LEARN.find(&format!("[{section}]")).expect("a section");
        let end = LEARN[start + 1..].find("\n[").map_or(LEARN.len(), |end| start + 1 + end);
        [&LEARN[..start], &LEARN[end..]].concat()
    };
    for (section, expected) in
        [("learn", "no `[learn]`"), ("train", "no `[train]`"), ("gate", "no `[gate]`"), ("selfplay", "no `[selfplay]`")]
    {
        sandbox.write("without.toml", &without(section));
        let refused = sandbox.spar(&["learn", "without.toml"]).exits(2).stderr;
        assert!(refused.contains(expected), "{section}: {refused}");
    }
    let cases = [
        (LEARN.replace("generations = 2", ""), "`[learn]` has no `generations`"),
        (LEARN.replace("generations = 2", "generations = 0"), "`generations` cannot be 0"),
        (LEARN.replace("keep = 2", "keep = 0"), "`keep` cannot be 0"),
        (LEARN.replace("elo1 = 100", ""), "`[gate]` has no `elo1`"),
        (LEARN.replace("elo1 = 100", "elo1 = -300"), "elo"),
        (LEARN.replace("max_pairs = 20", ""), "`[gate]` has no `max_pairs`"),
        (LEARN.replace("model = \"wps\"", ""), "`[train]` has no `model`"),
        (LEARN.replace("epochs = 10.0", "data = [\"x\"]"), "`data` follows from the generations"),
        (LEARN.replace("epochs = 10.0", "hidden = 32"), "this model is linear"),
        (LEARN.replace("keep = 2", "evaluation = \"deep\""), "`deep` is not a valid evaluation"),
        (LEARN.replace("keep = 2", "network = \"none.bin\""), "cannot read none.bin"),
        (LEARN.replace("keep = 2", "network = \"l.toml\""), "l.toml"),
        (LEARN.replace("keep = 2", "weights = \"best\""), "the linear model ends the same"),
        (LEARN.replace("name = \"l\"", "name = \"../l\""), "cannot name a run"),
        (LEARN.to_owned() + "[sprt]\nelo0 = 0\n", "the test of learning is `[gate]`"),
        (LEARN.to_owned() + "[[entrant]]\nname = \"a\"\n", "the entrants are the generations"),
        (LEARN.replace("keep = 2", "kept = 2"), "did you mean `keep`?"),
        (LEARN.replace("\"wps\"", "\"policy\""), "write it into `[train_policy]`"),
        (LEARN.replace("keep = 2", "policy = \"p.bin\""), "a policy does not fit the evaluations"),
        (LEARN.to_owned() + "[train_policy]\n", "only the tree search has a policy"),
        (TREE.replace("\"network\"\nhidden = 32\nbuckets = 1", "\"wps\""), "reads the hidden layer of a network"),
        (TREE.replace("target", "model = \"network\"\ntarget"), "trains policies, and not `network`"),
        (TREE.replace("\"visits\"", "\"best\""), "unknown target `best`"),
        (policies(TREE).replace("keep = 2", "evaluation = \"wps\""), "expected a network to start with"),
        (policies(TREE).replace("keep = 2", "weights = \"best\""), "only evaluations begin with the weights"),
    ];
    for (text, expected) in cases {
        sandbox.write("bad.toml", &text);
        let refused = sandbox.spar(&["learn", "bad.toml"]).exits(2).stderr;
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    assert!(!sandbox.path("runs").exists(), "nothing was made");
}

/// The tree search plays, and both its network and its policy are learnt.
const TREE: &str = r#"
name = "t"
[learn]
generations = 2
keep = 2
[selfplay]
games = 200
[openings]
plies = "2..6"
[each]
limit = "50 nodes"
search = "mcts"
[train]
model = "network"
hidden = 32
buckets = 1
epochs = 2.0
batch = 256
held_out = 0.2
[train_policy]
target = "visits"
epochs = 2.0
batch = 256
held_out = 0.2
[gate]
elo0 = -200
elo1 = 100
max_pairs = 10
"#;

/// The same plan, but only the policy is learnt.
fn policies(text: &str) -> String {
    let [start, end] = ["[train]", "[train_policy]"].map(|section| text.find(section).expect("a section"));
    [&text[..start], &text[end..]].concat()
}

#[test]
#[ignore = "slow"]
fn a_network_and_its_policy_are_learnt_together() {
    let (sandbox, broken) = (Sandbox::with("t.toml", TREE), Sandbox::with("t.toml", TREE));
    let learn = ["learn", "t.toml", "--concurrency", "2"];
    let done = sandbox.spar(&learn).exits(0);
    for text in ["Part 2 of 8: generation 1, training\n", "Part 7 of 8: generation 2, training of the policy"] {
        assert!(done.stderr.contains(text), "{text}: {done:?}");
    }
    assert!(done.stdout.contains("move first"), "{done:?}");
    let json = sandbox.spar(&["show", "learn-t-1", "--json"]).exits(0).json();
    let of = |number: usize, at: &str| json["generations"][number].pointer(at).cloned().unwrap_or_default();
    for number in [0, 1] {
        let positions = ["/training/positions", "/policy/positions"].map(|at| of(number, at).as_u64());
        assert!(positions[0] == positions[1] && positions[0] > Some(0), "the same data: {json}");
        let losses = ["/policy/figures/cross_entropy", "/policy/uniform"].map(|at| of(number, at).as_f64());
        assert!(losses[0] < losses[1], "{json}");
    }
    let info = sandbox.spar(&["data", "info", "runs/learn-t-1/gen-1.positions"]).exits(0).stdout;
    assert!(info.contains("visit shares in 100.0% of the positions"), "{info}");
    let page = sandbox.read("runs/learn-t-1/report.html");
    assert!(page.contains("Training of the policy") && page.contains("training-2-policy/report.html"), "{page}");

    // The weights of a generation fit each other, and no others.
    let entrant = |network: u32, policy: u32| {
        let folder = "runs/learn-t-1";
        format!("name=x search=mcts network={folder}/gen-{network}.bin policy={folder}/gen-{policy}-policy.bin")
    };
    let play = |one: &str| {
        let words = ["match", "--game", "0.1", "--each", "nodes=20", "--pairs", "1", "--engine", "name=y", "--engine"];
        let one = one.split(' ');
        sandbox.spar(&words.into_iter().chain(one).collect::<Vec<_>>())
    };
    let _fits = play(&entrant(2, 2)).exits(0);
    let misfit = play(&entrant(2, 1)).exits(2).stderr;
    assert!(misfit.contains("gen-1-policy.bin"), "{misfit}");

    // Killed and stopped around the training of the policy, it gives the same result as without interruptions.
    for (file, name) in [("training-1-policy", "KILL"), ("gen-1-policy.bin", "INT"), ("training-2-policy", "INT")] {
        let child = broken.start(&learn);
        wait_until(file, || broken.path("runs/learn-t-1").join(file).exists());
        signal(&child, name);
        let ended = wait(child);
        assert!(matches!(ended.code, None | Some(0 | 130)), "{file}: {ended:?}");
    }
    let _done = broken.spar(&learn).exits(0);
    let (one, other) = (outcome_of(&sandbox, "learn-t-1"), outcome_of(&broken, "learn-t-1"));
    assert_eq!(one.len(), other.len());
    for ((name, one), (_, other)) in one.iter().zip(&other) {
        assert!(one == other, "{name}");
    }
    // A training of a policy that is not done in time is interrupted, and keeps its state.
    let endless_job = Sandbox::with("t.toml", TREE);
    let endless = [&learn[..], &["--set", "selfplay.games=60", "--set", "train_policy.epochs=1000000.0"]].concat();
    let _stopped = endless_job.interrupt(&endless, "runs/learn-t-1/training-1-policy");
    assert!(endless_job.path("runs/learn-t-1/training-1-policy/checkpoint").is_file());

    // Its policy can be trained further, for the same network.
    let text = policies(TREE).replace("name = \"t\"", "name = \"p\"").replace(
        "generations = 2",
        "generations = 1\nnetwork = \"runs/learn-t-1/gen-2.bin\"\npolicy = \"runs/learn-t-1/gen-2-policy.bin\"",
    );
    sandbox.write("p.toml", &text);
    let json = sandbox.spar(&["learn", "p.toml", "--json"]).exits(0).json();
    assert_eq!((&json["generations"][0]["player"], &json["start"]), (&"start".into(), &"start".into()), "{json}");
    assert!(json["generations"][0]["training"].is_null() && json["policy"].is_string(), "{json}");
    let first = |file: &str| std::fs::read(sandbox.path(format!("runs/{file}"))).expect("a policy");
    assert_eq!(first("learn-p-1/start-policy.bin"), first("learn-t-1/gen-2-policy.bin"));
    assert!(!sandbox.path("runs/learn-p-1/gen-1.bin").exists());
}

/// A small network from an arbitrary training.
fn trained(sandbox: &Sandbox, hidden: u32) -> String {
    let text = LEARN
        .replace("\"wps\"", &format!("\"network\"\nhidden = {hidden}\nbuckets = 1"))
        .replace("epochs = 10.0", "epochs = 0.5");
    sandbox.write("n.toml", &text.replace("name = \"l\"", &format!("name = \"n{hidden}\"")));
    let _done =
        sandbox.spar(&["learn", "n.toml", "--set", "learn.generations=1", "--set", "gate.max_pairs=1"]).exits(0);
    format!("runs/learn-n{hidden}-1/gen-1.bin")
}

#[test]
#[ignore = "slow"]
fn it_can_begin_with_a_network_and_train_it_further() {
    let sandbox = sandbox();
    let file = trained(&sandbox, 32);
    let text = LEARN
        .replace("\"wps\"", "\"network\"\nhidden = 32\nbuckets = 1")
        .replace("keep = 2", &format!("network = \"{file}\"\nweights = \"best\""));
    sandbox.write("l.toml", &text);
    let wrong = sandbox.spar(&["learn", "l.toml", "--set", "train.hidden=64"]).exits(2).stderr;
    assert!(wrong.contains("`output_scale`") && wrong.contains("weights = \"new\""), "{wrong}");
    let one = ["learn", "l.toml", "--set", "learn.generations=1", "--json"];
    let done = sandbox.spar(&one).exits(0).json();
    let first = &done["generations"][0];
    assert_eq!((&first["player"], first.pointer("/training/began_with_best")), (&"start".into(), Some(&true.into())));
    // The start is copied: its file may be deleted, but not replaced by another.
    let bytes = std::fs::read(sandbox.path(&file)).expect("the network");
    std::fs::write(sandbox.path(&file), std::fs::read(sandbox.path("runs/learn-l-1/gen-1.bin")).expect("another"))
        .expect("a file");
    let other = sandbox.spar(&one).exits(2).stderr;
    assert!(other.contains("learn.network: "), "{other}");
    std::fs::remove_file(sandbox.path(&file)).expect("the file");
    let shown = sandbox.spar(&["show", "learn-l-1"]).exits(0).stdout;
    assert!(shown.contains("start"), "{shown}");
    std::fs::write(sandbox.path(&file), bytes).expect("a file");
    let _same = sandbox.spar(&one).exits(0);
}
