//! Bisections and campaigns that are started and controlled over HTTP, with engines built from a repository. Offline,
//! with `git` and `cc`.

use crate::support::{KNOWN, PATIENCE, Served, TOKEN, leave_with};
use serde_json::{Value, json};
use serve::{Settings, Tokens};
use session::builds::Sources;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

/// A chess engine in one file; it looks before it moves.
const ENGINE: &str = include_str!("../../../tests/data/fixture-engine.c");

const BUILD: &str = r#"
name = "patch"
game = "chess"
[build]
command = "cc -O1 -o engine engine.c"
binary = "engine"
bench = "bench"
signature = "{} nodes"
[openings]
plies = 6
[adjudication]
max_moves = 40
resign = { moves = 1, score = 300 }
[each]
limit = "depth 1"
"#;

/// A repository of 6 commits after `v1`, of which the fourth stops the engine from looking, and a folder for runs.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir_all(bench.path("repo/patches")).expect("a writable folder");
        std::fs::create_dir_all(bench.path("runs")).expect("a writable folder");
        bench.git(&["init", "--quiet", "--initial-branch", "main"]);
        bench.commit(ENGINE, "An engine that looks");
        bench.git(&["tag", "v1"]);
        for number in 1..=6 {
            let remark = format!("{ENGINE}\n/* {number} */\nint commit_{number};\n");
            let source = if number < 4 { remark } else { remark.replace("#define PRUDENT 1", "#define PRUDENT 0") };
            bench.commit(&source, &format!("Change {number}"));
        }
        bench.git(&["checkout", "--quiet", "--orphan", "other"]);
        bench.commit(ENGINE, "Another history");
        bench.git(&["checkout", "--quiet", "main"]);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path("repo"));
        command.args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]);
        let output = command.args(arguments).output().expect("git starts");
        assert!(output.status.success(), "{arguments:?} {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    fn commit(&self, source: &str, message: &str) {
        std::fs::write(self.path("repo/engine.c"), source).expect("a writable file");
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn served(&self) -> Served {
        let sources = Sources { cache: Some(self.path("cache")), ..Sources::at(self.path("repo")) };
        let (control, tokens) = (Some(leave_with(sources)), Some(Tokens::one(TOKEN)));
        let notify = Some(format!("echo \"$SPAR_RUN $SPAR_VERDICT\" >> '{}'", self.path("passed").display()));
        Served::by(Settings { control, tokens, notify, ..Settings::local(&self.path("runs")) })
    }

    /// Returns what the command of the server has written, once it is this many lines.
    fn passed(&self, lines: usize) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let passed = std::fs::read_to_string(self.path("passed")).unwrap_or_default();
            if passed.lines().count() >= lines && passed.ends_with('\n') {
                return passed;
            }
            assert!(Instant::now() < deadline, "{lines} lines do not come: {passed}");
            std::thread::yield_now();
        }
    }
}

/// Returns the stored bisection in a folder of runs, without the time when it was made.
fn kept(runs: &Path) -> Value {
    let text = std::fs::read(runs.join("bisect-patch-1/bisect.json")).expect("a bisection");
    let mut kept: Value = serde_json::from_slice(&text).expect("JSON");
    kept["began_unix_ms"] = Value::Null;
    kept
}

fn bisection(more: &str) -> String {
    between("v1", "main") + more
}

fn between(good: &str, bad: &str) -> String {
    format!("{BUILD}[bisect]\ngood = {good:?}\nbad = {bad:?}\nbatch = 16\n")
}

fn start(server: &Served, toml: &str) {
    let answer = server.post("/api/control/start", &json!({ "toml": toml }));
    assert_eq!(answer.status, 200, "{}", answer.text());
}

fn order(server: &Served, name: &str, order: &Value) -> (u16, Value) {
    let answer = server.post(&format!("/api/control/runs/{name}"), order);
    (answer.status, answer.json())
}

fn ended(server: &Served, count: usize) -> Value {
    let all = |answer: &Value| answer["ended"].as_array().is_some_and(|ended| ended.len() == count);
    server.wait_for("/api/control", all)["ended"][0].clone()
}

fn job(server: &Served, name: &str) -> Value {
    server.get_with("/api/jobs", KNOWN).json()["jobs"]
        .as_array()
        .and_then(|jobs| jobs.iter().find(|job| job["name"] == name).cloned())
        .unwrap_or_default()
}

