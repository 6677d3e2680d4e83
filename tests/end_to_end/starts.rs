//! Starts that fail: they leave no run, report the reason in the engine's own words, and wait no longer than necessary.

use crate::support::{Outcome, Sandbox, at_once, example, signal, wait, wait_until};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MATCH: &str = r#"
name = "s"
game = "chess"
[match]
pairs = 1
[openings]
plies = 2
[adjudication]
max_moves = 5
[each]
limit = "100 nodes"
start_within = "60s"
[[entrant]]
name = "bad"
cmd = "./bad"
[[entrant]]
name = "good"
cmd = "GOOD"
"#;

/// The ways of not getting ready, and their errors. The time that an engine had depends on the load of the host.
const UNREADY: [(&str, &str); 3] = [
    ("no-uciok", "no answer within "),
    ("deaf", "no answer within "),
    ("dies-at-start", "exited with status 1: misbehaving: dies at start"),
];

/// Without this, the process of the trial start plays the run's first game.
const RESTARTED: &str = "each.restart='each-game'";

const SOON: &str = "entrant.bad.start_within=3s";

/// A sandbox with the match in `s.toml`.
fn sandbox() -> Sandbox {
    Sandbox::with("s.toml", &MATCH.replace("GOOD", &example("random_mover").display().to_string()))
}

/// Writes the engine `bad`, which starts properly this many times, and then behaves as by `mode`. It counts its starts.
fn write_bad(sandbox: &Sandbox, good_starts: u32, mode: &str) {
    let misbehaving = example("misbehaving");
    let misbehaving = misbehaving.display();
    sandbox.write("starts", "0");
    sandbox.write(
        "bad",
        &format!(
            "#!/bin/sh\nread -r starts < starts\nstarts=$((starts + 1))\necho $starts > starts\n\
             [ $starts -gt {good_starts} ] && exec {misbehaving} {mode}\nexec {misbehaving} none\n"
        ),
    );
    std::fs::set_permissions(sandbox.path("bad"), std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
}

fn starts(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path("starts")).expect("a count").trim().to_owned()
}

/// Checks that nothing is left of a run, and that no message asks to resume one.
fn left_nothing(sandbox: &Sandbox, outcome: &Outcome) {
    assert!(!sandbox.path("runs").exists(), "{outcome:?}");
    assert!(!outcome.stderr.contains("spar resume"), "{outcome:?}");
}

#[test]
fn an_engine_that_does_not_start_leaves_no_run_and_is_waited_for_once() {
    at_once(UNREADY, |(mode, why)| {
        let sandbox = sandbox();
        write_bad(&sandbox, 0, mode);
        let refused = sandbox.spar(&["match", "s.toml", "--set", SOON]).exits(2);
        let message = "error: entrant \"bad\" could not be started for a game: ";
        assert!(refused.stderr.contains(message) && refused.stderr.contains(why), "{mode}: {refused:?}");
        left_nothing(&sandbox, &refused);
        sandbox.is_deserted();
        // Only failures that a retry may fix are retried.
        assert_eq!(starts(&sandbox), if mode == "dies-at-start" { "3" } else { "1" }, "{mode}");
    });
}

#[test]
fn an_engine_that_stops_starting_before_the_first_pair_leaves_no_run_either() {
    let sandbox = sandbox();
    write_bad(&sandbox, 1, "dies-at-start");
    let refused = sandbox.spar(&["match", "s.toml", "--set", RESTARTED]).exits(2);
    assert!(refused.stderr.contains("exited with status 1: misbehaving: dies at start"), "{refused:?}");
    assert!(refused.stderr.contains("No pair was finished, and the run was removed"), "{refused:?}");
    left_nothing(&sandbox, &refused);
}

#[test]
fn an_engine_that_stops_starting_later_leaves_what_was_played() {
    let sandbox = sandbox();
    // One trial start, and one start for each game of three pairs.
    write_bad(&sandbox, 7, "dies-at-start");
    let settings = ["--set", "match.pairs=9", "--set", "each.restart='each-game'", "--concurrency", "1"];
    let broken = sandbox.spar(&[&["match", "s.toml"][..], &settings].concat()).exits(3);
    assert!(broken.stderr.contains("entrant \"bad\" could not be started for a game: "), "{broken:?}");
    assert!(broken.stderr.contains("spar resume runs/match-s-1"), "{broken:?}");
    assert_eq!(sandbox.spar(&["show", "match-s-1", "--json"]).exits(0).json()["pairs"], 3);
    write_bad(&sandbox, 99, "none");
}

