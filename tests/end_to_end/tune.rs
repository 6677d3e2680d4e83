//! Tuning sessions of the built binary: the same values at any concurrency and after a kill, refusals, and the test
//! that follows.

use crate::support::{Sandbox, example, signal, wait};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A short session on a fast node clock.
const TUNE: &str = r#"
name = "q"
[tune]
pairs = 80
lookahead = 12
[tune.verify]
enabled = false
[[tune.parameter]]
name = "futility_margin"
start = 0.05
[[tune.parameter]]
name = "time_decay"
max = 0.5
[[tune.parameter]]
name = "lmr_first_start"
max = 40
[openings]
plies = 4
[each]
limit = "10ms"
clock = "1000000 nodes/s"
table = "64 KiB"
[[entrant]]
name = "engine"
"#;

fn sandbox() -> Sandbox {
    Sandbox::with("q.toml", TUNE)
}

fn export(sandbox: &Sandbox, run: &str) -> String {
    sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout
}

/// The same session at 4 ms a game and at the target, 10 ms.
const LIMITS: [&str; 2] = ["--set", "tune.limits=[\"4ms\"]"];

#[test]
#[ignore = "slow"]
fn a_session_at_several_limits_is_the_same_at_any_concurrency_and_says_where_it_played() {
    let sandbox = sandbox();
    let run = |workers: &str| {
        let done = sandbox.spar(&[&["tune", "q.toml", "--json", "--concurrency", workers][..], &LIMITS].concat());
        done.exits(0).json()["tune"].clone()
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one, two);
    let rows = export(&sandbox, "tune-q-1");
    assert_eq!(rows, export(&sandbox, "tune-q-2"));
    let cheap = rows.lines().filter(|row| row.contains("\"limit\":\"4ms\"")).count();
    assert_eq!(one["limits"][0]["pairs"], cheap);
    assert_eq!((&one["limits"][1]["limit"], &one["limits"][1]["pairs"]), (&"10ms".into(), &(80 - cheap).into()));
    assert!((30..75).contains(&cheap), "{cheap} of 80");
    assert!(one["parameters"][0]["drift_per_doubling"]["sd"].is_number(), "{one}");
    let pgn = sandbox.spar(&["export", "tune-q-1", "--pgn"]).exits(0).stdout;
    assert_eq!(pgn.matches("[TimeControl \"0.004\"]").count(), 2 * cheap, "{pgn}");

    // Stopped, and resumed.
    let mut child = sandbox.start(&[&["tune", "q.toml", "--concurrency", "2"][..], &LIMITS].concat());
    sandbox.wait_for_pairs("tune-q-3", 15);
    child.kill().unwrap();
    assert_eq!(wait(child).code, None, "killed in the middle");
    assert_eq!(sandbox.spar(&["resume", "tune-q-3", "--json"]).exits(0).json()["tune"], one);
    let page = sandbox.read("runs/tune-q-3/report.html");
    assert!(page.contains("Values for 10ms.") && page.contains("% of the cost)"), "{page}");
}

#[test]
fn the_test_of_a_session_at_several_limits_says_whether_the_gain_carried_over() {
    let sandbox = sandbox();
    let few = ["--set", "tune.pairs=20", "--set", "tune.verify.enabled=true", "--set", "tune.verify.max_pairs=2"];
    let done = sandbox.spar(&[&["tune", "q.toml"][..], &LIMITS, &few].concat()).exits(4);
    let says = "Whether the gain carried over to 10ms is undecided.";
    assert!(done.stderr.contains(says), "{done:?}");
    let page = sandbox.read("runs/tune-q-1/report.html");
    assert!(page.contains(says), "{page}");
    let test = sandbox.spar(&["export", "sprt-q-verify-1", "--pgn"]).exits(0).stdout;
    assert_eq!(test.matches("[TimeControl \"0.01\"]").count(), 4, "{test}");
}

