//! A test in stages, and bounds by name.

use crate::support::{Sandbox, wait};

const STAGED: &str = r#"
name = "t"
title = "the engine against random moves"
[sprt]
elo0 = 0
elo1 = 100
[each]
table = "64 KiB"
[[entrant]]
name = "engine"
limit = "100 nodes"
[[entrant]]
name = "random"
player = "random"
[[stage]]
name = "short"
each = { evaluation = "material" }
[[stage]]
name = "long"
sprt = { elo1 = 20, max_pairs = 400 }
each = { limit = "200 nodes" }
"#;

fn sandbox() -> Sandbox {
    Sandbox::with("t.toml", STAGED)
}

#[test]
fn stages_are_one_job_with_one_verdict() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["sprt", "t.toml"]).exits(0);
    assert!(
        done.stdout.contains("the engine against random moves: passed, H1 was accepted at each of 2 stages."),
        "{done:?}"
    );
    assert!(done.stderr.contains("Part 2 of 2: long"), "{done:?}");
    let [short, long] =
        ["sprt-t-short-1", "sprt-t-long-1"].map(|run| sandbox.spar(&["export", run, "--json"]).exits(0).json());
    let of =
        |run: &serde_json::Value, place: &str| run.pointer(place).cloned().unwrap_or_else(|| panic!("{place}: {run}"));
    assert_eq!(of(&short, "/config/experiment/sprt/test/elo1"), 100.0);
    assert_eq!(of(&long, "/config/experiment/sprt/test/elo1"), 20.0);
    assert_eq!(of(&long, "/config/entrants/0/player/native/limit/nodes"), 200);
    assert_eq!(of(&short, "/config/entrants/0/player/native/evaluation"), "material");
    assert_ne!(of(&short, "/config/seed"), of(&long, "/config/seed"), "other openings");
    let shown = sandbox.spar(&["show", "stages-t-1"]).exits(0).stdout;
    assert!(shown.contains("  short  passed ") && shown.contains("  long   passed "), "{shown}");
    assert!(shown.starts_with("the engine against random moves: passed, H1"), "{shown}");
    let page = sandbox.path("runs/stages-t-1/report.html");
    assert!(done.stdout.contains("  report runs/stages-t-1/report.html"), "{done:?}");
    let html = std::fs::read_to_string(&page).expect("the page of the job");
    for piece in [
        "H1 was accepted at each of 2 stages.",
        "<td data-head=\"stage\">short</td>",
        "<td data-head=\"stage\">long</td>",
        "<figure id=\"llr-2\"",
        "href=\"../sprt-t-long-1/report.html\"",
    ] {
        assert!(html.contains(piece), "{piece}");
    }
    std::fs::remove_file(&page).unwrap();
    let printed = sandbox.spar(&["report", "stages-t-1"]).exits(0).stdout;
    assert_eq!(printed.trim_end(), "runs/stages-t-1/report.html");
    let again = std::fs::read_to_string(&page).expect("the page, made from the journals");
    // In addition to the page of a run, the session that played a stage reports how long it took.
    assert_eq!(again.lines().count(), html.lines().count());
}

#[test]
fn a_stage_that_is_not_passed_is_the_last_one() {
    let sandbox = sandbox();
    sandbox.write("t.toml", &STAGED.replace("\"engine\"", "\"x\"").replace("\"random\"\nplayer", "\"engine\"\nplayer"));
    // The random mover, now first, is the tested engine.
    let text = std::fs::read_to_string(sandbox.path("t.toml")).unwrap();
    let swapped = text.replacen("name = \"x\"\nlimit = \"100 nodes\"", "name = \"r\"\nplayer = \"random\"", 1);
    sandbox.write(
        "t.toml",
        &swapped.replacen("name = \"engine\"\nplayer = \"random\"", "name = \"engine\"\nlimit = \"100 nodes\"", 1),
    );
    let failed = sandbox.spar(&["sprt", "t.toml", "--json"]).exits(1).json();
    assert_eq!((&failed["verdict"], &failed["of"]), (&"accepted-h0".into(), &2.into()), "{failed}");
    assert_eq!(failed["stages"].as_array().unwrap().len(), 1);
    assert!(!sandbox.path("runs/sprt-t-long-1").exists());
    let html = std::fs::read_to_string(sandbox.path("runs/stages-t-1/report.html")).expect("the page of the job");
    assert!(html.contains("<td data-head=\"\">not passed</td>") && html.contains(">not played</td>"), "{html}");
    let again = sandbox.spar(&["resume", "stages-t-1"]).exits(1).stdout;
    assert!(again.contains("not passed, H0 was accepted at stage 1 of 2, short."), "{again}");
}