#[test]
fn among_three_entrants_one_that_stops_starting_forfeits_both_games_after_one_wait() {
    at_once(UNREADY, |(mode, why)| {
        let sandbox = sandbox();
        write_bad(&sandbox, 1, mode);
        let text = std::fs::read_to_string(sandbox.path("s.toml")).expect("the match");
        let (head, entrants) = text.split_at(text.find("[[entrant]]").expect("entrants"));
        let (bad, good) = entrants.split_at(entrants.rfind("[[entrant]]").expect("two entrants"));
        sandbox.write("s.toml", &[head, good, bad, &good.replace("good", "other")].concat());
        let done = sandbox
            .spar(&["match", "s.toml", "--json", "--set", SOON, "--set", RESTARTED, "--concurrency", "1"])
            .exits(0);
        assert_eq!(done.json()["faults"], json!([0, 2, 0]), "{mode}");
        let lines = sandbox.spar(&["export", "match-s-1", "--jsonl"]).exits(0).stdout;
        for line in lines.lines() {
            let pair: Value = serde_json::from_str(line).expect("JSON");
            let forfeit = pair["proposal"][1]["entrant"] == "bad";
            for (game, side) in [(0, "second"), (1, "first")] {
                let ending = &pair["games"][game]["ending"];
                let fault = ending["fault"]["startup"].as_str();
                assert_eq!(fault.is_some_and(|fault| fault.contains(why)), forfeit, "{mode}: {pair}");
                assert_eq!(ending["loser"] == side, forfeit, "{mode}: {pair}");
            }
            assert!(!forfeit || pair["scores"] == json!([1.0, 1.0]), "{mode}: {pair}");
        }
        assert_eq!(starts(&sandbox), if mode == "dies-at-start" { "4" } else { "2" }, "{mode}: once for both games");
    });
}

#[test]
fn unsupported_settings_are_reported_before_there_is_a_run() {
    let sandbox = sandbox();
    write_bad(&sandbox, 99, "none");
    sandbox.write_engine("two", "e2e4", "e7e5");
    let two = ["--set", "entrant.bad.cmd='./two'"];
    let cases: [(&[&str], &str); 5] = [
        (&["--set", "entrant.bad.options={ Hash = 1000 }"], "Hash"),
        (&["--set", "entrant.bad.options={ Hsh = 10 }"], "Hsh"),
        (&["--set", "game='crazyhouse'"], "UCI_Variant"),
        (&["--set", "entrant.bad.dir='no/such/folder'"], "no/such/folder"),
        (&["--set", "entrant.bad.cmd='/bin/false'"], "exited with status 1"),
    ];
    for (settings, why) in cases {
        let words = [&["match", "s.toml"][..], &two, settings].concat();
        let refused = sandbox.spar(&words).exits(2);
        assert!(refused.stderr.contains(why), "{settings:?}: {refused:?}");
        left_nothing(&sandbox, &refused);
    }
}

#[test]
fn a_codecup_program_that_ends_at_once_leaves_no_run() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "c.toml",
        "[match]\npairs = 1\n[[entrant]]\nname = \"c\"\nprotocol = \"codecup\"\nlimit = \"30s\"\ncmd = \"/bin/sh\"\n\
         args = [\"-c\", \"echo cannot find my book >&2; exit 4\"]\n[[entrant]]\nname = \"r\"\nplayer = \"random\"\n",
    );
    let refused = sandbox.spar(&["match", "c.toml"]).exits(2);
    assert!(refused.stderr.contains("entrant \"c\" could not be started for a game: "), "{refused:?}");
    assert!(refused.stderr.contains("exited with status 4: cannot find my book"), "{refused:?}");
    left_nothing(&sandbox, &refused);
}