#[test]
#[ignore = "slow"]
fn a_session_is_the_same_at_any_concurrency_and_after_a_kill() {
    for (method, folder) in
        [("quadratic", "tune-q"), ("spsa", "tune-s"), ("spsa-auto", "tune-a"), ("spsa-classic", "tune-c")]
    {
        let sandbox = sandbox();
        let name = format!("name={}", &folder[5..]);
        let method = format!("tune.method={method}");
        let settings = ["--set", &name, "--set", &method, "--set", "each.limit=\"3ms\""];
        let mut found = Vec::new();
        for (number, workers) in ["1", "2", "4"].into_iter().enumerate() {
            let arguments = [&["tune", "q.toml", "--json", "--concurrency", workers][..], &settings].concat();
            let done = sandbox.spar(&arguments).exits(0).json();
            assert_eq!(done["pairs"], 80);
            found.push((done["tune"].clone(), export(&sandbox, &format!("{folder}-{}", number + 1))));
        }
        let run = format!("{folder}-4");
        let mut child = sandbox.start(&[&["tune", "q.toml", "--concurrency", "2"][..], &settings].concat());
        sandbox.wait_for_pairs(&run, 15);
        child.kill().unwrap();
        assert_eq!(wait(child).code, None, "killed in the middle");
        let resumed = sandbox.spar(&["resume", &run, "--json"]).exits(0).json();
        found.push((resumed["tune"].clone(), export(&sandbox, &run)));
        for other in &found[1..] {
            assert_eq!(other.0, found[0].0, "other values");
            assert!(other.1 == found[0].1, "the journals differ");
        }
        let values: Vec<f64> =
            found[0].0["parameters"].as_array().unwrap().iter().map(|p| p["value"].as_f64().unwrap()).collect();
        assert!((0.0..=5.0).contains(&values[0]) && (0.0..=0.5).contains(&values[1]), "{values:?}");
        assert!(values[2].fract() == 0.0 && (1.0..=40.0).contains(&values[2]), "{values:?}");
    }
}

/// A session after the one above: one more parameter, another range, and one parameter unchanged.
fn again() -> String {
    let start = TUNE.find("[[tune.parameter]]").expect("a section");
    let end = TUNE.find("[openings]").expect("a section");
    let head =
        TUNE[..start].replace("pairs = 80", "from = \"runs/tune-q-1\"\npairs = 40").replace("\"q\"", "\"again\"");
    let parameters = "[[tune.parameter]]\nname = \"futility_margin\"\nmax = 3\n[[tune.parameter]]\nname = \
        \"time_decay\"\n\
                      [[tune.parameter]]\nname = \"lmr_base\"\n";
    format!("{head}{parameters}{}", &TUNE[end..])
}

