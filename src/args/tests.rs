//! Every option of the commands that play: each is applied beside a file, or has no meaning there and is refused. An
//! option without an entry here fails the test.

use super::{Arguments, Command, Match, misplaced};
use crate::draft::Task;
use arena::config::Job;
use clap::{CommandFactory, Parser};
use plan::{Disk, Loaded, RunPlan};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What becomes of an option beside a file.
enum Role {
    /// This value takes the place of the file's: the words, the place in the run's configuration, the value there.
    Takes(&'static str, &'static str, Value),
    /// Refused: it has no meaning there.
    Alone(&'static str),
    /// It does not affect play.
    Beside,
}
use Role::{Alone, Beside, Takes};

/// A file that says something else than all the options below.
const FILE: &str = r#"
game = "chess"
seed = 3
openings = { file = "BOOK", plies = 2 }
[sprt]
elo0 = 1
elo1 = 7
alpha = 0.02
beta = 0.03
model = "bayesian"
max_pairs = 9
[match]
pairs = 9
[each]
limit = "3s"
[[entrant]]
name = "a"
cmd = "a"
limit = "1s+1s"
[[entrant]]
name = "b"
cmd = "b"
[entrant.options]
Hash = 1
"#;

const BENCH: &str = "--tc-scale auto --bench-engine b --bench-nps 5";
const BOOK: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6\n";

/// What both `match` and `sprt` have.
fn play(book: &'static str) -> Vec<(&'static str, Role)> {
    let [clock, hash] = ["/entrants/0/player/process/limit", "/entrants/1/player/process/options/Hash"];
    let seconds = |secs: u64, nanos: u64| json!({ "secs": secs, "nanos": nanos });
    vec![
        ("engine", Alone("--engine cmd=x")),
        ("each", Takes("--each option.Hash=64", hash, json!("64"))),
        (
            "tc",
            Takes(
                "--tc 10+0.1",
                clock,
                json!({ "clock": { "base": seconds(10, 0), "increment": seconds(0, 100_000_000), "moves": null } }),
            ),
        ),
        ("st", Takes("--st 0.25", clock, json!({ "movetime": seconds(0, 250_000_000) }))),
        ("nodes", Takes("--nodes 500", clock, json!({ "nodes": 500 }))),
        ("depth", Takes("--depth 7", clock, json!({ "depth": 7 }))),
        ("openings", Takes(book, "/openings/book/file/path", json!(book.rsplit(' ').next()))),
        ("order", Takes("--order sequential", "/openings/book/order", json!("sequential"))),
        ("plies", Takes("--plies 6", "/openings/book/file/plies", json!(6))),
        ("game", Takes("--game atomic", "/game", json!("atomic"))),
        ("name", Takes("--name other", "/name", json!("other"))),
        ("seed", Takes("--seed 11", "/seed", json!(11))),
        ("tc-scale", Takes("--tc-scale 2", "/scale", json!("given"))),
        ("bench-engine", Takes(BENCH, "/scale/bench/entrant", json!("b"))),
        ("bench-nps", Takes(BENCH, "/scale/bench/nps", json!(5))),
    ]
}

fn of_a_test() -> Vec<(&'static str, Role)> {
    let at = |key| ["/experiment/sprt/test/", key].concat().leak() as &str;
    vec![
        ("pairs", Takes("--pairs 44", "/experiment/sprt/max_pairs", json!(44))),
        ("single", Takes("--single", "/experiment/sprt/rounds/games", json!("one"))),
        ("preset", Takes("--preset non-regression --model normalized", at("elo0"), json!(-5.0))),
        ("elo0", Takes("--elo0 -4", at("elo0"), json!(-4.0))),
        ("elo1", Takes("--elo1 4", at("elo1"), json!(4.0))),
        ("alpha", Takes("--alpha 0.1", at("alpha"), json!(0.1))),
        ("beta", Takes("--beta 0.2", at("beta"), json!(0.2))),
        ("model", Takes("--model logistic", at("model"), json!("logistic"))),
    ]
}

/// How a run is worked on, and where engines come from.
const WORKING: [&str; 10] =
    ["max-fault-share", "concurrency", "set", "trace", "json", "fleet", "creds", "weight", "checked", "send-programs"];
const BUILDING: [&str; 4] = ["repo", "cache", "rebuild", "allow-dirty"];

fn beside(names: &[&'static str]) -> Vec<(&'static str, Role)> {
    names.iter().map(|name| (*name, Beside)).collect()
}

/// All options of a command.
fn options(command: &str) -> BTreeSet<String> {
    let arguments = Arguments::command();
    let command = arguments.find_subcommand(command).expect("a command");
    let longs = command.get_arguments().filter(|argument| !argument.is_global_set()).filter_map(|a| a.get_long());
    longs.filter(|long| *long != "help").map(str::to_owned).collect()
}

fn parse(words: &[&str]) -> Result<Command, clap::Error> {
    Arguments::try_parse_from([&["spar"], words].concat()).map(|arguments| arguments.command)
}

/// What a command makes of the file.
fn loaded(words: &[&str], file: &str) -> Loaded {
    let command = parse(words).expect("a command line");
    let (Match { described, working, .. }, task, job) = match &command {
        Command::Match(fixed) => (&fixed.play, Task::Match(&fixed.pairings), Job::Match),
        Command::Sprt(sprt) => (&sprt.play, Task::Sprt(&sprt.hypotheses), Job::Sprt),
        other => panic!("{other:?}"),
    };
    let mut plan = RunPlan::read(file, "f.toml", "f", &[], Some(job), Disk).expect("a configuration");
    described.over(&mut plan, &task, false).expect("options that make sense");
    plan.amended(&working.settings(), Some(job)).and_then(|plan| plan.resolve(job)).expect("a configuration")
}

/// Checks that each option of a command is entered, and that those which say what is played are heeded.
fn check(command: &str, file: &str, roles: &[(&str, Role)]) {
    let entered: BTreeSet<String> = roles.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(entered, options(command), "options of {command}, as entered here and as there are");
    for (name, role) in roles {
        match role {
            Takes(words, place, value) => {
                let words: Vec<&str> = [command, "f.toml"].into_iter().chain(words.split(' ')).collect();
                let of = |words: &[&str]| {
                    serde_json::to_value(loaded(words, file).run).expect("JSON").pointer(place).cloned()
                };
                assert_ne!(of(&words[..2]).as_ref(), Some(value), "{name}: the file says it already");
                assert_eq!(of(&words).as_ref(), Some(value), "{name}");
            }
            Alone(words) => {
                let words: Vec<&str> = [command, "f.toml"].into_iter().chain(words.split(' ')).collect();
                let refused = parse(&words).expect_err("a refusal").to_string();
                assert!(refused.contains(&format!("--{name}")) && refused.contains("cannot be used with"), "{refused}");
            }
            Beside => {}
        }
    }
}

#[test]
fn every_option_of_a_match_and_of_a_test_is_heeded_beside_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, other] = ["one.txt", "other.txt"].map(|name| folder.path().join(name).display().to_string());
    for path in [&one, &other] {
        std::fs::write(path, BOOK).expect("a file");
    }
    let file = FILE.replace("BOOK", &one);
    let other: &'static str = format!("--openings {other}").leak();
    let swiss = |words| Takes(words, "/experiment/match/schedule", json!({ "swiss": { "rounds": 1 } }));
    let of_a_match = vec![
        ("pairs", Takes("--pairs 44", "/experiment/match/pairs", json!(44))),
        ("single", Takes("--single", "/experiment/match/rounds/games", json!("one"))),
        ("schedule", Takes("--schedule pyramid", "/experiment/match/schedule", json!("pyramid"))),
        ("swiss-rounds", swiss("--schedule swiss --swiss-rounds 1")),
    ];
    for (command, more) in [("match", of_a_match), ("sprt", of_a_test())] {
        check(command, &file, &play(other).into_iter().chain(more).chain(beside(&WORKING)).collect::<Vec<_>>());
    }
}

