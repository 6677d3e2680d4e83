//! `spar fastchess`: command lines from engine repositories, and options with special requests.

use crate::support::{Sandbox, example, signal, wait};

/// A folder with an engine that plays any legal move, called `mover`, and books.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("mover")).expect("a link");
    let lines = ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 d5 2. c4 e6", "1. c4 e5"];
    let games = lines.map(|moves| format!("[Event \"book\"]\n[Result \"*\"]\n\n{moves} *\n\n"));
    sandbox.write("book.pgn", &games.concat());
    let positions = ["r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "4k3/8/8/8/8/8/4P3/4K3 w - -"];
    sandbox.write("book.epd", &format!("{}\n", positions.join("\n")));
    sandbox
}

const TWO: &str = "-engine cmd=mover name=dev option.Seed=1 -engine cmd=./mover name=base option.Seed=2";

/// Each line with the number of games and a text of the output.
#[test]
#[ignore = "slow"]
fn command_lines_of_engine_repositories_are_played() {
    let sandbox = sandbox();
    let cases = [
        (
            "-each tc=8+0.08 option.Hash=16 option.Threads=1 proto=uci -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 \
                model=normalized -rounds 2 \
             -repeat -concurrency 2 -openings file=book.epd format=epd order=random -maxmoves 3",
            4,
            "LLR: ",
        ),
        (
            "-each tc=10+0.1 -sprt elo0=-5 elo1=0 alpha=0.1 beta=0.1 model=logistic -rounds 2 -maxmoves 3",
            4,
            "(-2.20, 2.20) [-5.00, 0.00]",
        ),
        (
            "-each nodes=5 -sprt elo0=0 elo1=10 model=bayesian -report penta=false -rounds 2 -maxmoves 3",
            4,
            "[0.00, 10.00]",
        ),
        (
            "-engine cmd=mover name=third -each depth=2 -tournament gauntlet -seeds 1 -rounds 1 -games 2 -maxmoves 3",
            4,
            "Rank Name ",
        ),
        ("-engine cmd=mover name=third -each depth=2 -tournament roundrobin -rounds 1 -maxmoves 3", 6, "   3 "),
        (
            "-each nodes=5 -rounds 1 -pgnout file=a.pgn notation=san nodes=true -resign movecount=3 score=600 \
                twosided=true -maxmoves 3",
            2,
            "Ptnml(0-2): ",
        ),
        (
            "-each nodes=5 -rounds 1 -openings file=book.pgn format=pgn order=random plies=4 start=10 -maxmoves 3",
            2,
            "book.pgn)",
        ),
        (
            "-each nodes=5 -rounds 1 -openings file=book.epd format=epd order=random plies=16 start=10 -maxmoves 3",
            2,
            "book.epd)",
        ),
        (
            "-each nodes=5 -rounds 2 -recover -repeat -concurrency 2 -ratinginterval 1 -scoreinterval 1 \
                -autosaveinterval 0 \
             -log file=all.log level=trace engine=true append=true realtime=false -maxmoves 3",
            4,
            "Player: dev\n  Timeouts: 0\n  Crashed: 0\n",
        ),
        ("-each tc=40/60+0.6 timemargin=20 restart=on -rounds 1 -maxmoves 3 -use-affinity", 2, "(40/60+0.6, 1t)"),
        ("-each st=5 plies=3 -rounds 1 -maxmoves 3 -use-affinity CPU", 2, "(5/move, 1t)"),
        ("-each tc=1:30+1 depth=2 -rounds 1 -maxmoves 3 -variant fischerandom", 2, "(90+1, 1t)"),
        (
            "-each nodes=5 -rounds 2 -output format=cutechess -scoreinterval 2 -maxmoves 3 -show-latency",
            4,
            "Score of dev vs base: 0 - 0 - 4  [0.500] 4\n",
        ),
        (
            "-each nodes=5 -rounds 1 -event A Test -site https://example.org -epdout file=a.epd -testEnv -maxmoves 3 \
                --force-concurrency",
            2,
            "Finished match\n",
        ),
        (
            "-each nodes=5 -rounds 1 -startup-ms 20000 -ucinewgame-ms 5000 -ping-ms 5000 -draw movenumber=34 \
                movecount=8 score=20 -maxmoves 3",
            2,
            "Games: 2, ",
        ),
        (
            "-each tc=inf nodes=5 -games 1 -rounds 4 -noswap -openings file=book.pgn order=sequential -pgnout data.pgn \
                min -maxmoves 3",
            4,
            "(dev vs base)",
        ),
        (
            "-each option.Hash=8 -quick cmd=mover cmd=mover book=book.epd -rounds 1 -each nodes=5 -tournament gauntlet \
                -maxmoves 3",
            6,
            "Score of dev vs mover",
        ),
    ];
    let cpu = an_allowed_cpu();
    for (options, games, text) in cases {
        let options = &options.replace("CPU", &cpu);
        let played = sandbox.fastchess(&format!("{TWO} {options}")).exits(0);
        let finished = played.reasons();
        assert_eq!(finished, vec!["Draw by adjudication"; games], "{options}");
        assert!(
            played.stdout.contains(text) && played.stdout.contains("Finished match\n"),
            "{options}: {}",
            played.stdout
        );
        assert!(!played.stdout.contains("nan"), "{options}: {}", played.stdout);
    }
    assert!(sandbox.read("all.log").lines().any(|line| line.ends_with("> go nodes 5")));
}