const BISECT: &str = "bisect-patch-1";

#[test]
fn a_bisection_is_started_stopped_taken_over_and_ends_as_in_a_terminal() {
    let bench = Bench::new();
    let server = bench.served();
    let checked = server.post("/api/control/check", &json!({ "toml": bisection("") })).json();
    assert_eq!((&checked["kind"], &checked["entrants"]), (&json!("bisection"), &json!(["6 commits"])), "{checked}");
    start(&server, &bisection(""));
    // The job reports its progress, and its run can be watched and paused like any other.
    let answer = server.wait_for("/api/control", |answer| answer["playing"]["part"].is_string());
    let playing = &answer["playing"];
    assert_eq!((&playing["run"], &playing["job"]), (&json!(BISECT), &json!(true)), "{answer}");
    assert!(playing["says"].as_str().is_some_and(|says| says.contains(" of 20,000 pairs")), "{answer}");
    // The job is paused: the batch that was seen may be over by now, and another match play.
    let (status, answer) = order(&server, BISECT, &json!({ "do": "pause" }));
    assert_eq!((status, &answer["playing"]["paused"]), (200, &json!(true)), "{answer}");
    let is_paused_as_part = |answer: &Value| {
        let part = answer["playing"]["part"].as_str();
        part.is_some_and(|part| order(&server, part, &json!({ "do": "pause" })).0 == 200)
    };
    let answer = server.wait_for("/api/control", is_paused_as_part);
    let part = answer["playing"]["part"].as_str().expect("a run").to_owned();
    assert_eq!(server.get_with(&format!("/api/runs/{part}"), KNOWN).status, 200);
    assert_eq!(job(&server, BISECT)["state"], "running");
    assert_eq!(order(&server, BISECT, &json!({ "do": "resume" })).0, 409, "it plays");
    assert_eq!(order(&server, BISECT, &json!({ "do": "stop" })).0, 200);
    let end = ended(&server, 1);
    assert!(end["says"].as_str().is_some_and(|says| says.contains(": unfinished; 6 commits, ")), "{end}");
    assert_eq!((&end["run"], &job(&server, BISECT)["state"]), (&json!(BISECT), &json!("interrupted")));
    // A part is no run of its own: resuming it resumes the bisection, and its limit cannot be set here.
    let (status, answer) = order(&server, &part, &json!({ "do": "limit", "to": 500 }));
    assert!(
        answer["error"].as_str().is_some_and(|why| why.contains("is a part of bisect-patch-1")),
        "{status} {answer}"
    );
    assert_eq!(order(&server, &part, &json!({ "do": "resume" })).0, 200);
    server.wait_for("/api/control", |answer| answer["playing"]["part"].is_string() || answer["ended"][1].is_object());
    let answer = server.get_with("/api/control", KNOWN).json();
    assert_eq!(answer["ended"][0]["failed"], false, "{answer}");
    // The server ends, and the next one continues.
    drop(server);
    let server = bench.served();
    server.wait_for("/api/jobs", |answer| answer["jobs"][0]["state"] == "found");
    let found = server.get_with(&format!("/api/jobs/{BISECT}"), KNOWN).json();
    assert_eq!(found["found"][0]["commits"], json!([bench.git(&["rev-parse", "main~2"])]), "{found}");
    assert!(found.get("report").is_none() && found.get("job").is_none(), "its place is private: {found}");
    let page = server.get_with(&format!("/api/jobs/{BISECT}/report.html"), KNOWN).text();
    assert!(page.contains("Which commit lost the Elo") && page.contains(&format!("\"/runs/{part}\"")), "{page}");
    assert_eq!(server.get_with("/api/jobs/no-such-job", KNOWN).status, 404);
    assert_eq!(server.get_with("/api/jobs/..%2Fruns/report.html", KNOWN).status, 404);
    assert_eq!(server.get(&format!("/jobs/{BISECT}")).status, 200);

    // The same bisection without an interruption, and without a server.
    let there = bench.path("there");
    let plan = plan::RunPlan::read(&bisection(""), "a test", "run", &[], None, plan::Disk).expect("a plan");
    let sources = Sources { cache: Some(bench.path("cache")), ..Sources::at(bench.path("repo")) };
    let work = session::work::Bisect { plan, sources };
    let place = session::Place { concurrency: std::num::NonZeroUsize::new(2), ..session::Place::at(&there) };
    let session = session::Session::start(session::Threads::new(), &place, move |runner| {
        session::work::bisect(runner, &work).map(drop)
    });
    session.wait().expect("an end");
    assert_eq!(kept(&bench.path("runs")), kept(&there));
}

