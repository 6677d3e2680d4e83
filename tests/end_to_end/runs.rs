//! Whole runs of the built binary: the same journal at any concurrency and after any interruption, verdicts, exit
//! codes, locks and refusals.

use crate::support::{SPRT, Sandbox, signal, wait};

/// Some games of a weak engine against a weaker one; fast, and reproducible.
const MATCH: &str = r#"
name = "m"
[match]
pairs = 60
[openings]
plies = 4
[each]
limit = "400 nodes"
table = "64 KiB"
[[entrant]]
name = "dev"
[[entrant]]
name = "base"
evaluation = "material"
"#;

/// The reverse test: random moves are not stronger.
const REVERSED: &str = r#"
name = "r"
[sprt]
elo0 = 0
elo1 = 100
[[entrant]]
name = "random"
player = "random"
[[entrant]]
name = "engine"
limit = "100 nodes"
table = "64 KiB"
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", MATCH);
    sandbox.write("t.toml", SPRT);
    sandbox
}

fn export(sandbox: &Sandbox, run: &str) -> String {
    sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout
}

#[test]
fn a_run_says_when_it_was_played_and_how_fast_over_all_its_sessions() {
    let sandbox = sandbox();
    let few = MATCH.replace("pairs = 60", "pairs = 4");
    sandbox.write("m.toml", &few);
    let _first = sandbox.spar(&["match", "m.toml"]).exits(0);
    let _second = sandbox.spar(&["resume", "match-m-1", "--set", "match.pairs=6"]).exits(0);
    let shown = sandbox.spar(&["show", "match-m-1", "--json"]).exits(0).json();
    let sessions = shown["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{shown}");
    let moment = |session: &serde_json::Value, key: &str| session[key].as_str().unwrap().to_owned();
    for session in sessions {
        let (began, ended) = (moment(session, "began"), moment(session, "ended"));
        assert!(began.starts_with("20") && began.ends_with('Z') && began <= ended, "{session}");
    }
    assert!(moment(&sessions[0], "ended") <= moment(&sessions[1], "began"), "{shown}");
    let pairs = export(&sandbox, "match-m-1");
    let plies = |pair: &str| {
        let pair: serde_json::Value = serde_json::from_str(pair).unwrap();
        let games = pair["games"].as_array().unwrap();
        games.iter().map(|game| game["plies"].as_u64().unwrap()).sum::<u64>()
    };
    let played: u64 = pairs.lines().map(plies).sum();
    let players = shown["players"].as_array().unwrap();
    let counted: u64 = players.iter().map(|player| player["time"]["moves"].as_u64().unwrap()).sum();
    assert_eq!(counted, played, "each move is counted once: {shown}");
    let bins = |player: &serde_json::Value| -> u64 {
        let bins = player["time"]["bins_up_to_ms"].as_array().unwrap();
        bins.iter().map(|bin| bin[1].as_u64().unwrap()).sum()
    };
    assert_eq!(players.iter().map(bins).sum::<u64>(), played);
    let text = sandbox.spar(&["show", "match-m-1"]).exits(0).stdout;
    assert!(text.contains("  sessions  20") && text.contains("  moves  "), "{text}");
    let listed = sandbox.spar(&["runs", "--json"]).exits(0).json();
    assert_eq!(listed[0]["began"], sessions[0]["began"]);
    assert_eq!(listed[0]["ended"], sessions[1]["ended"]);
    let page = std::fs::read_to_string(sandbox.path("runs/match-m-1/report.html")).unwrap();
    assert_eq!(page.matches("data-head=\"ended\">20").count(), 2, "the page has both sessions");
}

