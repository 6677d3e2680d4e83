//! Engines from git revisions: a small engine in a separate repository, built and tested. Offline, with `git` and `cc`.

use crate::support::{Outcome, Sandbox, wait, wait_until};
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
[sprt]
elo0 = 0
elo1 = 200
max_pairs = 300
[openings]
plies = 6
[adjudication]
max_moves = 40
resign = { moves = 1, score = 300 }
[each]
limit = "depth 1"
"#;

/// A sandbox with a repository `repo`: `v1` looks ahead before it moves, `v2`, the newest commit, does not.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("patch.toml", PATCH);
    std::fs::create_dir(sandbox.path("repo")).expect("a writable folder");
    sandbox.write("repo/README", "no engine yet\n");
    git(&sandbox, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&sandbox, "Words alone", "v0");
    sandbox.write("repo/engine.c", ENGINE);
    commit(&sandbox, "An engine that looks", "v1");
    sandbox.write("repo/engine.c", &careless());
    commit(&sandbox, "Move without looking\n\nIt is faster.", "v2");
    sandbox
}

fn careless() -> String {
    assert!(ENGINE.contains("#define PRUDENT 1"));
    ENGINE.replace("#define PRUDENT 1", "#define PRUDENT 0")
}

fn git(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(sandbox.path("repo"));
    command.args(["-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]);
    let output = command.args(arguments).output().expect("git starts");
    assert!(output.status.success(), "{arguments:?} {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

fn commit(sandbox: &Sandbox, message: &str, tag: &str) {
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message", message]);
    git(sandbox, &["tag", tag]);
}

fn spar(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let own = ["--repo", "repo", "--cache", "cache", "--concurrency", "2"];
    sandbox.spar(&[arguments, &own].concat())
}

fn patch(sandbox: &Sandbox, base: &str, dev: &str) -> Outcome {
    spar(sandbox, &["patch", "patch.toml", "--base", base, "--dev", dev])
}

#[test]
#[ignore = "slow"]
fn a_patch_can_be_tested_in_stages() {
    let sandbox = sandbox();
    let stages = "\n[[stage]]\nname = \"first\"\n[[stage]]\nname = \"second\"\nsprt = { elo1 = 150 }\n";
    sandbox.write("patch.toml", &format!("{PATCH}{stages}"));
    let better = patch(&sandbox, "v2", "v1").exits(0);
    assert!(better.stdout.contains("passed, H1 was accepted at each of 2 stages"), "{better:?}");
    assert!(better.stdout.contains("  second  passed"), "{better:?}");
    let worse = patch(&sandbox, "v1", "v2").exits(1);
    assert!(worse.stdout.contains("H0 was accepted at stage 1 of 2, first."), "{worse:?}");
    let regress = spar(&sandbox, &["regress", "patch.toml", "--against", "v1", "--dev", "v1"]).exits(2);
    assert!(regress.stderr.contains("`[[stage]]` makes several tests, and this is one"), "{regress:?}");
}

#[test]
#[ignore = "slow"]
fn a_worse_patch_is_rejected_and_a_better_one_accepted_from_the_cache() {
    let sandbox = sandbox();
    let worse = patch(&sandbox, "v1", "v2").exits(1);
    assert!(worse.stdout.contains("H0 accepted"), "{worse:?}");
    assert_eq!(worse.stderr.matches("(built)").count(), 2, "{worse:?}");
    let steps = ["Building v1 (", "Running the bench: v1 (", "v1 is ", "Building v2 (", "Running the bench: v2 ("];
    let places: Vec<_> = steps.iter().map(|step| worse.stderr.find(step).expect(step)).collect();
    assert!(places.is_sorted(), "{worse:?}");
    let [v1, v2] = ["v1", "v2"].map(|tag| git(&sandbox, &["rev-parse", "--short=8", tag]));
    let run = format!("runs/sprt-patch-{v2}-{v1}-1");
    let page = std::fs::read_to_string(sandbox.path(format!("{run}/report.html"))).expect("a report");
    assert!(page.contains("Move without looking") && page.contains(&format!("dev {v2}")));

    let better = spar(&sandbox, &["patch", "patch.toml", "--base", "v2", "--dev", "v1", "--json"]).exits(0);
    assert_eq!(better.stderr.matches("(from the cache)").count(), 2, "{better:?}");
    let json = better.json();
    assert_eq!(json["entrants"], serde_json::json!([format!("dev {v1}"), format!("base {v2}")]));
    assert_eq!((&json["verdict"], &json["faults"]), (&"accepted-h1".into(), &serde_json::json!([0, 0])));

    let undecided = spar(
        &sandbox,
        &[
            "patch",
            "patch.toml",
            "--base",
            "v1",
            "--dev",
            "v1",
            "--set",
            "sprt.elo0=-1",
            "--set",
            "sprt.elo1=1",
            "--set",
            "sprt.max_pairs=4",
            "--set",
            "base.limit=depth 2",
        ],
    );
    let undecided = undecided.exits(4);
    let run = undecided.stdout.lines().find_map(|line| line.strip_prefix("  run       ")).expect("a run");
    let config = std::fs::read_to_string(sandbox.path(run).join("config.toml")).expect("a configuration");
    let limits: Vec<&str> = config.lines().filter(|line| line.starts_with("limit")).collect();
    let both_and_one = ["limit = \"depth 1\"", "limit = \"depth 2\"  # --set base.limit=depth 2"];
    assert_eq!(limits, both_and_one, "for both, and for the one: {config}");
    assert!(undecided.stderr.contains("byte for byte"), "{undecided:?}");
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
    assert_eq!(git(&sandbox, &["worktree", "list"]).lines().count(), 1, "checkouts are gone");
}

#[test]
#[ignore = "slow"]
fn uncommitted_work_is_tested() {
    let sandbox = sandbox();
    let clean = patch(&sandbox, "v1", "worktree").exits(1);
    let v2 = git(&sandbox, &["rev-parse", "--short=8", "v2"]);
    assert!(clean.stdout.contains(&format!("dev {v2}")), "as committed, it is that commit: {clean:?}");

    // The new file is included although git does not track it; ignored files are not.
    let parts = ENGINE.replace("#define PRUDENT 1", "#include \"prudence.h\"");
    sandbox.write("repo/engine.c", &parts);
    sandbox.write("repo/prudence.h", "#define PRUDENT 1\n");
    sandbox.write("repo/.gitignore", "*.log\n");
    sandbox.write("repo/a.log", "one\n");
    let refused = patch(&sandbox, "v1", "HEAD").exits(2);
    assert!(refused.stderr.contains("--dev worktree"), "{refused:?}");
    let better = patch(&sandbox, "v2", "worktree").exits(0);
    sandbox.write("repo/a.log", "two\n");
    let again = patch(&sandbox, "v2", "worktree").exits(0);
    let id = |outcome: &Outcome| {
        let words = outcome.stderr.split("worktree is ").nth(1).and_then(|rest| rest.split(' ').next());
        words.expect("an id").to_owned()
    };
    assert_eq!(id(&better), id(&again), "a tree has one id");
    assert!(again.stderr.contains(&format!("worktree is {} uncommitted work on {v2}", id(&again))), "{again:?}");
    assert!(again.stderr.matches("(from the cache)").count() == 2, "{again:?}");
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "M engine.c\n?? .gitignore\n?? prudence.h");
}

#[test]
fn a_broken_build_says_what_the_compiler_said() {
    let sandbox = sandbox();
    sandbox.write("repo/engine.c", "int main(void) { return nothing; }\n");
    let failed = patch(&sandbox, "v1", "worktree").exits(2);
    assert!(failed.stderr.contains("nothing") && failed.stderr.contains("cc -O1 -o engine engine.c"), "{failed:?}");
    let log = failed.stderr.split("The whole output is in ").nth(1).and_then(|rest| rest.split(',').next());
    let log = std::fs::read_to_string(log.expect("a path")).expect("a log");
    assert!(log.contains("nothing"), "{log}");
    assert!(!sandbox.path("runs").exists(), "nothing was begun");

    git(&sandbox, &["checkout", "--quiet", "--", "."]);
    let missing = patch(&sandbox, "v0", "v1").exits(2);
    assert!(missing.stderr.contains("building v0") && missing.stderr.contains("engine.c"), "{missing:?}");
    sandbox.write("other.toml", &PATCH.replace("binary = \"engine\"", "binary = \"bin/engine\""));
    let elsewhere = spar(&sandbox, &["patch", "other.toml", "--base", "v1", "--dev", "v2"]).exits(2);
    assert!(elsewhere.stderr.contains("has no `bin/engine`"), "{elsewhere:?}");
    sandbox.write("slow.toml", &PATCH.replace("command = \"", "within = \"10s\"\ncommand = \"sleep 600; "));
    let slow = spar(&sandbox, &["patch", "slow.toml", "--base", "v1", "--dev", "v2"]).exits(2);
    assert!(slow.stderr.contains("did not end within 10s"), "{slow:?}");
}

#[test]
#[ignore = "slow"]
fn a_signature_must_be_what_the_commit_says() {
    let sandbox = sandbox();
    let built = patch(&sandbox, "v1", "v2").exits(1).stderr;
    let nodes = built.split("bench ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a signature").to_owned();
    git(&sandbox, &["commit", "--quiet", "--allow-empty", "--message", "Say what it counts\n\nBench: 12"]);
    let wrong = patch(&sandbox, "v1", "main").exits(2);
    assert!(wrong.stderr.contains("promises `Bench: 12`"), "{wrong:?}");
    git(&sandbox, &["checkout", "--quiet", "v1"]);
    git(&sandbox, &["commit", "--quiet", "--allow-empty", "--message", &format!("Say it right\n\nBench: {nodes}")]);
    let right = spar(&sandbox, &["patch", "patch.toml", "--base", "v2", "--dev", "HEAD"]).exits(0);
    assert!(right.stderr.contains(&format!("Say it right, bench {nodes}")), "{right:?}");
    sandbox.write("other.toml", &PATCH.replace("{} nodes", "counted {}"));
    let silent = spar(&sandbox, &["patch", "other.toml", "--base", "v1", "--dev", "v2"]).exits(2);
    assert!(silent.stderr.contains("printed nothing like \"counted {}\""), "{silent:?}");
}

#[test]
fn what_cannot_be_tested_is_refused_in_one_message() {
    let sandbox = sandbox();
    let unknown = patch(&sandbox, "v1", "mian").exits(2);
    assert!(unknown.stderr.contains("no revision `mian`: did you mean `main`?"), "{unknown:?}");
    let option = patch(&sandbox, "v1", "--output=x").exits(2);
    assert!(!sandbox.path("x").exists() && !option.stderr.is_empty());
    let nowhere =
        sandbox.spar(&["patch", "patch.toml", "--base", "v1", "--dev", "v2", "--cache", "cache", "--repo", "/"]);
    assert!(nowhere.exits(2).stderr.contains("is not a git repository"));
    let unwritable = ["patch", "patch.toml", "--base", "v1", "--dev", "v2", "--repo", "repo", "--cache", "/proc/none"];
    assert!(sandbox.spar(&unwritable).exits(3).stderr.contains("--cache"));
    sandbox.write("entrants.toml", &format!("{PATCH}\n[[entrant]]\nname = \"x\"\n"));
    let entrants = spar(&sandbox, &["patch", "entrants.toml", "--base", "v1", "--dev", "v2"]).exits(2);
    assert!(entrants.stderr.contains("[dev] or [base]"), "{entrants:?}");
    // An error in the file is shown at its place, for any use of the file; an override is shown as typed.
    sandbox.write("typo.toml", &PATCH.replace("max_pairs = 300", "max_piars = 300"));
    sandbox.write("limit.toml", &PATCH.replace("depth 1", "depht 1"));
    let shown: [(&str, &[&str], &str); 3] = [
        ("typo.toml", &[], "typo.toml:11:1"),
        ("limit.toml", &[], "limit.toml:18:9"),
        ("patch.toml", &["--set", "dev.limit=soon"], "│ --set dev.limit=soon"),
    ];
    for (file, more, place) in shown {
        let test = ["patch", file, "--base", "v1", "--dev", "v2"];
        let regress = ["regress", file, "--against", "v1", "--dev", "v2"];
        for command in [&test[..], &regress] {
            let refused = spar(&sandbox, &[command, more].concat()).exits(2);
            assert!(refused.stderr.contains(place), "{command:?}: {refused:?}");
        }
    }
    assert!(!sandbox.path("runs").exists());
}

#[test]
fn tests_against_releases_are_one_job_that_resumes_after_a_kill() {
    let sandbox = sandbox();
    let words = ["regress", "patch.toml", "--repo", "repo", "--cache", "cache", "--against", "v1", "v2", "--dev", "v2"];
    let mut child = sandbox.start(&[&words[..], &["--set", "sprt.max_pairs=1000000"]].concat());
    let first = || {
        let runs = std::fs::read_dir(sandbox.path("runs")).into_iter().flatten().flatten();
        runs.map(|entry| entry.file_name().to_string_lossy().into_owned()).find(|name| name.starts_with("sprt-"))
    };
    wait_until("a first run", || first().is_some());
    sandbox.wait_for_pairs(&first().expect("a run"), 3);
    child.kill().expect("a job that is running");
    assert_eq!(wait(child).code, None, "killed");
    let shown = sandbox.spar(&["show", "regress-patch-1"]).exits(0).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        lines[0] == "v2 against its releases: of 2 releases, unfinished against 2."
            && lines[5].starts_with("  v1       interrupted ")
            && lines[5].contains("  runs/sprt-"),
        "{shown}"
    );
    assert_eq!(lines[6], "  v2       to come");
    let pairs = sandbox.spar(&["show", &first().expect("a run"), "--json"]).exits(0).json()["pairs"].as_u64().unwrap();
    let limit = format!("sprt.max_pairs={}", pairs + 4);
    let gone_on = sandbox.spar(&["resume", "regress-patch-1", "--set", &limit]).exits(4);
    for release in ["v1", "v2"] {
        let start = format!("  {release} ");
        let row = gone_on.stdout.lines().find(|line| line.starts_with(&start)).unwrap_or("");
        assert!(row.contains("undecided") && row.contains(&format!(" {} ", pairs + 4)), "{gone_on:?}");
    }
    let parts = sandbox.spar(&["show", "regress-patch-1", "--json"]).exits(0).json()["parts"].clone();
    let states: Vec<&str> = parts.as_array().unwrap().iter().map(|part| part["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["finished", "finished"]);
    assert_eq!(std::fs::read_dir(sandbox.path("runs")).unwrap().count(), 3, "the job and its two runs");

    // The result of one test is kept if the next cannot be read.
    let second = sandbox.spar(&["show", "regress-patch-1", "--json"]).exits(0).json()["parts"][1]["run"].clone();
    std::fs::write(sandbox.path(second.as_str().unwrap()).join("journal.sqlite"), "no journal").unwrap();
    let broken = sandbox.spar(&["resume", "regress-patch-1"]).exits(3);
    assert!(broken.stdout.contains("\n  v1 ") && broken.stderr.contains("journal.sqlite"), "{broken:?}");
}

#[test]
#[ignore = "slow"]
fn regressions_are_found_among_releases() {
    let sandbox = sandbox();
    let regress = |dev: &str, more: &[&str]| {
        let arguments = ["regress", "patch.toml", "--against", "v1", "v2", "--dev", dev, "--set", "sprt.elo0=-200"];
        spar(&sandbox, &[&arguments[..], more].concat())
    };
    let table = regress("worktree", &[]).exits(1);
    let row = |release: &str| table.stdout.lines().find(|line| line.trim_start().starts_with(release)).unwrap_or("");
    assert!(row("v1").contains(" regression "), "{table:?}");
    assert!(row("v2").contains("no regression"), "{table:?}");
    assert!(table.stderr.contains("worktree and v2 are the same program, byte for byte"), "{table:?}");
    // Both show the estimate that corrects for the test's stopping rule, and name it.
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    let (jobs, runs): (Vec<&str>, Vec<&str>) = listed.lines().partition(|line| line.starts_with("regress-"));
    assert!(jobs.len() == 1 && jobs[0].contains("finished") && jobs[0].contains("2 of 2 runs"), "{listed}");
    for line in ["v1", "v2"].map(row).into_iter().chain(runs) {
        assert!(line.contains(", unbiased"), "{line}");
    }
    let shown = sandbox.spar(&["runs", "--json"]).exits(0).json();
    for run in shown.as_array().unwrap().iter().filter(|run| run["job"].is_null()) {
        let [reported, unbiased] = ["reported", "unbiased"].map(|key| &run[key]);
        assert_eq!((&reported["elo"], &reported["kind"]), (&unbiased["elo"], &"unbiased".into()), "{run}");
        let value = reported["elo"].as_f64().unwrap();
        let written = format!("{value:+.1}").replace('-', "\u{2212}");
        let either = |text: &str| text.contains(&written) || text.contains(&format!("{value:+.1}"));
        assert!(either(&table.stdout) && either(&listed), "{written}: {table:?} {listed}");
    }
    let fine = regress("v1", &["--json"]).exits(0).json();
    let says: Vec<_> = fine.as_array().unwrap().iter().map(|row| (&row["release"], &row["says"])).collect();
    assert_eq!(says, [(&"v1".into(), &"no regression".into()), (&"v2".into(), &"no regression".into())]);
    let bounds = std::fs::read_to_string(sandbox.path(fine[0]["run"].as_str().unwrap()).join("config.toml")).unwrap();
    assert!(bounds.contains("elo1 = 0"), "non-regression: {bounds}");
    let undecided = regress("v2", &["--set", "sprt.max_pairs=2"]).exits(4).stdout;
    assert!(undecided.contains(", plain"), "nothing was decided: {undecided}");
}