#[test]
fn the_log_has_what_its_keys_ask_for() {
    let sandbox = sandbox();
    let log = |keys: &str| {
        let line = format!("{TWO} -each nodes=5 option.OwnBook=true -rounds 1 -maxmoves 1 -log file=a.log {keys}");
        let _played = sandbox.fastchess(&line).exits(0);
        let text = sandbox.read("a.log");
        let has = |what: &str| text.matches(what).count();
        [
            has("= Warning; dev doesn't have option OwnBook"),
            has("= Finished game 2"),
            has("> go nodes 5"),
            has("< bestmove"),
        ]
    };
    assert_eq!(log("append=false"), [1, 0, 0, 0], "warnings by default");
    assert_eq!(log("level=info"), [2, 1, 0, 0], "behind what was there");
    assert_eq!(log("level=info engine=true append=false"), [1, 1, 4, 4]);
    assert_eq!(log("level=fatal engine=true append=false realtime=false"), [0, 0, 4, 4]);
    assert_eq!(log("level=trace append=false"), [1, 1, 4, 4]);
    assert_eq!(log("level=trace engine=false append=false"), [1, 1, 0, 0]);
}

#[test]
fn buttons_are_pressed_by_true_or_nothing_and_left_alone_by_false() {
    let sandbox = sandbox();
    sandbox.write_reader("reader");
    let pressed = |value: &str| {
        let line = "fastchess -engine cmd=reader name=a args=e2e4,0 OPTION -engine cmd=mover name=b -each nodes=5 \
            -rounds 1 -games 1 -maxmoves 1 \
             -log file=io.log level=trace append=false";
        let option = format!("option.Press Me={value}");
        let words = line.split_whitespace().map(|word| if word == "OPTION" { option.as_str() } else { word });
        let played = sandbox.spar(&words.collect::<Vec<_>>()).exits(0);
        let log = sandbox.read("io.log");
        let lines: Vec<&str> = log
            .lines()
            .filter_map(|line| line.split_once("> setoption name Press Me"))
            .map(|(_, value)| value)
            .collect();
        (lines == [""], played.stdout.contains(&format!("Warning; Invalid value for option Press Me; {value}\n")))
    };
    let found = ["", "true", "false", "maybe"].map(pressed);
    assert_eq!(found, [(true, false), (true, false), (false, false), (false, true)]);
}

