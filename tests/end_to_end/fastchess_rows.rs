//! `spar fastchess`: the properties that scripts for fastchess rely on, with a test for each that a runner may silently
//! violate.

use crate::support::{Sandbox, example, wait};
use play::child::start_once_written;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";

/// A folder with an engine that plays any legal move, called `mover`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("mover")).expect("a link");
    std::os::unix::fs::symlink(example("misbehaving"), sandbox.path("misbehaving")).expect("a link");
    sandbox
}

const TWO: &str = "-engine cmd=mover name=a option.Seed=1 -engine cmd=mover name=b option.Seed=2";

/// The values of a tag, one per game.
fn tags(pgn: &str, name: &str) -> Vec<String> {
    let start = format!("[{name} \"");
    let values = pgn.lines().filter_map(|line| line.strip_prefix(&start)?.strip_suffix("\"]"));
    values.map(str::to_owned).collect()
}

#[test]
fn a_later_each_overrides_the_options_of_an_engine() {
    let sandbox = sandbox();
    let line = "-engine cmd=mover name=a tc=1+0.01 option.Hash=8 -engine cmd=mover name=b tc=1+0.01 option.Hash=8 \
                -each tc=0.3+0.01 option.Hash=64 -rounds 1 -maxmoves 1 -log file=io.log engine=true";
    let _played = sandbox.fastchess(line).exits(0);
    let log = sandbox.read("io.log");
    assert!(log.contains("> setoption name Hash value 64") && !log.contains("value 8"), "{log}");
    assert!(log.contains("> go wtime 310 btime 310 winc 10 binc 10"), "the later clock: {log}");
    let line = "-each tc=0.3+0.01 -engine cmd=mover name=a -engine cmd=mover name=b tc=2+0.1 -rounds 1 -maxmoves 1 \
        -log file=own.log engine=true";
    let _played = sandbox.fastchess(line).exits(0);
    assert!(sandbox.read("own.log").contains("> go wtime 310 btime 2100 winc 10 binc 100"));
}

#[test]
fn a_clock_has_its_increment_before_the_first_move() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each tc=2+0.1 -rounds 1 -maxmoves 1 -log file=io.log engine=true");
    let _played = sandbox.fastchess(&line).exits(0);
    let log = sandbox.read("io.log");
    let first = log.lines().find_map(|line| line.split_once("> go ")).map(|(_, shown)| shown);
    assert_eq!(first, Some("wtime 2100 btime 2100 winc 100 binc 100"), "{log}");
}

#[test]
fn the_folder_of_all_engines_is_where_programs_are_looked_for() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(example("random_mover"), sandbox.path("bin/other")).expect("a link");
    let line = "-engine cmd=other name=a -engine cmd=./other name=b -each dir=bin nodes=5 -rounds 1 -maxmoves 1";
    assert!(sandbox.fastchess(line).exits(0).stdout.contains("Finished match"));
}

#[test]
#[ignore = "slow"]
fn a_late_engine_loses_on_time_however_late_it_is() {
    let sandbox = sandbox();
    let late = |delay: u32| {
        let pgn = format!("late-{delay}.pgn");
        let line = format!(
            "-engine cmd=misbehaving name=late arguments tc=0.1 -engine cmd=mover name=b tc=600 -rounds 1 -recover \
                -pgnout file={pgn}"
        );
        let arguments = format!("args=late --delay {delay}");
        let words = line.split_whitespace().map(|word| if word == "arguments" { arguments.as_str() } else { word });
        let words: Vec<&str> = std::iter::once("fastchess").chain(words).collect();
        (sandbox.start(&words), pgn)
    };
    for (child, pgn) in [late(150), late(1_200)] {
        let played = wait(child).exits(0);
        assert_eq!(played.losses_on_time().0, ["White loses on time", "Black loses on time"], "{played:?}");
        assert_eq!(tags(&sandbox.read(&pgn), "Termination"), ["time forfeit"; 2]);
        let shown =
            "\n\nPlayer: late\n  Timeouts: 2\n  Crashed: 0\nPlayer: b\n  Timeouts: 0\n  Crashed: 0\n\nFinished match\n";
        assert!(played.stdout.replace("--\n\n", "--\n\n\n").contains(shown), "{}", played.stdout);
    }
}

