//! `spar fastchess` as test frameworks and tuners use fastchess: the command lines that they build, and how they read
//! the output and the games.

use crate::support::{Outcome, Sandbox, example};
use std::collections::BTreeMap;

/// In the first position the first engine mates at once; the second is the standard start.
const BOOK: &str = "\
r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
";

/// A folder with the layout of a worker's: engines, books, games.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in ["Engines", "Books", "PGNs"] {
        std::fs::create_dir(sandbox.path(folder)).expect("a folder");
    }
    for name in ["random_mover", "misbehaving"] {
        std::os::unix::fs::symlink(example(name), sandbox.path("Engines").join(name)).expect("a link");
    }
    sandbox.write("Books/book.epd", BOOK);
    sandbox
}

/// Runs the words of a client.
fn run(sandbox: &Sandbox, words: &[String]) -> Outcome {
    let words: Vec<&str> = std::iter::once("fastchess").chain(words.iter().map(String::as_str)).collect();
    sandbox.spar(&words)
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// The results that `OpenBench`'s worker sends to its server.
#[derive(Debug, Default, PartialEq)]
struct Batch {
    /// Losses, draws, wins.
    trinomial: [u32; 3],
    /// Pairs, the worst first.
    pentanomial: [u32; 5],
    crashes: u32,
    time_losses: u32,
    illegals: u32,
}

/// Reads lines as `OpenBench`'s worker does: by words and colons, with games joined into pairs by number.
fn openbench_reads(stdout: &str) -> Batch {
    let mut batch = Batch::default();
    let mut games: BTreeMap<u32, usize> = BTreeMap::new();
    for line in stdout.lines().filter(|line| line.starts_with("Finished game ")) {
        let reason = line.split(':').nth(1).expect("a reason");
        batch.crashes += u32::from(reason.contains("disconnect") || reason.contains("stalls"));
        batch.time_losses += u32::from(reason.contains("on time"));
        batch.illegals += u32::from(reason.contains("illegal"));
        let tokens: Vec<&str> = line.split_whitespace().collect();
        let game: u32 = tokens[2].parse().expect("a number");
        let points = ["0-1", "1/2-1/2", "1-0"].iter().position(|result| *result == tokens[6]).expect("a result");
        games.insert(game, points);
        let first = if game % 2 == 1 { game } else { game - 1 };
        if let (Some(&one), Some(&two)) = (games.get(&first), games.get(&(first + 1))) {
            batch.pentanomial[one + 2 - two] += 1;
            batch.trinomial[one] += 1;
            batch.trinomial[2 - two] += 1;
        }
    }
    batch
}

/// Splits the games of a file as `OpenBench`'s worker does: tags up to an empty line, moves up to the next.
fn sliced(pgn: &str) -> Vec<(Vec<&str>, String)> {
    let mut parts = pgn.split("\n\n");
    let mut games = Vec::new();
    while let (Some(tags), Some(moves)) = (parts.next().filter(|tags| !tags.trim().is_empty()), parts.next()) {
        games.push((tags.lines().collect(), moves.replace('\n', " ")));
    }
    games
}

#[test]
fn openbench_s_worker() {
    let sandbox = sandbox();
    let line = "-repeat -recover -variant standard -concurrency 2 -force-concurrency -games 2 -rounds 3 \
        -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 \
        -openings file=Books/book.epd format=epd order=random start=987654 -srand 18000000000000000000 \
        -engine dir=Engines/ cmd=./misbehaving args=illegal proto=uci tc=8.0+0.08 timemargin=250 option.Threads=1 \
        option.Hash=8 name=Engine-dev \
        -engine dir=Engines/ cmd=./random_mover proto=uci tc=8.0+0.08 timemargin=250 option.Threads=1 option.Hash=8 \
        name=Engine-base \
        -pgnout file=PGNs/1.2.3.0.pgn seldepth=true nodes=true hashfull=true timeleft=true";
    let played = run(&sandbox, &words(line)).exits(0);
    let expected = Batch { trinomial: [6, 0, 0], pentanomial: [3, 0, 0, 0, 0], illegals: 6, ..Batch::default() };
    assert_eq!(openbench_reads(&played.stdout), expected, "{}", played.stdout);
    let pgn = std::fs::read_to_string(sandbox.path("PGNs/1.2.3.0.pgn")).expect("games");
    let games = sliced(&pgn);
    assert_eq!(games.len(), 6);
    for (tags, moves) in games {
        assert!(tags.contains(&"[Termination \"illegal move\"]"), "{tags:?}");
        assert!(moves.contains("makes an illegal move: a1b8}"), "{moves}");
    }
}

#[test]
fn openbench_counts_crashes_apart_from_losses_on_time() {
    let sandbox = sandbox();
    // Only the engines that should be late are short of time.
    let line = |mode: &str, time: &str| {
        let ping = if mode == "hang" { 1500 } else { 60_000 };
        format!(
            "-repeat -recover -games 2 -rounds 1 -engine dir=Engines/ cmd=./misbehaving proto=uci tc={time} name=dev \
                args={mode} \
             -engine dir=Engines/ cmd=./random_mover proto=uci tc=600 name=base -ping-ms {ping}"
        )
    };
    let read = |mode, time| openbench_reads(&run(&sandbox, &words(&line(mode, time))).exits(0).stdout);
    let lost = Batch { trinomial: [2, 0, 0], pentanomial: [1, 0, 0, 0, 0], ..Batch::default() };
    assert_eq!(read("crash", "600"), Batch { crashes: 2, ..lost });
    let lost = Batch { trinomial: [2, 0, 0], pentanomial: [1, 0, 0, 0, 0], ..Batch::default() };
    assert_eq!(read("hang", "0.2"), Batch { crashes: 2, ..lost });
    let lost = Batch { trinomial: [2, 0, 0], pentanomial: [1, 0, 0, 0, 0], ..Batch::default() };
    assert_eq!(read("late", "0.2"), Batch { time_losses: 2, ..lost });
}

#[test]
fn openbench_s_generation_of_data() {
    let sandbox = sandbox();
    // Custom positions, each played once; the client wants the games with all search data.
    let line = "-recover -variant standard -concurrency 2 -force-concurrency -games 1 -rounds 3 -resign movecount=3 \
        score=400 \
        -draw movenumber=1 movecount=1 score=10 -openings file=Books/book.epd format=epd order=sequential start=1 \
        -engine dir=Engines/ cmd=./random_mover proto=uci tc=inf nodes=5000 option.Threads=1 option.Hash=8 \
        name=Engine-dev \
        -engine dir=Engines/ cmd=./random_mover proto=uci tc=inf nodes=5000 option.Threads=1 option.Hash=8 \
        name=Engine-base \
        -pgnout file=PGNs/4.5.6.0.pgn seldepth=true nodes=true";
    let played = run(&sandbox, &words(line)).exits(0);
    let finished = played.stdout.lines().filter(|line| line.starts_with("Finished game ")).count();
    let pgn = std::fs::read_to_string(sandbox.path("PGNs/4.5.6.0.pgn")).expect("games");
    let games = sliced(&pgn);
    assert_eq!((finished, games.len()), (3, 3), "{}", played.stdout);
    for ((tags, moves), fen) in games.iter().zip(BOOK.lines()) {
        let is_usual = fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/");
        assert!(is_usual || tags.contains(&format!("[FEN \"{fen}\"]").as_str()), "{fen}: {tags:?}");
        // Every ply has its score, depth, greatest depth and nodes.
        let comments: Vec<&str> = moves.split('{').skip(1).filter_map(|text| text.split('}').next()).collect();
        assert!(
            comments.iter().all(|comment| comment.contains("/1 0.") && comment.contains(", n=1, sd=")),
            "{comments:?}"
        );
    }
}

/// The results that fishtest's worker reads.
#[derive(Debug, Default, PartialEq)]
struct Results {
    /// Games, wins, losses, draws.
    games: [u32; 4],
    pentanomial: [u32; 5],
}

/// All blocks of results, and the players' faults at the end: late, crashed.
fn fishtest_reads(stdout: &str) -> (Vec<Results>, BTreeMap<String, [u32; 2]>) {
    let (mut blocks, mut faults, mut player) = (Vec::new(), BTreeMap::new(), String::new());
    let number = |text: &str| text.trim().parse::<u32>().unwrap_or_else(|error| panic!("{text}: {error}"));
    for line in stdout.lines() {
        if let Some(counts) = line.strip_prefix("Games: ") {
            let values: Vec<u32> =
                counts.split(", ").take(4).map(|part| number(part.rsplit(' ').next().unwrap_or(part))).collect();
            blocks.push(Results { games: values.try_into().expect("four numbers"), ..Results::default() });
        } else if let Some(penta) = line.strip_prefix("Ptnml(0-2): [") {
            let values: Vec<u32> = penta.split(']').next().expect("numbers").split(", ").map(number).collect();
            blocks.last_mut().expect("after the games").pentanomial = values.try_into().expect("five numbers");
        } else if let Some(name) = line.strip_prefix("Player: ") {
            name.clone_into(&mut player);
        } else if let Some(late) = line.strip_prefix("  Timeouts: ") {
            faults.insert(player.clone(), [number(late), 0]);
        } else if let Some(crashed) = line.strip_prefix("  Crashed: ") {
            faults.get_mut(&player).expect("after the losses on time")[1] = number(crashed);
        }
    }
    (blocks, faults)
}

#[test]
fn fishtest_s_worker() {
    let sandbox = sandbox();
    let line = "-recover -repeat -games 2 -rounds 4 -tournament gauntlet -ratinginterval 1 -scoreinterval 1 \
        -autosaveinterval 0 \
        -config discard=true outname=x.json -crc32 pgn=true -pgnout file=results.pgn append=false \
        -srand 7354821 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -concurrency 1 \
        -openings file=Books/book.epd format=epd order=random plies=16 start=5 \
        -engine name=New-1a68b26 tc=10.0+0.1 cmd=Engines/misbehaving args=crash option.Hash=16 \
        -engine name=Base-5446e6f tc=10.0+0.1 cmd=Engines/random_mover option.Hash=16 -each proto=uci option.Threads=1";
    let mut line = words(line);
    // Words with blanks, as from a list of arguments.
    line.extend(["-site", "https://example.org/tests/view/1", "-event", "Batch 0: new vs base"].map(str::to_owned));
    let played = run(&sandbox, &line).exits(0);
    let (blocks, faults) = fishtest_reads(&played.stdout);
    let after = |pairs: u32| Results { games: [2 * pairs, 0, 2 * pairs, 0], pentanomial: [pairs, 0, 0, 0, 0] };
    assert_eq!(blocks, [1, 2, 3, 4].map(after), "after each pair, and not twice at the end");
    assert_eq!(faults, BTreeMap::from([("Base-5446e6f".to_owned(), [0, 0]), ("New-1a68b26".to_owned(), [0, 8])]));
    assert!(played.stdout.contains("Finished match\n") && played.stdout.contains("File results.pgn has CRC32: 0x"));
    let pgn = std::fs::read_to_string(sandbox.path("results.pgn")).expect("games");
    assert!(pgn.contains("[Event \"Batch 0: new vs base\"]\n[Site \"https://example.org/tests/view/1\"]\n"), "{pgn}");
}

#[test]
fn weather_factory() {
    let sandbox = sandbox();
    sandbox.write_engine("tuned", "h5f7", "g8f6");
    let line = "-engine cmd=tuned name=a proto=uci option.Hash=3 -engine cmd=tuned name=b proto=uci option.Hash=5 \
        -resign movecount=3 score=400 -draw movenumber=40 movecount=8 score=10 -repeat -recover -games 2 -rounds 2 \
        -each tc=5+0.05 option.Hash=8 -openings file=Books/book.epd format=epd order=random -srand 1234 \
        -concurrency 2 -force-concurrency -ratinginterval 2 -config outname=tuner.json discard=true -pgnout \
        file=games.pgn";
    let played = run(&sandbox, &words(line)).exits(0);
    // The client uses the last counts: wins, losses, draws of the first engine.
    let counts = played.stdout.lines().rfind(|line| line.starts_with("Games: ")).expect("counts");
    let numbers: Vec<u32> = counts.split([' ', ',']).filter_map(|word| word.parse().ok()).take(4).collect();
    assert_eq!(numbers[0], 4);
    assert_eq!(numbers[1..].iter().sum::<u32>(), 4, "{counts}");
}

#[test]
fn chess_tuning_tools() {
    let sandbox = sandbox();
    let line = "-concurrency 2 -force-concurrency -engine cmd=Engines/random_mover name=engine1 proto=uci tc=3+0.1 \
        option.Hash=8 \
        -engine cmd=Engines/random_mover name=engine2 proto=uci tc=3+0.1 option.Hash=8 -rounds 3 -games 2 -repeat \
        -recover \
        -draw movenumber=10 movecount=2 score=10 -openings file=Books/book.epd format=epd order=random \
        -output format=cutechess -pgnout out.pgn";
    let played = run(&sandbox, &words(line)).exits(0);
    let mut scores = played.stdout.lines().filter_map(|line| line.strip_prefix("Score of engine1 vs engine2: "));
    let last = scores.next_back().expect("a score");
    // `W - L - D  [share] games`.
    let (counts, rest) = last.split_once("  [").expect("counts and a share");
    let counts: Vec<u32> = counts.split(" - ").map(|count| count.parse().expect("a count")).collect();
    assert_eq!((counts.iter().sum::<u32>(), rest.rsplit(' ').next()), (6, Some("6")), "{last}");
    let results = played.stdout.lines().filter(|line| line.starts_with("Finished game ")).filter_map(|line| {
        let (_, result) = line.split_once("): ")?;
        result.split(' ').next()
    });
    assert!(results.clone().count() == 6 && results.clone().all(|result| ["1-0", "0-1", "1/2-1/2"].contains(&result)));
    assert_eq!(sliced(&std::fs::read_to_string(sandbox.path("out.pgn")).expect("games")).len(), 6);
}

#[test]
fn frameworks_find_a_version_that_is_new_enough() {
    let version = sandbox().spar(&["fastchess", "--version"]).exits(0).stdout;
    let number = version.strip_prefix("fastchess alpha ").and_then(|rest| rest.split(' ').next()).expect("a version");
    let parts: Vec<u32> = number.split('.').map(|part| part.parse().expect("a number")).collect();
    assert!(parts >= vec![1, 8, 1], "{version}");
}