#[test]
fn engines_rest_between_games_if_they_are_to() {
    let sandbox = sandbox();
    let wall = |options: &str| {
        let started = std::time::Instant::now();
        let line = format!("{TWO} -each nodes=5 -rounds 2 -maxmoves 1 {options}");
        assert_eq!(sandbox.fastchess(&line).exits(0).reasons().len(), 4);
        started.elapsed()
    };
    // There are three rests between four games, none before the first or after the last.
    assert!(wall("-wait 150") >= std::time::Duration::from_millis(450));
    let stored = sandbox.read("runs/match-dev-vs-base-1/config.toml");
    assert!(stored.contains("pause = \"150ms\"  # -wait 150"), "{stored}");
}

#[test]
fn tables_end_won_games_alone_or_drawn_ones() {
    let sandbox = sandbox();
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/play/tests/data/syzygy");
    sandbox.write("won.epd", "7k/8/8/8/8/8/8/K1R5 w - - 0 1\n");
    sandbox.write("drawn.epd", "4k3/8/8/8/8/8/P7/4K3 b - - 0 1\n");
    let ended = |book: &str, which: &str| {
        let line = format!(
            "{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -openings file={book}.epd -tb {tables} -tbpieces 7 \
                -tbadjudicate {which}"
        );
        let played = sandbox.fastchess(&line).exits(0);
        assert!(played.stderr.contains("are of up to 3 men"), "{}", played.stderr);
        played.reasons().iter().all(|reason| reason.ends_with(": SyzygyTB"))
    };
    let of = |which| (ended("won", which), ended("drawn", which));
    assert_eq!(["BOTH", "WIN_LOSS", "DRAW"].map(of), [(true, true), (true, false), (false, true)]);
}

/// A save file as fastchess writes it; omitted values have their defaults.
const SAVED: &str = r#"{
    "resign": {"move_count": 6, "score": 500, "twosided": false, "enabled": false},
    "maxmoves": {"move_count": 2, "enabled": true},
    "opening": {"file": "book.epd", "format": 0, "order": 1, "plies": -1, "start": 2},
    "pgn": {"event_name": "Saved", "site": "?", "file": "saved.pgn", "notation": 0, "track_nodes": true},
    "sprt": {"alpha": 0.0, "beta": 0.0, "elo0": 0.0, "elo1": 0.0, "model": "normalized", "enabled": false},
    "output": 0, "seed": 11640166910256665083, "games": 2, "rounds": 3, "concurrency": 1, "report_penta": true,
    "engines": [
        {"name": "one", "dir": "", "cmd": "./mover", "args": "", "restart": false, "options": [["Seed", "7"]],
         "limit": {"tc": {"increment": 10, "fixed_time": 0, "time": 5000, "moves": 0, "timemargin": 0},
             "nodes": 0, "plies": 0}},
        {"name": "two", "dir": "", "cmd": "./mover", "args": "", "restart": false, "options": [],
         "limit": {"tc": {"increment": 0, "fixed_time": 0, "time": 0, "moves": 0, "timemargin": 0},
             "nodes": 9, "plies": 0}}
    ],
    "stats": {"one vs two": {"wins": GAMES, "losses": 0, "draws": 0}}
}"#;