#[test]
#[ignore = "slow"]
fn a_session_begins_with_what_an_earlier_one_knew_and_needs_it_no_more() {
    let sandbox = sandbox();
    let first = sandbox.spar(&["tune", "q.toml", "--json"]).exits(0).json()["tune"].clone();
    sandbox.write("again.toml", &again());
    let plan = sandbox.spar(&["tune", "again.toml", "--dry-run"]).exits(0).stdout;
    assert!(plan.contains("from tune-q-1: 2 of 3 parameters, 80 pairs, half believed"), "{plan}");
    let done = sandbox.spar(&["tune", "again.toml", "--json", "--concurrency", "1"]).exits(0).json()["tune"].clone();
    for (index, hundredth) in [0.001, 0.0001].into_iter().enumerate() {
        let of = |tune: &serde_json::Value, key: &str| tune["parameters"][index][key].as_f64().unwrap();
        assert!((of(&done, "start") - of(&first, "value")).abs() < hundredth, "{first} {done}");
    }
    let plan = sandbox.spar(&["tune", "again.toml", "--dry-run", "--json"]).exits(0).json();
    assert_eq!((&plan["space"][0]["max"], &plan["space"][1]["max"]), (&3.0.into(), &0.5.into()), "{plan}");
    assert_eq!(plan["earlier"]["learnt"].as_array().map(Vec::len), Some(2), "{plan}");
    // The same session from its own configuration, and after a kill, with the earlier session deleted.
    let mut child = sandbox.start(&["tune", "again.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("tune-again-2", 10);
    child.kill().unwrap();
    assert_eq!(wait(child).code, None, "killed in the middle");
    std::fs::remove_dir_all(sandbox.path("runs/tune-q-1")).unwrap();
    assert_eq!(sandbox.spar(&["resume", "tune-again-2", "--json"]).exits(0).json()["tune"], done);
    assert_eq!(sandbox.spar(&["tune", "runs/tune-again-1/config.toml", "--json"]).exits(0).json()["tune"], done);
    let page = sandbox.read("runs/tune-again-1/report.html");
    assert!(page.contains("from tune-q-1: 2 of 3 parameters, 80 pairs, half believed"), "{page}");
    let refused = sandbox.spar(&["tune", "again.toml"]).exits(2).stderr;
    assert!(refused.contains("there is no folder runs/tune-q-1"), "{refused}");
}

#[test]
fn an_earlier_session_gives_all_parameters_or_is_refused() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["tune", "q.toml", "--set", "tune.method=spsa"]).exits(0);
    let again = again();
    let start = again.find("[[tune.parameter]]").unwrap();
    let end = again.find("[openings]").unwrap();
    sandbox.write("all.toml", &format!("{}{}", &again[..start], &again[end..]));
    let plan = sandbox.spar(&["tune", "all.toml", "--dry-run"]).exits(0).stdout;
    assert!(plan.contains("from tune-q-1: 3 of 3 parameters, 80 pairs, half believed"), "{plan}");
    let plan = sandbox.spar(&["tune", "all.toml", "--dry-run", "--set", "tune.method=spsa"]).exits(0).stdout;
    assert!(plan.contains("lmr_first_start") && !plan.contains("believed"), "{plan}");
    sandbox.write("t.toml", crate::support::SPRT);
    let _done = sandbox.spar(&["sprt", "t.toml", "--set", "sprt.max_pairs=1"]);
    for (setting, message) in [
        ("tune.trust=2", "`tune.trust` cannot be 2"),
        ("tune.from=\"runs\"", "there is no run at runs"),
        ("tune.from=\"runs/sprt-t-1\"", "runs/sprt-t-1 is not a tuning session"),
        ("tune.lines=\"x\"", "`lines` define them all again"),
        ("tune.parameter=[{ name = \"optimism\" }]", "no parameter of this session was tuned in runs/tune-q-1"),
        ("tune.parameter=[{ name = \"time_decay\", max = 0.001 }]", "is outside 0..0.001"),
    ] {
        let refused = sandbox.spar(&["tune", "all.toml", "--set", setting]).exits(2);
        let text = refused.stderr.replace("\n  │ ", " ");
        assert!(text.contains(message), "{setting}: {}", refused.stderr);
    }
}

#[test]
fn every_pair_is_journaled_as_played() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["tune", "q.toml"]).exits(0);
    for line in export(&sandbox, "tune-q-1").lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let [plus, minus] = [0, 1].map(|seat| pair["proposal"][seat]["values"].as_array().unwrap().clone());
        assert_eq!(plus.len(), 3);
        assert_ne!(plus, minus, "both sides are the same engine");
    }
}

#[test]
fn the_values_are_printed_ready_to_paste_and_tested_against_the_start() {
    let sandbox = sandbox();
    let settings = ["--set", "tune.pairs=20", "--set", "tune.verify.enabled=true", "--set", "tune.verify.max_pairs=2"];
    let done = sandbox.spar(&[&["tune", "q.toml"][..], &settings].concat()).exits(4);
    assert!(done.stdout.contains("\nparams = { futility_margin = "), "{done:?}");
    assert!(done.stdout.contains("\nsetoption name lmr_first_start value "), "{done:?}");
    assert!(done.stdout.contains("Undecided after 2 pairs"), "{done:?}");
    let shown = sandbox.spar(&["show", "sprt-q-verify-1", "--json"]).exits(0).json();
    assert_eq!(shown["entrants"], serde_json::json!(["tuned", "start"]));
    let page = || std::fs::read_to_string(sandbox.path("runs/tune-q-1/report.html")).unwrap();
    for part in [
        "<a href=\"../sprt-q-verify-1/report.html\">sprt-q-verify-1</a>: Undecided after 2 pairs",
        "\nlmr_first_start = ",
        "\nsetoption name lmr_first_start value ",
        "\nlmr_first_start, int, ",
    ] {
        assert!(page().contains(part), "no {part:?} in the session's page");
    }
    std::fs::remove_file(sandbox.path("runs/tune-q-1/report.html")).unwrap();
    let again = sandbox.spar(&["resume", "sprt-q-verify-1"]).exits(4);
    assert!(page().contains("../sprt-q-verify-1/report.html"), "after the test is resumed");
    assert!(again.stdout.contains("Undecided after 2 pairs"), "{again:?}");
}