#[test]
fn a_move_that_is_late_by_milliseconds_loses_unless_there_is_a_margin() {
    let sandbox = sandbox();
    // Only the late engine is short of time: the other must not lose on a busy machine.
    let played = |margin: &str| {
        let line = "fastchess -engine cmd=misbehaving name=late args=ARGS st=0.05 MARGIN -engine cmd=mover name=b \
            st=600 -rounds 1 -maxmoves 1";
        let words = line.split_ascii_whitespace().map(|word| match word {
            "args=ARGS" => "args=late --delay 4",
            "MARGIN" => margin,
            word => word,
        });
        sandbox.spar(&words.collect::<Vec<_>>())
    };
    for words in ["timemargin=0", "restart=off"] {
        let played = played(words).exits(0);
        let (reasons, overruns) = played.losses_on_time();
        assert_eq!(reasons, ["White loses on time", "Black loses on time"], "{words}");
        assert!(overruns.iter().all(|overrun| *overrun >= 4), "{words}: {overruns:?}");
    }
    assert_eq!(played("timemargin=9000").exits(0).reasons(), ["Draw by adjudication"; 2]);
}

#[test]
#[ignore = "slow"]
fn silence_under_a_clock_is_a_stalled_connection_where_lateness_is_a_loss_on_time() {
    let sandbox = sandbox();
    let line = |mode: &str, ping: u32| {
        format!(
            "-engine cmd=misbehaving name=x args={mode} tc=0.1 -engine cmd=mover name=b tc=600 -rounds 1 -ping-ms \
                {ping} -pgnout file={mode}.pgn"
        )
    };
    let hung = sandbox.fastchess(&line("hang", 300)).exits(0);
    assert_eq!(hung.reasons(), ["White's connection stalls", "Black's connection stalls"]);
    assert!(hung.stdout.contains("Player: x\n  Timeouts: 0\n  Crashed: 2\n"), "{}", hung.stdout);
    assert_eq!(tags(&sandbox.read("hang.pgn"), "Termination"), ["stalled connection"; 2]);
    let late = sandbox.fastchess(&line("late", 5_000)).exits(0);
    let (reasons, overruns) = late.losses_on_time();
    assert_eq!(reasons, ["White loses on time", "Black loses on time"]);
    assert!(overruns.iter().all(|overrun| *overrun >= 450), "{overruns:?}");
}

#[test]
#[ignore = "slow"]
fn who_is_gone_disconnects_and_who_is_silent_without_a_clock_stalls() {
    let sandbox = sandbox();
    let line =
        "-engine cmd=misbehaving name=x args=crash -engine cmd=mover name=b -each nodes=5 -rounds 1 -pgnout games.pgn";
    let played = sandbox.fastchess(line).exits(0);
    assert_eq!(played.reasons(), ["White disconnects", "Black disconnects"]);
    assert!(played.stdout.contains("\nPlayer: x\n  Timeouts: 0\n  Crashed: 2\n\nFinished match\n"), "{played:?}");
    assert_eq!(tags(&sandbox.read("games.pgn"), "Termination"), ["abandoned"; 2]);
    let line =
        "-engine cmd=misbehaving name=x args=hang answer_within=300ms -engine cmd=mover name=b -each nodes=5 -rounds 1";
    let stalled = sandbox.fastchess(&format!("{line} -pgnout file=stalled.pgn")).exits(0);
    assert_eq!(stalled.reasons(), ["White's connection stalls", "Black's connection stalls"]);
    assert_eq!(tags(&sandbox.read("stalled.pgn"), "Termination"), ["stalled connection"; 2]);
}