#[test]
#[ignore = "slow"]
fn a_save_file_of_fastchess_s_gives_its_options() {
    let sandbox = sandbox();
    sandbox.write("saved.json", &SAVED.replace("GAMES", "0"));
    let played = sandbox.fastchess("-config file=saved.json").exits(0);
    assert_eq!(played.reasons(), ["Draw by adjudication"; 6]);
    assert!(played.stdout.contains("Results of one vs two (5+0.01 - 9 nodes, 1t, book.epd):"), "{}", played.stdout);
    let pgn = sandbox.read("saved.pgn");
    assert!(
        pgn.starts_with("[Event \"Saved\"]")
            && pgn.contains("n=1")
            && pgn.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]")
    );
    // Options typed after it override it.
    assert_eq!(sandbox.fastchess("-config file=saved.json -rounds 1 -each nodes=5").exits(0).reasons().len(), 2);
    sandbox.write("later.json", &SAVED.replace("GAMES", "4"));
    let refused = sandbox.fastchess("-config file=later.json").exits(2);
    assert!(
        refused.stderr.contains("fastchess has counted 4 games there") && refused.stderr.contains("stats=false"),
        "{refused:?}"
    );
    assert_eq!(sandbox.fastchess("-config file=later.json stats=false").exits(0).reasons().len(), 6);
    sandbox.write("broken.json", "{");
    let refused = sandbox.fastchess("-config file=broken.json").exits(2);
    assert!(refused.stderr.contains("broken.json is not a save file"), "{refused:?}");
}

#[test]
fn engines_are_checked_for_compliance() {
    let sandbox = sandbox();
    let checked = sandbox.fastchess("--compliance ./mover --seed 3").exits(0);
    assert!(checked.stdout.ends_with("Engine passed all compliance checks.\n"), "{}", checked.stdout);
    std::os::unix::fs::symlink(example("misbehaving"), sandbox.path("misbehaving")).expect("a link");
    let failed = sandbox.fastchess("--compliance ./misbehaving dies-at-start").exits(1);
    assert!(failed.stdout.contains("Not fit to play") && !failed.stdout.contains("passed all"), "{}", failed.stdout);
    assert!(sandbox.fastchess("--compliance").exits(2).stderr.contains("expected `--compliance ENGINE"));
}

#[test]
fn a_test_of_games_counted_one_by_one_looks_at_its_bounds_after_each_round() {
    let sandbox = sandbox();
    sandbox.write_engine("loser", "a1a1", "a1a1");
    let line = "-engine cmd=mover name=a -engine cmd=loser name=b -each nodes=5 -sprt elo0=0 elo1=400 -report \
        penta=false -rounds 50";
    let played = sandbox.fastchess(line).exits(0);
    assert!(played.stdout.contains("H1 was accepted"), "{}", played.stdout);
    let games = played.reasons().len();
    // Some game crosses the bound; its round is played to the end.
    assert!(games.is_multiple_of(2) && games < 100, "{games}");
    let counts = format!("Games: {games}, Wins: {games}, Losses: 0, Draws: 0");
    assert!(played.stdout.contains(&counts), "{}", played.stdout);
}

#[test]
fn a_new_rest_applies_when_a_run_is_resumed() {
    let sandbox = sandbox();
    let line =
        format!("fastchess {TWO} -each nodes=5 -games 1 -rounds 3 -maxmoves 2 -wait 3600000 -config outname=save.json");
    let child = sandbox.start(&line.split_whitespace().collect::<Vec<_>>());
    sandbox.wait_for_pairs("match-dev-vs-base-1", 1);
    signal(&child, "INT");
    assert_eq!(wait(child).exits(1).reasons().len(), 1);
    // With an hour between two games this would not end.
    assert_eq!(sandbox.fastchess("-config file=save.json -wait 0").exits(0).reasons().len(), 2);
}