#[test]
fn a_run_is_the_same_at_any_concurrency_and_after_a_kill() {
    let sandbox = sandbox();
    let mut exports = Vec::new();
    for workers in ["1", "2", "4"] {
        let done = sandbox.spar(&["match", "m.toml", "--concurrency", workers, "--json"]).exits(0).json();
        assert_eq!(done["pairs"], 60);
        assert_eq!(done["verdict"], "complete");
        let run = done["run"].as_str().unwrap();
        exports.push(export(&sandbox, run.strip_prefix("runs/").unwrap()));
    }
    assert_eq!(exports[0].lines().count(), 60);

    let mut child = sandbox.start(&["match", "m.toml", "--concurrency", "2"]);
    sandbox.wait_for_pairs("match-m-4", 5);
    child.kill().unwrap();
    let code = wait(child).code;
    assert!(matches!(code, None | Some(0)), "killed in the middle, or over before: {code:?}");
    let resumed = sandbox.spar(&["resume", "match-m-4", "--concurrency", "2"]).exits(0);
    assert!(resumed.stdout.contains("60 pairs played"), "{resumed:?}");
    exports.push(export(&sandbox, "match-m-4"));

    for other in &exports[1..] {
        assert!(*other == exports[0], "the journals differ");
    }
}

#[test]
fn ctrl_c_keeps_every_committed_pair_and_says_how_to_resume() {
    let sandbox = sandbox();
    let child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=100000"]);
    sandbox.wait_for_pairs("match-m-1", 3);
    assert_eq!(sandbox.spar(&["runs", "--json"]).exits(0).json()[0]["state"], "running");
    assert!(sandbox.spar(&["runs"]).exits(0).stdout.contains("match-m-1  running "));
    signal(&child, "INT");
    let stopped = wait(child).exits(130);
    assert!(stopped.stderr.contains("spar resume runs/match-m-1"), "{stopped:?}");
    let before = sandbox.spar(&["show", "match-m-1", "--json"]).exits(0).json();
    assert!(before["pairs"].as_u64().unwrap() >= 3);
    assert!(before["verdict"].is_null());
    assert!(sandbox.spar(&["runs"]).exits(0).stdout.contains("match-m-1  interrupted"));
    let limit = format!("match.pairs={}", before["pairs"].as_u64().unwrap() + 2);
    let done = sandbox.spar(&["resume", "match-m-1", "--set", &limit, "--json"]).exits(0).json();
    assert_eq!(done["pairs"].as_u64(), before["pairs"].as_u64().map(|pairs| pairs + 2));
    // The time of both sessions, and of no other.
    let seconds = |of: &serde_json::Value| of["seconds"].as_f64().unwrap();
    let shown = sandbox.spar(&["show", "match-m-1", "--json"]).exits(0).json();
    assert!(seconds(&before) > 0.0 && seconds(&done) > seconds(&before), "{before} {done}");
    assert!((seconds(&shown) - seconds(&done)).abs() < 1.0, "{shown} {done}");
    assert_eq!(sandbox.spar(&["runs", "--json"]).exits(0).json()[0]["state"], "finished");
}

#[test]
fn a_terminate_signal_is_an_orderly_stop_too() {
    let sandbox = sandbox();
    let child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=100000"]);
    sandbox.wait_for_pairs("match-m-1", 1);
    signal(&child, "TERM");
    let _stopped = wait(child).exits(130);
}

#[test]
fn an_unfinished_test_says_that_its_elo_is_plain() {
    let sandbox = Sandbox::new();
    let random = |name| format!("[[entrant]]\nname = \"{name}\"\nplayer = \"random\"\n");
    let (a, b) = (random("a"), random("b"));
    sandbox.write("u.toml", &format!("name = \"u\"\n[sprt]\nelo0 = 0\nelo1 = 0.1\n{a}{b}"));
    let child = sandbox.start(&["sprt", "u.toml"]);
    sandbox.wait_for_pairs("sprt-u-1", 3);
    signal(&child, "INT");
    let _stopped = wait(child).exits(130);
    let shown = sandbox.spar(&["show", "sprt-u-1"]).exits(0).stdout;
    assert!(shown.starts_with("Unfinished: "), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("  Elo ") && line.ends_with("   plain")), "{shown}");
}