#[test]
fn a_bisection_is_given_more_pairs() {
    let bench = Bench::new();
    let server = bench.served();
    // At this confidence, nothing is found before the budget is used.
    start(&server, &bisection("confidence = 0.999999\nmax_pairs = 16\n"));
    let end = ended(&server, 1);
    assert!(end["says"].as_str().is_some_and(|says| says.contains("the budget of pairs is used")), "{end}");
    // The command hears of the bisection, not of each batch of its match.
    assert_eq!(bench.passed(1), format!("{BISECT} undecided\n"));
    let (status, answer) = order(&server, BISECT, &json!({ "do": "limit", "to": 15 }));
    assert!(answer["error"].as_str().is_some_and(|why| why.starts_with("16 pairs were played already")), "{status}");
    assert_eq!(order(&server, BISECT, &json!({ "do": "limit", "to": 32 })).0, 200);
    ended(&server, 2);
    assert_eq!(job(&server, BISECT)["pairs"], 32);
    assert_eq!(bench.passed(2), format!("{BISECT} undecided\n{BISECT} undecided\n"));
    let log = server.get_with("/api/control/done", KNOWN).text();
    for did in ["\"command\":\"cc -O1 -o engine engine.c\"", "resume bisect-patch-1 with bisect.max_pairs=32"] {
        assert!(log.contains(did), "{did}: {log}");
    }
}

#[test]
fn a_bisection_that_is_stopped_while_it_builds_keeps_its_limit_and_is_unfinished() {
    let bench = Bench::new();
    let server = bench.served();
    // The build of a commit between the ends hangs.
    let hangs = "cc -O1 -o engine engine.c && if grep -q 'int commit_[1-5]' engine.c; then sleep 1000000; fi";
    start(&server, &bisection("").replace("cc -O1 -o engine engine.c", hangs));
    let is_building = |answer: &Value| answer["playing"]["says"].as_str().is_some_and(|says| says.contains("uilding"));
    server.wait_for("/api/jobs", |answer| answer["jobs"][0]["pairs"].as_u64() > Some(0));
    server.wait_for("/api/control", is_building);
    assert_eq!(order(&server, BISECT, &json!({ "do": "limit", "to": 5000 })).0, 200);
    server.wait_for("/api/control/done", |log| log.to_string().contains("with bisect.max_pairs=5000"));
    server.wait_for("/api/control", is_building);
    assert_eq!(order(&server, BISECT, &json!({ "do": "stop" })).0, 200);
    let end = ended(&server, 1);
    assert_eq!((&end["failed"], &job(&server, BISECT)["state"]), (&json!(false), &json!("interrupted")), "{end}");
}

#[test]
fn a_bisection_that_is_stopped_while_its_engines_start_is_unfinished() {
    let bench = Bench::new();
    let server = bench.served();
    // The engines count nodes, but do not start to play.
    let hang = r#"{ echo '#!/bin/sh'
echo "case \$1 in bench) echo $(cksum < engine.c | cut -d' ' -f1) nodes;; *) exec sleep 1000000;; esac"
} > engine; chmod +x engine"#;
    let toml = bisection("").replace("\"cc -O1 -o engine engine.c\"", &format!("'''{hang}'''"));
    start(&server, &toml.replace("limit = \"depth 1\"", "limit = \"depth 1\"\nstart_within = \"600s\""));
    let is_starting = |answer: &Value| answer["playing"]["says"].as_str().is_some_and(|says| says.contains("Next: "));
    server.wait_for("/api/control", is_starting);
    assert_eq!(order(&server, BISECT, &json!({ "do": "stop" })).0, 200);
    let end = ended(&server, 1);
    assert_eq!((&end["failed"], &job(&server, BISECT)["state"]), (&json!(false), &json!("interrupted")), "{end}");
}