#[test]
fn the_other_commands_that_play_leave_all_that_is_played_to_the_file() {
    let cases: [(&str, &[&str]); 8] = [
        ("tune", &["dry-run", "patch"]),
        ("ladder", &["show", "more", "repo", "cache", "rebuild", "allow-dirty"]),
        ("league", &["show", "repo", "cache", "rebuild", "allow-dirty"]),
        ("scaling", &["show", "more", "repo", "cache", "rebuild", "allow-dirty"]),
        ("patch", &["base", "dev", "ci", "summary", "allow-identical", "repo", "cache", "rebuild", "allow-dirty"]),
        ("bisect", &["good", "bad", "path", "confidence", "max-pairs", "repo", "cache", "rebuild", "allow-dirty"]),
        ("campaign", &["max-pairs", "repo", "cache", "rebuild", "allow-dirty"]),
        ("regress", &["against", "dev", "repo", "cache", "rebuild", "allow-dirty"]),
    ];
    for (command, own) in cases {
        check(command, FILE, &beside(&[own, &WORKING].concat()));
        assert_eq!(own.contains(&"repo"), BUILDING.iter().all(|option| own.contains(option)));
        for option in ["--nodes=5", "--elo1=4", "--openings=b.epd"] {
            let name = option.split('=').next().map(str::to_owned);
            let error = parse(&[command, "f.toml", option]).expect_err("no option of this command");
            assert_eq!(misplaced(&error), name, "{command} {option}: {error}");
        }
    }
}

#[test]
fn options_of_other_commands_are_no_ones() {
    for words in [&["elo", "--nodes=5"][..], &["tune", "f.toml", "--nodse=5"], &["tune"]] {
        assert_eq!(misplaced(&parse(words).expect_err("nonsense")), None, "{words:?}");
    }
}

#[test]
fn either_a_file_or_engines() {
    let refused = parse(&["match", "--tc", "10+0.1"]).expect_err("no engines").to_string();
    assert!(refused.contains("--engine <KEY=VALUE>...") && refused.contains("CONFIG"), "{refused}");
    assert!(parse(&["sprt", "--engine", "cmd=a"]).is_ok());
}