#[test]
fn verdicts_have_exit_codes_of_their_own() {
    let sandbox = sandbox();
    let h1 = sandbox.spar(&["sprt", "t.toml", "--json"]).exits(0).json();
    assert_eq!(h1["verdict"], "accepted-h1");
    assert!(h1["llr"].as_f64().unwrap() > h1["upper"].as_f64().unwrap() - 1e-9);

    sandbox.write("r.toml", REVERSED);
    let h0 = sandbox.spar(&["sprt", "r.toml", "--json"]).exits(1).json();
    assert_eq!(h0["verdict"], "accepted-h0");
    assert!(h0["elo"].is_null() || h0["elo"].as_f64().unwrap() < -200.0);

    let undecided =
        sandbox.spar(&["sprt", "t.toml", "--set", "sprt.elo0=-1", "--set", "sprt.elo1=0", "--set", "sprt.max_pairs=5"]);
    assert!(undecided.exits(4).stdout.contains("Undecided after 5 pairs"));
    let more = sandbox.spar(&["resume", "sprt-t-2", "--set", "sprt.max_pairs=7", "--json"]).exits(4).json();
    assert_eq!(more["pairs"], 7);
    let again = sandbox.spar(&["resume", "sprt-t-2", "--json"]).exits(4).json();
    assert_eq!(again["pairs"], 7, "the new limit was kept");
}

#[test]
fn the_engine_beats_random_moves_every_time() {
    let sandbox = sandbox();
    let settings = ["--set", "match.pairs=20", "--set", "each.limit=1000 nodes"];
    let config = MATCH.replace("name = \"base\"\nevaluation = \"material\"", "name = \"random\"\nplayer = \"random\"");
    sandbox.write("random.toml", &config);
    let done = sandbox.spar(&[&["match", "random.toml", "--json"][..], &settings[..]].concat()).exits(0).json();
    assert_eq!(done["penta"], serde_json::json!([0, 0, 0, 0, 20]));
    assert!(done["elo"].is_null(), "infinite");
    assert!(done["elo_low"].as_f64().unwrap() > 100.0);
}

#[test]
fn a_second_process_on_the_same_run_is_refused() {
    let sandbox = sandbox();
    let mut child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=100000"]);
    sandbox.wait_for_pairs("match-m-1", 1);
    let refused = sandbox.spar(&["resume", "match-m-1"]).exits(3);
    assert!(refused.stderr.contains("another process works on"), "{refused:?}");
    assert!(refused.stderr.contains(&child.id().to_string()), "{refused:?}");
    child.kill().unwrap();
    let _killed = wait(child);
}

#[test]
fn a_changed_configuration_is_refused_with_what_differs() {
    let sandbox = sandbox();
    let undecided = ["sprt", "t.toml", "--set", "sprt.elo0=-1", "--set", "sprt.elo1=0", "--set", "sprt.max_pairs=3"];
    let _four = sandbox.spar(&undecided).exits(4);
    let path = "runs/sprt-t-1/config.toml";
    let text = std::fs::read_to_string(sandbox.path(path)).unwrap();
    sandbox.write(path, &text.replace("100 nodes", "200 nodes"));
    let refused = sandbox.spar(&["resume", "sprt-t-1"]).exits(2);
    assert!(refused.stderr.contains("limit.nodes: 100 then, 200 now"), "{refused:?}");
    sandbox.write(path, &text);
    let _again = sandbox.spar(&["resume", "sprt-t-1", "--set", "concurrency=1"]).exits(4);
    let refused = sandbox.spar(&["resume", "sprt-t-1", "--set", "seed=2"]).exits(2);
    assert!(refused.stderr.contains("seed: 1 then, 2 now"), "{refused:?}");
}