#[test]
fn what_cannot_be_bisected_is_refused_before_anything_is_built() {
    let bench = Bench::new();
    let server = bench.served();
    for (toml, line, says) in [
        (between("v1", "other"), None, "`v1` and `other` have unrelated histories"),
        (between("main", "v1"), None, "`v1` is an ancestor of `main`: --good is the older of the two"),
        (between("v1", "v1"), None, "are the same commit"),
        (between("v1", "mian"), None, "has no revision `mian`: did you mean `main`?"),
        (between("v1", "--output=x"), None, "has no revision `--output=x`"),
        (between("v1", "worktree"), None, "a bisection looks at commits"),
        (bisection("path = \"docs\""), None, "touches docs"),
        (bisection("").replace("good = \"v1\"\n", ""), Some(16), "no revision is given that was strong"),
        (bisection("find = 9"), Some(20), "`find` cannot be 9"),
        (bisection("").replace("depth 1", "depth none"), Some(15), "depth none"),
        (format!("{}[[entrant]]\nname = \"x\"\n", bisection("")), Some(20), "so it has no `[[entrant]]`"),
        (format!("{}[sprt]\nelo0 = 0\nelo1 = 5\n", bisection("")), None, "two things: `[sprt]` and `[bisect]`"),
        (format!("concurrency = 100000{}", bisection("")), Some(1), "a run cannot have 100000 workers"),
    ] {
        for path in ["/api/control/check", "/api/control/start"] {
            let answer = server.post(path, &json!({ "toml": toml }));
            let body = answer.json();
            assert_eq!(answer.status, 400, "{toml}: {body}");
            assert!(body["error"].as_str().is_some_and(|error| error.contains(says)), "{says}: {body}");
            assert_eq!(body["line"].as_u64(), line, "{says}: {body}");
        }
    }
    let answer = server.get_with("/api/control", KNOWN).json();
    assert_eq!((&answer["queue"], &answer["playing"], &answer["ended"]), (&json!([]), &Value::Null, &json!([])));
    assert!(!bench.path("cache").exists(), "nothing is built");
    // An error that only a build can show ends the job, with the words of the command line.
    start(&server, &bisection("").replace("cc -O1", "false -O1"));
    let end = ended(&server, 1);
    assert!(
        end["failed"] == true && end["says"].as_str().is_some_and(|why| why.contains("does not build either")),
        "{end}"
    );
    assert_eq!(server.get_with("/api/jobs", KNOWN).json()["jobs"], json!([]));
}

#[test]
fn a_campaign_is_started_and_a_patch_that_does_not_apply_is_refused() {
    let bench = Bench::new();
    let server = bench.served();
    let folder = bench.path("patches");
    std::fs::create_dir(&folder).expect("a writable folder");
    let patch = bench.git(&["diff", "--no-color", "main~2", "main~3"]) + "\n";
    std::fs::write(folder.join("look-again.patch"), &patch).expect("a writable file");
    let campaign = format!(
        "{BUILD}[campaign]\nbase = \"main~2\"\npatches = {:?}\nbatch = 8\nleast_pairs = 8\nmax_pairs = 16\n",
        folder.display().to_string()
    );
    let other = std::fs::write(folder.join("wrong.patch"), patch.replace("commit_4", "commit_9"));
    other.expect("a writable file");
    for path in ["/api/control/check", "/api/control/start"] {
        let answer = server.post(path, &json!({ "toml": campaign }));
        let why = answer.json()["error"].as_str().unwrap_or_default().to_owned();
        assert!(answer.status == 400 && why.contains("wrong.patch") && why.contains("does not apply"), "{why}");
    }
    std::fs::remove_file(folder.join("wrong.patch")).expect("it is there");
    let checked = server.post("/api/control/check", &json!({ "toml": campaign })).json();
    assert_eq!((&checked["kind"], &checked["entrants"]), (&json!("campaign"), &json!(["look-again"])), "{checked}");
    start(&server, &campaign);
    let end = ended(&server, 1);
    assert_eq!((&end["run"], &end["failed"]), (&json!("campaign-patch-1"), &json!(false)), "{end}");
    let stands = job(&server, "campaign-patch-1");
    assert!(stands["kind"] == "campaign" && stands["pairs"].as_u64().is_some_and(|pairs| pairs >= 8), "{stands}");
    assert_eq!(end["says"], stands["says"]);
    let page = server.get_with("/api/jobs/campaign-patch-1/report.html", KNOWN).text();
    assert!(page.contains("look-again"), "{page}");
}