#[test]
fn a_dry_run_plays_nothing() {
    let sandbox = sandbox();
    let plan = sandbox.spar(&["tune", "q.toml", "--dry-run"]).exits(0);
    assert!(plan.stdout.contains("engine tuned by quadratic: 80 pairs, lookahead 12"), "{plan:?}");
    assert!(plan.stdout.contains("lmr_first_start"), "{plan:?}");
    let plan = sandbox.spar(&["tune", "q.toml", "--dry-run", "--json"]).exits(0).json();
    assert!(!sandbox.path("runs").exists());
    let expected = plan["forecast"].as_array().unwrap().last().unwrap()["regret"].as_f64().unwrap();
    let reported = sandbox.spar(&["tune", "q.toml", "--json"]).exits(0).json()["tune"]["regret"].as_f64().unwrap();
    assert!(reported < 2.0 * expected && expected < 2.0 * reported, "{expected} expected, the session says {reported}");
}

#[test]
fn what_makes_no_session_is_refused() {
    let sandbox = sandbox();
    let cases = [
        ("tune.parameter.0.start=7", "start 7 of `futility_margin` is outside the engine's own range"),
        ("tune.parameter.0.name=futility_margn", "did you mean `futility_margin`?"),
        ("tune.parameter.1.step=-1", "step"),
        ("tune.parameter.2.step=0.01", "step"),
        ("tune.parameter.0.min=1", "start"),
        ("tune.pairs=2", "2 pairs are too few to tune 3 parameters"),
        ("tune.pairs=0", "no pairs tune nothing"),
        ("tune.method=spas", "did you mean `spsa`?"),
        ("tune.lines=x, int, 1, 0, 2, 1, 0.002", "leave this out, or the sections"),
    ];
    for (setting, message) in cases {
        let refused = sandbox.spar(&["tune", "q.toml", "--set", setting]).exits(2);
        let text = refused.stderr.replace("\n  │ ", " ");
        assert!(text.contains(message), "{setting}: {}", refused.stderr);
        assert!(!sandbox.path("runs").exists(), "{setting} left a folder");
    }
}

#[test]
fn a_changed_space_is_not_resumed() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["tune", "q.toml", "--set", "tune.pairs=20"]).exits(0);
    let refused = sandbox.spar(&["resume", "tune-q-1", "--set", "tune.parameter.0.step=0.3"]).exits(2);
    assert!(refused.stderr.contains("experiment.tune.tuned.parameters.0.step: 0.1 then, 0.3 now"), "{refused:?}");
}

#[test]
fn fishtest_lines_are_taken() {
    let sandbox = sandbox();
    let start = TUNE.find("[[tune.parameter]]").unwrap();
    let end = TUNE.find("[openings]").unwrap();
    let lines = "lines = \"\"\"\nfutility_margin, float, 0.6, 0, 5, 0.1, 0.002\nlmr_first_start, int, 5, 1, 40, 1, \
        0.002\n\"\"\"\n";
    let head = TUNE[..start].replace("[tune.verify]\nenabled = false\n", "");
    sandbox.write("f.toml", &format!("{head}{lines}[tune.verify]\nenabled = false\n{}", &TUNE[end..]));
    let done = sandbox.spar(&["tune", "f.toml", "--set", "tune.method=spsa", "--json"]).exits(0).json();
    assert_eq!(done["tune"]["parameters"][1]["name"], "lmr_first_start");
    let unknown = sandbox.spar(&["tune", "f.toml", "--set", "tune.lines=x, int, 1, 0, 2, 1, 0.002"]).exits(2);
    assert!(unknown.stderr.contains("unknown parameter `x`"), "{unknown:?}");
}

