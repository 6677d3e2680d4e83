//! Runs that are described on the command line: what becomes of the options, and how what is wrong with them is said.

use crate::support::Sandbox;

/// White mates by h5f7.
const MATE_IN_ONE: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1\n";

/// An engine that mates when it is White, and one that makes a useless move; neither knows a second one that is legal.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("mate.epd", MATE_IN_ONE);
    sandbox.write_engine("mater", "h5f7", "g8f6");
    sandbox.write_engine("idler", "a2a3", "a7a6");
    sandbox
}

const ENGINES: [&str; 8] =
    ["--engine", "cmd=./mater", "--engine", "cmd=./idler", "name=the idler", "--nodes=5", "--openings", "mate.epd"];

#[test]
fn a_match_needs_no_file_and_leaves_one() {
    let sandbox = sandbox();
    let arguments = [&["match"], &ENGINES[..], &["--pairs", "2", "--concurrency", "1", "--json"]].concat();
    let played = sandbox.spar(&arguments).exits(0).json();
    assert_eq!(played["entrants"], serde_json::json!(["mater", "the idler"]));
    // White mates in one game; in the other Black answers, and the idler knows no move then.
    assert_eq!(played["penta"], serde_json::json!([0, 0, 0, 0, 2]));
    assert_eq!(played["faults"], serde_json::json!([0, 2]));
    let run = "runs/match-mater-vs-the-idler-1";
    assert_eq!(played["run"], run);
    // The file it leaves makes the same run again.
    let config = format!("{run}/config.toml");
    let again = sandbox.spar(&["match", &config, "--json"]).exits(0).json();
    assert_eq!((&again["penta"], &again["run"]), (&played["penta"], &"runs/match-mater-vs-the-idler-2".into()));
    let _resumed = sandbox.spar(&["resume", "match-mater-vs-the-idler-1", "--set", "match.pairs=3"]).exits(0);
}

#[test]
fn a_test_takes_its_hypotheses_from_options() {
    let sandbox = sandbox();
    let hypotheses = ["--elo0", "-10", "--elo1=90", "--alpha", "0.1", "--beta", "0.2", "--model", "logistic"];
    let arguments = [&["sprt"], &ENGINES[..], &hypotheses, &["--pairs=40", "--name", "t", "--json"]].concat();
    let decided = sandbox.spar(&arguments).exits(0).json();
    assert_eq!(decided["verdict"], "accepted-h1");
    let config = std::fs::read_to_string(sandbox.path("runs/sprt-t-1/config.toml")).unwrap();
    for line in ["elo0 = -10.0  # --elo0 -10", "alpha = 0.1 ", "model = \"logistic\"", "max_pairs = 40"] {
        assert!(config.contains(line), "{line}: {config}");
    }
}

#[test]
fn what_is_wrong_is_said_in_the_words_typed() {
    let sandbox = sandbox();
    let cases: [(&[&str], &str); 9] = [
        (&["--engine", "cmd=./mater", "nice=99", "--engine", "cmd=./idler", "--nodes=5"], "# --engine nice=99"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--tc", "10s"], "`--tc 10s`: expected seconds"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--tc", "inf"], "`--tc inf` lets an engine think"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./none", "--nodes=5"], "there is no program `./none`"),
        (&["--engine", "./mater", "--nodes=5"], "`--engine ./mater`: expected key=value"),
        (&["--engine", "cmd=./mater", "--nodes=5"], "there are too few entrants: 1"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--nodes=5", "--tc=1"], "only one of them can hold"),
        (&["--tc", "10+0.1"], "--engine <KEY=VALUE>..."),
        (&["m.toml", "--engine", "cmd=./mater"], "cannot be used with"),
    ];
    for (arguments, message) in cases {
        let refused = sandbox.spar(&[&["match"], arguments].concat()).exits(2);
        assert!(refused.stderr.contains(message), "{arguments:?}: {}", refused.stderr);
        assert!(!sandbox.path("runs").exists(), "{arguments:?}");
    }
}
