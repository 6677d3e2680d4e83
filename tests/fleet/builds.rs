//! Engines from git: each worker builds them for its own machine, and uses them only if they are the same engines.

use crate::support::{Running, Sandbox, Server, export, log, output_of, wait_until};
use std::process::{Command, Stdio};

/// A chess engine in one file; it looks ahead before it moves.
const ENGINE: &str = include_str!("../data/fixture-engine.c");

/// The engine's name is in `$WHO`; it is another engine if `$ODD` is set, and it needs a file beside it.
const PATCH: &str = r#"
game = "chess"
[build]
command = "sh make.sh"
binary = "engine"
keep = ["nets"]
bench = "bench"
signature = "{} nodes"
[sprt]
elo0 = -1
elo1 = 1
max_pairs = 60
[openings]
plies = 6
[adjudication]
max_moves = 30
resign = { moves = 1, score = 300 }
[each]
limit = "depth 1"
"#;

const MAKE: &str = r#"
if [ -n "$BROKEN" ]; then echo "checking for cc"; echo "make.sh: cc: not found" >&2; echo bye; exit 127; fi
if [ -n "$GATE" ]; then echo $$ >"$GATE.building"; while [ ! -e "$GATE" ]; do sleep 0.02; done; fi
sed "s/PRUDENT \(.\)/PRUDENT ${ODD:-\1}/; s/id name fixture/id name fixture of ${WHO:-unknown}/" engine.c >own.c
exec cc -O1 -o engine own.c
"#;

/// A sandbox with a repository `repo`: `v1` looks ahead before it moves, `v2` does not.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("patch.toml", PATCH);
    std::fs::create_dir_all(sandbox.path("repo/nets")).expect("a writable folder");
    // The reported nodes must not depend on earlier games.
    let forgetful = ENGINE.replace("position(&b, line);", "nodes = 0, position(&b, line);");
    let needy = forgetful.replace("    setvbuf(", "    if (!fopen(\"nets/net.bin\", \"r\")) return 3;\n    setvbuf(");
    assert!(forgetful != ENGINE && needy != forgetful);
    sandbox.write("repo/nets/net.bin", "weights");
    sandbox.write("repo/make.sh", MAKE);
    git(&sandbox, &["init", "--quiet", "--initial-branch", "main"]);
    for (prudent, tag) in [("1", "v1"), ("0", "v2")] {
        sandbox.write("repo/engine.c", &needy.replace("PRUDENT 1", &format!("PRUDENT {prudent}")));
        git(&sandbox, &["add", "--all"]);
        git(&sandbox, &["commit", "--quiet", "--message", tag]);
        git(&sandbox, &["tag", tag]);
    }
    sandbox
}

fn git(sandbox: &Sandbox, words: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(sandbox.path("repo")).args(["-c", "user.name=somebody", "-c", "user.email=s@example.org"]);
    let output = command.args(words).output().expect("git starts");
    assert!(output.status.success(), "{words:?} {output:?}");
}

/// The command that tests `v2` against `v1`.
fn patch(sandbox: &Sandbox, runs: &str, more: &[&str]) -> Command {
    let words =
        ["--runs", runs, "patch", "patch.toml", "--base", "v1", "--dev", "v2", "--repo", "repo", "--cache", "cache"];
    let mut command = sandbox.command(&[&words, more].concat());
    command.stdin(Stdio::null());
    command
}