#[test]
fn a_tuning_session_tries_the_ends_of_its_ranges_first() {
    let sandbox = Sandbox::new();
    sandbox.write_engine("two", "e2e4", "e7e5");
    sandbox.write(
        "t.toml",
        "game = \"chess\"\n[tune]\npairs = 100\n[[tune.parameter]]\nname = \"Hash\"\nkind = \"integer\"\nstart = 16\n\
         min = 1\nmax = 65\n[[entrant]]\nname = \"two\"\ncmd = \"./two\"\nlimit = \"100 nodes\"\n",
    );
    let refused = sandbox.spar(&["tune", "t.toml"]).exits(2);
    assert!(refused.stderr.contains("Hash") && refused.stderr.contains("65"), "{refused:?}");
    left_nothing(&sandbox, &refused);
}

/// A match that needs no engine and little space.
const SMALL: &str = "name = \"d\"\n[match]\npairs = 2000\n[[entrant]]\nname = \"a\"\nplayer = \"random\"\n[[entrant]]\n\
                     name = \"b\"\nplayer = \"random\"\n";

/// Runs `spar` with files limited to this many blocks of 512 bytes.
fn limited(sandbox: &Sandbox, blocks: u64, words: &str) -> Outcome {
    under(sandbox, &format!("ulimit -f {blocks}"), words).output().expect("a shell").into()
}

/// Makes a `spar` command under a limit set by a shell.
fn under(sandbox: &Sandbox, limit: &str, words: &str) -> Command {
    let bare = sandbox.command(&[]);
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{limit}; exec \"$0\" {words}")).arg(bare.get_program());
    command.current_dir(bare.get_current_dir().expect("the sandbox")).env_remove("SPAR_RUNS").env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}

#[test]
#[ignore = "slow"]
fn a_file_that_reaches_its_limit_is_a_full_disk() {
    let whole = Sandbox::new();
    whole.write("d.toml", SMALL);
    let _done = whole.spar(&["match", "d.toml"]).exits(0);
    let expected = whole.spar(&["export", "match-d-1", "--jsonl"]).exits(0).stdout;
    let goes_on = |sandbox: &Sandbox, what: u64| {
        let _done = sandbox.spar(&["resume", "match-d-1", "--set", "match.pairs=2000"]).exits(0);
        assert!(sandbox.spar(&["export", "match-d-1", "--jsonl"]).exits(0).stdout == expected, "{what}");
    };
    for blocks in [0, 1, 32, 120, 600] {
        let sandbox = Sandbox::new();
        sandbox.write("d.toml", SMALL);
        let broken = limited(&sandbox, blocks, "match d.toml").exits(3);
        // When the limit is reached, some pairs may have been committed, or none.
        if broken.stderr.contains("spar resume") {
            goes_on(&sandbox, blocks);
        } else {
            left_nothing(&sandbox, &broken);
        }
    }
    let sandbox = Sandbox::new();
    sandbox.write("d.toml", SMALL);
    let _begun = sandbox.spar(&["match", "d.toml", "--set", "match.pairs=50"]).exits(0);
    let size = std::fs::metadata(sandbox.path("runs/match-d-1/journal.sqlite")).expect("a journal").len();
    let broken = limited(&sandbox, size / 512 + 1, "resume match-d-1 --set match.pairs=2000").exits(3);
    assert!(broken.stderr.contains("spar resume"), "{broken:?}");
    goes_on(&sandbox, size);
}

/// Makes a `spar` command to which the system grants only this many threads, each of which needs a GiB of address
/// space.
fn with_threads(sandbox: &Sandbox, count: u64, words: &str) -> Command {
    let mut command = under(sandbox, &format!("ulimit -v {}", 900_000 + count * (1 << 20)), words);
    command.env("RUST_MIN_STACK", (1_u64 << 30).to_string());
    command
}

/// One clear error at the end, and no panic.
fn is_refused(stderr: &str, count: u64) {
    let last = stderr.lines().last().unwrap_or_default();
    let errors = stderr.lines().filter(|line| line.starts_with("error: cannot ")).count();
    assert!(!stderr.contains("panicked") && errors == 1, "{count} threads: {stderr}");
    assert!(
        last.starts_with("error: ") && last.contains("Resource temporarily unavailable"),
        "{count} threads: {stderr}"
    );
}

/// More threads than any of these commands needs on two processors.
const ENOUGH: u64 = 24;

