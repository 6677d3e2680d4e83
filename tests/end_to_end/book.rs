//! Opening books from end to end: games that start from their lines, early checks, and refusals.

use crate::support::Sandbox;
use std::collections::BTreeSet;

/// Random chess moves from the openings of a book.
const MATCH: &str = r#"
name = "b"
game = "chess"
[match]
pairs = 6
[openings]
file = "book.epd"
[[entrant]]
name = "one"
player = "random"
[[entrant]]
name = "two"
player = "random"
"#;

/// After 1. e4, 1. d4, 1. c4 and 1. Nf3.
const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -

# English
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - id \"English\";
rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1
";

const PGN: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n\
                   [Event \"b\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n\
                   [Event \"c\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n\
                   [Event \"d\"]\n[Result \"*\"]\n\n1. c4 *\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("b.toml", MATCH);
    sandbox.write("book.epd", BOOK);
    sandbox.write("games.pgn", PGN);
    sandbox
}

/// The start of each pair of a run, in order.
fn starts(sandbox: &Sandbox, run: &str) -> Vec<String> {
    let export = sandbox.spar(&["export", run, "--jsonl"]).exits(0).stdout;
    let pairs = export.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    pairs.map(|pair: serde_json::Value| pair["start"].as_str().expect("a start").to_owned()).collect()
}

#[test]
fn a_run_plays_its_book_without_repeats_and_says_when_it_comes_again() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["match", "b.toml"]).exits(0);
    let note = "note: book.epd has only 4 openings for 6 pairs, so openings repeat";
    assert!(done.stderr.contains(note), "{done:?}");
    let random = starts(&sandbox, "match-b-1");
    assert_eq!(random.len(), 6);
    assert_eq!(random[..4].iter().collect::<BTreeSet<_>>().len(), 4, "{random:?}");
    let settings = ["--set", "openings.order=sequential", "--set", "openings.start=3", "--set", "match.pairs=4"];
    let done = sandbox.spar(&[&["match", "b.toml"], &settings[..]].concat()).exits(0);
    assert!(!done.stderr.contains("note: "), "{done:?}");
    let sequential = starts(&sandbox, "match-b-2");
    assert!(sequential[0].contains("/2P5/") && sequential[1].contains("/5N2/") && sequential[2].contains("/4P3/"));
}

#[test]
fn a_run_resumes_with_its_book_and_with_no_other() {
    let sandbox = sandbox();
    let _two = sandbox.spar(&["match", "b.toml", "--set", "match.pairs=2"]).exits(0);
    let _more = sandbox.spar(&["resume", "match-b-1", "--set", "match.pairs=4"]).exits(0);
    assert_eq!(starts(&sandbox, "match-b-1").iter().collect::<BTreeSet<_>>().len(), 4);
    sandbox.write("book.epd", &BOOK.replace("English", "Saragossa"));
    let refused = sandbox.spar(&["resume", "match-b-1", "--set", "match.pairs=5"]).exits(2);
    assert!(refused.stderr.contains("config.openings.book.hash: "), "{refused:?}");
}