#[test]
#[ignore = "slow"]
fn a_run_resumes_from_its_save_file() {
    let sandbox = sandbox();
    let line = format!(
        "fastchess {TWO} -each nodes=5 -rounds 30 -maxmoves 2 -wait 10 -openings file=book.pgn order=random \
            -ratinginterval 0 \
         -pgnout file=g.pgn append=false -config outname=save.json"
    );
    let child = sandbox.start(&line.split_whitespace().collect::<Vec<_>>());
    sandbox.wait_for_pairs("match-dev-vs-base-1", 2);
    signal(&child, "INT");
    let stopped = wait(child).exits(1);
    assert!(
        stopped.stdout.contains("To resume the tournament, run: spar fastchess -config file=save.json\n"),
        "{stopped:?}"
    );
    let other = sandbox.fastchess("-config file=save.json -rounds 31").exits(2);
    assert!(other.stderr.contains("the command line asks for another run than the one to resume"), "{other:?}");
    let more = sandbox.fastchess("-config file=save.json").exits(0);
    // No game is printed or written twice, and all of them count.
    let games = [stopped.reasons().len(), more.reasons().len()];
    assert!(games[0] >= 4 && games[1] >= 2 && games.iter().sum::<usize>() == 60, "{games:?}");
    assert!(
        more.stdout.starts_with(&format!("Started game {} of 60 (dev vs base)\n", games[0] + 1)),
        "{}",
        more.stdout
    );
    assert!(more.stdout.contains("Games: 60, Wins: 0, Losses: 0, Draws: 60"), "{}", more.stdout);
    let pgn = sandbox.read("g.pgn");
    let rounds: Vec<&str> = pgn.lines().filter(|line| line.starts_with("[Round ")).collect();
    let once: Vec<String> = (1..=30).flat_map(|round| vec![format!("[Round \"{round}\"]"); 2]).collect();
    assert_eq!(rounds, once);
    // Started over, the same words make another run.
    let again = sandbox.fastchess("-config file=save.json stats=false -rounds 1").exits(0);
    assert!(again.reasons().len() == 2 && again.stderr.contains("runs/match-dev-vs-base-2"), "{again:?}");
}

/// The rounds of the games in a file.
fn rounds(pgn: &str) -> Vec<&str> {
    pgn.lines().filter_map(|line| line.strip_prefix("[Round \"")?.strip_suffix("\"]")).collect()
}

#[test]
fn games_that_another_command_plays_are_written_when_the_save_file_is_resumed() {
    let sandbox = sandbox();
    let line = format!(
        "fastchess {TWO} -each nodes=5 -games 1 -rounds 3 -maxmoves 2 -wait 3600000 -pgnout file=g.pgn \
            -config outname=save.json"
    );
    let child = sandbox.start(&line.split_whitespace().collect::<Vec<_>>());
    sandbox.wait_for_pairs("match-dev-vs-base-1", 1);
    signal(&child, "INT");
    let stopped = wait(child).exits(1);
    assert!(stopped.stderr.contains("To resume: spar fastchess -config file=save.json\n"), "{stopped:?}");
    let _played = sandbox.spar(&["resume", "match-dev-vs-base-1", "--set", "pause=0ms"]).exits(0);
    assert_eq!(rounds(&sandbox.read("g.pgn")), ["1"]);
    let written = sandbox.fastchess("-config file=save.json").exits(0);
    assert!(written.stdout.starts_with("Started game 2 of 3 (base vs dev)\n"), "{}", written.stdout);
    assert_eq!((written.reasons().len(), rounds(&sandbox.read("g.pgn"))), (2, vec!["1", "2", "3"]));
    // Nothing is left to write.
    assert!(sandbox.fastchess("-config file=save.json").exits(0).reasons().is_empty());
    assert_eq!(rounds(&sandbox.read("g.pgn")).len(), 3);
}

#[test]
fn a_complete_run_prints_its_results_when_its_save_file_is_resumed() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -rounds 2 -maxmoves 2 -ratinginterval 1 -config outname=save.json");
    let played = sandbox.fastchess(&line).exits(0);
    let again = sandbox.fastchess("-config file=save.json").exits(0);
    let results = again.stdout.split("Total Time: ").next().unwrap_or_default();
    assert!(results.starts_with("--------") && played.stdout.contains(results), "{again:?}");
    let scores = sandbox.fastchess("-config file=save.json -output format=cutechess").exits(0);
    assert!(scores.stdout.starts_with("Score of dev vs base: 0 - 0 - 4  [0.500] 4\n"), "{scores:?}");
}

/// A processor that this process may use.
fn an_allowed_cpu() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    list.trim().split(['-', ',']).next().expect("a number").to_owned()
}
