//! Trainings of chess networks: from files of positions to a network that `pst_engine` plays with.

use crate::support::{Sandbox, pst_engine, signal, wait, wait_until};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use trainer::train::PstNet;

const TRAIN: &str = r#"
game = "chess"
data = ["positions.txt"]
out = "nets/first"
model = "network"
hidden = 48
epochs = 12.0
batch = 256
held_out = 0.2
evaluations = 6
learning_rate = 0.01
"#;

/// Kings on many files and ranks, both sides to move, all phases.
const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 b - - 0 10",
    "2r3k1/1p3pp1/p2p3p/3Pp3/1P2P3/P4N1P/5PP1/1KR5 b - - 0 25",
    "8/5p2/4p1p1/1k1pP2p/1P1P3P/5KP1/8/2Q5 w - - 0 40",
    "3qk3/8/8/8/8/2K5/8/QR5R b - - 0 1",
    "8/8/8/4k3/8/8/P7/K7 w - - 0 1",
];

/// Positions of random games, scored by pieces, as text.
fn positions(count: usize) -> String {
    let (mut text, mut position, mut number) = (String::new(), Chess::default(), 1_u64);
    for _ in 0..count {
        let moves = position.legal_moves();
        if moves.is_empty() || position.halfmoves() > 40 {
            position = Chess::default();
            continue;
        }
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        position.play_unchecked(moves[(number >> 33) as usize % moves.len()]);
        let pieces = |color: Color| position.board().by_color(color).count() as i32;
        let score = 150 * (pieces(Color::White) - pieces(Color::Black));
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        let _ = writeln!(text, "{fen} | {score} | {}", ["0.0", "0.5", "1.0"][(1 + score.signum()) as usize]);
    }
    text
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("train.toml", TRAIN);
    sandbox.write("positions.txt", &positions(4_000));
    sandbox
}

fn bytes(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    fs_err::read(sandbox.path(path)).expect("a file")
}

/// The engine's evaluation of a position with a network, in white's centipawns.
fn engine(sandbox: &Sandbox, network: &str, fen: &str) -> i64 {
    let mut command = Command::new(pst_engine());
    command.args(["--network", network, "eval", "fen", fen]).current_dir(sandbox.path(".")).stdin(Stdio::null());
    let output = String::from_utf8(command.output().expect("it starts").stdout).expect("text");
    output.trim().trim_start_matches("eval ").parse().unwrap_or_else(|_| panic!("{output}"))
}

#[test]
#[ignore = "slow"]
fn the_engine_plays_with_what_was_trained() {
    let sandbox = sandbox();
    let done = sandbox.spar(&["train", "train.toml"]).exits(0);
    assert!(done.stderr.contains("network of chess 2 x 768 x 48, 5 buckets"), "{done:?}");
    assert!(done.stdout.contains("material") && done.stdout.contains("nets/first/network.bin"), "{done:?}");
    let page = sandbox.read("nets/first/report.html");
    assert!(page.contains("centipawns that are 1 logit") && page.contains("id=\"losses\""));
    let network = PstNet::from_bytes(&bytes(&sandbox, "nets/first/network.bin")).expect("a network");
    let scores = POSITIONS.map(|fen| {
        let position: Chess = fen.parse::<Fen>().expect("FEN").into_position(CastlingMode::Standard).expect("legal");
        let expected = network.centipawns(&position).expect("a score") * position.turn().fold_wb(1, -1);
        assert_eq!(engine(&sandbox, "nets/first/network.bin", fen), expected, "{fen}");
        expected
    });
    assert!(scores.iter().any(|score| score.abs() > 50), "{scores:?}");
}

/// The trained result, as JSON, with these settings as overrides.
fn trained(sandbox: &Sandbox, set: &[&str]) -> serde_json::Value {
    let set = set.iter().flat_map(|set| ["--set", set]);
    let words: Vec<&str> = ["train", "train.toml", "--json"].into_iter().chain(set).collect();
    sandbox.spar(&words).exits(0).json()
}

fn number(trained: &serde_json::Value, at: &str) -> f64 {
    trained.pointer(at).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{at}: {trained}"))
}

#[test]
#[ignore = "slow"]
fn a_training_begins_with_the_network_of_another() {
    let sandbox = sandbox();
    let first = trained(&sandbox, &[]);
    let start = "start=\"nets/first/network.bin\"";
    let further = trained(&sandbox, &[start, "out=\"nets/further\"", "learning_rate=1e-6", "final_learning_rate=1e-6"]);
    let at_the_end = number(&first, "/points/5/held_out");
    for point in 0..6 {
        let loss = number(&further, &format!("/points/{point}/held_out"));
        assert!((loss - at_the_end).abs() < 1e-3, "it stays where the first one ended: {loss} {at_the_end}");
    }
    let refused = |set: &[&str]| sandbox.spar(&[&["train", "train.toml", "--set"], set].concat()).exits(2).stderr;
    let other = refused(&[start, "--set", "hidden=64"]);
    assert!(other.contains("is nothing to begin with") && other.contains("48"), "{other}");
    assert!(refused(&["start=\"positions.txt\""]).contains("positions.txt"), "no network");
}