#[test]
fn what_cannot_be_used_is_shown_in_the_configuration() {
    let sandbox = sandbox();
    sandbox.write("bad.epd", &BOOK.replace("/5N2/", "/5N3/"));
    let cases: [(&[&str], &[&str]); 14] = [
        (&["openings.file=none.epd"], &["cannot read none.epd: No such file", "these openings cannot be played"]),
        (&["openings.file=bad.epd", "openings.strict=true"], &["bad.epd:6: ", "is not a position", "/5N3/"]),
        (&["openings.file=book"], &["cannot tell the format of book from its name", "expected `format`, too"]),
        (&["openings.format=polyglott"], &["`polyglott` is not a book format", "did you mean `polyglot`?"]),
        (&["openings.format=pgn"], &["book.epd:1: `rnbqkbnr/"]),
        (
            &["openings.order=shuffled"],
            &["`shuffled` is not an order of openings", "expected `random` or `sequential`"],
        ),
        (&["openings.start=5"], &["opening 5 is beyond the 4 of book.epd", "expected 1 to 4"]),
        (&["openings.start=0"], &["there is no opening 0"]),
        (&["openings.plies=4"], &["`plies` is for books of moves"]),
        (&["openings.balance=1"], &["`balance` is for random openings"]),
        (&["openings.source=start"], &["`source` and `file` exclude each other"]),
        (&["openings.format=polyglot"], &["a Polyglot book does not say how long an opening is"]),
        (&["openings.format=polyglot", "openings.plies=4"], &["book.epd is not a Polyglot book: it has "]),
        (&["game=crazyhouse", "openings.format=polyglot", "openings.plies=4"], &["those are for chess and chess960"]),
    ];
    for (settings, expected) in cases {
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        let refused = sandbox.spar(&[&["match", "b.toml"], &settings[..]].concat()).exits(2);
        // The frame wraps long lines.
        let text = refused.stderr.replace("\n  │ ", " ");
        assert!(expected.iter().all(|part| text.contains(part)), "{settings:?}:\n{text}");
        assert!(!sandbox.path("runs").exists(), "{settings:?}: refused before there is a folder");
    }
}

#[test]
fn games_can_start_from_the_start() {
    let sandbox = sandbox();
    sandbox.write("s.toml", &MATCH.replace("file = \"book.epd\"", "source = \"start\""));
    let _done = sandbox.spar(&["match", "s.toml", "--set", "match.pairs=2"]).exits(0);
    let export = sandbox.spar(&["export", "match-b-1", "--jsonl"]).exits(0).stdout;
    let pair: serde_json::Value = serde_json::from_str(export.lines().next().expect("a pair")).expect("JSON");
    assert_eq!(pair["opening"], "");
    for key in ["plies=3", "balance=1", "order=random", "start=1", "format=epd"] {
        let refused = sandbox.spar(&["match", "s.toml", "--set", &format!("openings.{key}")]).exits(2);
        assert!(refused.stderr.contains(" is for "), "{refused:?}");
    }
    let refused = sandbox.spar(&["match", "s.toml", "--set", "openings.source=book"]).exits(2);
    assert!(refused.stderr.contains("`book` is not a source of openings"), "{refused:?}");
}

#[test]
fn books_are_made_of_games_and_played() {
    let sandbox = sandbox();
    let made = sandbox.spar(&["book", "make", "games.pgn", "--out", "made.bin"]).exits(0);
    assert_eq!(made.stdout, "made.bin: 3 moves in 3 positions, from 2 games\n");
    assert!(made.stderr.contains("games.pgn:11: `Ke3` is not a legal move of chess"), "{made:?}");
    assert!(made.stderr.contains("games left out: 1 without a result"), "{made:?}");
    let info = sandbox.spar(&["book", "info", "made.bin", "--json"]).exits(0).json();
    assert_eq!((&info["entries"], &info["positions"]), (&3.into(), &3.into()));
    let settings = ["--set", "openings.file=made.bin", "--set", "openings.plies=1", "--set", "match.pairs=3"];
    let _done = sandbox.spar(&[&["match", "b.toml"], &settings[..]].concat()).exits(0);
    let export = sandbox.spar(&["export", "match-b-1", "--jsonl"]).exits(0).stdout;
    assert!(export.lines().all(|pair| pair.contains("e2e4")), "the one move that won: {export}");
    let none = sandbox.spar(&["book", "make", "games.pgn", "--out", "none.bin", "--min-games", "9"]).exits(2);
    assert!(none.stderr.contains("no move is left for the book"), "{none:?}");
    assert!(!sandbox.path("none.bin").exists());
}