#[test]
fn broken_journals_give_one_clear_message() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["match", "m.toml", "--set", "match.pairs=20"]).exits(0);
    let journal = sandbox.path("runs/match-m-1/journal.sqlite");
    let whole = std::fs::read(&journal).unwrap();

    std::fs::write(&journal, &whole[..whole.len() / 2]).unwrap();
    let truncated = sandbox.spar(&["export", "match-m-1", "--jsonl"]).exits(3);
    assert!(truncated.stderr.starts_with("error: journal runs/match-m-1/journal.sqlite"), "{truncated:?}");
    assert!(truncated.stderr.contains("restore a copy"), "{truncated:?}");

    std::fs::write(&journal, b"this is not a journal at all, but some text that somebody put here").unwrap();
    let foreign = sandbox.spar(&["show", "match-m-1"]).exits(3);
    assert!(foreign.stderr.contains("restore a copy"), "{foreign:?}");

    std::fs::write(&journal, &whole).unwrap();
    let file = rusqlite::Connection::open(&journal).unwrap();
    file.pragma_update(None, "user_version", 99).unwrap();
    drop(file);
    let newer = sandbox.spar(&["resume", "match-m-1"]).exits(3);
    assert!(newer.stderr.contains("has format 99"), "{newer:?}");

    let listed = sandbox.spar(&["runs"]).exits(3);
    assert!(listed.stdout.contains("match-m-1") && listed.stdout.contains("unreadable"), "{listed:?}");
    let missing = sandbox.spar(&["show", "nothing"]).exits(2);
    assert!(missing.stderr.contains("there is no run at runs/nothing"), "{missing:?}");
}

#[test]
fn a_gauntlet_gives_each_opponent_the_same_openings() {
    let sandbox = sandbox();
    sandbox.write("g.toml", &format!("{MATCH}[[entrant]]\nname = \"third\"\nparams = {{ futility = false }}\n"));
    let done = sandbox.spar(&["match", "g.toml", "--set", "match.pairs=3", "--json"]).exits(0).json();
    assert_eq!(done["pairs"], 6);
    assert_eq!(done["pairings"].as_array().unwrap().len(), 2);
    let lines = export(&sandbox, "match-m-1");
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["opening"], lines[1]["opening"]);
    assert_ne!(lines[1]["opening"], lines[2]["opening"]);
    assert_eq!(lines[1]["proposal"][1]["entrant"], "third");
}

#[test]
fn every_pair_of_the_export_can_be_replayed() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["match", "m.toml", "--set", "match.pairs=10"]).exits(0);
    for line in export(&sandbox, "match-m-1").lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        for game in pair["games"].as_array().unwrap() {
            let mut position = engine::Position::new();
            let moves = [&pair["opening"], &game["moves"]].map(|moves| moves.as_str().unwrap()).join(" ");
            for text in moves.split_whitespace() {
                assert_eq!(position.outcome(), None);
                let mv = engine::parse_move(&position, text).unwrap();
                assert!(position.is_legal(mv));
                position.play(mv);
            }
            let ended = position.outcome().expect("the game is over");
            let drawn = !game["ending"]["draw"].is_null();
            assert_eq!(matches!(ended, engine::Outcome::Draw(_)), drawn, "{game}");
        }
        assert!(pair.get("times").is_none());
    }
    let timed = sandbox.spar(&["export", "match-m-1", "--jsonl", "--timings"]).exits(0).stdout;
    assert!(timed.lines().all(|line| line.contains("\"times\"")));
}