#[test]
fn draws_wait_for_the_number_of_a_fens_move_and_the_longest_game_leaves_its_opening_out() {
    let sandbox = sandbox();
    sandbox.write("late.epd", &START.replace(" 0 1", " 0 50"));
    let draw = "-each nodes=5 -rounds 1 -draw movenumber=40 movecount=1 score=10";
    let line = format!("{TWO} {draw} -openings file=late.epd -pgnout late.pgn");
    assert_eq!(sandbox.fastchess(&line).exits(0).reasons(), ["Draw by adjudication"; 2]);
    assert!(tags(&sandbox.read("late.pgn"), "PlyCount").iter().all(|plies| plies.len() < 3), "by the FEN's number");
    sandbox.write("book.pgn", "[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n");
    let line = format!("{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -openings file=book.pgn -pgnout book-games.pgn");
    assert_eq!(sandbox.fastchess(&line).exits(0).reasons(), ["Draw by adjudication"; 2]);
    assert_eq!(tags(&sandbox.read("book-games.pgn"), "PlyCount"), ["6"; 2]);
}

/// Plays a game of these moves and scores; returns how it ended, and its plies.
fn game(sandbox: &Sandbox, moves: &str, options: &str) -> (String, String) {
    sandbox.write_reader("reader");
    let line = format!(
        "-engine cmd=reader name=a ARGS -engine cmd=reader name=b ARGS -each depth=1 -rounds 1 -games 1 {options}"
    );
    let args = format!("args={moves}");
    let words = line.split_whitespace().map(|word| if word == "ARGS" { args.as_str() } else { word });
    let pgn = "-pgnout file=game.pgn append=false".split(' ');
    let played = sandbox.spar(&std::iter::once("fastchess").chain(words).chain(pgn).collect::<Vec<_>>()).exits(0);
    (played.reasons().concat(), tags(&sandbox.read("game.pgn"), "PlyCount").concat())
}

/// Whether a game ended for this reason after this many plies.
fn ends(found: &(String, String), reason: &str, plies: &str) -> bool {
    (found.0.as_str(), found.1.as_str()) == (reason, plies)
}

#[test]
#[ignore = "slow"]
fn the_count_of_a_draw_begins_again_at_captures_and_pawn_moves() {
    let sandbox = sandbox();
    let rule = "-draw movenumber=0 movecount=2 score=10";
    let quiet = game(&sandbox, "g1f3,5 g8f6,-5 f3g1,5 f6g8,5 g1f3,5 g8f6,5", rule);
    assert!(ends(&quiet, "Draw by adjudication", "4"), "{quiet:?}");
    let pawn = game(&sandbox, "g1f3,5 g8f6,-5 e2e4,5 f6g8,5 f3g1,5 g8f6,5 g1f3,5", rule);
    assert!(ends(&pawn, "Draw by adjudication", "6"), "{pawn:?}");
    let capture = game(&sandbox, "g1f3,5 d7d5,50 b1c3,5 g8f6,5 c3d5,5 f6g8,5 f3g1,5 g8f6,5 g1f3,5", rule);
    assert!(ends(&capture, "Draw by adjudication", "8"), "{capture:?}");
}

#[test]
#[ignore = "slow"]
fn a_two_sided_resignation_counts_consecutive_plies_and_is_the_losers() {
    let sandbox = sandbox();
    let rule = "-resign movecount=2 score=500 twosided=true -maxmoves 4";
    let agreed = game(&sandbox, "g1f3,600 g8f6,-600 f3g1,600 f6g8,-600 g1f3,0 g8f6,0", rule);
    assert!(ends(&agreed, "White wins by adjudication", "4"), "{agreed:?}");
    // The last of the four plies is one of the winning side: the other side must report its score once more.
    let later = game(&sandbox, "g1f3,0 g8f6,-600 f3g1,600 f6g8,-600 g1f3,600 g8f6,-600 b1c3,0 b8c6,0", rule);
    assert!(ends(&later, "White wins by adjudication", "6"), "{later:?}");
    let alone = game(&sandbox, "g1f3,100 g8f6,-600 f3g1,100 f6g8,-600 g1f3,100 g8f6,-600 b1c3,100 b8c6,-600", rule);
    assert!(ends(&alone, "Draw by adjudication", "8"), "{alone:?}");
}