#[test]
fn parameters_come_from_engines_and_go_back_into_their_source() {
    let sandbox = sandbox();
    // The parameters that an engine declares.
    let engine = example("random_mover").display().to_string();
    let imported = sandbox.spar(&["params", "import", "--engine", &engine]).exits(0);
    assert!(imported.stdout.contains("name = \"Seed\"\nkind = \"integer\"\nstart = 1\n"), "{imported:?}");
    assert!(imported.stderr.contains("left out: Hash: match runners set it (memory)"), "{imported:?}");
    let silent = sandbox.spar(&["params", "import", "--engine", "true"]).exits(2);
    assert!(silent.stderr.contains("true did not answer `uci` with `uciok`"), "{silent:?}");
    sandbox.write(
        "search.cpp",
        "int futility_margin = 6;\nint lmr_first_start = 5;\nTUNE(SetRange(1, 40), lmr_first_start);\n",
    );
    let imported = sandbox.spar(&["params", "import", "search.cpp"]).exits(0);
    let blocks =
        "[[tune.parameter]]\nname = \"lmr_first_start\"\nkind = \"integer\"\nstart = 5\nmin = 1\nmax = 40\nstep = 2\n";
    assert!(imported.stdout.contains(&format!("[tune]\npairs = 20000\n\n{blocks}\n")), "{imported:?}");
    assert!(imported.stdout.contains("cmd = \"./engine\" # write your engine's program here\n"), "{imported:?}");
    assert!(imported.stderr.starts_with("1 parameter, from TUNE lists of a source file."), "{imported:?}");

    // A session accepts the section; its values go into the source at the end.
    let (head, tail) = (TUNE.find("[[tune.parameter]]").unwrap(), TUNE.find("[openings]").unwrap());
    let tune = TUNE[..head].replace("[tune.verify]\nenabled = false\n", "");
    sandbox.write("s.toml", &format!("{tune}{blocks}[tune.verify]\nenabled = false\n{}", &TUNE[tail..]));
    let two = "int lmr_first_start = 5;\nvoid f() { int lmr_first_start = 3; }\n";
    sandbox.write("two.cpp", two);
    let refused = sandbox.spar(&["tune", "s.toml", "--patch", "two.cpp"]).exits(2);
    assert!(refused.stderr.contains("the file defines `lmr_first_start` 2 times, in lines 1, 2"), "{refused:?}");
    let played = sandbox.spar(&["tune", "s.toml", "--set", "tune.pairs=24", "--patch", "search.cpp"]).exits(0);
    let value = sandbox.spar(&["params", "export", "tune-q-1", "--as", "uci"]).exits(0).stdout;
    let value = value.trim().strip_prefix("setoption name lmr_first_start value ").expect("an option");
    let source = sandbox.read("search.cpp");
    assert!(source.contains(&format!("int lmr_first_start = {value};")), "{source}");
    assert!(value == "5" || played.stdout.contains(&format!("+int lmr_first_start = {value};")), "{played:?}");

    // The later session, which is shown first.
    sandbox.write("later.rs", "const lmr_first_start: i32 = 77;\n");
    let shown = sandbox.spar(&["params", "patch", "tune-q-1", "later.rs"]).exits(0);
    let diff = format!("@@ line 1 @@\n-const lmr_first_start: i32 = 77;\n+const lmr_first_start: i32 = {value};\n");
    assert_eq!(shown.stdout, diff);
    assert_eq!(sandbox.read("later.rs"), "const lmr_first_start: i32 = 77;\n");
    let _written = sandbox.spar(&["params", "patch", "tune-q-1", "later.rs", "--write"]).exits(0);
    assert_eq!(sandbox.read("later.rs"), format!("const lmr_first_start: i32 = {value};\n"));
    for (how, expected) in [
        ("toml", format!("params = {{ lmr_first_start = {value} }}\n")),
        ("fishtest", format!("lmr_first_start,{value},1,40,2,0.002\n")),
        ("openbench", format!("lmr_first_start, int, {value}, 1, 40, 2, 0.002\n")),
    ] {
        assert_eq!(sandbox.spar(&["params", "export", "tune-q-1", "--as", how]).exits(0).stdout, expected);
    }
    let json = sandbox.spar(&["params", "export", "tune-q-1", "--as", "weather-factory"]).exits(0).json();
    assert_eq!(json["lmr_first_start"]["max_value"], 40);
}

