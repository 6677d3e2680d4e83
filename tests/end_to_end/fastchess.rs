//! `spar fastchess`: the lines that scripts read, the command lines that tools write, and refusals.

use crate::support::{Outcome, Sandbox, example, signal, wait};
use std::process::Stdio;

/// White mates by h5f7; White has the usual start; White gives stalemate by h5f7.
const BOOK: &str = "\
r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
7k/7P/8/7Q/8/8/P7/K7 w - - 0 1
";

/// Two engines with two moves each, whose games are always the same, and a book.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("three.epd", BOOK);
    sandbox.write_engine("mater", "h5f7", "g8f6");
    sandbox.write_engine("idler", "a2a3", "a7a6");
    sandbox
}

/// The output without times.
fn lasting(outcome: &Outcome) -> String {
    let lines = outcome.stdout.lines().filter(|line| !line.starts_with("Total Time: "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

const TWO: &str = "-engine cmd=mater name=new -engine cmd=./idler -each nodes=9 option.Hash=8 -openings file=three.epd";

#[test]
fn the_output_is_fastchess_s_to_the_letter() {
    let sandbox = sandbox();
    let line = format!("{TWO} -rounds 6 -repeat -sprt elo0=0 elo1=30 -recover -concurrency 1 -ratinginterval 5");
    let played = sandbox.fastchess(&line).exits(0);
    assert_eq!(lasting(&played), include_str!("../data/fastchess.txt"));
    assert!(played.stdout.contains("Total Time: 00:00:"), "{}", played.stdout);
    assert_eq!(played.stderr.lines().next(), Some("The run is kept in runs/sprt-new-vs-idler-1"));
    // The run is like any other.
    let shown = sandbox.spar(&["show", "sprt-new-vs-idler-1", "--json"]).exits(0).json();
    assert_eq!((&shown["penta"], &shown["verdict"]), (&serde_json::json!([0, 2, 2, 0, 2]), &"undecided".into()));
    let more = ["resume", "sprt-new-vs-idler-1", "--set", "sprt.max_pairs=7", "--json"];
    assert_eq!(sandbox.spar(&more).exits(4).json()["pairs"], 7);
}

#[test]
fn the_same_lines_at_any_concurrency() {
    let sandbox = sandbox();
    let of = |games: u32| {
        let line = format!("{TWO} -rounds 9 -ratinginterval 4 -concurrency {games} -force-concurrency");
        lasting(&sandbox.fastchess(&line).exits(0))
    };
    let one = of(1);
    assert_eq!(one, of(5));
    // After pairs 4 and 8 and at the end.
    assert_eq!(one.matches("Results of new vs idler (9 nodes, 1t, 8MB, three.epd):").count(), 3, "{one}");
}

#[test]
fn cutechess_s_lines_if_asked_for() {
    let sandbox = sandbox();
    let played = sandbox.fastchess(&format!("{TWO} -rounds 3 -games 2 -output format=cutechess")).exits(0);
    let expected = "\
Started game 6 of 6 (idler vs new)
Warning; Illegal move g8f6 played by new
Finished game 6 (idler vs new): 1-0 {Black makes an illegal move: g8f6}
Score of new vs idler: 3 - 2 - 1  [0.583] 6
...      new playing White: 1 - 1 - 1  [0.500] 3
...      new playing Black: 2 - 1 - 0  [0.667] 3
...      White vs Black: 2 - 3 - 1  [0.417] 6
Elo difference: 58.5 +/- 338.0, LOS: 67.8 %, DrawRatio: 16.7 %
Finished match
";
    assert!(played.stdout.ends_with(expected), "{}", played.stdout);
    let scores = played.stdout.lines().filter(|line| line.starts_with("Score of new vs idler: "));
    assert_eq!(scores.count(), 6);
}

#[test]
fn three_engines_are_ranked() {
    let sandbox = sandbox();
    let line = "-engine cmd=mater name=a -engine cmd=idler name=b -engine cmd=idler name=c -each depth=3 -rounds 3 \
                -openings file=three.epd -tournament roundrobin -ratinginterval 0";
    let played = sandbox.fastchess(line).exits(0);
    let ranks: Vec<&str> = played.stdout.lines().filter(|line| line.contains('%')).collect();
    assert!(ranks.len() == 3 && ranks[0].starts_with("   1 a  "), "{}", played.stdout);
    assert!(played.stdout.contains("Started game 18 of 18 (c vs b)"), "{}", played.stdout);
}

#[test]
#[ignore = "slow"]
fn games_are_written_in_order_as_they_are_absorbed() {
    let sandbox = sandbox();
    let line = format!(
        "{TWO} -rounds 4 -concurrency 3 -force-concurrency -pgnout file=g.pgn nodes=true timeleft=true -epdout \
            file=g.epd -event A -site B -log file=io.log engine=true"
    );
    let _first = sandbox.fastchess(&line).exits(0);
    let _second = sandbox.fastchess(&line).exits(0);
    let read = |name: &str| std::fs::read_to_string(sandbox.path(name)).expect("written");
    let pgn = read("g.pgn");
    let rounds: Vec<&str> = pgn.lines().filter(|line| line.starts_with("[Round ")).collect();
    let once = [1, 1, 2, 2, 3, 3, 4, 4].map(|round| format!("[Round \"{round}\"]"));
    assert_eq!(rounds, [&once[..], &once[..]].concat());
    let first = pgn.split("\n\n").nth(1).expect("moves").replace('\n', " ");
    assert!(
        first.starts_with("1. Qxf7# {+0.20/1 0.") && first.contains(", tl=0.000s, n=7, White mates} 1-0"),
        "{first}"
    );
    assert!(pgn.contains("[Event \"A\"]\n[Site \"B\"]\n"));
    assert_eq!(read("g.epd").lines().count(), 16);
    assert!(read("io.log").contains("> go nodes 9"));
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    let sandbox = sandbox();
    let cases = [
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -tb /nowhere", "/nowhere"),
        ("-tbadjudicate SOME", "`-tbadjudicate SOME`: expected `BOTH`, `WIN_LOSS` or `DRAW`"),
        ("-config file=x.json", "cannot read x.json"),
        ("-log file=x compress=true", "compress the file afterwards"),
        ("-games 3 -rounds 3 -engine cmd=mater -engine cmd=idler -each nodes=9", "`-games 3`: expected 1 or 2"),
        ("-noswap 1", "`-noswap 1`: expected no word"),
        ("-repat", "did you mean `-repeat`?"),
        ("-engine cmd=mater tc=inf -engine cmd=idler", "`-engine tc=inf` sets no limit on thinking"),
        ("-engine cmd=mater -engine cmd=idler", "`mater` has no limit: add `tc=10+0.1`"),
        ("-engine cmd=mater -engine cmd=none -each nodes=9", "there is no program `none`"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 hash=4", "`-each hash=4`: unknown key `hash`"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -draw score=1.5", "`-draw score=1.5`: expected a number"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -openings file=x.epd", "│ -openings file=x.epd"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -sprt elo0=3 elo1=0", "│ -sprt elo1=0"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -concurrency 1000", "add `-force-concurrency`"),
        ("-engine cmd=mater -engine cmd=idler -each nodes=9 -pgnout file=x.pgn notation=fan", "expected `san`, `lan`"),
        ("-report penta=no", "`-report penta=no`: expected `true` or `false`"),
    ];
    for (line, message) in cases {
        let refused = sandbox.fastchess(line).exits(2);
        assert!(refused.stderr.contains(message) && refused.stdout.is_empty(), "{line}: {refused:?}");
        assert!(!sandbox.path("runs").exists(), "{line}");
    }
    assert!(sandbox.fastchess("-version").exits(0).stdout.starts_with("fastchess alpha 1.8.2 (spar "));
    assert!(sandbox.fastchess("-help").exits(0).stdout.contains("-openings"));
}

#[test]
fn an_interrupted_run_says_where_it_stands_and_can_be_resumed() {
    let sandbox = sandbox();
    let line = format!("fastchess {TWO} -rounds 1000000 -concurrency 1 -recover");
    let child = sandbox.start(&line.split_whitespace().collect::<Vec<_>>());
    // Its output is read only at the end: until then a full pipe blocks it.
    sandbox.wait_for_pairs("match-new-vs-idler-1", 3);
    signal(&child, "INT");
    let stopped = wait(child).exits(1);
    assert!(
        stopped.stdout.contains("Results of new vs idler")
            && stopped
                .stdout
                .contains("\nTournament was interrupted. To resume the tournament, run: spar resume runs/"),
        "{stopped:?}"
    );
    assert!(stopped.stderr.contains("To resume: spar resume runs/match-new-vs-idler-1"), "{stopped:?}");
    let pairs = sandbox.spar(&["show", "match-new-vs-idler-1", "--json"]).exits(0).json()["pairs"].as_u64();
    let finished = stopped.stdout.lines().filter(|line| line.starts_with("Finished game ")).count() as u64;
    assert_eq!(pairs.map(|pairs| 2 * pairs), Some(finished));
}

#[test]
fn games_that_cannot_be_written_do_not_end_a_run() {
    let sandbox = sandbox();
    let full = sandbox.fastchess(&format!("{TWO} -rounds 3 -pgnout file=/dev/full")).exits(3);
    assert!(full.stderr.contains("cannot write the games to /dev/full; they are in the run's journal"), "{full:?}");
    let shown = sandbox.spar(&["show", "match-new-vs-idler-1", "--json"]).exits(0).json();
    assert_eq!((&shown["pairs"], &shown["verdict"]), (&3.into(), &"complete".into()));
}

#[test]
fn a_closed_output_ends_neither_the_files_of_games_nor_the_log() {
    let sandbox = sandbox();
    // The output is closed from its first line on, a warning before the first game.
    let line = format!(
        "fastchess {TWO} -each option.None=1 -rounds 4 -pgnout file=g.pgn -epdout file=g.epd -log file=a.log level=info"
    );
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
    command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
    let played = wait(command.spawn().expect("spar starts")).exits(0);
    assert!(played.stderr.contains("The run is kept in"), "{played:?}");
    let count = |file: &str, text: &str| sandbox.read(file).matches(text).count();
    let found = [count("g.pgn", "[Round "), sandbox.read("g.epd").lines().count(), count("a.log", "= Finished game ")];
    assert_eq!(found, [8; 3]);
}

/// The results of fastchess's formulas for 3 wins, a draw and 2 losses, computed outside spar.
const SINGLY: &str = "\
--------------------------------------------------
Results of new vs idler (9 nodes, 1t, 8MB, three.epd):
Elo: 58.45 +/- 350.58, nElo: 64.52 +/- 278.00
LOS: 67.54 %, DrawRatio: 16.67 %, PairsRatio: 0.00
Games: 6, Wins: 3, Losses: 2, Draws: 1, Points: 3.5 (58.33 %)
";

/// The engine with White in each game of a run with such rounds, by the first letter of its name.
fn whites(outcome: &Outcome) -> String {
    let started = outcome.stdout.lines().filter(|line| line.starts_with("Started game "));
    started.filter_map(|line| line.split_once('(')?.1.chars().next()).collect()
}

#[test]
fn single_games_alternate_and_are_counted_by_games() {
    let sandbox = sandbox();
    let line = format!("{TWO} -games 1 -rounds 6 -ratinginterval 4 -sprt elo0=0 elo1=30");
    let played = sandbox.fastchess(&line).exits(0);
    let finished: Vec<&str> = played.stdout.lines().filter(|line| line.starts_with("Finished game ")).collect();
    assert_eq!(
        finished[..2],
        [
            "Finished game 1 (new vs idler): 1-0 {White mates}",
            "Finished game 2 (idler vs new): 0-1 {White makes an illegal move: a7a6}",
        ]
    );
    assert_eq!((whites(&played).as_str(), finished.len()), ("ninini", 6));
    // After game 4, and at the end.
    assert_eq!(played.stdout.matches("Results of new vs idler").count(), 2, "{}", played.stdout);
    let llr = sandbox.spar(&["llr", "--wdl", "3", "1", "2", "--elo0", "0", "--elo1", "30", "--json"]).exits(0).json();
    let llr = format!("LLR: {:.2} (", llr["llr"].as_f64().expect("a number"));
    assert!(played.stdout.contains(&format!("{SINGLY}{llr}")), "{}", played.stdout);
    assert!(!played.stdout.contains("Ptnml"), "{}", played.stdout);
    let shown = sandbox.spar(&["show", "sprt-new-vs-idler-1", "--json"]).exits(0).json();
    assert_eq!((&shown["rounds"], &shown["statistics"]), (&6.into(), &"trinomial".into()));
}

#[test]
fn seats_are_swapped_and_pairs_counted_as_the_options_say() {
    let sandbox = sandbox();
    let of = |options: &str| {
        let played = sandbox.fastchess(&format!("{TWO} -rounds 3 -ratinginterval 0 {options}")).exits(0);
        let pairs = played.stdout.lines().filter(|line| line.starts_with("Ptnml(0-2)")).count();
        assert!(played.stdout.contains(&format!("of {} (", whites(&played).len())), "{}", played.stdout);
        (whites(&played), pairs, played)
    };
    let cases = [
        ("-reverse", "ininin", 1),
        ("-noswap", "nnnnnn", 0),
        ("-noswap -reverse", "iiiiii", 0),
        ("-games 1 -reverse", "ini", 0),
        ("-games 1 -noswap -report penta=true", "nnn", 0),
        ("-report penta=false -repeat", "ninini", 0),
    ];
    for (options, whites, pairs) in cases {
        let found = of(options);
        assert_eq!((found.0.as_str(), found.1), (whites, pairs), "{options}");
    }
    let (.., singly) = of("-report penta=false");
    assert!(singly.stdout.contains(SINGLY), "{}", singly.stdout);
    // More than two games per round become that many rounds.
    let (whites, ..) = of("-rounds 1 -games 4");
    assert_eq!(whites, "nini");
}

#[test]
fn data_is_generated_one_game_an_opening() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("mover")).expect("a link");
    let line = "-recover -variant standard -concurrency 2 -force-concurrency -games 1 -rounds 2 -testEnv \
         -engine dir=./ cmd=./mover proto=uci tc=8.0+0.08 name=base-8 -engine dir=./ cmd=./mover proto=uci tc=8.0+0.08 \
         name=dev-9 \
         -openings file=three.epd format=epd order=sequential start=2 -maxmoves 20 -pgnout file=OB.pgn";
    let played = sandbox.fastchess(line).exits(0);
    assert_eq!(whites(&played), "bd");
    let pgn = std::fs::read_to_string(sandbox.path("OB.pgn")).expect("games");
    let openings: Vec<&str> =
        pgn.lines().filter_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]")).collect();
    assert_eq!(openings, BOOK.lines().skip(1).collect::<Vec<_>>());
}

/// Lines that workers of test frameworks and tuners write, with an engine that follows the rules.
#[test]
fn command_lines_of_real_tools_are_played() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("mover")).expect("a link");
    let openbench = "-repeat -recover -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 -variant \
        standard \
         -concurrency 2 -force-concurrency -rounds 2 -games 2 -srand 1234567 -testEnv \
         -engine dir=./ cmd=./mover proto=uci tc=8.0+0.08 timemargin=250 name=base-8 \
         -engine dir=./ cmd=./mover proto=uci tc=8.0+0.08 timemargin=250 name=dev-9 \
         -openings file=three.epd format=epd order=random start=2 plies=16 -maxmoves 20 \
         -pgnout file=OB.pgn nodes=true nps=true timeleft=true hashfull=true -autosaveinterval 0 -report penta=true";
    let fishtest = "-recover -repeat -games 2 -rounds 2 -tournament gauntlet -ratinginterval 1 -scoreinterval 1 \
         -srand 42 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -concurrency 1 -maxmoves 20 \
         -openings file=three.epd format=epd order=random plies=16 start=1 \
         -engine name=New-1 tc=10.0+0.1 cmd=./mover -engine name=Base-1 tc=10.0+0.1 cmd=./mover -each proto=uci";
    let tuner = "-engine cmd=./mover name=a tc=1+0.01 -engine cmd=./mover name=b tc=1+0.01 -rounds 2 -games 2 -repeat \
         -openings file=three.epd format=epd order=random -recover -concurrency 1 -maxmoves 20 -output \
         format=cutechess";
    for (line, last) in [(openbench, "of 4 (dev-9 vs base-8)"), (fishtest, "Base-1 vs New-1"), (tuner, "] 4\n")] {
        let played = sandbox.fastchess(line).exits(0);
        assert!(played.stdout.contains(last) && played.stdout.contains("Finished match"), "{line}: {played:?}");
        assert!(!played.stdout.contains("nan"), "{}", played.stdout);
    }
}