#[test]
fn books_are_looked_at() {
    let sandbox = sandbox();
    sandbox.write("twice.epd", &format!("{BOOK}{BOOK}"));
    let info = sandbox.spar(&["book", "info", "twice.epd"]).exits(0).stdout;
    assert!(info.starts_with("twice.epd (epd)\n  openings   8\n  plies      0\n"), "{info}");
    assert!(info.contains("  duplicates 4 (line 7 as 1, line 8 as 2, line 11 as 5, ...)\n"), "{info}");
    let json = sandbox.spar(&["book", "info", "games.pgn", "--plies", "2", "--json"]).exits(0).json();
    assert_eq!((&json["openings"], &json["plies"]["most"], &json["format"]), (&4.into(), &2.into(), &"pgn".into()));
    let refused = sandbox.spar(&["book", "info", "games.pgn", "--strict"]).exits(2);
    assert!(refused.stderr.contains("games.pgn:11: `Ke3` is not a legal move in "), "{refused:?}");
    let skipped = sandbox.spar(&["book", "info", "games.pgn", "--json"]).exits(0);
    assert!(skipped.stderr.contains("1 skipped\n  games.pgn:11: `Ke3` is not a legal move in "), "{skipped:?}");
    let json = skipped.json();
    assert_eq!(
        (&json["openings"], &json["skipped"]["count"], &json["skipped"]["first"][0]["line"]),
        (&3.into(), &1.into(), &11.into())
    );
    sandbox.write("deep.pgn", &"(".repeat(200));
    let deep = sandbox.spar(&["book", "info", "deep.pgn"]).exits(2).stderr;
    assert!(deep.ends_with("variations are nested more than 100 deep\n"), "{deep:?}");
    let unknown = sandbox.spar(&["book", "info", "twice.epd", "--game", "ches"]).exits(2);
    assert!(unknown.stderr.contains("unknown game `ches`"), "{unknown:?}");
    let played = sandbox.spar(&["match", "b.toml", "--set", "openings.file=twice.epd"]).exits(0);
    assert!(played.stderr.contains("note: twice.epd has openings that are the same: 4 (line 7 as 1"), "{played:?}");
    sandbox.write("bad.epd", &BOOK.replace("/5N2/", "/5N3/"));
    let played = sandbox.spar(&["match", "b.toml", "--set", "openings.file=bad.epd"]).exits(0);
    let skipped = "bad.epd has openings that cannot be used: 1 skipped\n  bad.epd:6: `";
    assert!(played.stderr.contains(skipped) && played.stderr.contains(" has only 3 openings for "), "{played:?}");
}