#[test]
fn a_closed_output_changes_no_verdict() {
    let sandbox = sandbox();
    sandbox.write("r.toml", REVERSED);
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let code = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.stdout(std::process::Stdio::null()).stderr(full()).status().unwrap().code()
    };
    assert_eq!(code(&["sprt", "r.toml"]), Some(1), "H0 accepted, with any reader");
    assert_eq!(code(&["sprt", "missing.toml"]), Some(2));

    let mut command = sandbox.command(&["sprt", "r.toml"]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn the_journal_alone_is_enough_to_resume() {
    let sandbox = sandbox();
    let undecided = ["sprt", "t.toml", "--set", "sprt.elo0=-1", "--set", "sprt.elo1=0", "--set", "sprt.max_pairs=3"];
    let _four = sandbox.spar(&undecided).exits(4);
    std::fs::remove_file(sandbox.path("runs/sprt-t-1/config.toml")).unwrap();
    let more = sandbox.spar(&["resume", "sprt-t-1", "--set", "sprt.max_pairs=5", "--json"]).exits(4).json();
    assert_eq!(more["pairs"], 5);
}

#[test]
fn a_reader_does_not_keep_a_run_from_ending() {
    let sandbox = sandbox();
    let child = sandbox.start(&["match", "m.toml", "--set", "match.pairs=40"]);
    sandbox.wait_for_pairs("match-m-1", 1);
    let reader = rusqlite::Connection::open(sandbox.path("runs/match-m-1/journal.sqlite")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM pair").unwrap();
    let _done = wait(child).exits(0);
    drop(reader);
    assert_eq!(export(&sandbox, "match-m-1").lines().count(), 40);
}

#[test]
#[ignore = "slow"]
fn a_limit_a_move_on_the_wall_clock_is_kept() {
    let sandbox = sandbox();
    let settings = ["--set", "match.pairs=1", "--set", "each.limit=60ms a move", "--set", "openings.plies=40"];
    let done =
        sandbox.spar(&[&["match", "m.toml", "--json", "--concurrency", "1"][..], &settings].concat()).exits(0).json();
    let played = export(&sandbox, "match-m-1");
    // A move is late only through the host's fault.
    assert_eq!(done["faults"], done["excused"], "{done} {played}");
}

#[test]
fn another_build_is_refused() {
    let sandbox = sandbox();
    let undecided = ["sprt", "t.toml", "--set", "sprt.elo0=-1", "--set", "sprt.elo1=0", "--set", "sprt.max_pairs=3"];
    let _four = sandbox.spar(&undecided).exits(4);
    let file = rusqlite::Connection::open(sandbox.path("runs/sprt-t-1/journal.sqlite")).unwrap();
    let builds: String = file.query_row("SELECT value FROM header WHERE key = 'builds'", [], |row| row.get(0)).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&builds).unwrap();
    other[0]["native"]["bench"] = 12345.into();
    file.execute("UPDATE header SET value = ?1 WHERE key = 'builds'", [other.to_string()]).unwrap();
    drop(file);
    let refused = sandbox.spar(&["resume", "sprt-t-1"]).exits(2);
    assert!(refused.stderr.contains("builds.0.native.bench: 12345 then, "), "{refused:?}");
}

#[test]
fn a_test_stops_at_the_same_pair_at_any_concurrency() {
    let sandbox = sandbox();
    let config = MATCH.replace("[match]\npairs = 60", "[sprt]\nelo0 = 0\nelo1 = 60");
    sandbox.write("s.toml", &config);
    let mut exports = Vec::new();
    for (number, workers) in ["1", "2", "4"].into_iter().enumerate() {
        let done = sandbox.spar(&["sprt", "s.toml", "--concurrency", workers, "--json"]).exits(0).json();
        assert_eq!(done["verdict"], "accepted-h1");
        exports.push(export(&sandbox, &format!("sprt-m-{}", number + 1)));
    }
    assert!(!exports[0].is_empty() && exports.iter().all(|other| *other == exports[0]), "the journals differ");
}

#[test]
fn the_bench_prints_the_signature_that_builds_are_known_by() {
    let signature = engine::signature(&engine::EngineConfig::default()).nodes;
    let benched = Sandbox::new().spar(&["bench", "--json"]).exits(0).json();
    assert_eq!(benched["nodes"], signature, "as `zeropoint bench` prints it");
    let other = Sandbox::new().spar(&["bench", "--depth", "3"]).exits(0);
    assert!(other.stderr.contains("not the signature, which is at depth 8"), "{other:?}");
}

/// Two engines on the wall clock, and the former default for starved pairs.
#[test]
fn a_stored_run_keeps_what_was_usual_when_it_was_made() {
    let sandbox = sandbox();
    let timed = ["--set", "each.limit='1ms a move'", "--set", "match.pairs=2"];
    let _done = sandbox.spar(&[&["match", "m.toml"][..], &timed].concat()).exits(0);
    let file = rusqlite::Connection::open(sandbox.path("runs/match-m-1/journal.sqlite")).unwrap();
    let config: String = file.query_row("SELECT value FROM header WHERE key = 'config'", [], |row| row.get(0)).unwrap();
    assert!(config.contains("\"action\":\"replay\""), "{config}");
    let earlier = config.replace("\"action\":\"replay\"", "\"action\":\"mark\"");
    file.execute("UPDATE header SET value = ?1 WHERE key = 'config'", [earlier]).unwrap();
    drop(file);
    let more = sandbox.spar(&["resume", "match-m-1", "--set", "match.pairs=3", "--json"]).exits(0).json();
    assert_eq!(more["pairs"], 3);
    let named = ["resume", "match-m-1", "--set", "match.pairs=4", "--set", "starvation.action=replay"];
    let refused = sandbox.spar(&named).exits(2);
    assert!(refused.stderr.contains("starvation.action: \"mark\" then, \"replay\" now"), "{refused:?}");
}

#[test]
fn a_starved_verdict_says_that_it_is_not_trustworthy() {
    let sandbox = sandbox();
    let h1 = sandbox.spar(&["sprt", "t.toml", "--json"]).exits(0).json();
    assert!(h1["warning"].is_null() && h1["starved_pairs"] == 0, "{h1}");
    let quiet = sandbox.spar(&["show", "sprt-t-1"]).exits(0).stdout;
    assert!(!quiet.contains("trustworthy"), "{quiet}");
    let file = rusqlite::Connection::open(sandbox.path("runs/sprt-t-1/journal.sqlite")).unwrap();
    file.execute("UPDATE pair SET starved = 2 WHERE pair < 3", []).unwrap();
    drop(file);
    let pairs = h1["pairs"].as_u64().unwrap();
    assert!((3..300).contains(&pairs), "{pairs}");
    let warning = format!("The verdict is not trustworthy: the host starved a player in 3 of {pairs} pairs (");
    let shown = sandbox.spar(&["show", "sprt-t-1"]).exits(0).stdout;
    assert!(shown.contains(&warning), "{shown}");
    let json = sandbox.spar(&["show", "sprt-t-1", "--json"]).exits(0).json();
    assert!(json["warning"].as_str().is_some_and(|text| text.starts_with(&warning)), "{json}");
    assert_eq!((&json["starved_pairs"], &json["starved"]), (&3.into(), &6.into()));
    let report = sandbox.spar(&["report", "sprt-t-1", "--json"]).exits(0).json();
    assert!(report["says"].as_str().is_some_and(|says| says.contains(&warning)), "{report}");
    let page = std::fs::read_to_string(sandbox.path("runs/sprt-t-1/report.html")).unwrap();
    assert!(page.contains(&warning), "the page");
}

#[test]
fn a_result_that_leaves_out_pairs_notes_it_wherever_it_is_shown() {
    let sandbox = sandbox();
    sandbox.write("m.toml", &MATCH.replace("pairs = 60", "pairs = 12"));
    let _all = sandbox.spar(&["match", "m.toml"]).exits(0);
    // Pairs may be stored beyond a lowered limit: those that were stored before a missing one.
    let mut journal = arena::run::Journal::open(&sandbox.path("runs/match-m-1/journal.sqlite")).unwrap();
    let mut header = journal.header().unwrap();
    let arena::config::ExperimentConfig::Match { pairs, .. } = &mut header.config.experiment else { panic!("a match") };
    *pairs = 5.try_into().unwrap();
    journal.set_pair_limit(&header).unwrap();
    drop(journal);
    let shown = sandbox.spar(&["show", "match-m-1"]).exits(0).stdout;
    assert!(shown.contains("The result is cut at 5 of 12: the limit was lowered below what was played."), "{shown}");
    let json = sandbox.spar(&["show", "match-m-1", "--json"]).exits(0).json();
    assert_eq!(json["cut"], serde_json::json!([5, 12]));
    let listed = sandbox.spar(&["runs"]).exits(0).stdout;
    assert!(listed.contains("complete") && listed.contains("cut at 5 of 12, Elo"), "{listed}");
    assert_eq!(sandbox.spar(&["runs", "--json"]).exits(0).json()[0]["cut"], serde_json::json!([5, 12]));
    // Resumed by a configuration that also has the lower limit.
    let config = sandbox.path("runs/match-m-1/config.toml");
    let text = std::fs::read_to_string(&config).unwrap().replace("pairs = 12", "pairs = 5");
    std::fs::write(&config, text).unwrap();
    let resumed = sandbox.spar(&["resume", "match-m-1"]).exits(0).stdout;
    assert!(resumed.contains("The result is cut at 5 of 12"), "{resumed}");
}