/// Tests `v2` against `v1` to the end and returns the output.
fn tested(sandbox: &Sandbox, runs: &str, more: &[&str]) -> String {
    let output = patch(sandbox, runs, more).output().expect("spar starts");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// The run in a folder of runs.
fn run_in(sandbox: &Sandbox, runs: &str) -> String {
    let mut runs_in = std::fs::read_dir(sandbox.path(runs)).expect("runs").flatten().map(|entry| entry.path());
    let run = runs_in.find(|path| path.join("journal.sqlite").exists()).expect("a run");
    run.display().to_string()
}

/// A worker with a separate cache and these variables.
fn worker(sandbox: &Sandbox, server: &Server, name: &str, variables: &[(&str, &str)]) -> Running {
    let cache = sandbox.path(format!("{name}-cache")).display().to_string();
    let words = ["worker", "--nats", &server.url(), "--name", name, "--cores", "1", "--cache", &cache];
    let mut command = sandbox.command(&words);
    Running::start(command.envs(variables.iter().copied()).stderr(log(sandbox, name)))
}

/// Whether a worker received programs.
fn was_sent_a_program(sandbox: &Sandbox, name: &str) -> bool {
    let content = sandbox.path(format!("{name}-cache/content"));
    std::fs::read_dir(content).expect("a cache").flatten().any(|entry| entry.path().join("engine").is_file())
}

pub(crate) fn each_worker_builds_its_own_and_the_journal_is_the_same() {
    let sandbox = sandbox();
    let server = Server::open(&sandbox);
    let _here = tested(&sandbox, "here", &["--concurrency", "1"]);
    let here = export(&sandbox, &run_in(&sandbox, "here"));
    let start = || [worker(&sandbox, &server, "east", &[("WHO", "east")]), worker(&sandbox, &server, "west", &[])];
    let mut workers = start();
    let url = server.url();
    let output = tested(&sandbox, "there", &["--fleet", &url]);
    assert!(output.contains("worker east: Building v"), "{output}");
    let run = run_in(&sandbox, "there");
    assert_eq!(export(&sandbox, &run), here);
    assert!(!was_sent_a_program(&sandbox, "east"));
    // Messages of engines are attributed to them, although they run elsewhere under other names.
    let shown = sandbox.spar(&["show", &run, "--json"]).exits(0).stdout;
    assert!(shown.contains("fixture of east"), "{shown}");
    assert_eq!(output_of(&sandbox, "east").matches("Building v").count(), 2, "{}", output_of(&sandbox, "east"));

    // Another process with the same name finds the builds.
    for worker in &mut workers {
        assert_eq!(worker.terminate(), Some(0));
    }
    let workers = start();
    let output = tested(&sandbox, "again", &["--fleet", &url]);
    assert!(!output.contains("Building"), "{output}");
    assert_eq!(export(&sandbox, &run_in(&sandbox, "again")), here);
    assert_eq!(output_of(&sandbox, "east").matches("Building v").count(), 2, "{}", output_of(&sandbox, "east"));
    assert!(!was_sent_a_program(&sandbox, "east") && !was_sent_a_program(&sandbox, "west"));
    drop(workers);
    sandbox.is_deserted();
}

/// A bisection is many short runs, some of them continued, each over the fleet.
pub(crate) fn a_bisection_finds_the_same() {
    let sandbox = sandbox();
    let server = Server::open(&sandbox);
    let bisected = |runs: &str, more: &[&str]| {
        let range = ["--good", "v1", "--bad", "v2", "--set", "bisect.batch=4", "--confidence", "0.99"];
        let words = ["--runs", runs, "bisect", "patch.toml", "--repo", "repo", "--cache", "cache"];
        let output = sandbox.command(&[&words, &range, more].concat()).output().expect("spar starts");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = std::fs::read(sandbox.path(format!("{runs}/bisect-patch-1/bisect.json"))).expect("a bisection");
        let mut json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        json["began_unix_ms"] = serde_json::Value::Null;
        (json, export(&sandbox, &run_in(&sandbox, runs)))
    };
    let here = bisected("here", &["--concurrency", "1"]);
    let pairs = here.0["found"][0]["pairs"].as_u64();
    assert!(pairs.is_some_and(|pairs| pairs > 4), "several batches: {:?}", here.0);
    let workers = [worker(&sandbox, &server, "east", &[]), worker(&sandbox, &server, "west", &[])];
    assert!(bisected("there", &["--fleet", &server.url()]) == here);
    drop(workers);
    sandbox.is_deserted();
}

/// Three patches of `v2`; the one that is listed last has priority.
const CAMPAIGN: &str = r#"
[campaign]
base = "v2"
least_pairs = 8
batch = 8
max_pairs = 120
[[campaign.patch]]
name = "remark"
revision = "v3"
[[campaign.patch]]
name = "wait"
revision = "v4"
[[campaign.patch]]
name = "look"
revision = "v1"
priority = 1
"#;

/// A campaign is a run for each patch, continued when it is the patch's turn, each over the fleet and in the same
/// order.
pub(crate) fn a_campaign_plays_by_priority_and_finds_the_same() {
    let sandbox = sandbox();
    let source = std::fs::read_to_string(sandbox.path("repo/engine.c")).expect("a source");
    let give = source.replace("int worth = -i;", "int worth = 10 * material(&next) - i;");
    assert!(give != source);
    for (tag, source) in [("v3", format!("{source}\nint remark;\n")), ("v4", give)] {
        sandbox.write("repo/engine.c", &source);
        git(&sandbox, &["commit", "--quiet", "--all", "--message", tag]);
        git(&sandbox, &["tag", tag]);
    }
    let (head, rest) = PATCH.split_once("[sprt]").expect("a test");
    let rest = rest.split_once("[openings]").expect("openings").1;
    sandbox.write("campaign.toml", &format!("{head}[openings]{rest}{CAMPAIGN}"));
    let server = Server::open(&sandbox);
    let played = |runs: &str, more: &[&str]| {
        let words = ["--runs", runs, "campaign", "campaign.toml", "--repo", "repo", "--cache", "cache"];
        let output = sandbox.command(&[&words, more].concat()).output().expect("spar starts");
        assert!([Some(0), Some(4)].contains(&output.status.code()), "{output:?}");
        let text = std::fs::read(sandbox.path(format!("{runs}/campaign-campaign-1/campaign.json")));
        let mut json: serde_json::Value = serde_json::from_slice(&text.expect("a campaign")).expect("JSON");
        json["began_unix_ms"] = serde_json::Value::Null;
        let names = json["patches"].as_array().expect("patches").iter().filter_map(|of| of["run"].as_str());
        let pairs: Vec<_> = names.map(|run| export(&sandbox, &format!("{runs}/{run}"))).collect();
        (json, pairs, output.stdout)
    };
    let here = played("here", &["--concurrency", "1"]);
    let turns: Vec<u64> =
        here.0["steps"].as_array().into_iter().flatten().filter_map(|it| it["patch"].as_u64()).collect();
    let first = turns.iter().take_while(|&&patch| patch == 2).count();
    assert!(first >= 1 && turns.len() > first + 2 && !turns[first..].contains(&2), "look, then the others: {turns:?}");
    assert!(here.1.len() >= 2, "{:?}", here.0);
    let workers = [worker(&sandbox, &server, "east", &[]), worker(&sandbox, &server, "west", &[])];
    let there = played("there", &["--fleet", &server.url()]);
    assert!(there.0 == here.0 && there.1 == here.1, "{:?}\n{:?}", there.0, here.0);
    drop(workers);
    sandbox.is_deserted();
}

pub(crate) fn programs_can_be_sent_as_they_are() {
    let sandbox = sandbox();
    // Files that a program needs beside it are not sent with it.
    let alone = PATCH.replace("keep = [\"nets\"]", "");
    sandbox.write("patch.toml", &alone);
    std::fs::create_dir(sandbox.path("nets")).expect("a writable folder");
    sandbox.write("nets/net.bin", "weights");
    let server = Server::open(&sandbox);
    let _east = worker(&sandbox, &server, "east", &[("BROKEN", "1")]);
    let output = tested(&sandbox, "runs", &["--fleet", &server.url(), "--send-programs"]);
    assert!(!output.contains("given no pairs"), "{output}");
    assert!(was_sent_a_program(&sandbox, "east"));
    // Without a signature it is unknown whether another build is the same engine.
    sandbox.write("patch.toml", &alone.replace("bench = \"bench\"\nsignature = \"{} nodes\"\n", ""));
    let output = tested(&sandbox, "unsigned", &["--fleet", &server.url()]);
    assert!(!output.contains("given no pairs"), "{output}");
}

/// The signatures of `v1`, which `v2` has with `$ODD`, and of `v2`.
fn benches(output: &str) -> [&str; 2] {
    let of = |tag: &str| output.split(&format!("{tag} is ")).nth(1)?.split(", bench ").nth(1)?.split(' ').next();
    ["v1", "v2"].map(|tag| of(tag).expect("a signature"))
}

pub(crate) fn a_worker_whose_build_is_another_engine_or_fails_is_set_aside_with_the_reason() {
    let sandbox = sandbox();
    let server = Server::open(&sandbox);
    let _here = tested(&sandbox, "here", &["--concurrency", "1"]);
    let _odd = worker(&sandbox, &server, "odd", &[("ODD", "1")]);
    let _poor = worker(&sandbox, &server, "poor", &[("BROKEN", "1")]);
    let mut session = patch(&sandbox, "runs", &["--fleet", &server.url()]);
    let mut session = Running::start(session.stdout(Stdio::null()).stderr(log(&sandbox, "session")));
    wait_until("both are set aside", || output_of(&sandbox, "session").matches("is given no pairs").count() == 2);
    let _good = worker(&sandbox, &server, "good", &[]);
    wait_until("the run is over", || session.is_over());
    let output = output_of(&sandbox, "session");
    assert!(output.contains("worker poor is given no pairs: it cannot play pair"), "{output}");
    assert!(output.contains(": building v2 ("), "{output}");
    assert!(output.contains(") failed (exit status: 127): sh make.sh: make.sh: cc: not found"), "{output}");
    let odd = output.lines().find(|line| line.contains("worker odd is given no pairs")).expect("a line");
    let [own, wanted] = benches(&output);
    let why = format!(" is {own} here, but {wanted} on the machine that sent it: this is another engine");
    assert!(odd.ends_with(&why), "{odd}");
    assert_eq!(export(&sandbox, &run_in(&sandbox, "runs")), export(&sandbox, &run_in(&sandbox, "here")));
}

pub(crate) fn whoever_builds_for_long_holds_nobody_up_and_ends_in_order() {
    let sandbox = sandbox();
    let server = Server::open(&sandbox);
    let gate = sandbox.path("gate").display().to_string();
    let mut slow = worker(&sandbox, &server, "slow", &[("GATE", &gate)]);
    let mut session = patch(&sandbox, "runs", &["--fleet", &server.url()]);
    let mut session = Running::start(session.stdout(Stdio::null()).stderr(log(&sandbox, "session")));
    // The file exists before its line does: a number without digits would be the folder of all processes.
    let builder = || std::fs::read_to_string(sandbox.path("gate.building")).ok().filter(|line| line.ends_with('\n'));
    let building = || builder().is_some();
    let is_over = |builder: &str| !std::path::Path::new("/proc").join(builder.trim()).exists();
    wait_until("it builds", building);
    let status = || sandbox.spar(&["fleet", "status", "--nats", &server.url()]).exits(0).stdout;
    assert!(status().contains("  Building v2 ("), "{}", status());
    // On SIGTERM the worker ends, with everything that it has started.
    assert_eq!(slow.terminate(), Some(0));
    let number = builder().expect("a number");
    wait_until("the build is over", || is_over(&number));
    // If the worker is killed, it leaves nothing behind either.
    std::fs::remove_file(sandbox.path("gate.building")).expect("a file");
    let mut slow = worker(&sandbox, &server, "slow", &[("GATE", &gate)]);
    wait_until("it builds", building);
    slow.kill();
    let number = builder().expect("a number");
    wait_until("the build is over", || is_over(&number));
    // No session waits for another slow worker, which learns when its build is no longer needed.
    std::fs::remove_file(sandbox.path("gate.building")).expect("a file");
    let mut slow = worker(&sandbox, &server, "slow", &[("GATE", &gate)]);
    wait_until("it builds", building);
    let _quick = worker(&sandbox, &server, "quick", &[]);
    wait_until("the run is over", || session.is_over());
    let number = builder().expect("a number");
    wait_until("the build is over", || is_over(&number));
    assert!(!output_of(&sandbox, "session").contains("silent"), "{}", output_of(&sandbox, "session"));
    assert_eq!(slow.terminate(), Some(0));
}