#[test]
fn a_refused_thread_is_an_error_and_no_panic() {
    let sandbox = Sandbox::new();
    sandbox.write("d.toml", &SMALL.replace("2000", "4"));
    for words in ["match d.toml --concurrency 2", "plan --elo1 200 --simulate 10", "runs"] {
        for count in (0..8).chain([ENOUGH]) {
            let run: Outcome = with_threads(&sandbox, count, words).output().expect("a shell").into();
            if run.code == Some(0) {
                assert!(count > 0, "{words}: {run:?}");
            } else {
                assert!(count < ENOUGH, "{words}: {run:?}");
                is_refused(&run.exits(3).stderr, count);
            }
        }
    }
}

#[cfg(feature = "serve")]
#[test]
#[ignore = "slow"]
fn a_server_that_is_refused_a_thread_fails_clearly_or_answers() {
    use std::io::{BufRead, BufReader, Read};
    let sandbox = Sandbox::new();
    sandbox.write("token", "a-token-of-sixteen-letters");
    std::fs::set_permissions(sandbox.path("token"), std::fs::Permissions::from_mode(0o600)).expect("a file of ours");
    for (count, more) in (0..9).chain([ENOUGH]).flat_map(|count| [(count, ""), (count, "--control --token-file token")])
    {
        let words = format!("serve --listen 127.0.0.1:0 {more}");
        let mut server = with_threads(&sandbox, count, &words).stderr(Stdio::piped()).spawn().expect("a shell");
        let mut stderr = BufReader::new(server.stderr.take().expect("a pipe"));
        let mut first = String::new();
        stderr.read_line(&mut first).expect("a line");
        if let Some(address) = first.split("http://").nth(1).and_then(|rest| rest.split('/').next()) {
            // Everything that answers need is available.
            let answer = answer_of(address);
            crate::support::signal(&server, "INT");
            assert_eq!(server.wait().expect("it ends").code(), Some(0), "{count} threads");
            assert!(answer.is_ok_and(|answer| answer.starts_with("HTTP/1.1 200")), "{count} threads");
        } else {
            stderr.read_to_string(&mut first).expect("the rest");
            assert_eq!(server.wait().expect("it ends").code(), Some(3), "{count} threads: {first}");
            assert!(count < ENOUGH, "{first}");
            is_refused(&first, count);
        }
    }
}

/// The answer of the server of runs at an address.
#[cfg(feature = "serve")]
fn answer_of(address: &str) -> std::io::Result<String> {
    use std::io::{Read, Write};
    let mut asked = std::net::TcpStream::connect(address)?;
    asked.set_read_timeout(Some(std::time::Duration::from_mins(10)))?;
    let token = "Authorization: Bearer a-token-of-sixteen-letters";
    write!(asked, "GET /api/runs HTTP/1.1\r\nHost: {address}\r\n{token}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    asked.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
#[ignore = "slow"]
fn a_host_that_pauses_all_for_longer_than_a_start_may_take_costs_no_engine_its_start() {
    let sandbox = sandbox();
    let gate = Command::new("mkfifo").arg(sandbox.path("gate")).status();
    assert!(gate.expect("mkfifo starts").success());
    let script = format!(
        "#!/bin/sh\nread -r line\n[ -e asked ] || {{ : > asked; read -r go < gate; }}\n\
         {{ echo \"$line\"; exec cat; }} | {}\n",
        example("random_mover").display()
    );
    sandbox.write_program("bad", &script);
    let spar = sandbox.start(&["match", "s.toml", "--set", "entrant.bad.start_within=2s"]);
    wait_until("the engine is asked", || sandbox.path("asked").exists());
    signal(&spar, "STOP");
    let paused = Instant::now();
    wait_until("its time to start has passed", || paused.elapsed() > Duration::from_secs(3));
    // Opened for both, so that it does not wait for a reader.
    let mut gate = std::fs::OpenOptions::new().read(true).write(true).open(sandbox.path("gate")).expect("a gate");
    gate.write_all(b"go\n").expect("a gate with room");
    signal(&spar, "CONT");
    let outcome = wait(spar).exits(0);
    assert!(outcome.stdout.contains("faults    none"), "{outcome:?}");
}
