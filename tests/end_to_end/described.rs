//! Runs described on the command line: the effects of options, and their errors.

use crate::support::Sandbox;

/// White mates by h5f7.
const MATE_IN_ONE: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1\n";

/// An engine that mates as White, and one that makes a useless move; neither knows a legal second move.
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
    // White mates in one game; in the other Black answers, and then the idler knows no move.
    assert_eq!(played["penta"], serde_json::json!([0, 0, 0, 0, 2]));
    assert_eq!(played["faults"], serde_json::json!([0, 2]));
    let run = "runs/match-mater-vs-the-idler-1";
    assert_eq!(played["run"], run);
    // The file that it writes makes the same run again.
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
    let cases: [(&[&str], &str); 18] = [
        (&["--engine", "cmd=./mater", "nice=99", "--engine", "cmd=./idler", "--nodes=5"], "│ --engine nice=99"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--tc", "10x"], "`--tc 10x`: expected seconds"),
        (
            &["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--tc", "inf"],
            "`--tc inf` sets no limit on thinking",
        ),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./none", "--nodes=5"], "there is no program `./none`"),
        (&["--engine", "./mater", "--nodes=5"], "`--engine ./mater`: expected key=value"),
        (&["--engine", "cmd=./mater", "--nodes=5"], "there are too few engines: 1; add an `--engine`"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--st=1", "--tc=1"], "only one of them can hold"),
        (&["--engine", "cmd=./mater", "--engine", "cmd=./idler"], "`mater` has no limit: add `--tc 10+0.1`"),
        (&["--engine", "name=a", "--engine", "cmd=./idler", "--nodes=5"], "`a` has no program: add `cmd=...`"),
        (&["--engine", "cmd=a", "name=x", "--engine", "cmd=b", "name=x", "--nodes=5"], "two engines are called `x`"),
        (
            &["--engine", "cmd=a", "name=", "--engine", "cmd=b", "--nodes=5"],
            "`--engine name=`: expected a name of 1 to",
        ),
        (
            &["--engine", "cmd=a", "--engine", "cmd=b", "--each", "name=x", "--nodes=5"],
            "`--each name=x`: a name belongs",
        ),
        (&["--engine", "cmd=a", "--engine", "cmd=b", "--nodes=5", "--order", "random"], "add `--openings FILE`"),
        (
            &["--engine", "cmd=a", "--engine", "cmd=b", "--nodes=5", "--openings", "x.bin"],
            "add for instance `--plies 12`",
        ),
        (
            &["--engine", "cmd=a", "--engine", "cmd=b", "--nodes=5", "--openings", "x.y"],
            "`--openings x.y`: cannot tell the format of x.y",
        ),
        (
            &["--engine", "name=a", "--engine", "name=b", "--nodes=5", "--game=0.1", "--each", "nice=3"],
            "`--each nice=3`: only",
        ),
        (&["--tc", "10+0.1"], "--engine <KEY=VALUE>..."),
        (&["m.toml", "--engine", "cmd=./mater"], "cannot be used with"),
    ];
    for (arguments, message) in cases {
        let refused = sandbox.spar(&[&["match"], arguments].concat()).exits(2);
        assert!(refused.stderr.contains(message), "{arguments:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains("[["), "{arguments:?}: {}", refused.stderr);
        assert!(!sandbox.path("runs").exists(), "{arguments:?}");
    }
    let three = ["--engine", "cmd=./mater", "--engine", "cmd=./idler", "--engine", "cmd=./idler", "--nodes=5"];
    let refused = sandbox.spar(&[&["sprt"], &three[..]].concat()).exits(2);
    assert!(refused.stderr.contains("there are 3 engines, and a test is between two"), "{}", refused.stderr);
}

/// Two engines that play short games.
const FILE: &str = "name = \"f\"\ngame = \"chess\"\n[openings]\nplies = 2\n[match]\npairs = 1\n\
    [sprt]\nelo0 = 0\nelo1 = 5\n\
    [[entrant]]\nname = \"a\"\ncmd = \"./mater\"\nlimit = \"1+1\"\n\
    [[entrant]]\nname = \"b\"\ncmd = \"./idler\"\nlimit = \"1s+1s\"\n";

#[test]
fn options_take_the_place_of_what_a_file_says() {
    let sandbox = sandbox();
    sandbox.write("m.toml", FILE);
    let options = ["--pairs", "3", "--nodes", "5", "--openings", "mate.epd", "--seed=9", "--each", "option.Hash=8"];
    let played = sandbox.spar(&[&["match", "m.toml", "--json"], &options[..]].concat()).exits(0).json();
    assert_eq!((&played["pairs"], &played["penta"]), (&3.into(), &serde_json::json!([0, 0, 0, 0, 3])));
    let config = std::fs::read_to_string(sandbox.path("runs/match-f-1/config.toml")).unwrap();
    let lines = [
        "pairs = 3  # --pairs 3",
        "limit = \"5 nodes\"  # --nodes 5",
        "seed = 9  # --seed 9",
        "\"8\"  # --each option.Hash=8",
    ];
    for line in lines {
        assert!(config.contains(line), "{line}: {config}");
    }
    assert!(!config.contains("1+1") && !config.contains("1s+1s") && !config.contains("plies"), "{config}");
    let test = ["sprt", "m.toml", "--nodes=5", "--openings=mate.epd", "--elo1=90", "--pairs=2", "--json"];
    assert_eq!(sandbox.spar(&test).exits(4).json()["pairs"], 2);
    let config = std::fs::read_to_string(sandbox.path("runs/sprt-f-1/config.toml")).unwrap();
    assert!(config.contains("elo1 = 90.0  # --elo1 90") && config.contains("max_pairs = 2"), "{config}");
}

#[test]
fn options_beside_a_file_that_cannot_be_are_refused_by_their_own_names() {
    let sandbox = sandbox();
    sandbox.write("m.toml", FILE);
    sandbox.write(
        "own.toml",
        "[match]\npairs = 1\n[[entrant]]\nname = \"a\"\nplayer = \"random\"\n[[entrant]]\nname = \
        \"b\"\nplayer = \"random\"\n",
    );
    let cases: [(&[&str], &str); 10] = [
        (&["tune", "m.toml", "--pairs", "5"], "`--pairs` is an option of `spar match` and `spar sprt`"),
        (&["sprt", "m.toml", "--elo1", "-4"], "│ --elo1 -4"),
        (&["sprt", "m.toml", "--alpha", "0.7"], "│ --alpha 0.7"),
        (&["sprt", "m.toml", "--model", "elo"], "│ --model elo"),
        (&["sprt", "m.toml", "--tc", "inf"], "`--tc inf` sets no limit on thinking"),
        (&["match", "m.toml", "--order", "random"], "`--order random` is the order of a book"),
        (&["match", "m.toml", "--engine", "cmd=x"], "'[CONFIG]' cannot be used with"),
        (&["match", "m.toml", "--set", "sprt.elo1=4"], "this run reads `[match]`, and not `[sprt]`"),
        (&["match", "own.toml", "--each", "option.Hash=1"], "`--each option.Hash=1`: only an engine process has"),
        (&["match", "own.toml", "--nodes", "5"], "`--nodes 5`: no engine has a limit"),
    ];
    for (arguments, message) in cases {
        let refused = sandbox.spar(arguments).exits(2);
        assert!(refused.stderr.contains(message), "{arguments:?}: {}", refused.stderr);
        assert!(!sandbox.path("runs").exists(), "{arguments:?}");
    }
}