#[test]
#[ignore = "slow"]
fn a_seed_gives_an_order_of_the_book_that_is_spars_own_and_the_same_each_time() {
    let sandbox = sandbox();
    let fen = |at: usize| format!("4k3/8/8/8/8/8/{}/4K3 w - - 0 1", ["P7", "1P6", "2P5", "3P4", "4P3", "5P2"][at]);
    sandbox.write("six.epd", &(0..6).map(fen).collect::<Vec<_>>().join("\n"));
    let order = |seed: &str| {
        let line = format!(
            "{TWO} -each nodes=5 -rounds 6 -games 1 -maxmoves 1 -openings file=six.epd order=random {seed} -pgnout \
                file=g.pgn append=false"
        );
        let _played = sandbox.fastchess(&line).exits(0);
        tags(&sandbox.read("g.pgn"), "FEN")
    };
    let [one, again, other] = ["-srand 1", "-srand 1", "-srand 2"].map(order);
    assert!(one == again && one != other, "{one:?} {other:?}");
    let mut all = one.clone();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6, "each once: {one:?}");
    assert_ne!(order("-srand 18446744073709551615"), one);
}

#[test]
#[ignore = "slow"]
fn games_end_for_reasons_in_fastchess_s_words() {
    let sandbox = sandbox();
    let knights = "g1f3,0 g8f6,0 f3g1,0 f6g8,0 g1f3,0 g8f6,0 f3g1,0 f6g8,0";
    let fools = "f2f3,0 e7e5,0 g2g4,0 d8h4,0";
    sandbox.write("start.epd", START);
    sandbox.write("stale.epd", "7k/7P/8/7Q/8/8/P7/K7 w - - 0 1\n");
    sandbox.write("bare.epd", "7k/8/8/8/8/8/p7/K7 w - - 0 1\n");
    sandbox.write("long.epd", "7k/8/8/8/8/8/1r6/K6R b - - 99 90\n");
    let cases = [
        (knights, "start", "Draw by 3-fold repetition"),
        (fools, "start", "Black mates"),
        ("h5g6,0", "stale", "Draw by stalemate"),
        ("a1a2,0", "bare", "Draw by insufficient mating material"),
        ("h8g8,0 h8g8,0", "long", "Draw by fifty moves rule"),
        ("e2e5,0", "start", "White makes an illegal move: e2e5"),
    ];
    for (moves, book, reason) in cases {
        let found = game(&sandbox, moves, &format!("-openings file={book}.epd"));
        assert_eq!(found.0, reason, "{moves}");
    }
}

#[test]
fn openings_begin_again_past_the_end_of_the_book() {
    let sandbox = sandbox();
    let fens =
        ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "4k3/8/8/8/8/8/2P5/4K3 w - - 0 1"];
    sandbox.write("three.epd", &fens.join("\n"));
    let line = format!("{TWO} -each nodes=5 -rounds 2 -maxmoves 1 -openings file=three.epd start=9 -pgnout g.pgn");
    let _played = sandbox.fastchess(&line).exits(0);
    assert_eq!(tags(&sandbox.read("g.pgn"), "FEN"), [fens[2], fens[2], fens[0], fens[0]]);
}