/// Parameters that are scaled together, in order, or categories.
const RELATIONS: &str = r#"
name = "r"
[tune]
pairs = 60
lookahead = 12
constraints = ["futility_depth + 2 < late_pruning_depth"]
[tune.verify]
max_pairs = 2
[[tune.group]]
name = "reductions"
step = 0.2
[[tune.parameter]]
name = "lmr_base"
group = "reductions"
min = 0
[[tune.parameter]]
name = "lmr_factor"
group = "reductions"
[[tune.parameter]]
name = "futility_depth"
step = 2
[[tune.parameter]]
name = "late_pruning_depth"
step = 3
[[tune.parameter]]
name = "null_move_reduction"
values = [3, 2, 4]
[openings]
plies = 4
[each]
limit = "50 nodes"
table = "64 KiB"
[[entrant]]
name = "engine"
"#;

#[test]
#[ignore = "slow"]
fn parameters_keep_their_order_their_ratio_and_their_values() {
    let sandbox = Sandbox::with("r.toml", RELATIONS);
    let plan = sandbox.spar(&["tune", "r.toml", "--dry-run"]).exits(0).stdout;
    for line in
        ["reductions is a factor of lmr_base, lmr_factor", "futility_depth + 2 < late_pruning_depth", "one of 3, 2, 4"]
    {
        assert!(plan.contains(line), "{plan}");
    }
    let whole = sandbox.spar(&["tune", "r.toml", "--json", "--set", "tune.verify.enabled=false"]).exits(0).json();
    let rows = export(&sandbox, "tune-r-1");
    let mut met = std::collections::BTreeSet::new();
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        for seat in row["proposal"].as_array().unwrap() {
            let values: Vec<f64> = seat["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            let [base, factor, futility, pruning, reduction] = values[..] else { panic!("{values:?}") };
            assert!((base / 0.78 - factor / 0.58).abs() < 1e-9, "{values:?}");
            assert!(futility + 2.0 < pruning && futility >= 1.0 && pruning <= 20.0, "{values:?}");
            met.insert(reduction as u32);
        }
    }
    assert!(met.iter().eq([0, 1, 2].iter()), "{met:?}");
    let names: Vec<&str> =
        whole["tune"]["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lmr_base", "lmr_factor", "futility_depth", "late_pruning_depth", "null_move_reduction"]);

    let category = &whole["tune"]["parameters"][4];
    let place = category["value"].as_f64().unwrap() as usize;
    assert_eq!(category["text"], category["values"][place]["text"], "{category}");
    assert_eq!(category["values"].as_array().unwrap().len(), 3);

    // Stopped, resumed, and tested with the text that the engine gets for a category.
    let mut child = sandbox.start(&["tune", "r.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("tune-r-2", 15);
    child.kill().unwrap();
    assert_eq!(wait(child).code, None, "killed in the middle");
    sandbox.spar(&["resume", "tune-r-2"]);
    assert!(export(&sandbox, "tune-r-2") == rows, "the journals differ");
    let pasted = sandbox.spar(&["params", "export", "tune-r-2", "--as", "toml"]).exits(0).stdout;
    let reduction = pasted.split("null_move_reduction = ").nth(1).unwrap_or_else(|| panic!("{pasted}")).chars().next();
    assert!(matches!(reduction, Some('2' | '3' | '4')), "{pasted}");
    let page = sandbox.read("runs/tune-r-2/report.html");
    assert!(page.contains("null_move_reduction") && page.contains("best "), "{page}");

    // A later session begins with all of it; a category begins with its answer.
    let start = RELATIONS.find("[[tune.group]]").unwrap();
    let end = RELATIONS.find("[openings]").unwrap();
    let bare = RELATIONS.replace(&RELATIONS[start..end], "").replace("name = \"r\"", "name = \"l\"");
    sandbox.write("later.toml", &bare.replace("lookahead = 12", "from = \"runs/tune-r-2\""));
    let plan = sandbox.spar(&["tune", "later.toml", "--dry-run"]).exits(0).stdout;
    assert!(plan.contains("from tune-r-2: 3 of 5 parameters, 60 pairs, half believed"), "without the group: {plan}");
    assert!(plan.contains(&format!("one of {}", reduction.unwrap())), "{plan}");
    sandbox.write("group.toml", &RELATIONS.replace("lookahead = 12", "from = \"runs/tune-r-2\"\nlookahead = 8"));
    let plan = sandbox.spar(&["tune", "group.toml", "--dry-run"]).exits(0).stdout;
    assert!(plan.contains("reductions is a factor of lmr_base, lmr_factor"), "{plan}");
    assert!(plan.contains("from tune-r-2: 5 of 5 parameters"), "{plan}");
    let plan = sandbox.spar(&["tune", "group.toml", "--dry-run", "--json"]).exits(0).json();
    let learnt = plan["earlier"]["learnt"].as_array().unwrap();
    assert_eq!(learnt[2]["members"], serde_json::json!(["lmr_base", "lmr_factor"]), "{plan}");
    assert!(learnt[2]["gg"].as_f64().unwrap() > 0.0, "{plan}");
    let precisions = plan["earlier"]["categories"][0]["precisions"].as_array().unwrap();
    assert!(precisions.len() == 6 && precisions[0].as_f64().unwrap() > 0.0, "{plan}");
    // The same session from its own configuration, with the earlier one deleted.
    let settings = ["--set", "tune.verify.enabled=false", "--json"];
    let done = sandbox.spar(&[&["tune", "group.toml"][..], &settings].concat()).exits(0).json()["tune"].clone();
    std::fs::remove_dir_all(sandbox.path("runs/tune-r-2")).unwrap();
    let again = sandbox.spar(&[&["tune", "runs/tune-r-3/config.toml"][..], &settings].concat()).exits(0).json();
    assert_eq!(again["tune"], done);
}

/// An engine that plays at random, has the option `Style`, and writes down its value.
const STYLED: &str = r"#!/bin/sh
tee -a received | MOVER | sed -u '/^uciok/i option name Style type combo default calm var calm var wild var odd'
";

#[test]
fn an_option_of_an_engine_process_may_be_a_category_of_texts() {
    let config = "name = \"e\"\n[tune]\npairs = 12\n[tune.verify]\nmax_pairs = 1\n[[tune.parameter]]\nname = \
        \"Style\"\n\
                  values = [\"calm\", \"wild\", \"odd\"]\n[adjudication]\nmax_moves = 10\n[each]\nprotocol = \"uci\"\n\
                  limit = \"10 nodes\"\n[[entrant]]\nname = \"engine\"\ncmd = \"./styled\"\n";
    let sandbox = Sandbox::with("e.toml", &format!("game = \"chess\"\n{config}"));
    sandbox.write_program("styled", &STYLED.replace("MOVER", &example("random_mover").display().to_string()));
    let done = sandbox.spar(&["tune", "e.toml", "--concurrency", "1"]);
    assert!(done.code.is_some_and(|code| code == 0 || code == 4), "{done:?}");
    let received = sandbox.read("received");
    for text in ["calm", "wild", "odd"] {
        assert!(received.contains(&format!("setoption name Style value {text}\n")), "{received} {done:?}");
    }
    let found = sandbox.spar(&["params", "export", "tune-e-1", "--as", "uci"]).exits(0).stdout;
    let style =
        found.trim().strip_prefix("setoption name Style value ").unwrap_or_else(|| panic!("{found}")).to_owned();
    // The test uses the text, not its index in the list.
    if style != "calm" {
        let test = sandbox.read("runs/sprt-e-verify-1/config.toml");
        assert!(test.contains(&format!("\"{style}\"")) && test.contains("\"calm\""), "{test}");
    }
    let toml = sandbox.spar(&["params", "export", "tune-e-1", "--as", "toml"]).exits(0).stdout;
    assert!(toml.contains(&format!("Style = \"{style}\"")), "{toml}");
}

#[test]
fn relations_that_cannot_be_are_refused_where_they_stand() {
    let sandbox = Sandbox::with("r.toml", RELATIONS);
    let refused = |from: &str, to: &str| {
        assert!(RELATIONS.contains(from), "{from}");
        sandbox.write("bad.toml", &RELATIONS.replace(from, to));
        let stderr = sandbox.spar(&["tune", "bad.toml", "--dry-run"]).exits(2).stderr;
        assert!(stderr.contains("bad.toml"), "{stderr}");
        stderr
    };
    let order = "\"futility_depth + 2 < late_pruning_depth\"";
    let cases = [
        (order, "\"futility_depth > 3\"", "is not a constraint"),
        (order, "\"futility_depht < late_pruning_depth\"", "did you mean `futility_depth`?"),
        (order, "\"lmr_base < late_pruning_depth\"", "scaled by a group"),
        (order, "\"late_pruning_depth < futility_depth\"", "the start violates a constraint"),
        (order, "\"null_move_reduction < late_pruning_depth\"", "whose values have no order"),
        ("group = \"reductions\"\nmin", "group = \"reduction\"\nmin", "did you mean `reductions`?"),
        ("group = \"reductions\"\nmin = 0", "group = \"reductions\"\nstep = 0.1", "the step is the group's"),
        ("name = \"reductions\"\nstep = 0.2", "name = \"reductions\"\nstep = -1", "step -1 must be greater"),
        ("[3, 2, 4]", "[3, 2, 3]", "2 to 64 different"),
        ("[3, 2, 4]", "[3, 2, 99]", "whole numbers from 1 to 10"),
        ("values = [3, 2, 4]", "kind = \"category\"", "has no `values`"),
        ("values = [3, 2, 4]", "values = [3, 2, 4]\nstep = 1", "neither a range nor a step"),
        ("pairs = 60", "pairs = 60\nmethod = \"spsa\"", "spsa cannot tune"),
    ];
    for (from, to, expected) in cases {
        let stderr = refused(from, to);
        assert!(stderr.contains(expected), "{to}: {stderr}");
    }
}

/// Processor time of a process so far, in clock ticks (100 a second); `None` once it has ended.
fn ticks(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
    // The state is the third field; user and system time are the fourteenth and fifteenth.
    let is_over = matches!(*fields.first()?, "Z" | "X");
    (!is_over).then(|| fields.get(11..13)?.iter().map(|field| field.parse::<u64>().ok()).sum())?
}

#[test]
fn a_session_of_a_thousand_parameters_ends_soon_when_it_is_interrupted() {
    let sandbox = Sandbox::new();
    let mover = example("random_mover").display().to_string();
    let parameter = |number: u32| {
        format!(
            "[[tune.parameter]]\nname = \"P{number}\"\nkind = \"integer\"\nstart = 100\nmin = 0\nmax = 200\nstep = 10\n"
        )
    };
    let parameters: String = (1..=1000).map(parameter).collect();
    let head = "name = \"many\"\ngame = \"chess\"\n[tune]\npairs = 100_000\n";
    let tail = format!(
        "[adjudication]\nmax_moves = 2\n[each]\ncmd = {mover:?}\nlimit = \"10 nodes\"\nunknown_options = \
            \"warn\"\n[[entrant]]\nname = \"e\"\n"
    );
    sandbox.write("many.toml", &format!("{head}{parameters}{tail}"));
    // A pipe could not hold the lines for a thousand options.
    let stderr = std::fs::File::create(sandbox.path("said")).expect("a file");
    let mut command = sandbox.command(&["tune", "many.toml"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn().expect("spar starts");
    sandbox.wait_for_pairs("tune-many-1", 20);
    let before = ticks(child.id()).expect("it plays");
    signal(&child, "INT");
    let (mut last, deadline) = (before, Instant::now() + Duration::from_mins(10));
    let process = child.id();
    let watch = std::thread::spawn(move || {
        while let Some(now) = ticks(process).filter(|_| Instant::now() < deadline) {
            last = now;
            std::thread::park_timeout(Duration::from_millis(2));
        }
        last
    });
    let _stopped = wait(child).exits(130);
    let used = watch.join().expect("a count") - before;
    assert!(used < 2_000, "{} s of processor time after the signal", used as f64 / 100.0);
    assert!(sandbox.read("said").contains("spar resume runs/tune-many-1"));
    let kept = sandbox.spar(&["export", "tune-many-1", "--jsonl"]).exits(0).stdout.lines().count();
    assert!(kept >= 20, "{kept}");
    assert!(sandbox.spar(&["show", "tune-many-1", "--json"]).exits(0).json()["pairs"].as_u64() >= Some(20));
}