/// A UCI engine that prefers 1. e4 by 40 centipawns, 1. d4 by 30 and 1. c4 by 10, and is mated after 1. Nf3.
const ENGINE: &str = r#"#!/bin/sh
while read -r line; do
    case "$line" in
        uci) echo "id name fake"; echo "option name Hash type spin default 1 min 1 max 9"; echo uciok ;;
        isready) echo readyok ;;
        position*/4P3/*) score="cp -40" ;;
        position*/3P4/*) score="cp -30" ;;
        position*/2P5/*) score="cp -10" ;;
        position*) score="mate -3" ;;
        go*)
            echo "info depth 1 score cp 0 upperbound nodes 5"
            echo "info depth 1 score $score nodes 9"
            echo "bestmove a7a6" ;;
        quit) exit 0 ;;
    esac
done
"#;

fn fake_engine(sandbox: &Sandbox, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    sandbox.write(name, script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path(name), executable).expect("our own file");
}

fn pick<'a>(engine: &'a str, window: &'a str, count: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let engine = ["--engine", engine, "--window", window, "--count", count, "--nodes", "100"];
    [&["book", "pick", "book.epd", "--out", "picked.epd"], &engine[..], more].concat()
}

#[test]
fn openings_are_picked_by_an_engine() {
    let sandbox = sandbox();
    fake_engine(&sandbox, "fake", ENGINE);
    let mut books = Vec::new();
    for workers in ["1", "3"] {
        let picked = sandbox.spar(&pick("./fake", "20..40", "9", &["--concurrency", workers])).exits(0);
        assert_eq!(picked.stdout, "picked.epd: 2 of 4 openings searched\n");
        assert!(picked.stderr.contains("note: --count asks for 9 openings"), "{picked:?}");
        books.push(std::fs::read_to_string(sandbox.path("picked.epd")).expect("a book"));
    }
    assert_eq!(books[0], books[1]);
    let lines: BTreeSet<&str> = books[0].lines().collect();
    let expected = [
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1; ce -30;",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1; ce -40;",
    ];
    assert_eq!(lines, BTreeSet::from(expected));
    assert_eq!(sandbox.spar(&["book", "info", "picked.epd", "--json"]).exits(0).json()["openings"], 2);
    let one = sandbox.spar(&pick("./fake", "-10..1000", "1", &["--option", "Hash=2"])).exits(0);
    assert!(one.stdout.starts_with("picked.epd: 1 of "), "{one:?}");
}

#[test]
fn picking_ends_with_a_reason() {
    let sandbox = sandbox();
    fake_engine(&sandbox, "fake", ENGINE);
    fake_engine(&sandbox, "dies", "#!/bin/sh\nread -r line\necho no network found >&2\nexit 3\n");
    let mute =
        ENGINE.replace("echo \"info depth 1 score $score nodes 9\"\n", "\n").replace("score cp 0 upperbound ", "");
    fake_engine(&sandbox, "mute", &mute);
    let cases: [(Vec<&str>, i32, &str); 7] = [
        (
            pick("./fake", "100..200", "1", &[]),
            2,
            "none of 4 openings has a score of 100..200 centipawns: widen --window",
        ),
        (pick("./fake", "20..40", "1", &["--option", "Hsh=2"]), 3, "Hash"),
        (pick("./fake", "20..40", "1", &["--game", "crazyhouse"]), 3, "UCI_Variant"),
        (pick("./fake", "20..40", "1", &["--game", "0.1"]), 2, "expected chess or a variant"),
        (pick("./dies", "20..40", "1", &[]), 3, "exited with status 3: no network found"),
        (pick("./mute", "20..40", "1", &[]), 3, "the engine gave no score for "),
        (pick("./unknown", "20..40", "1", &[]), 2, "unknown"),
    ];
    for (words, code, why) in cases {
        let refused = sandbox.spar(&words).exits(code);
        assert!(refused.stderr.contains(why), "{words:?}: {refused:?}");
        assert!(!sandbox.path("picked.epd").exists());
    }
}

#[test]
fn starts_by_number_are_shown_in_records_and_of_books() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "t.toml",
        "game = 'crazyhouse960'\n[openings]\nsource = 'chess960'\nnumbers = '959, 0'\norder = \
            'sequential'\n[match]\npairs = 3\n\
         [[entrant]]\nname = 'a'\nplayer = 'random'\n[[entrant]]\nname = 'b'\nplayer = 'random'\n",
    );
    let outcome = sandbox.spar(&["match", "t.toml"]).exits(0);
    assert!(outcome.stderr.contains("starts 959, 0 has only 2 openings for 3 pairs"), "{outcome:?}");
    let pgn = sandbox.spar(&["export", "runs/match-t-1", "--pgn"]).exits(0).stdout;
    let fens: Vec<&str> = pgn.lines().filter_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]")).collect();
    let [last, first] =
        ["rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB[] w ", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR[] w "];
    assert_eq!(fens.len(), 6, "{pgn}");
    for (number, fen) in fens.iter().enumerate() {
        assert!(fen.starts_with([last, first][number / 2 % 2]), "{number}: {fen}");
    }
    sandbox.write("b.epd", &fens.join("\n"));
    let info = sandbox.spar(&["book", "info", "b.epd", "--game", "crazyhouse960"]).exits(0).stdout;
    assert!(info.contains("starts     6 by number: 959, 959, 0, 0, 959, 959"), "{info}");
    let json = sandbox.spar(&["book", "info", "b.epd", "--game", "crazyhouse960", "--json"]).exits(0).json();
    assert_eq!(json["starts"][2], serde_json::json!({ "white": 0, "black": 0 }));
}