#[test]
fn what_only_asks_for_checks_or_for_what_is_so_is_accepted() {
    let sandbox = sandbox();
    let cases = [
        "-config outname=x.json discard=true",
        "-config file=none.json discard=true stats=false",
        "-wait 0",
        "-ping-ms 5000 -startup-ms 5000 -ucinewgame-ms 5000",
        "-srand 18446744073709551615",
        "-games 1 -repeat",
        "-tbpieces 5 -tbignore50 -tbadjudicate DRAW",
        "-autosaveinterval 0 -report penta=true -testEnv -recover -event My Event -site here",
        "-pgnout file=none.pgn append=false min=true -epdout none.epd",
    ];
    for options in cases {
        let line = format!("{TWO} -each nodes=5 -rounds 1 -maxmoves 1 {options}");
        assert!(sandbox.fastchess(&line).exits(0).stdout.contains("Finished match"), "{options}");
    }
    // The timeouts for getting ready are those of the configuration.
    let shown = sandbox.read("runs/match-a-vs-b-4/config.toml");
    assert!(shown.contains("start_within = \"5s\"  # -"), "{shown}");
}

#[test]
fn clocks_are_read_in_every_spelling() {
    let sandbox = sandbox();
    let cases = [
        ("2+0.02s", "wtime 2020 btime 2020 winc 20 binc 20"),
        ("inf/8+0.08", "wtime 8080 btime 8080 winc 80 binc 80"),
        ("40/1:9.65+0.1", "wtime 69750 btime 69750 winc 100 binc 100 movestogo 40"),
        ("0:07", "wtime 7000 btime 7000"),
    ];
    for (number, (clock, shown)) in cases.into_iter().enumerate() {
        let line = format!("{TWO} -each tc={clock} -rounds 1 -maxmoves 1 -log file=io-{number}.log engine=true");
        let _played = sandbox.fastchess(&line).exits(0);
        let log = sandbox.read(&format!("io-{number}.log"));
        assert!(log.contains(&format!("> go {shown}\n")), "{clock}: {log}");
    }
}

#[test]
fn many_games_in_two_rounds_are_many_rounds_of_two() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -games 4 -maxmoves 1");
    assert!(sandbox.fastchess(&line).exits(0).stdout.contains("Started game 8 of 8 "));
}

#[test]
fn games_are_written_as_fastchess_writes_them() {
    let sandbox = sandbox();
    let line = format!(
        "{TWO} -each st=60 -rounds 1 -maxmoves 4 -event E -site S -pgnout file=g.pgn nps=true timeleft=true n=1 \
        -srand 3"
    );
    assert!(sandbox.fastchess(&line).exits(2).stderr.contains("`-pgnout n=1`"));
    let line = line.replace("n=1", "nodes=true seldepth=true hashfull=true tbhits=true latency=true");
    let _played = sandbox.fastchess(&line).exits(0);
    let pgn = sandbox.read("g.pgn");
    let names: Vec<&str> =
        pgn.lines().take_while(|line| !line.is_empty()).filter_map(|line| line[1..].split(' ').next()).collect();
    let expected = "Event Site Date Round White Black Result EngineWhiteName EngineWhiteAuthor EngineBlackName \
        EngineBlackAuthor GameDuration GameStartTime GameEndTime PlyCount Termination TimeControl ECO Opening";
    assert_eq!(names.join(" "), expected);
    let of = |name| tags(&pgn, name);
    assert_eq!((of("Round"), of("TimeControl")), (vec!["1".to_owned(); 2], vec!["60/move".to_owned(); 2]));
    assert_eq!(of("EngineWhiteName"), ["random mover"; 2]);
    assert!(of("Date").iter().all(|date| date.starts_with("20") && date.len() == 10), "{pgn}");
    assert!(of("GameEndTime").iter().all(|time| time.ends_with(" +0000") && time.contains('T')), "{pgn}");
    for (at, line) in pgn.lines().enumerate().filter(|(_, line)| line.contains('{')) {
        assert_eq!(line.matches('{').count(), line.matches('}').count(), "line {at} breaks a comment: {line}");
    }
    let comment = pgn.split('{').nth(1).and_then(|text| text.split('}').next()).expect("a comment");
    let keys: Vec<&str> = comment.split(", ").map(|part| part.split('=').next().unwrap_or_default()).collect();
    assert!(
        keys[0].starts_with("0.00/1 0.") && keys[1..] == ["tl", "n", "sd", "nps", "hashfull", "tbhits"],
        "{comment}"
    );
}