#[test]
#[ignore = "slow"]
fn positions_count_by_ply_and_result() {
    let sandbox = sandbox();
    let alike = "weights.ply=[[0, 2.0]]";
    let plain = trained(&sandbox, &[]);
    let doubled = trained(&sandbox, &[alike, "out=\"nets/doubled\""]);
    let losses = |trained: &serde_json::Value| [0, 5].map(|at| number(trained, &format!("/points/{at}/held_out")));
    let is_near = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(is_near(losses(&plain), losses(&doubled)), "all count alike: {plain} {doubled}");
    let by_ply = trained(&sandbox, &["weights.ply=[[0, 0.1], [40, 1.0]]", "out=\"nets/ply\""]);
    let by_result = trained(&sandbox, &["weights.draw=0.1", "out=\"nets/result\""]);
    assert!(!is_near(losses(&plain), losses(&by_ply)) && !is_near(losses(&plain), losses(&by_result)));
    let wins =
        sandbox.read("positions.txt").lines().filter(|line| !line.ends_with("0.5")).collect::<Vec<_>>().join("\n");
    sandbox.write("wins.txt", &wins);
    let set = ["--set", "data=[\"wins.txt\"]", "--set", "weights.win=0", "--set", "weights.loss=0"];
    let nothing = sandbox.spar(&[&["train", "train.toml"][..], &set].concat()).exits(3).stderr;
    assert!(nothing.contains("have the weight 0"), "{nothing}");
}

/// Games of the example engine against itself.
const GAMES: &str = r#"
name = "g"
game = "chess"
[selfplay]
games = 24
[openings]
plies = "8..9"
[adjudication]
max_moves = 60
[each]
cmd = "ENGINE"
limit = "200 nodes"
[[entrant]]
name = "a"
"#;

#[test]
#[ignore = "slow"]
fn a_run_of_chess_is_trained_on_as_its_file_is() {
    let engine = pst_engine().display().to_string();
    let sandbox = sandbox();
    sandbox.write("g.toml", &GAMES.replace("ENGINE", &engine));
    let _done = sandbox.spar(&["selfplay", "g.toml", "--concurrency", "2"]).exits(0);
    let network = |data: &str, out: &str| {
        let (data, out) = (format!("data=[{data:?}]"), format!("nets/{out}"));
        let trained = trained(&sandbox, &[&data, &format!("out={out:?}"), "epochs=2.0", "batch=64", "held_out=0.4"]);
        assert!(number(&trained, "/data/training") > 200.0 && number(&trained, "/data/held_out") > 20.0, "{trained}");
        bytes(&sandbox, &format!("{out}/network.bin"))
    };
    // For games without pairs the file gives the same result as the run: the same positions of the same games, in one
    // order.
    let of_file = network("runs/selfplay-g-1/selfplay-g-1.txt", "file");
    assert!(network("runs/selfplay-g-1", "run") == of_file);
    let wps = ["game=\"0.1\"", "hidden=32", "data=[\"runs/selfplay-g-1\"]"].map(|set| ["--set", set]).concat();
    let refused = sandbox.spar(&[&["train", "train.toml"][..], &wps].concat()).exits(2).stderr;
    assert!(refused.contains("are of chess") && refused.contains("trained on runs of 0.1"), "{refused}");
    sandbox.write("cut.txt.gz", "no gzip");
    let cut = sandbox.spar(&["data", "info", "cut.txt.gz"]).exits(3).stderr;
    assert!(cut.contains("cut.txt.gz"), "{cut}");
    let packed = sandbox.spar(&["export", "selfplay-g-1", "--positions", "g.bullet.gz"]).exits(2).stderr;
    assert!(packed.contains("write `g.bullet`") && !sandbox.path("g.bullet.gz").exists(), "{packed}");
}

#[test]
#[ignore = "slow"]
fn interrupted_it_resumes_to_the_same_network() {
    let (sandbox, broken) = (sandbox(), sandbox());
    let straight = sandbox.spar(&["train", "train.toml", "--json"]).exits(0).json();
    let points: Vec<f64> =
        straight["points"].as_array().expect("points").iter().filter_map(|point| point["held_out"].as_f64()).collect();
    assert!(points.len() == 6 && points[5] < points[0], "{points:?}");
    let child = broken.start(&["train", "train.toml"]);
    wait_until("a folder", || broken.path("nets/first").exists());
    signal(&child, "INT");
    // If it was too quick to be interrupted, there is nothing to resume, and nothing changes.
    let stopped = wait(child);
    assert!(matches!(stopped.code, Some(0 | 130)), "{stopped:?}");
    let _done = broken.spar(&["train", "train.toml"]).exits(0);
    assert!(bytes(&broken, "nets/first/network.bin") == bytes(&sandbox, "nets/first/network.bin"));

    // One that is not done in time is interrupted, and keeps its state.
    let endless = ["train", "train.toml", "--set", "out=nets/endless", "--set", "epochs=1000000.0"];
    let _stopped = sandbox.interrupt(&endless, "nets/endless");
    assert!(sandbox.path("nets/endless/checkpoint").is_file());
}

#[test]
fn what_cannot_be_trained_on_is_reported_with_its_place() {
    let sandbox = sandbox();
    let refused = |set: &str, code: i32| sandbox.spar(&["train", "train.toml", "--set", set]).exits(code).stderr;
    let wrong = refused("hidden=24", 2);
    assert!(wrong.contains("expected a multiple of 16") && wrong.contains("hidden = 24"), "{wrong}");
    assert!(refused("data=[\"train.toml\"]", 3).contains("train.toml: no format of positions of chess"));
    sandbox.write("broken.txt", &format!("{}nonsense\n", positions(3)));
    let broken = refused("data=[\"positions.txt\", \"broken.txt\"]", 3);
    assert!(broken.contains("broken.txt, line 4: expected `FEN | score | result`"), "{broken}");
    sandbox.write("cut.bullet", "not 32 bytes");
    assert!(refused("data=[\"cut.bullet\"]", 3).contains("cut.bullet, position 1: the file ends"));
    sandbox.write("none.plain", "");
    assert!(refused("data=[\"none.plain\"]", 3).contains("0 positions to train on"));
}
