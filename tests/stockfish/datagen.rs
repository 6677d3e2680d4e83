//! Positions of chess games: self-play of a UCI engine, and the files that other programs read.

use crate::support::{Sandbox, signal, wait};
use arena::config::PositionFormat;
use shakmaty::Position;
use std::io::BufReader;
use trainer::chess::Labelled;
use trainer::chess::formats::Positions;
use trainer::chess::quiet::is_quiet;

const RUN: &str = "selfplay-d-1";

/// Ten games at 500 nodes a move.
const DATAGEN: &str = r#"
name = "d"
game = "chess"
[selfplay]
games = 10
filter = { per_game = 12, skip_plies = 2 }
[openings]
plies = "8..9"
[adjudication]
max_moves = 60
draw = { from_move = 20, moves = 4, score = 10 }
resign = { moves = 3, score = 700 }
[each]
cmd = "/usr/games/stockfish"
options = { Hash = 1, Threads = 1 }
limit = "500 nodes"
[[entrant]]
name = "stockfish"
"#;

/// A folder with that configuration.
fn sandbox() -> Sandbox {
    Sandbox::with("d.toml", DATAGEN)
}

fn read(sandbox: &Sandbox, path: &str, format: PositionFormat) -> Vec<Labelled> {
    let file = fs_err::File::open(sandbox.path(path)).expect("the file");
    Positions::new(format, BufReader::new(file)).collect::<Result<_, _>>().expect("what the format has")
}

pub(crate) fn stopped_and_resumed_it_leaves_the_same_file() {
    let straight = sandbox();
    let broken = sandbox();
    let done = straight.spar(&["datagen", "d.toml", "--concurrency", "2"]).exits(0);
    assert!(done.stdout.starts_with("10 games played") && done.stdout.contains("by chance\n"), "{done:?}");
    let whole = straight.read(&format!("runs/{RUN}/{RUN}.txt"));
    let count = whole.lines().count();
    assert!((30..=120).contains(&count), "{count} positions");
    let page = straight.read(&format!("runs/{RUN}/positions.html"));
    for part in ["id=\"scores\"", "id=\"phases\"", "id=\"results\"", "Left out", "By material"] {
        assert!(page.contains(part), "{part}");
    }

    let child = broken.start(&["datagen", "d.toml", "--concurrency", "1", "--set", "selfplay.games=10000"]);
    broken.wait_for_pairs(RUN, 8);
    signal(&child, "INT");
    let _stopped = wait(child).exits(130);
    let part = broken.read(&format!("runs/{RUN}/{RUN}.txt"));
    assert!(!part.is_empty(), "as far as it was played");
    let played = broken.spar(&["show", RUN, "--json"]).exits(0).json()["rounds"].as_u64().expect("a number");
    let _done = broken.spar(&["resume", RUN, "--set", &format!("selfplay.games={}", played.max(10))]).exits(0);
    let resumed = broken.read(&format!("runs/{RUN}/{RUN}.txt"));
    assert!(resumed.starts_with(&part), "what was written stays, and nothing is there twice");
    assert!(resumed.starts_with(&whole) && (played > 10 || resumed == whole), "straight or resumed");
}

pub(crate) fn every_format_has_the_same_positions_and_is_read_back() {
    let sandbox = sandbox();
    let _done = sandbox.spar(&["datagen", "d.toml", "--set", "selfplay.games=4"]).exits(0);
    for format in ["text", "bullet", "plain"] {
        let out = format!("x.{}", if format == "text" { "txt" } else { format });
        let _done = sandbox.spar(&["export", RUN, "--positions", &out, "--format", format]).exits(0);
        let named = format!("named-{out}");
        let _done = sandbox.spar(&["export", RUN, "--positions", &named]).exits(0);
        let bytes = |path: &str| fs_err::read(sandbox.path(path)).expect("a file");
        assert_eq!(bytes(&out), bytes(&named), "its name says the format");
    }
    assert_eq!(sandbox.read("x.txt"), sandbox.read(&format!("runs/{RUN}/{RUN}.txt")), "made again");
    let text = read(&sandbox, "x.txt", PositionFormat::Text);
    let plain = read(&sandbox, "x.plain", PositionFormat::Plain);
    let bullet = read(&sandbox, "x.bullet", PositionFormat::Bullet);
    assert_eq!((text.len(), text.len()), (plain.len(), bullet.len()));
    for ((of, plain), bullet) in text.iter().zip(&plain).zip(&bullet) {
        let played = plain.played.expect("a move");
        assert!(plain.position.is_legal(played) && !played.is_capture() && !of.position.is_check());
        assert_eq!((&of.position, of.score, of.result), (&plain.position, plain.score, plain.result));
        assert_eq!(of.for_mover(), (bullet.score, bullet.result));
        assert_eq!(of.position.board().occupied().count(), bullet.position.board().occupied().count());
        assert!(of.score.abs() < 800 && of.ply() >= 10, "{of:?}");
    }
    for file in ["x.txt", "x.bullet", "x.plain"] {
        let info = sandbox.spar(&["data", "info", file, "--page", "page.html", "--json"]).exits(0).json();
        assert_eq!((info["positions"].as_u64(), &info["duplicates"]), (Some(text.len() as u64), &0.into()), "{info}");
        assert!(sandbox.spar(&["data", "info", file]).exits(0).stdout.contains("for the side to move"));
    }
    fs_err::write(sandbox.path("bad.txt"), format!("{}8/8 | 1\n", sandbox.read("x.txt"))).expect("a file");
    let error = sandbox.spar(&["data", "info", "bad.txt"]).exits(3).stderr;
    assert!(error.contains(&format!("bad.txt, line {}: expected", text.len() + 1)), "{error}");
    let error = sandbox.spar(&["data", "info", "x.txt", "x.plain"]).exits(2).stderr;
    assert!(error.contains("x.plain is not a file of the format `text`"), "{error}");
}