#[test]
fn moves_are_written_in_the_notation_asked_for() {
    let sandbox = sandbox();
    sandbox.write("book.pgn", "[Result \"*\"]\n\n1. e4 d5 2. exd5 Nf6 *\n");
    let played = |notation: &str| {
        let line = format!(
            "{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -openings file=book.pgn -pgnout file={notation}.pgn min=true \
                notation={notation}"
        );
        let _played = sandbox.fastchess(&line).exits(0);
        let pgn = sandbox.read(&format!("{notation}.pgn"));
        assert!(!pgn.contains('{') && !pgn.contains("[Termination"), "{pgn}");
        pgn.split("\n\n").nth(1).expect("moves").to_owned()
    };
    assert!(played("san").starts_with("1. e4 d5 2. exd5 Nf6 3. "));
    assert!(played("lan").starts_with("1. e2e4 d7d5 2. e4xd5 Ng8f6 3. "));
    assert!(played("uci").starts_with("1. e2e4 d7d5 2. e4d5 g8f6 3. "));
}

#[test]
fn final_positions_have_no_names() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -epdout final.epd");
    let _played = sandbox.fastchess(&line).exits(0);
    let epd = sandbox.read("final.epd");
    assert!(epd.lines().count() == 2 && epd.lines().all(|line| line.ends_with("fmvn 2;")), "{epd}");
}

#[test]
#[ignore = "slow"]
fn checksums_are_those_of_the_file() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -rounds 2 -maxmoves 1 -pgnout file=g.pgn -crc32 pgn=true");
    for _twice_into_one_file in 0..2 {
        let played = sandbox.fastchess(&line).exits(0);
        let shown =
            played.stdout.lines().rfind(|line| line.starts_with("File g.pgn has CRC32: 0x")).expect("a checksum");
        let mut crc = flate2::Crc::new();
        crc.update(sandbox.read("g.pgn").as_bytes());
        assert_eq!(shown, format!("File g.pgn has CRC32: {:#x}", crc.sum()));
    }
}

#[test]
fn a_warning_ends_a_strict_run() {
    let sandbox = sandbox();
    let line =
        "-engine cmd=misbehaving name=x args=illegal -engine cmd=mover name=b -each nodes=5 -rounds 100000 -strict";
    let broken_off = sandbox.fastchess(line).exits(1);
    assert!(broken_off.stdout.contains("Warning; Illegal move a1b8 played by x\n"), "{broken_off:?}");
    assert!(broken_off.stdout.contains("Tournament was interrupted."), "{broken_off:?}");
    assert_eq!(broken_off.reasons()[0], "White makes an illegal move: a1b8");
}

#[test]
fn results_are_printed_after_so_many_pairs() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -rounds 5 -maxmoves 1 -ratinginterval 2");
    let played = sandbox.fastchess(&line).exits(0);
    let games = played.stdout.lines().filter_map(|line| line.strip_prefix("Games: ")?.split(',').next());
    assert_eq!(games.collect::<Vec<_>>(), ["4", "8", "10"]);
}

#[test]
fn cutechess_s_line_of_a_test_ends_with_what_was_accepted() {
    let sandbox = sandbox();
    sandbox.write("start.epd", START);
    sandbox.write_engine("loser", "h5f7", "g8f6");
    let line = "-engine cmd=mover name=a -engine cmd=loser name=b -each nodes=5 -sprt elo0=0 elo1=900 alpha=0.05 \
        beta=0.05 \
                -openings file=start.epd -output format=cutechess";
    let played = sandbox.fastchess(line).exits(0);
    let test = played.stdout.lines().find(|line| line.starts_with("SPRT: llr ")).expect("a test");
    assert!(test.contains("%), lbound -2.94, ubound 2.94 - H1 was accepted"), "{test}");
    assert!(!played.stdout.contains("completed"), "{}", played.stdout);
}