#[test]
#[ignore = "slow"]
fn stages_resume_as_a_whole_after_a_kill() {
    let sandbox = sandbox();
    let slow = STAGED.replace("elo1 = 20, max_pairs = 400", "elo1 = 1, max_pairs = 3000");
    sandbox.write("t.toml", &slow);
    let mut child = sandbox.start(&["sprt", "t.toml"]);
    sandbox.wait_for_pairs("sprt-t-long-1", 5);
    child.kill().unwrap();
    let _killed = wait(child);
    let before = sandbox.spar(&["export", "sprt-t-long-1", "--jsonl"]).exits(0).stdout;
    let resumed = sandbox.spar(&["resume", "stages-t-1", "--json"]);
    let resumed = if resumed.code == Some(4) { resumed.exits(4) } else { resumed.exits(0) }.json();
    assert_eq!(resumed["stages"][1]["stage"], "long", "{resumed}");
    assert!(resumed["stages"][1]["pairs"].as_u64().unwrap() >= 5);
    let after = sandbox.spar(&["export", "sprt-t-long-1", "--jsonl"]).exits(0).stdout;
    assert!(after.starts_with(&before), "what was played stays");
    assert!(!sandbox.path("runs/sprt-t-short-2").exists(), "a passed stage is not played again");
}

#[test]
fn what_cannot_be_said_of_stages_is_refused() {
    let sandbox = sandbox();
    let cases: [(&[&str], &str); 4] = [
        (&["--set", "sprt.elo1=50"], "stage \"long\" says this itself"),
        (&["--elo1", "50"], "stage \"long\" says this itself"),
        (&["--set", "stage.short.name=\" x\""], "cannot name a stage"),
        (&["--set", "stage.long.name=short"], "two stages are called \"short\""),
    ];
    for (words, message) in cases {
        let refused = sandbox.spar(&[&["sprt", "t.toml"][..], words].concat()).exits(2);
        assert!(refused.stderr.contains(message), "{words:?}: {refused:?}");
    }
    assert!(!sandbox.path("runs").exists() || sandbox.path("runs").read_dir().unwrap().next().is_none());
    let done = sandbox.spar(&["sprt", "t.toml", "--set", "stage.long.sprt.elo1=80", "--json"]).exits(0).json();
    assert_eq!(done["verdict"], "accepted-h1");
}

#[test]
fn bounds_have_names() {
    let sandbox = sandbox();
    let listed = sandbox.spar(&["plan", "--presets", "--json"]).exits(0).json();
    let gain = &listed["presets"][0];
    assert_eq!((&gain["preset"], &gain["elo1"]), (&"gain".into(), &5.0.into()));
    let planned = sandbox.spar(&["plan", "--preset", "gain", "--json"]).exits(0).json();
    assert_eq!(planned["worst_games"], gain["worst_games"], "computed, and the same everywhere");
    let text = sandbox.spar(&["plan", "--presets", "--draws", "0.8", "--rate", "5"]).exits(0).stdout;
    assert!(text.contains("non-regression") && text.contains("a change that must not lose"), "{text}");
    sandbox.write(
        "p.toml",
        &STAGED.split("[[stage]]").next().unwrap().replace("elo0 = 0\nelo1 = 100", "preset = \"gian\""),
    );
    let refused = sandbox.spar(&["sprt", "p.toml"]).exits(2);
    assert!(refused.stderr.contains("did you mean `gain`?") && refused.stderr.contains("p.toml:5:10"), "{refused:?}");
    let mixed = sandbox.spar(&["sprt", "p.toml", "--preset", "gain", "--model", "logistic"]).exits(2);
    assert!(mixed.stderr.contains("in nElo, and not in logistic Elo"), "{mixed:?}");
    let done = sandbox.spar(&["sprt", "p.toml", "--preset", "simplification", "--pairs", "3"]).exits(4);
    assert!(done.stderr.contains("H0 -4, H1 1 nElo"), "{done:?}");
}