pub(crate) fn any_match_of_chess_has_positions() {
    let sandbox = sandbox();
    let (head, tail) = DATAGEN.split_once("[selfplay]").expect("a section");
    let rest = &tail[tail.find("[openings]").expect("a section")..];
    let other = "[[entrant]]\nname = \"other\"\nlimit = \"200 nodes\"\n";
    sandbox.write("m.toml", &format!("{head}[match]\npairs = 2\n{rest}{other}"));
    let _done = sandbox.spar(&["match", "m.toml"]).exits(0);
    let export = |settings: &[&str]| {
        let words = ["export", "match-d-1", "--positions", "m.txt", "--page", "m.html"];
        let done = sandbox.spar(&[&words[..], settings].concat()).exits(0);
        assert!(done.stdout.contains("positions of 4 games"), "{done:?}");
        read(&sandbox, "m.txt", PositionFormat::Text)
    };
    // Few games are played, and random plies may have decided each of them.
    let (usual, all) = (export(&["--first-score", "99"]), export(&["--keep", "all"]));
    assert!(!usual.is_empty() && usual.len() < all.len(), "{} of {}", usual.len(), all.len());
    assert!((1..=12).contains(&export(&["--keep", "all", "--per-game", "3"]).len()));
    assert!((1..all.len()).contains(&export(&["--keep", "all", "--sample", "0.2"]).len()));
    let quiet = export(&["--keep", "all", "--quiet", "--skip-plies", "4"]);
    assert!(!quiet.is_empty() && quiet.iter().all(|of| is_quiet(&of.position)));
    assert!(sandbox.read("m.html").contains("Left out"));

    let refused = [
        (&["data", "export", "match-d-1"][..], "spar export match-d-1 --positions FILE"),
        (&["export", "match-d-1", "--positions", "m.plain", "--format", "plain", "--quiet"], "has the move played"),
        (&["export", "match-d-1", "--pgn", "--score", "3"], "add `--positions FILE`"),
        (&["export", "match-d-1", "--pgn", "--quiet"], "add `--positions FILE`"),
        (&["export", "match-d-1", "--positions", "m.txt", "--format", "pgn"], "expected one of text, bullet, plain"),
        (&["export", "match-d-1", "--positions", "m.txt", "--sample", "0"], "expected a share"),
    ];
    for (words, expected) in refused {
        let error = sandbox.spar(words).exits(2).stderr;
        assert!(error.contains(expected), "{words:?}: {error}");
    }
}

pub(crate) fn what_cannot_be_written_is_said_where_it_is_asked_for() {
    let sandbox = Sandbox::with("d.toml", DATAGEN);
    let cases = [
        ("selfplay.filter={quiet=true}", "selfplay.format=plain", "`plain` has the move played in each position"),
        ("selfplay.filter={sample=1.5}", "seed=1", "1.5 is not a share of the positions"),
        ("selfplay.filter.sample=0.5", "seed=1", "`sample` says already"),
        ("selfplay.filter.per_game=0", "seed=1", "played for nothing"),
        ("selfplay.filter.score=200", "seed=1", "pawns of chess, from 0 to 100"),
        ("game=atomic", "seed=1", "expected another game"),
        ("game=crazyhouse", "selfplay.format=text", "positions of crazyhouse are written as `plain`"),
        ("game=crazyhouse", "selfplay.filter={quiet=true}", "`plain` has the move played"),
        ("selfplay.format=pgn", "seed=1", "pgn"),
        ("track=false", "seed=1", "scores of each ply"),
    ];
    for (setting, other, expected) in cases {
        let error = sandbox.spar(&["datagen", "d.toml", "--set", setting, "--set", other]).exits(2).stderr;
        assert!(error.contains(expected), "{setting}: {error}");
    }
    sandbox.write("s.toml", crate::support::SELFPLAY);
    for key in ["format=text", "filter.quiet=true", "filter.sample=0.5", "filter.per_game=3", "filter.skip_plies=1"] {
        let setting = format!("selfplay.{key}");
        let error = sandbox.spar(&["selfplay", "s.toml", "--set", &setting]).exits(2).stderr;
        assert!(error.contains("is for positions of chess"), "{key}: {error}");
    }
    assert!(!sandbox.path("runs").exists(), "nothing was made");
}