#[test]
fn the_wrapper_keeps_the_name_that_it_is_called_by() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let script = sandbox.fastchess("--wrapper").exits(0).stdout;
    assert!(script.starts_with("#!/usr/bin/env bash\n") && script.contains("exec -a \"$0\""), "{script}");
    sandbox.write("fastchess-ob", &script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("fastchess-ob"), executable).expect("a file of ours");
    let mut command = std::process::Command::new(sandbox.path("fastchess-ob"));
    command.arg("-version");
    let version = start_once_written(|| command.output()).expect("bash is there");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("fastchess alpha 1.8.2 (spar "));
    // The engine reads the names of its parent processes.
    sandbox.write("nosy", "#!/bin/sh\ncat /proc/[0-9]*/comm 2>/dev/null > names\nexit 1\n");
    std::fs::set_permissions(sandbox.path("nosy"), std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let words = "-engine cmd=nosy name=a -engine cmd=mover name=b -each nodes=5 -rounds 1";
    let mut command = std::process::Command::new(sandbox.path("fastchess-ob"));
    let _does_not_start = command.args(words.split(' ')).current_dir(sandbox.path("")).output().expect("bash is there");
    assert!(sandbox.read("names").lines().any(|name| name == "fastchess-ob"));
}

#[test]
fn a_clock_and_nodes_hold_together() {
    let sandbox = sandbox();
    let line = "-engine cmd=mover name=a nodes=50 tc=600+0.1 -engine cmd=misbehaving name=late args=late depth=3 \
                tc=0.2+0.1 -rounds 1 -log file=io.log engine=true -pgnout g.pgn";
    let played = sandbox.fastchess(line).exits(0);
    let log = sandbox.read("io.log");
    let asked: Vec<&str> = log.lines().filter(|line| line.contains("> go ")).collect();
    assert!(asked.iter().any(|line| line.contains("wtime 600100") && line.contains("nodes 50")), "{asked:?}");
    assert!(asked.iter().any(|line| line.contains("time 300") && line.contains("depth 3")), "{asked:?}");
    assert_eq!(played.losses_on_time().0, ["Black loses on time", "White loses on time"], "the clock is enforced");
    let pgn = sandbox.read("g.pgn");
    let controls = ["WhiteTimeControl", "BlackTimeControl"].map(|side| tags(&pgn, side));
    assert_eq!(controls, [["600+0.1", "0.2+0.1"], ["0.2+0.1", "600+0.1"]]);
}

#[test]
fn options_that_an_engine_does_not_take_are_warned_of() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 option.OwnBook=false option.Threads=0 -rounds 1 -maxmoves 1");
    let played = sandbox.fastchess(&line).exits(0);
    for warning in ["Warning; a doesn't have option OwnBook\n", "Warning; Invalid value for option Threads; 0\n"] {
        assert!(played.stdout.contains(warning), "{warning}: {played:?}");
    }
    assert!(played.stdout.contains("Finished match"));
    let strict = sandbox.fastchess(&format!("{line} -strict -rounds 100000"));
    assert_eq!(strict.code, Some(1), "{strict:?}");
}

#[test]
fn single_games_and_games_counted_one_by_one() {
    let sandbox = sandbox();
    let line = format!("{TWO} -each nodes=5 -games 1 -rounds 3 -maxmoves 1 -ratinginterval 2 -pgnout g.pgn");
    let played = sandbox.fastchess(&line).exits(0);
    assert!(played.stdout.contains("Started game 2 of 3 ") && !played.stdout.contains("Ptnml"), "{}", played.stdout);
    assert_eq!(played.stdout.matches("Results of a vs b").count(), 2, "after two games and at the end");
    assert_eq!(tags(&sandbox.read("g.pgn"), "Round"), ["1", "2", "3"]);
    let line = format!("{TWO} -each nodes=5 -rounds 5 -maxmoves 1 -ratinginterval 2 -report penta=false");
    let played = sandbox.fastchess(&line).exits(0);
    let games = played.stdout.lines().filter_map(|line| line.strip_prefix("Games: ")?.split(',').next());
    assert_eq!(games.collect::<Vec<_>>(), ["2", "4", "6", "8", "10"]);
    let unswapped = sandbox.fastchess(&format!("{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -noswap")).exits(0);
    assert!(unswapped.stdout.contains("Started game 2 of 2 (a vs b)"), "{}", unswapped.stdout);
    let reversed = sandbox.fastchess(&format!("{TWO} -each nodes=5 -rounds 1 -maxmoves 1 -reverse")).exits(0);
    assert!(reversed.stdout.contains("Started game 1 of 2 (b vs a)"), "{}", reversed.stdout);
}

#[test]
fn comments_tell_lines_of_play_and_quote_what_is_looked_for() {
    let sandbox = sandbox();
    let line = format!(
        "{TWO} -each nodes=5 -rounds 1 -maxmoves 2 -pgnout file=g.pgn nodes=true pv=true match_line=score\\s+cp \
            match_line=nowhere"
    );
    let _played = sandbox.fastchess(&line).exits(0);
    let pgn = sandbox.read("g.pgn");
    let comments: Vec<&str> = pgn.split('{').skip(1).filter_map(|text| text.split('}').next()).collect();
    assert_eq!(comments.len(), 8, "{pgn}");
    for comment in comments {
        let (_, pv) = comment.split_once(", n=1, pv=\"").unwrap_or_else(|| panic!("{comment}"));
        let (mv, rest) = pv.split_once('"').expect("a quotation mark");
        let quoted = format!(", line=\"info depth 1 nodes 1 score cp 0 pv {mv}\"");
        assert!(rest.starts_with(&quoted), "{comment}");
    }
    let bad = sandbox.fastchess(&line.replace("nowhere", "("));
    assert!(bad.code == Some(2) && bad.stderr.contains("expected a regular expression"), "{bad:?}");
}

#[test]
fn lines_that_announce_a_mate_are_checked() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.write("mate.epd", "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1\n");
    let engine = "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n    uci) echo uciok;;\n    isready) echo \
        readyok;;\n    \
        go*) echo 'info depth 1 score mate 1 pv h5f7'; echo 'info depth 2 score mate 3 pv h5f7'; echo 'bestmove \
        h5f7';;\n    \
        quit) exit;;\n  esac\ndone\n";
    sandbox.write("boaster", engine);
    std::fs::set_permissions(sandbox.path("boaster"), std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let line = "-engine cmd=boaster name=x -engine cmd=boaster name=y -each nodes=5 -rounds 1 -openings file=mate.epd \
        -check-mate-pvs";
    let played = sandbox.fastchess(line).exits(0);
    let warning = "Started game 1 of 2 (x vs y)\nWarning; Incomplete mating PV - from x\nInfo; info depth 2 score mate \
        3 pv h5f7\n\
        Position; fen r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1\nMoves; \n\
        Finished game 1 (x vs y): 1-0 {White mates}\n";
    assert!(played.stdout.starts_with(warning), "{}", played.stdout);
    assert_eq!(played.stdout.matches("Warning; ").count(), 2, "{}", played.stdout);
    assert_eq!(sandbox.fastchess(&format!("{line} -strict")).code, Some(1));
}

#[test]
fn games_end_by_endgame_tables() {
    let sandbox = sandbox();
    sandbox.write("won.epd", "7k/8/8/8/8/8/8/K1R5 w - - 0 1\n");
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/play/tests/data/syzygy");
    let line = format!(
        "{TWO} -each nodes=5 -rounds 1 -openings file=won.epd -tb {tables} -tbpieces 3 -tbignore50 -tbadjudicate BOTH \
            -pgnout g.pgn"
    );
    let played = sandbox.fastchess(&line).exits(0);
    assert_eq!(played.reasons(), ["White wins by adjudication: SyzygyTB"; 2], "{played:?}");
    assert_eq!(tags(&sandbox.read("g.pgn"), "Termination"), ["adjudication"; 2]);
}
